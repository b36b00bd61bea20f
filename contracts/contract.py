"""What a table promises, and the only way to write or read one.

A :class:`Table` states its grain, key and columns; :class:`TableWriter` refuses rows that break them.
"""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from smartsbd.contracts.columns import array_of, scalar_of
from smartsbd.contracts.fault import InputFault, printable
from smartsbd.contracts.whole_file import written_whole

log = logging.getLogger(__name__)

Columns = Mapping[str, Any]

# Integers of fewer bits have few different values.
_WIDE_BITS = 32


class ContractError(InputFault):
    """A table does not keep its promise: names the table, the column and the first offending row."""


@dataclass(frozen=True)
class Column:
    """One column: its type, whether null (not observed) is allowed, its meaning, unit and source.

    ``low`` and ``high`` bound the values, both inclusive; ``choices`` lists the only values allowed.
    """

    name: str
    dtype: pa.DataType
    meaning: str
    unit: str = ""
    source: str = ""
    nullable: bool = False
    low: float | None = None
    high: float | None = None
    choices: tuple[str | int, ...] = ()

    @cache  # noqa: B019 - columns are few, and stay
    def field(self) -> pa.Field:
        """Return the arrow field, with meaning, unit and source as metadata."""
        metadata = {"meaning": self.meaning, "unit": self.unit, "source": self.source}
        return pa.field(
            self.name,
            self.dtype,
            nullable=self.nullable,
            metadata={key: text for key, text in metadata.items() if text},
        )


@dataclass(frozen=True)
class Table:
    """One table: what a row is, which columns identify it, and its columns in order."""

    name: str
    grain: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if len(set(names)) != len(names):
            raise ValueError(f"table {self.name}: a column name stands twice in {names}")
        missing = [name for name in self.key if name not in names]
        if missing:
            raise ValueError(f"table {self.name}: key columns {missing} are not columns")

    @cache  # noqa: B019 - tables are few, and stay
    def schema(self) -> pa.Schema:
        """Return the arrow schema."""
        return pa.schema(
            [column.field() for column in self.columns],
            metadata={"table": self.name, "grain": self.grain, "key": ",".join(self.key)},
        )

    def with_columns(self, columns: Sequence[Column]) -> Table:
        """Return this table with `columns` appended."""
        return replace(self, columns=(*self.columns, *columns))

    def only(self, names: Sequence[str]) -> Table:
        """Return this table with some of its columns; without one of the key's, no key is checked.

        Returns
        -------
        Table
            The columns are in this table's order.

        Raises
        ------
        ContractError
            If one is not a column.
        """
        unknown = sorted(set(names) - {column.name for column in self.columns})
        if unknown:
            raise ContractError(f"table {self.name}: {unknown} are not columns")
        key = self.key if set(self.key) <= set(names) else ()
        return replace(self, key=key, columns=tuple(column for column in self.columns if column.name in names))

    def build(self, columns: Columns) -> pa.Table:
        """Return the arrow table of `columns`, checked against the contract.

        Parameters
        ----------
        columns : mapping of column name to sequence
            One equally long sequence or arrow array per column, in any order; None is null.

        Returns
        -------
        pyarrow.Table
            The columns are in the contract's order.

        Raises
        ------
        ContractError
            If a column is missing, unknown, of the wrong type, null where it must not be or out of
            range, or if two rows have the same key.
        """
        expected = [column.name for column in self.columns]
        if sorted(columns) != sorted(expected):
            missing = sorted(set(expected) - set(columns))
            unknown = sorted(set(columns) - set(expected))
            raise ContractError(f"table {self.name}: missing columns {missing}, unknown columns {unknown}")
        arrays = []
        for column in self.columns:
            try:
                values = columns[column.name]
                known = isinstance(values, pa.Array) and values.type == column.dtype
                arrays.append(values if known else array_of(values, column.dtype))
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
                raise ContractError(f"table {self.name}, column {column.name}: {error}") from error
        rows = pa.Table.from_arrays(arrays, schema=self.schema())
        self.check(rows)
        return rows

    def check(self, rows: pa.Table) -> None:
        """Raise :class:`ContractError` unless `rows` keeps the contract."""
        self.check_schema(rows.schema)
        if not rows.num_rows:
            # Nothing can be wrong; and on a column in no chunks, functions of pyarrow import pandas or crash.
            return
        for column in self.columns:
            self._check_column(column, rows)
        if self.key:
            self._check_key(rows)

    def check_schema(self, schema: pa.Schema) -> None:
        """Raise :class:`ContractError` unless the columns are the contract's.

        Raises
        ------
        ContractError
            If a column is missing or is of another type or nullability, or if there are more columns or another order.
        """
        if not schema.equals(self.schema()):
            for column in self.columns:
                index = schema.get_field_index(column.name)
                if index < 0:
                    raise ContractError(f"table {self.name}: column {column.name} is missing")
                if not schema.field(index).equals(column.field()):
                    raise ContractError(
                        f"table {self.name}, column {column.name}: is {schema.field(index)}, must be {column.field()}"
                    )
            raise ContractError(f"table {self.name}: columns are {schema.names}")

    def _check_column(self, column: Column, rows: pa.Table) -> None:
        values = rows.column(column.name)
        if values.null_count and not column.nullable:
            self._refuse(rows, pc.is_null(values), f"column {column.name} is null")
        low, high = (None, None) if (column.low, column.high) == (None, None) else pc.min_max(values).as_py().values()
        if column.low is not None and low is not None and low < column.low:
            self._refuse(rows, pc.less(values, column.low), f"column {column.name} is below {column.low}")
        if column.high is not None and high is not None and high > column.high:
            self._refuse(rows, pc.greater(values, column.high), f"column {column.name} is above {column.high}")
        if column.choices:
            known = pc.is_in(values, value_set=array_of(column.choices, column.dtype))
            wrong = pc.and_(pc.invert(known), pc.is_valid(values))
            self._refuse(rows, wrong, f"column {column.name} is none of {list(column.choices)}")
        if pa.types.is_floating(column.dtype):
            self._refuse(rows, pc.invert(pc.is_finite(values)), f"column {column.name} is not finite")

    def _check_key(self, rows: pa.Table) -> None:
        if self.ascends(rows):
            return
        # Rows of equal keys get equal numbers, column by column.
        keys, _ = _numbered(rows.column(self.key[0]))
        for name in self.key[1:]:
            values, different = _numbered(rows.column(name))
            keys, _ = _numbered(pc.add(pc.multiply(keys, scalar_of(different, keys.type)), values))
        counts = pc.value_counts(keys)
        double = counts.field("values").filter(pc.greater(counts.field("counts"), scalar_of(1, pa.int64())))
        if len(double):
            place = pc.index(keys, double[0]).as_py()
            first = {name: rows.column(name)[place].as_py() for name in self.key}
            raise ContractError(f"table {self.name}: {len(double)} keys stand twice, first {first}")

    def ascends(self, rows: pa.Table) -> bool:
        """Tell whether each row's key is greater than the one before, as in most tables: then no key occurs twice.

        In the first column, runs of equal values count, whatever their order.

        Returns
        -------
        bool
            False also where it cannot be told without a search for equal keys.
        """
        if rows.num_rows < 2:  # noqa: PLR2004 - two rows are needed to compare
            return True
        leading, *others = (rows.column(name) for name in self.key)
        decided = pc.not_equal(leading[1:], leading[:-1])
        runs = leading.filter(pa.chunked_array([array_of([True], pa.bool_()), *decided.chunks]))
        if pc.count_distinct(runs).as_py() != len(runs):
            return False
        for column in others:
            if pc.all(decided).as_py():
                return True
            if not pa.types.is_integer(column.type) or column.null_count:
                return False
            before, after = column[:-1], column[1:]
            if pc.any(pc.and_not(pc.less(after, before), decided)).as_py():
                return False
            decided = pc.or_(decided, pc.greater(after, before))
        return bool(pc.all(decided).as_py())

    def _refuse(self, rows: pa.Table, wrong: pa.ChunkedArray, what: str) -> None:
        positions = pc.indices_nonzero(wrong)
        if len(positions):
            names = self.key or tuple(column.name for column in self.columns)
            first = {name: rows.column(name)[positions[0].as_py()].as_py() for name in names}
            raise ContractError(f"table {self.name}: {what} in {len(positions)} rows, first {first}")


def _numbered(values: pa.ChunkedArray) -> tuple[pa.ChunkedArray, int]:
    """Return a number for each value, the same for equal ones, and how many different ones there are."""
    different = pc.unique(values)
    return pc.index_in(values, value_set=different).cast(pa.int64()), len(different)


class TableWriter:
    """Writes a table in checked chunks, each a row group; a context manager. The file is there when all are written.

    A chunk holds every row of the values its first key column takes (for instance all rows of a
    connection), so that keys stay unique and a reader can take one connection at a time. The last value's rows may go
    on in the next chunk, if keys ascend in both.
    """

    def __init__(self, table: Table, path: Path, compression: str = "none") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.table = table
        self.path = path
        # The hash of each value, in order: there may be many connections.
        self._seen = np.zeros(0, dtype=np.int64)
        self._last: tuple[Any, ...] = ()
        # Counts and times follow one another closely: their differences are small, and a dictionary of them is not.
        steady = [
            column.name
            for column in table.columns
            if pa.types.is_integer(column.dtype) and column.dtype.bit_width >= _WIDE_BITS
        ]
        with ExitStack() as stack:
            part = stack.enter_context(written_whole(path))
            self._writer = stack.enter_context(
                pq.ParquetWriter(
                    part,
                    table.schema(),
                    # To compress these again would save a quarter of the bytes, and take a third of the time.
                    compression=compression,
                    use_dictionary=[column.name for column in table.columns if column.name not in steady],
                    # A reader of one value at a time looks for these.
                    write_statistics=[table.key[0]],
                    column_encoding=dict.fromkeys(steady, "DELTA_BINARY_PACKED") or None,
                )
            )
            self._open = stack.pop_all()

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def write(self, columns: Columns) -> int:
        """Check and append one chunk; return its number of rows."""
        return self.append(self.table.build(columns))

    def append(self, rows: pa.Table) -> int:
        """Append one chunk that :meth:`Table.build` made; return its number of rows.

        Returns
        -------
        int, rows

        Raises
        ------
        ContractError
            If rows of one value of the first key column come in two chunks, and the second does not go on where the
            first ended.
        """
        if not rows.num_rows:
            return 0
        again = self._seen_again(pc.unique(rows.column(self.table.key[0])).to_pylist())
        if again and not self._goes_on(rows, again):
            raise ContractError(
                f"table {self.table.name}: rows of {self.table.key[0]} {min(again)!r} come in two chunks"
            )
        self._last = self._key(rows, rows.num_rows - 1)
        # One group a chunk whatever its size: the reader relies on it.
        self._writer.write_table(rows, row_group_size=rows.num_rows)
        return int(rows.num_rows)

    def _seen_again(self, values: list[Any]) -> list[Any]:
        """Return which of these values came in an earlier chunk; remember the others."""
        # As text: the numbers -1 and -2 have the same hash.
        hashes = np.fromiter((hash(str(value)) for value in values), dtype=np.int64, count=len(values))
        is_known = np.searchsorted(self._seen, hashes, side="right") > np.searchsorted(self._seen, hashes)
        new = np.sort(hashes[~is_known])
        self._seen = np.insert(self._seen, np.searchsorted(self._seen, new), new)
        return list(itertools.compress(values, is_known.tolist()))

    def _key(self, rows: pa.Table, number: int) -> tuple[Any, ...]:
        return tuple(rows.column(name)[number].as_py() for name in self.table.key)

    def _goes_on(self, rows: pa.Table, again: list[Any]) -> bool:
        """Tell whether a chunk begins with further rows of the last value, and has none of an earlier one."""
        first = self._key(rows, 0)
        return again == [first[0]] == [self._last[0]] and first > self._last and self.table.ascends(rows)


def write_table(table: Table, columns: Columns, path: Path) -> int:
    """Write `columns` as the whole of `table` to `path`; return the number of rows.

    Parameters
    ----------
    table : Table
        The contract.
    columns : mapping of column name to sequence
        As :meth:`Table.build` takes them.
    path : Path
        The Parquet file; its folder is made.

    Returns
    -------
    int, rows

    Raises
    ------
    ContractError
        If the columns break the contract.
    """
    with TableWriter(table, path) as writer:
        return writer.write(columns)


def read_table(table: Table, path: Path) -> pa.Table:
    """Read and check all rows of `table` from `path`.

    Parameters
    ----------
    table : Table
    path : Path

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    ContractError
        If there is no such file, it cannot be read to its end, or its rows break the contract.
    """
    with reading(table, path), _opened(table, path) as file:
        rows = file.read()
        _check_texts(rows)
        table.check(rows)
    return rows


@contextmanager
def reading(table: Table, path: Path) -> Iterator[None]:
    """Turn whatever a damaged Parquet file raises, now or at any later page, into an error that names the file.

    Parameters
    ----------
    table : Table
    path : Path

    Raises
    ------
    ContractError
        In place of an error of Arrow's readers, which are of many classes, or of a text that is no UTF-8.
    OSError
        That the system cannot read the file; it has its name.
    """
    try:
        yield
    except ContractError as error:
        raise error if str(path) in str(error) else ContractError(f"{error}, in {path}") from error
    except OSError as error:
        if error.errno is not None:
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
        raise _damaged(table, path, error) from error
    except (pa.ArrowException, UnicodeError) as error:
        raise _damaged(table, path, error) from error


def _damaged(table: Table, path: Path, error: Exception) -> ContractError:
    why = printable(str(error).partition("\n")[0])
    return ContractError(f"table {table.name}: {path} is no parquet file, or a damaged one: {why}")


def _opened(table: Table, path: Path) -> pq.ParquetFile:
    if not path.is_file():
        raise ContractError(f"table {table.name}: there is no file {path}: run the stage that makes it, or `dvc repro`")
    return pq.ParquetFile(path)


def chunk_statistics(file: pq.ParquetFile, group: int, column: int) -> pq.Statistics | None:
    """Return the statistics of a column in a row group.

    Parameters
    ----------
    file : ParquetFile
    group, column : int
        Numbers of both, from 0.

    Returns
    -------
    pyarrow.parquet.Statistics or None
        None if there are none, or if the file is damaged and has two types for the column: pyarrow would end the
        process where it is asked for them.
    """
    chunk = file.metadata.row_group(group).column(column)
    return chunk.statistics if chunk.physical_type == file.schema.column(column).physical_type else None


def _check_texts(rows: pa.Table) -> None:
    """Check that texts are UTF-8 as they are read: whoever takes one out could not say of which file it is."""
    for column in rows.columns:
        if pa.types.is_string(column.type):
            column.validate(full=True)


class TableReader:
    """Reads a table one leading key value at a time, for instance connection by connection.

    Parameters
    ----------
    table : Table
    path : Path
    columns : sequence of str, optional
        Columns to read; all by default.
    """

    def __init__(self, table: Table, path: Path, columns: Sequence[str] = ()) -> None:
        self.path = path
        self.table = table.only(columns) if columns else table
        self._leading = table.key[0]
        self._groups: dict[Any, list[int]] = {}
        # Groups of one value, as most are: all their rows belong to it.
        self._alone: set[int] = set()
        with reading(table, path):
            self._file = _opened(table, path)
            table.check_schema(self._file.schema_arrow)
            for group in range(self._file.num_row_groups):
                self._place(group)
        # Most groups are read in order.
        self._group_read: tuple[int, pa.Table] | None = None

    def _place(self, group: int) -> None:
        values = self._leading_values(group)
        for value in values:
            self._groups.setdefault(value, []).append(group)
        if len(values) == 1:
            self._alone.add(group)

    def _leading_values(self, group: int) -> list[Any]:
        place = self._file.schema_arrow.get_field_index(self._leading)
        statistics = chunk_statistics(self._file, group, place)
        if statistics is not None and statistics.has_min_max and statistics.min == statistics.max:
            return [statistics.min]
        column = self._file.read_row_group(group, columns=[self._leading]).column(0)
        values: list[Any] = pc.unique(column).to_pylist()
        return values

    def __iter__(self) -> Iterator[Any]:
        return iter(self._groups)

    def rows_of(self, value: Any) -> pa.Table:
        """Return the checked rows whose first key column is `value`, none if there are none.

        Parameters
        ----------
        value : value of the first key column

        Returns
        -------
        pyarrow.Table

        Raises
        ------
        ContractError
            If they cannot be read, or break the contract.
        """
        with reading(self.table, self.path):
            return self._rows_of(value)

    def _rows_of(self, value: Any) -> pa.Table:
        names = [column.name for column in self.table.columns]
        if value not in self._groups:
            return self._file.schema_arrow.empty_table().select(names)
        parts = []
        for group in self._groups[value]:
            rows = self._group(group, names)
            if group not in self._alone:
                rows = rows.filter(pc.equal(rows.column(self._leading), value))
            parts.append(rows.select(names))
        rows_of_value = pa.concat_tables(parts)
        _check_texts(rows_of_value)
        self.table.check(rows_of_value)
        return rows_of_value

    def _group(self, group: int, names: Sequence[str]) -> pa.Table:
        if self._group_read is None or self._group_read[0] != group:
            columns = names if group in self._alone else list(dict.fromkeys([self._leading, *names]))
            # Most groups are small: to start threads would take longer than to read.
            self._group_read = (group, self._file.read_row_group(group, columns=columns, use_threads=False))
        return self._group_read[1]
