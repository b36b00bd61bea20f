"""A table of RTTs: CSV with a header such as ``time_s,path,rtt_ms`` and, optionally, ``bytes``; or Parquet, or Arrow.

Between the cells is a comma, a semicolon, a tab, a bar or white space; a fraction follows a point, or a comma where
that is not between the cells. :mod:`rtt_columns` says which columns are read. A time is a number in the unit that its
column's name has, ISO 8601 (in UTC where it has no zone), or a number since 1970 whose size tells its unit. A row is an
RTT sample of a path when it was taken, in a wide table one for each path. ``bytes`` counts what was acknowledged on the
path so far. Either of the two may be empty. A table holds one connection, whose subflows are the paths in order of
appearance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from smartsbd.contracts.fault import printable
from smartsbd.traces import bounds, stored
from smartsbd.traces.assembly import Assembly, Event, Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import columnar, delimited, rtt_columns
from smartsbd.traces.formats.columnar import ColumnarLines
from smartsbd.traces.formats.delimited import scaled
from smartsbd.traces.formats.iso_time import iso_time
from smartsbd.traces.formats.rtt_columns import ColumnsError, RttColumns, Typed
from smartsbd.traces.quarantine import RAW_BYTES, Refusal, UnreadableInputError
from smartsbd.traces.trace import Trace

SOURCE = "rtt_table"

MALFORMED = "not a row of the header's columns"
NO_VALUE = "neither an RTT nor bytes"

#: A wide table has a cell for each path.
_MAX_LINE_BYTES = 4096
_MAX_PATH_BYTES = 64
#: In the order in which they are tried: a comma may be part of a number, white space of a time.
_SEPARATORS = (b"\t", b";", b",", b"|")
#: Of the first line of a table without a header, and of its cells.
_MOST_BARE_CELLS = 4
_BARE_CELL = re.compile(rb"[A-Za-z][\w.-]{0,31}")
_NOTHING = frozenset({b"", b"nan", b"na", b"n/a", b"null", b"none", b"-"})
#: Seconds since 1970 in the years 2001 to 2103: in another unit, such a time is a thousand times as large.
_EPOCH_S = range(10**9, 42 * 10**8)


@dataclass(frozen=True)
class _TableHeader:
    """Where a table's header is, and what stands between the cells below it."""

    offset: int
    line: bytes
    separator: bytes
    names: tuple[bytes, ...]


def _header(head: bytes) -> _TableHeader | None:
    """Return the header of a table of RTTs, or of one that may be meant as such; None if there is none."""
    lines = list(delimited.first_lines(head, _MAX_LINE_BYTES))
    if not lines:
        return None
    offset, line = lines[0]
    header = _header_at(offset, line, lines[1][1] if len(lines) > 1 else None)
    return header or _commented_header(head[:offset])


def _header_at(offset: int, line: bytes, next_line: bytes | None) -> _TableHeader | None:
    if b"\x00" in line:
        # Text in UTF-16, or no text at all.
        return None
    for separator in _SEPARATORS:
        if separator in line:
            names = delimited.cells(line, separator)
            if rtt_columns.is_header(names, None if next_line is None else delimited.cells(next_line, separator)):
                return _TableHeader(offset, line, separator, tuple(names))
    names = delimited.cells(line, delimited.WHITE_SPACE)
    if not any(separator in line for separator in _SEPARATORS[1:]) and rtt_columns.is_known(names):
        return _TableHeader(offset, line, delimited.WHITE_SPACE, tuple(names))
    return None


def _commented_header(before: bytes) -> _TableHeader | None:
    """Return the header in the last comment before the rows, as numpy writes it."""
    offset, found = 0, None
    for line in before.split(b"\n"):
        names = delimited.uncommented(line[: _MAX_LINE_BYTES + 1])
        header = _header_at(offset, names, None)
        if header is not None and rtt_columns.is_known(header.names):
            found = _TableHeader(offset, line.rstrip(b"\r"), header.separator, header.names)
        offset += len(line) + 1
    return found


def _is_without_header(head: bytes) -> bool:
    """Tell whether the first lines look like rows of a table of RTTs, with nothing to say so."""
    rows = [line for _, line in delimited.first_lines(head, _MAX_LINE_BYTES)][:2]
    for separator in _SEPARATORS[:3]:
        found = [delimited.cells(line, separator) for line in rows]
        if found and all(_is_bare_row(cells) for cells in found) and len({len(cells) for cells in found}) == 1:
            return True
    return False


def _is_bare_row(cells: Sequence[bytes]) -> bool:
    if not 1 < len(cells) <= _MOST_BARE_CELLS or not (delimited.is_number(cells[0]) or iso_time(cells[0])):
        return False
    numbers = [delimited.is_number(cell) for cell in cells[1:]]
    return any(numbers) and all(
        is_number or _BARE_CELL.fullmatch(cell) for is_number, cell in zip(numbers, cells[1:], strict=True)
    )


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is such a table, or looks like one."""
    return columnar.recognises(head) or _header(head) is not None or _is_without_header(head)


class _Times:
    """Reads the times of a table: the first that it can read says what all others are.

    Parameters
    ----------
    power : int or None
        Of ten, from the unit that the column's name has to nanoseconds.
    """

    def __init__(self, power: int | None) -> None:
        self._power = power
        self._is_iso: bool | None = None
        self._has_zone = False
        #: A number whose unit nothing tells.
        self.without_unit = False

    @property
    def is_known(self) -> bool:
        """Whether a time was read."""
        return self._is_iso is not None

    def ns(self, cell: bytes) -> int | None:
        """Return a time; None if it is none, or another than those before."""
        iso = None if self._is_iso is False else iso_time(cell)
        if iso is not None:
            if self._is_iso is None:
                self._is_iso, self._has_zone = True, iso.has_zone
            return iso.ns if iso.has_zone == self._has_zone else None
        if self._is_iso:
            return None
        if self._power is None:
            value = scaled(cell, 0)
            self._power = None if value is None else _power_of_epoch(value)
            self.without_unit |= value is not None and self._power is None
        time_ns = None if self._power is None else scaled(cell, self._power)
        if time_ns is not None:
            self._is_iso = False
        return time_ns


def _power_of_epoch(value: int) -> int | None:
    """Return the power of ten from the unit of a time since 1970 to nanoseconds; None if it is no such time.

    Examples
    --------
    >>> _power_of_epoch(1_700_000_000), _power_of_epoch(1_700_000_000_125), _power_of_epoch(12)
    (9, 6, None)
    """
    return next((power for power in (9, 6, 3, 0) if value // 10 ** (9 - power) in _EPOCH_S), None)


@dataclass
class _Rows:
    """Takes rows in.

    Attributes
    ----------
    path : Path
    columns : RttColumns
    separator : bytes
    trace : Trace
    most : Bounds
    """

    path: Path
    columns: RttColumns
    separator: bytes
    trace: Trace
    most: Bounds
    #: Number of each path, in order of appearance.
    _paths: dict[bytes | None, int] = field(default_factory=dict)
    #: Whether fractions follow a comma: the first that is read says so.
    _has_comma: bool | None = None
    #: The first time that could not be read.
    _no_time: tuple[int, bytes] | None = None

    def __post_init__(self) -> None:
        self._assembly = Assembly(self.most)
        self._times = _Times(self.columns.time_power)

    def take(self, offset: int, line: bytes) -> None:
        """Take a row, whose records are its samples: one, or in a wide table one for each path that has any."""
        columns, cells = self.columns, delimited.cells(line, self.separator)
        if len(line) > _MAX_LINE_BYTES or len(cells) != columns.cells:
            self._count((MALFORMED, f"{len(line)} bytes"), offset, line)
            return
        time_ns = self._times.ns(cells[columns.time]) if self._is_alike(cells[columns.time]) else None
        if time_ns is None:
            self._no_time = self._no_time or (offset, cells[columns.time])
            self._count((MALFORMED, "time"), offset, line)
        elif columns.rtts[0].path is None:
            self._count(self._take_long(time_ns, cells), offset, line)
        else:
            self._take_wide(time_ns, cells, offset, line)

    def _count(self, refused: Refused | None, offset: int, line: bytes) -> None:
        self.trace.records_in += 1
        if refused is None:
            self.trace.take_row(self.path, self.most.rows)
        else:
            self.trace.refuse(self.path, Refusal(offset, *refused, line[:RAW_BYTES]))

    def _is_alike(self, cell: bytes) -> bool:
        """Tell whether a number's fraction follows what that of the others does; dates have their own."""
        if b"," not in cell and self._has_comma is False:
            return True
        has_comma = None if b"-" in cell and b":" in cell else delimited.has_comma(cell)
        if has_comma is None:
            return True
        if self._has_comma is None:
            self._has_comma = has_comma
        return self._has_comma == has_comma

    def _value(self, cell: bytes, power: int) -> int | None:
        return scaled(cell, power) if self._is_alike(cell) else None

    def _take_long(self, time_ns: int, cells: Sequence[bytes]) -> Refused | None:
        """Take a row of one sample; return why it is refused, None if it is not."""
        columns, (rtt,) = self.columns, self.columns.rtts
        path = None if columns.path is None else cells[columns.path]
        if path is not None and not 0 < len(path) <= _MAX_PATH_BYTES:
            return MALFORMED, "path"
        events: list[Event] = []
        for kind, at, power in ((b"ACK", columns.acked, 0), (b"RTT", rtt.place, rtt.power)):
            if at is None or not cells[at]:
                continue
            value = self._value(cells[at], power)
            if value is None:
                return MALFORMED, printable(cells[at].decode(errors="replace"))
            events.append((kind, value))
        if not events:
            return NO_VALUE, ""
        return self._accept(time_ns, path, events)

    def _take_wide(self, time_ns: int, cells: Sequence[bytes], offset: int, line: bytes) -> None:
        empty = True
        for column in self.columns.rtts:
            cell = cells[column.place]
            if cell.lower() in _NOTHING:
                continue
            empty = False
            value = self._value(cell, column.power)
            refused = (
                (MALFORMED, printable(cell.decode(errors="replace")))
                if value is None
                else self._accept(time_ns, column.path, [(b"RTT", value)])
            )
            place = delimited.place_of(line, self.separator, column.place) if refused else 0
            self._count(refused, offset + place, line[place:])
        if empty:
            self._count((NO_VALUE, ""), offset, line)

    def _accept(self, time_ns: int, path: bytes | None, events: Sequence[Event]) -> Refused | None:
        number = self._paths.get(path, len(self._paths))
        refused = self._assembly.accept(time_ns, None, number, events)
        if refused is None:
            self._paths[path] = number
        return refused

    def finish(self) -> Trace:
        """Return what was taken in.

        Raises
        ------
        UnreadableInputError
            If no time could be read.
        """
        if self._no_time is not None and not self._times.is_known:
            offset, cell = self._no_time
            name, value = rtt_columns.shown(self.columns.time_name), rtt_columns.shown(cell.decode(errors="replace"))
            why = f"column {name} has no time that is clear, the first is {value}: "
            if self._times.without_unit:
                why += "its unit is in no name: name the column time_s, time_ms, time_us or time_ns"
            else:
                why += "wanted are numbers, or ISO 8601 such as 2024-01-31T12:00:00.125Z"
            raise UnreadableInputError(self.path, offset, f"looks like a table of RTTs, but {why}")
        names = [None if path is None else printable(path.decode(errors="replace")) for path in self._paths]

        def named(number: int, subflow: Subflow) -> None:
            subflow.name, subflow.at_intervals = names[number], True

        self.trace.connections = self._assembly.finish(named)
        return self.trace


def _columns(
    path: Path, offset: int, names: Sequence[bytes], dialect: Dialect, typed: Mapping[int, Typed] | None = None
) -> RttColumns:
    """Return a table's columns.

    Raises
    ------
    UnreadableInputError
        If they are not clear.
    """
    try:
        return rtt_columns.columns_of(names, dialect.rtt_unit, typed)
    except ColumnsError as error:
        raise UnreadableInputError(path, offset, f"looks like a table of RTTs, but {error}") from error


def _read_columnar(path: Path, dialect: Dialect, most: Bounds) -> Trace:
    """Read a Parquet or Arrow file."""
    table = ColumnarLines(path)
    try:
        columns = _columns(path, 0, table.names, dialect, table.typed)
        rows = _Rows(path, columns, columnar.SEPARATOR, Trace(), most)
        for offset, line in table.rows():
            rows.take(offset, line)
        return rows.finish()
    finally:
        table.close()


def _lines_below(path: Path, header: _TableHeader, trace: Trace) -> Iterator[tuple[int, bytes]]:
    """Yield a table's rows; other lines, the header said again among them, are counted."""
    for offset, line in stored.lines(path, _MAX_LINE_BYTES):
        if offset == header.offset:
            continue
        if delimited.is_aside(line) or line.rstrip(b"\r") == header.line:
            trace.other_lines += 1
        else:
            yield offset, line


def read(path: Path, dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read such a table, plain or compressed.

    Parameters
    ----------
    path : Path
    dialect : Dialect
        Has the unit of RTTs where no name has it.
    most : Bounds
        What is beyond is refused.

    Returns
    -------
    Trace
        One connection, its counts and refused rows.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read, or it is not clear what its columns are.
    """
    # What was decompressed is not kept while the file is read.
    header = _header(stored.head(path))
    if header is None and columnar.recognises(stored.head(path)):
        return _read_columnar(path, dialect, most)
    if header is None:
        why = f"looks like a table of RTTs, but no line names its columns; {rtt_columns.WANTED}"
        raise UnreadableInputError(path, 0, why)
    trace = Trace()
    rows = _Rows(path, _columns(path, header.offset, header.names, dialect), header.separator, trace, most)
    for offset, line in _lines_below(path, header, trace):
        rows.take(offset, line)
    return rows.finish()
