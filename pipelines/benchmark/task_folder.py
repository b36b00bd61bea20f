"""A folder with a task's tables at a size: written of a run's data, and read wherever it comes from.

Its files have fixed names. They are read only if their digests are those of task.json, and within bounds. Whoever makes
a folder writes its task.json too: the file in git says whether its tables are the task's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader, TableWriter, read_table
from smartsbd.contracts.fault import InputFault, printable
from smartsbd.contracts.regular_file import size_bytes
from smartsbd.models.labelled.labelled_connection import SignalRows
from smartsbd.pipelines.benchmark import table_check, task_file
from smartsbd.pipelines.benchmark.named_split import NamedSplit
from smartsbd.pipelines.benchmark.run_connections import SIGNALS, RunConnections
from smartsbd.pipelines.benchmark.table_check import (
    LABELS_FILE,
    NAME_COLUMN,
    SIGNALS_FILE,
    TABLES,
    TEST_FILE,
    TRAIN_FILE,
)
from smartsbd.pipelines.benchmark.table_content import content_sha256
from smartsbd.pipelines.benchmark.task_file import TABLE_FILES, TASK_FILE, TaskFile
from smartsbd.pipelines.benchmark.task_tables import TaskTables

#: Bytes of one table's file.
_MOST_BYTES = 1 << 30


class TaskFolderError(InputFault):
    """A folder whose tables are not those of its task.json."""


def write(folder: Path, size: str, known: TaskFile, split: NamedSplit, run: RunConnections) -> TaskFile:
    """Write a task's tables at a size, and its task.json; return what the latter holds.

    Parameters
    ----------
    folder : Path
    size : str
    known : TaskFile
        Of the task.
    split : NamedSplit
        Of the size.
    run : RunConnections
        Has these connections.

    Returns
    -------
    TaskFile
        With the size, and the digests of the tables' files.

    Raises
    ------
    TaskChangedError
        If their labels or tables are not those that were named.
    """
    made = run.tables(split)
    for name, parts in _parts(made, split, run):
        with TableWriter(TABLES[name], folder / name, compression="zstd") as writer:
            for rows in parts:
                writer.append(rows)
    known.check_labels(size, made.labels_sha256())
    known.check_contents(size, _contents_of_files(folder))
    written = known.with_tables(size, {name: _digest(folder / name) for name in TABLE_FILES})
    written.write(folder)
    return written


def contents(made: TaskTables, split: NamedSplit, run: RunConnections) -> dict[str, str]:
    """Return of each table of a run's data a digest of its content, without a folder of them.

    Parameters
    ----------
    made : TaskTables
        Of the split.
    split : NamedSplit
    run : RunConnections
        Has these connections.

    Returns
    -------
    dict of str to str
        64 hexadecimal digits, by the name of the table's file.
    """
    return {name: content_sha256(TABLES[name], parts) for name, parts in _parts(made, split, run)}


def _parts(made: TaskTables, split: NamedSplit, run: RunConnections) -> Iterator[tuple[str, Iterable[pa.Table]]]:
    """Yield each table's name and its rows in parts."""
    for name, frame in ((LABELS_FILE, made.labels), (TRAIN_FILE, made.train), (TEST_FILE, made.test)):
        yield name, [TABLES[name].build({str(column): frame[column].tolist() for column in frame})]
    yield SIGNALS_FILE, (_signal_rows(name, rows) for name, rows in run.signals(split))


def _contents_of_files(folder: Path) -> dict[str, str]:
    digests = {}
    for name in TABLE_FILES:
        with pq.ParquetFile(folder / name) as file:
            groups = (file.read_row_group(group) for group in range(file.num_row_groups))
            digests[name] = content_sha256(TABLES[name], groups)
    return digests


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


#: Columns of the table of signals by their source, without the subflow and the time; the first is never null there.
_OF = tuple((table, columns[2:]) for table, columns in SIGNALS)


def _signal_rows(name: str, rows: SignalRows) -> pa.Table:
    """Return the rows of a connection as those of the table of signals: ACKs, then states, then losses."""
    parts = [part.select(["subflow_id", "time_ns", *columns]) for part, (_, columns) in zip(rows, _OF, strict=True)]
    together = pa.concat_tables(parts, promote_options="default").combine_chunks()
    columns = {column: together.column(column).combine_chunks() for column in together.column_names}
    named = {"connection": [name] * len(together), "row": np.arange(len(together), dtype=np.int32)}
    return tables.BENCHMARK_SIGNAL.build({**named, **columns})


def _three(rows: pa.Table) -> SignalRows:
    """Return rows of the table of signals as those of the tables that they are of."""
    three = []
    for table, columns in _OF:
        part = rows.filter(pc.is_valid(rows.column(columns[0])))
        nothing = {
            column.name: pa.nulls(len(part), column.dtype)
            for column in table.columns
            if column.name not in part.column_names
        }
        for column, values in nothing.items():
            part = part.append_column(column, values)
        three.append(part.select([column.name for column in table.columns]))
    acks, states, losses = three
    return acks, states, losses


class TaskFolder:
    """A task's folder, whoever wrote it.

    Parameters
    ----------
    folder : Path

    Raises
    ------
    TaskFileError, SidesError
        If its task.json cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.file = task_file.read(folder)

    def check(self, *, without_signals: bool = False) -> None:
        """Raise :class:`TaskFolderError` unless every table is as task.json says, and within bounds.

        Parameters
        ----------
        without_signals : bool
            The table of signals need not be there: nobody asks for it.

        Raises
        ------
        TaskFolderError
            If one is not.
        """
        where = printable(str(self._folder))
        if self.file.size is None or set(self.file.digests) != set(TABLE_FILES):
            raise TaskFolderError(f"{where}: {TASK_FILE} tells of no tables: the task is not there at any size")
        names = [name for name in TABLE_FILES if name != SIGNALS_FILE or not without_signals]
        for name in names:
            path = self._folder / name
            size = size_bytes(path)
            if size is None or size > _MOST_BYTES:
                raise TaskFolderError(f"{where}: {name} {'is not there' if size is None else 'is too large'}")
            if _digest(path) != self.file.digests[name]:
                raise TaskFolderError(f"{where}: {name} was changed: its SHA-256 is not the one in {TASK_FILE}")
        try:
            table_check.check([self._folder / name for name in names])
        except table_check.TableCheckError as error:
            raise TaskFolderError(f"{where}: {error}") from error

    def tables(self) -> TaskTables:
        """Return its tables, except the signals.

        Returns
        -------
        TaskTables

        Raises
        ------
        TaskFolderError
            If they are not of the connections that task.json names, or if one to learn from is on the other side.
        TaskChangedError
            If their labels are not those of task.json.
        """
        size, split = self.file.size, None if self.file.size is None else self.file.split(self.file.size)
        where = printable(str(self._folder))
        if size is None or split is None:
            raise TaskFolderError(f"{where}: {TASK_FILE} names no connections of its tables")

        def frame(name: str) -> pd.DataFrame:
            # A file may tell pandas to take a column for the index.
            rows: pd.DataFrame = read_table(TABLES[name], self._folder / name).to_pandas(ignore_metadata=True)
            return rows

        made = TaskTables(train=frame(TRAIN_FILE), test=frame(TEST_FILE), labels=frame(LABELS_FILE))
        for name, of, known in (
            (TRAIN_FILE, made.train[NAME_COLUMN], split.train),
            (LABELS_FILE, made.labels[NAME_COLUMN], split.test),
            (TEST_FILE, made.test["label"], made.labels["label"].tolist()),
        ):
            if not set(of) <= set(known):
                raise TaskFolderError(f"{where}: {name} has rows of what {TASK_FILE} does not name on this side")
        self.file.check_labels(size, made.labels_sha256())
        return made

    def contents(self) -> dict[str, str]:
        """Return of each table a digest of its content; for a folder that :meth:`check` lets through."""
        return _contents_of_files(self._folder)

    def signals(self, names: Sequence[str]) -> Iterator[tuple[str, SignalRows]]:
        """Yield the rows of each connection that is judged."""
        reader = TableReader(tables.BENCHMARK_SIGNAL, self._folder / SIGNALS_FILE)
        for name in names:
            yield name, _three(reader.rows_of(name))
