"""Print a Parquet or Arrow file, which is standard input, as text: a program with bounded memory.

The first line has the names of the columns, the second what their types say (``date``, ``duration`` or nothing); each
further line is a row. Tabs are between the cells. Dates and durations are nanoseconds, the former since 1970 in UTC,
and what is null, not a number, or a column of columns is empty. :mod:`columnar` runs it: what a file claims makes Arrow
allocate, and a broken file may end it.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from smartsbd.contracts.bounded_decoding import BOUNDED_METADATA, MORE_BYTES, limit, limit_memory

_PARQUET, _ARROW = b"PAR1", b"ARROW1"
#: CPU time, and more of it for each MiB of the file.
_TIME_S, _MIB_S = 30, 5
_MOST_COLUMNS = 4096
_CELL_LETTERS = 128
_ROWS = 4096
_EXIT_UNREADABLE = 3


def _limit_both() -> None:
    """Bound memory, and CPU time by the size of the file."""
    limit_memory()
    limit(resource.RLIMIT_CPU, _TIME_S + _MIB_S * (os.fstat(sys.stdin.fileno()).st_size >> 20))


def _escaped(text: str) -> str:
    """Return text that is one cell of a line."""
    text = text[:_CELL_LETTERS]
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def _value_text(value: Any) -> str:
    # What is not equal to itself is not a number.
    if value is None or value != value:  # noqa: PLR0124
        return ""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return _escaped(str(value))


def _kind(dtype: pa.DataType) -> str:
    if pa.types.is_timestamp(dtype) or pa.types.is_date64(dtype):
        return "date"
    return "duration" if pa.types.is_duration(dtype) else ""


def _texts(column: pa.Array) -> list[str]:
    """Return the cells of a column."""
    dtype = column.type
    if pa.types.is_dictionary(dtype):
        return [_value_text(value) for value in column.to_pylist()]
    if pa.types.is_nested(dtype):
        return [""] * len(column)
    kind = _kind(dtype)
    if kind:
        to_ns = pa.duration("ns") if kind == "duration" else pa.timestamp("ns", getattr(dtype, "tz", None))
        column = column.cast(to_ns).cast(pa.int64())
    return [_value_text(value) for value in column.to_pylist()]


def _batches(stream: IO[bytes]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    magic = stream.read(len(_ARROW))
    stream.seek(0)
    if magic.startswith(_PARQUET):
        table = pq.ParquetFile(stream, **BOUNDED_METADATA)
        return table.schema_arrow, table.iter_batches(batch_size=_ROWS, use_threads=False)
    if magic == _ARROW:
        arrow = pa.ipc.open_file(stream)
        return arrow.schema, (arrow.get_batch(number) for number in range(arrow.num_record_batches))
    arrow = pa.ipc.open_stream(stream)
    return arrow.schema, iter(arrow)


def lines_of(stream: IO[bytes]) -> Iterator[str]:
    """Yield the lines of a file, without their ends; of a broken one, Arrow raises errors of many classes.

    Parameters
    ----------
    stream : binary file
        It can be read from any place.

    Yields
    ------
    str

    Raises
    ------
    ValueError
        If it has more columns than are read.
    """
    schema, batches = _batches(stream)
    if len(schema) > _MOST_COLUMNS:
        raise ValueError(f"{len(schema)} columns, more than {_MOST_COLUMNS}")
    yield "\t".join(_escaped(name) for name in schema.names)
    yield "\t".join(_kind(dtype) for dtype in schema.types)
    for whole in batches:
        for start in range(0, len(whole), _ROWS):
            batch = whole.slice(start, _ROWS)
            # An offset in it may lead out of the file.
            batch.validate(full=True)
            columns = [_texts(column) for column in batch.columns]
            yield from map("\t".join, zip(*columns, strict=True))


def main(bound: Callable[[], None] = _limit_both) -> int:
    """Print standard input."""
    bound()
    pa.set_cpu_count(1)
    try:
        for line in lines_of(sys.stdin.buffer):
            sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()
    except MemoryError:
        print(f"its content needs more than {MORE_BYTES >> 20} MiB of memory", file=sys.stderr)
    except BrokenPipeError:
        # Nobody reads on.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:  # Arrow's readers raise errors of many classes.
        print(_escaped(str(error).partition("\n")[0]) or type(error).__name__, file=sys.stderr)
    else:
        return 0
    return _EXIT_UNREADABLE


if __name__ == "__main__":
    sys.exit(main())
