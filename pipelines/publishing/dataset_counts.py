"""What a published dataset holds, counted in its own files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

_NS_PER_S = 1_000_000_000


@dataclass(frozen=True)
class DatasetCounts:
    """What a dataset holds.

    Attributes
    ----------
    connections, subflows, refused : int
        Rows of their tables; refused are records of inputs.
    duration_s : float, s
        Of all connections together, from the first record of each to its last.
    controllers : Counter of str
        Connections that have a truth, by the sender's controller.
    pairs : Counter of (bool, bool)
        Rows of ``truth`` by label (shared) and whether it is valid.
    windows : Counter of (str, str)
        Windows by rule and label.
    """

    connections: int
    subflows: int
    refused: int
    duration_s: float
    controllers: Counter[str]
    pairs: Counter[tuple[bool, bool]]
    windows: Counter[tuple[str, str]]


def _rows(folder: Path, table: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    with pq.ParquetFile(folder / f"{table}.parquet") as file:
        for batch in file.iter_batches(columns=list(columns)):
            yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


def _number_of_rows(folder: Path, table: str) -> int:
    return int(pq.read_metadata(folder / f"{table}.parquet").num_rows)


def counted(folder: Path) -> DatasetCounts:
    """Count what the files of a dataset hold.

    Parameters
    ----------
    folder : Path
        Its tables, one file each.

    Returns
    -------
    DatasetCounts
    """
    name = {True: "shared", False: "not shared", None: "no label"}
    spans_ns = [end - start for start, end in _rows(folder, "connection", ("start_ns", "end_ns"))]
    controllers = dict(_rows(folder, "truth", ("connection_id", "congestion_control")))
    return DatasetCounts(
        connections=len(spans_ns),
        subflows=_number_of_rows(folder, "subflow"),
        refused=_number_of_rows(folder, "quarantine"),
        duration_s=sum(spans_ns) / _NS_PER_S,
        controllers=Counter(controllers.values()),
        pairs=Counter(_rows(folder, "truth", ("shared", "valid"))),
        windows=Counter((rule, name[shared]) for rule, shared in _rows(folder, "pair_window", ("rule", "shared"))),
    )
