"""The model in git: the best of the exported ones, which judges windows without any training.

``export/generated/model.json`` names it, with the SHA-256 of its model file; the file and its card are in the same
folder. The stage ``export`` writes all three.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from smartsbd.contracts.fault import InputFault
from smartsbd.export import model_file
from smartsbd.export.model_file import Loaded, ModelFileError
from smartsbd.features.pair import PairWindow
from smartsbd.models.labelled.window_verdicts import Verdicts

FOLDER = Path(__file__).parent / "generated"
NAMED = "model.json"
#: A window is called shared if more than this share of the votes says so.
_HALF = 0.5


class NoShippedError(InputFault):
    """The folder holds no model, or not the one that it names."""


@dataclass(frozen=True)
class Named:
    """The folder's description of its model.

    Attributes
    ----------
    model : str
        As ``dataset/family_set``, what it was trained on first.
    file, card : str
        Names of its model file and its card.
    sha256 : str
        Of the model file.
    """

    model: str
    file: str
    card: str
    sha256: str


class OfFile:
    """A model file as a judge of windows."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded

    def judge(self, windows: Sequence[PairWindow]) -> Verdicts:
        """Return a verdict on each window; the score is the share of the votes for a shared bottleneck."""
        names = self._loaded.feature_names
        x = np.array([[window.features[name] for name in names] for window in windows], dtype=np.int64)
        shares = self._loaded.shares(x.reshape(len(windows), len(names)))
        return Verdicts(shares, shares > _HALF)


def described(named: Named) -> bytes:
    """Return what :data:`NAMED` holds."""
    return (json.dumps(asdict(named), indent=2, sort_keys=True) + "\n").encode()


def named_in(folder: Path = FOLDER) -> Named:
    """Return a folder's description of its model.

    Returns
    -------
    Named
        From its :data:`NAMED`.

    Raises
    ------
    NoShippedError
        If it has none.
    """
    path = folder / NAMED
    try:
        return Named(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError) as error:
        raise NoShippedError(f"{path}: names no model: {error}") from error


def load(folder: Path = FOLDER) -> tuple[Named, OfFile]:
    """Return the model of a folder, and its description.

    Returns
    -------
    named : Named
        The description.
    judge : OfFile
        The model as a judge of windows.

    Raises
    ------
    NoShippedError
        If the folder names none, or its model file is not the one that is named.
    """
    named = named_in(folder)
    path = folder / named.file
    try:
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != named.sha256:
            raise NoShippedError(f"{path}: is not the model that {NAMED} names: its SHA-256 differs")
        return named, OfFile(model_file.read(content))
    except (OSError, ModelFileError) as error:
        raise NoShippedError(f"{path}: {error}") from error
