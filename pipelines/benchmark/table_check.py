"""Check the tables of a task's folder by decoding all of them: a program with bounded memory.

A Parquet file may claim any size, and of many equal rows it is small. So nothing that it claims is believed: it is read
here as its readers read it, in a process that may map a GiB more than it needs to begin. What cannot be read so is
refused.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from smartsbd.contracts import tables
from smartsbd.contracts.bounded_decoding import BOUNDED_METADATA, ENVIRONMENT, MORE_BYTES, limit_memory
from smartsbd.contracts.contract import Table, chunk_statistics, read_table
from smartsbd.contracts.fault import Fault, InputFault, printable
from smartsbd.detectors import bounded_process
from smartsbd.detectors.bounded_process import OverLimitError, ProcessLimits
from smartsbd.features.catalog import BENCHMARK_TEST, BENCHMARK_TRAIN
from smartsbd.pipelines.benchmark.named_split import NAME
from smartsbd.pipelines.benchmark.task_file import TABLE_FILES
from smartsbd.traces.bounds import MOST_ROWS_OF_CONNECTION

LABELS_FILE, TRAIN_FILE, TEST_FILE, SIGNALS_FILE = TABLE_FILES
TABLES: dict[str, Table] = {
    LABELS_FILE: tables.BENCHMARK_LABEL,
    TRAIN_FILE: BENCHMARK_TRAIN,
    TEST_FILE: BENCHMARK_TEST,
    SIGNALS_FILE: tables.BENCHMARK_SIGNAL,
}
NAME_COLUMN = "connection"
#: Of each table, all tasks have far fewer; of one connection's signals, which are held at once, tasks have 110,000.
MOST_ROWS = {LABELS_FILE: 100_000, TRAIN_FILE: 1_000_000, TEST_FILE: 1_000_000, SIGNALS_FILE: 1 << 28}
#: CPU time, and more of it for each MiB of the files.
_TIME_S, _MIB_S = 60, 20
_SAID_LETTERS = 300


class TableCheckError(InputFault):
    """A table of a task's folder that is not read: the message begins with its name."""


def check(paths: Sequence[Path]) -> None:
    """Check tables in a process of their own.

    Parameters
    ----------
    paths : sequence of Path
        Files with names of :data:`TABLES`.

    Raises
    ------
    TableCheckError
        If one cannot be decoded within bounds, breaks its contract or is not as its readers need it.
    """
    size_mib = sum(path.stat().st_size for path in paths) >> 20
    command = [sys.executable, "-m", __name__, *map(str, paths)]
    environment = [f"{name}={value}" for name, value in ENVIRONMENT.items()]
    limits = ProcessLimits(time_s=_TIME_S + _MIB_S * size_mib, file_bytes=1 << 20)
    try:
        ended = bounded_process.run(["env", *environment, *command], limits)
    except OverLimitError as error:
        raise TableCheckError(f"{paths[-1].name} takes too long to be decoded") from error
    if ended.exit_code:
        lines = ended.errors.decode("utf-8", "replace").strip().splitlines()
        ran = ended.output.decode("utf-8", "replace").split()
        said = printable(lines[-1])[:_SAID_LETTERS] if lines and ended.exit_code > 0 else "ends its reader"
        raise TableCheckError(f"{ran[-1] if ran else paths[0].name} {said}")


def _check_names(group: int, file: pq.ParquetFile, rows: pa.Table, counts: Counter[str]) -> None:
    """Check the names of a row group, count their rows, and compare its statistics, by which its rows are found."""
    counted = rows.column(NAME_COLUMN).value_counts()
    names = counted.field("values").to_pylist()
    if not all(name is not None and NAME.fullmatch(name) for name in names):
        raise TableCheckError("names a connection by what is no name")
    counts.update(dict(zip(names, counted.field("counts").to_pylist(), strict=True)))
    place = file.schema_arrow.get_field_index(NAME_COLUMN)
    statistics = chunk_statistics(file, group, place)
    if (
        names
        and statistics is not None
        and statistics.has_min_max
        and (statistics.min, statistics.max) != (min(names), max(names))
    ):
        raise TableCheckError("has statistics that are not of its rows")


def _check_table(path: Path) -> None:
    table, most = TABLES[path.name], MOST_ROWS[path.name]
    with pq.ParquetFile(path, **BOUNDED_METADATA) as file:
        table.check_schema(file.schema_arrow)
        if file.metadata.num_rows > most:
            raise TableCheckError(f"has more than {most} rows")
        counts: Counter[str] = Counter()
        for group in range(file.num_row_groups):
            if file.metadata.row_group(group).num_rows > MOST_ROWS_OF_CONNECTION:
                raise TableCheckError(f"has more than {MOST_ROWS_OF_CONNECTION} rows in a row group")
            rows = file.read_row_group(group, use_threads=False)
            rows.validate(full=True)
            if NAME_COLUMN in rows.column_names:
                _check_names(group, file, rows, counts)
    if path.name != SIGNALS_FILE:
        read_table(table, path)
    elif max(counts.values(), default=0) > MOST_ROWS_OF_CONNECTION:
        raise TableCheckError(f"has more than {MOST_ROWS_OF_CONNECTION} rows of one connection")


def wrong_with(path: Path) -> str:
    """Return what is wrong with a table, in one line; empty if nothing is.

    The table is decoded in this process, within the memory that it has: :func:`check` does so in another.

    Parameters
    ----------
    path : Path
        A file with a name of :data:`TABLES`.

    Returns
    -------
    str
    """
    try:
        _check_table(path)
    except Fault as error:
        why = str(error)
    except MemoryError:
        why = f"needs more than {MORE_BYTES >> 20} MiB of memory to be decoded"
    except Exception as error:  # Arrow's readers raise errors of many classes.
        why = f"is no Parquet file: {error}"
    else:
        return ""
    return printable(why)[:_SAID_LETTERS]


def main(paths: Sequence[str]) -> int:
    """Check tables; print the name of each before it is read, and what is wrong with the last."""
    limit_memory()
    pa.set_cpu_count(1)
    for path in map(Path, paths):
        print(path.name, flush=True)
        why = wrong_with(path)
        if why:
            print(why, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
