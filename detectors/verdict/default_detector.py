"""The detector that judges if no other is named: the common lag with its rule, as it is in git.

``export/generated/default.json`` names it, with the SHA-256 of the header that a sender includes; the header and its
card are in the same folder. The stage ``export`` writes all three, and beside them the lag excess, which the kernel's
programs and the simulator's loop include.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from smartsbd.contracts.fault import InputFault
from smartsbd.detectors.verdict.common_lag import COMMON_LAG, CommonLag, CommonLagRule

NAMED = "default.json"
HEADER, CARD = "sbd_common_lag.h", "sbd_common_lag.md"
SOURCE = Path(__file__).with_name(HEADER)
#: The folder that is shipped, at the same place in a checkout and in a wheel.
FOLDER = Path(__file__).parents[2] / "export" / "generated"


class NoDefaultError(InputFault):
    """The folder holds no detector, or not the one that it names."""


@dataclass(frozen=True)
class Default:
    """The folder's description of its detector.

    Attributes
    ----------
    detector : str
        Name in :data:`smartsbd.detectors.DETECTORS`.
    parameters : dict
        Fields of its rule.
    header, card : str
        Names of what a sender includes, and of its card.
    sha256 : str
        Of the header.
    """

    detector: str
    parameters: dict[str, Any]
    header: str
    card: str
    sha256: str


def described() -> bytes:
    """Return what :data:`NAMED` holds."""
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()
    default = Default(COMMON_LAG.name, asdict(CommonLagRule()), HEADER, CARD, digest)
    return (json.dumps(asdict(default), indent=2, sort_keys=True) + "\n").encode()


def named_in(folder: Path = FOLDER) -> Default:
    """Return a folder's description of its detector.

    Returns
    -------
    Default
        The header is not read, nor its digest compared.

    Raises
    ------
    NoDefaultError
        If it has none.
    """
    path = folder / NAMED
    try:
        named = Default(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError) as error:
        raise NoDefaultError(f"{path}: names no detector: {error}") from error
    if named.detector != COMMON_LAG.name:
        raise NoDefaultError(f"{path}: names {named.detector!r}, which has no header")
    return named


def _rule(parameters: dict[str, Any]) -> CommonLagRule:
    rule = CommonLagRule(**parameters)
    for name, value in asdict(rule).items():
        if not isinstance(value, bool):
            raise TypeError(f"{name} is {value!r}, must be true or false")
    return rule


def load(folder: Path = FOLDER) -> tuple[Default, CommonLag]:
    """Return the detector of a folder, and its description.

    Returns
    -------
    (Default, CommonLag)
        The description, and a new detector with its rule.

    Raises
    ------
    NoDefaultError
        If the folder names none, its rule is not one, or its header is not the one that is named.
    """
    named = named_in(folder)
    path = folder / named.header
    try:
        if hashlib.sha256(path.read_bytes()).hexdigest() != named.sha256:
            raise NoDefaultError(f"{path}: is not the header that {NAMED} names: its SHA-256 differs")
        return named, CommonLag(_rule(named.parameters))
    except (OSError, TypeError, ValueError) as error:
        raise NoDefaultError(f"{folder / NAMED}: {error}") from error
