"""Refused records, with place and reason: nothing in an input disappears uncounted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smartsbd.contracts.fault import InputFault

#: How much of a refused record is kept for the reader of the quarantine table.
RAW_BYTES = 64


class UnreadableInputError(InputFault):
    """An input that cannot be read at all; the message names the file, where reading ended, and the reason.

    Parameters
    ----------
    path : Path
    offset : int, bytes
        Where reading ended. 0 is not named: then it is about the file as a whole.
    why : str
    """

    def __init__(self, path: Path, offset: int, why: str) -> None:
        self.path = path
        self.offset = offset
        self.why = why
        super().__init__(f"{path}: {self.placed()}")

    def placed(self) -> str:
        """Return the reason, after the place if it has one."""
        return f"at byte {self.offset}: {self.why}" if self.offset else self.why

    def __reduce__(self) -> tuple[type[UnreadableInputError], tuple[Path, int, str]]:
        return type(self), (self.path, self.offset, self.why)


@dataclass(frozen=True)
class Refusal:
    """One refused record.

    Attributes
    ----------
    offset : int, bytes
        Where the record starts in the (decompressed) input.
    reason : str
        A fixed short phrase, the same for all records refused for this cause.
    detail : str
        What was wrong with this one.
    raw : bytes
        The record's first bytes, at most :data:`RAW_BYTES`.
    """

    offset: int
    reason: str
    detail: str
    raw: bytes


def by_reason(refusals: Sequence[Refusal]) -> dict[str, int]:
    """Return the number of refused records for each reason, reasons sorted."""
    return dict(sorted(Counter(refusal.reason for refusal in refusals).items()))


def quarantine_columns(capture_id: str, stage: str, refusals: Sequence[Refusal]) -> dict[str, Any]:
    """Return the rows of the ``quarantine`` table for one input.

    Parameters
    ----------
    capture_id : str
        The input.
    stage : str
        The stage that refused them.
    refusals : sequence of Refusal
        In the order of the rows.

    Returns
    -------
    dict
        Columns of the table by name, a row for each record.
    """
    return {
        "capture_id": [capture_id] * len(refusals),
        "offset": [refusal.offset for refusal in refusals],
        "reason": [refusal.reason for refusal in refusals],
        "stage": [stage] * len(refusals),
        "detail": [refusal.detail for refusal in refusals],
        "raw": [refusal.raw[:RAW_BYTES] for refusal in refusals],
    }
