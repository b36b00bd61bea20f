"""Finished searches, kept until their run is complete, so that an interrupted run continues from them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd

from smartsbd.contracts.whole_file import write_whole
from smartsbd.models.automl.search import Asked, EngineSearched

_SOURCES = sorted(Path(__file__).parent.glob("*.py"))


def digest_of(asked: Asked, environment: str) -> str:
    """Return the SHA-256, in hexadecimal, of everything that determines the result of a search.

    Parameters
    ----------
    asked : Asked
    environment : str
        What is installed for the engine.

    Returns
    -------
    str
        64 digits.
    """
    digest = hashlib.sha256()
    parameters = [asked.engine.name, environment, asked.feature_names, asdict(asked.limits), asked.seed]
    digest.update(json.dumps(parameters).encode())
    for array in (asked.x, asked.shared, asked.fold, asked.judged):
        digest.update(str((array.shape, array.dtype)).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    for source in _SOURCES:
        digest.update(source.read_bytes())
    return digest.hexdigest()


class Kept:
    """A folder of finished searches, one JSON file for each.

    Parameters
    ----------
    folder : Path
        Made when the first is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest}.json"

    def find(self, digest: str) -> EngineSearched | None:
        """Return the search with a digest, None if it is not kept."""
        path = self._path(digest)
        if not path.exists():
            return None
        content = json.loads(path.read_text())
        return EngineSearched(
            **content
            | {
                "probability": np.array(content["probability"], dtype=np.float64),
                "evaluations": pd.DataFrame(content["evaluations"]),
                "limits_acted": tuple(content["limits_acted"]),
            }
        )

    def keep(self, digest: str, searched: EngineSearched) -> None:
        """Keep a finished search; it is written completely or not at all."""
        self._folder.mkdir(parents=True, exist_ok=True)
        content = vars(searched) | {
            "probability": searched.probability.tolist(),
            "evaluations": searched.evaluations.to_dict(orient="records"),
        }
        write_whole(json.dumps(content).encode(), self._path(digest))
