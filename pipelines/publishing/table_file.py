"""The tables of a dataset as files that others get: found, checked against their contracts, and measured."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from smartsbd.contracts import regular_file, tables
from smartsbd.contracts.contract import ContractError, Table
from smartsbd.contracts.fault import InputFault
from smartsbd.features.catalog import PAIR_TILE, PAIR_WINDOW

#: Where the pipeline writes each table that is published, by its contract; in a deposit all are in one folder.
PLACES: tuple[tuple[Table, str], ...] = (
    (tables.CAPTURE, "data/tables/{dataset}/capture.parquet"),
    (tables.CONNECTION, "data/tables/{dataset}/connection.parquet"),
    (tables.CONNECTION_CAPTURE, "data/tables/{dataset}/connection_capture.parquet"),
    (tables.SUBFLOW, "data/tables/{dataset}/subflow.parquet"),
    (tables.ACK, "data/tables/{dataset}/ack.parquet"),
    (tables.STATE, "data/tables/{dataset}/state.parquet"),
    (tables.LOSS, "data/tables/{dataset}/loss.parquet"),
    (tables.QUARANTINE, "data/tables/{dataset}/quarantine.parquet"),
    (tables.TRUTH, "data/truth/{dataset}.parquet"),
    (PAIR_WINDOW, "data/features/{dataset}/pair_window.parquet"),
    (tables.SERIES, "data/features/{dataset}/series.parquet"),
    (tables.REJECTED, "data/features/{dataset}/rejected.parquet"),
    (PAIR_TILE, "data/tiles/{dataset}/pair_tile.parquet"),
)
# Rows that are in memory at once.
_BATCH_ROWS = 1 << 18
_CHUNK_BYTES = 1 << 20


class UnreadableTableError(InputFault):
    """A table's file is none that can be published."""


@dataclass(frozen=True)
class TableFile:
    """A table of a dataset, as it is published.

    Attributes
    ----------
    table : Table
        Its contract.
    rows, size_bytes : int
    sha256 : str
        Of the file.
    nulls : mapping of str to int
        Rows in which a column is null, by the column's name.
    """

    table: Table
    rows: int
    size_bytes: int
    sha256: str
    nulls: Mapping[str, int]

    @property
    def name(self) -> str:
        """Name of the file."""
        return f"{self.table.name}.parquet"


def places(dataset: str) -> list[tuple[Table, Path]]:
    """Return where the tables of a dataset are, from the project's folder.

    Parameters
    ----------
    dataset : str

    Returns
    -------
    list of (Table, Path)
        Every table, whether its file is there or not.
    """
    return [(table, Path(place.format(dataset=dataset))) for table, place in PLACES]


def copy(source: Path, target: Path) -> tuple[int, str]:
    """Copy a regular file; return its size in bytes and its SHA-256.

    Parameters
    ----------
    source, target : Path

    Returns
    -------
    int
        Bytes.
    str
        SHA-256, 64 hexadecimal digits.
    """
    digest, size_bytes = hashlib.sha256(), 0
    with regular_file.opened(source) as stream, target.open("xb") as written:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
            size_bytes += written.write(chunk)
    return size_bytes, digest.hexdigest()


def copied(table: Table, source: Path, folder: Path) -> TableFile:
    """Copy a table's file into a folder, and check every row that was written against the contract.

    Parameters
    ----------
    table : Table
    source : Path
    folder : Path

    Returns
    -------
    TableFile

    Raises
    ------
    UnreadableTableError
        If it is no Parquet file of this table.
    """
    target = folder / f"{table.name}.parquet"
    size_bytes, sha256 = copy(source, target)
    nulls: Counter[str] = Counter()
    rows = 0
    try:
        with pq.ParquetFile(target) as file:
            table.check_schema(file.schema_arrow)
            for batch in file.iter_batches(_BATCH_ROWS):
                part = pa.Table.from_batches([batch], schema=table.schema())
                table.check(part)
                rows += part.num_rows
                nulls.update({name: part.column(name).null_count for name in part.column_names})
            stated = file.metadata.num_rows
    except ContractError as error:
        raise UnreadableTableError(f"{source}: {error}") from error
    except (pa.ArrowException, OSError) as error:
        raise UnreadableTableError(f"{source}: is no table that can be read: {error}") from error
    if rows != stated:
        raise UnreadableTableError(f"{source}: holds {rows} rows, and says that they are {stated}")
    return TableFile(table, rows, size_bytes, sha256, nulls)
