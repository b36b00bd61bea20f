"""Ground truth: which pairs of subflows share a bottleneck, from when on, and whether to believe it.

Written by whoever made the dataset, as ``truth.csv``: the columns of the ``truth`` table without
``valid`` and ``why``, with ``input`` (a file name) and ``token`` (hex, empty if the input holds one
connection) in place of ``connection_id``.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from smartsbd.contracts import regular_file
from smartsbd.contracts.fault import InputFault
from smartsbd.contracts.tables import TRUTH
from smartsbd.contracts.whole_file import written_whole

JUDGED = ("valid", "why")
CSV_COLUMNS = (
    "input",
    "token",
    *(column.name for column in TRUTH.columns if column.name != "connection_id" and column.name not in JUDGED),
)


class TruthError(InputFault):
    """A truth.csv that cannot be used: names the file, the line and the column."""


def _parse(text: str, dtype: pa.DataType) -> Any:
    if pa.types.is_boolean(dtype):
        if text not in ("true", "false"):
            raise ValueError("must be true or false")
        return text == "true"
    if not pa.types.is_string(dtype) and (not text.isascii() or "_" in text):
        # Python would take digits of other scripts, and underscores between them.
        raise ValueError("is no number")
    if pa.types.is_integer(dtype):
        return int(text)
    if pa.types.is_floating(dtype):
        value = float(text)
        if not math.isfinite(value):
            raise ValueError("must be finite")
        return value
    return text


def _token(path: Path, line: int, text: str) -> int | None:
    try:
        return int(text, 16) if text else None
    except ValueError as error:
        raise TruthError(f"{path}, line {line}, column token: {text!r} is not hexadecimal") from error


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file that are not blank, each with the number of its last line."""
    try:
        with io.TextIOWrapper(regular_file.opened(path), encoding="utf-8-sig", newline="") as stream:
            rows = csv.reader(stream, strict=True)
            for row in rows:
                if row:
                    yield rows.line_num, row
    except (UnicodeError, csv.Error) as error:
        raise TruthError(f"{path}: cannot be read as CSV: {error}") from error


def read_csv(path: Path) -> list[dict[str, Any]]:
    """Read a truth.csv into one mapping per row, keys :data:`CSV_COLUMNS`, None where empty.

    Tokens become integers.

    Returns
    -------
    list of dict
        Rows in the order of the file.

    Raises
    ------
    NoRegularFileError
        If it is a pipe, a device or a folder.
    TruthError
        If it is no CSV, a column is missing, unknown or there twice, or a cell does not fit its column.
    """
    lines = _lines(path)
    _, names = next(lines, (0, []))
    if sorted(names) != sorted(CSV_COLUMNS):
        missing, unknown = sorted(set(CSV_COLUMNS) - set(names)), sorted(set(names) - set(CSV_COLUMNS))
        raise TruthError(f"{path}: missing columns {missing}, unknown columns {unknown}, {len(names)} columns")
    columns = {column.name: column for column in TRUTH.columns}
    rows: list[dict[str, Any]] = []
    for line, cells in lines:
        if len(cells) != len(names):
            raise TruthError(f"{path}, line {line}: {len(cells)} cells under {len(names)} columns")
        record = dict(zip(names, cells, strict=True))
        row: dict[str, Any] = {"input": record["input"], "token": _token(path, line, record["token"])}
        for name in CSV_COLUMNS[2:]:
            text = record[name]
            try:
                row[name] = _parse(text, columns[name].dtype) if text else None
            except ValueError as error:
                raise TruthError(f"{path}, line {line}, column {name}: {text!r} {error}") from error
            if row[name] is None and not columns[name].nullable:
                raise TruthError(f"{path}, line {line}, column {name}: is empty")
        rows.append(row)
    return rows


def write_csv(rows: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write a truth.csv; None becomes an empty cell."""

    def cell(value: Any) -> str:
        if value is None:
            return ""
        return str(value).lower() if isinstance(value, bool) else str(value)

    with written_whole(path) as part, part.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(CSV_COLUMNS)
        writer.writerows([cell(row[name]) for name in CSV_COLUMNS] for row in rows)


@dataclass(frozen=True)
class Label:
    """What truth says of one window: shared or not, and the site."""

    shared: bool
    site: str | None


def label_at(truth: Sequence[Mapping[str, Any]], start_ns: int, end_ns: int) -> Label | None:
    """Return what holds over the whole of [`start_ns`, `end_ns`], None if nothing valid does.

    Parameters
    ----------
    truth : sequence of rows of the ``truth`` table
        All rows of one pair of subflows.
    start_ns, end_ns : int, nanoseconds
        The window.

    Returns
    -------
    Label or None
        The label in force at the start, if it does not change within the window.

    Examples
    --------
    >>> rows = [
    ...     {"from_ns": 0, "shared": True, "site": None, "valid": True},
    ...     {"from_ns": 60, "shared": False, "site": None, "valid": True},
    ... ]
    >>> label_at(rows, 10, 50).shared, label_at(rows, 60, 90).shared, label_at(rows, 50, 70)
    (True, False, None)
    """
    before = [row for row in truth if row["from_ns"] <= start_ns]
    within = [row for row in truth if start_ns < row["from_ns"] <= end_ns]
    if not before:
        return None
    holds = max(before, key=lambda row: int(row["from_ns"]))
    if not holds["valid"] or any(row["shared"] != holds["shared"] or not row["valid"] for row in within):
        return None
    return Label(shared=bool(holds["shared"]), site=holds["site"])
