"""A table of RTTs: CSV with a header of ``time_s``, ``path``, ``rtt_ms`` and, optionally, ``bytes``.

``time_ns`` may replace ``time_s``, and ``rtt_us`` may replace ``rtt_ms``; columns are in any order. A row is an RTT
sample of a path when it was taken. ``bytes`` counts what was acknowledged on the path so far. Either of the two may be
empty. A table holds one connection, whose subflows are the paths in order of appearance.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from smartsbd.contracts.fault import printable
from smartsbd.traces import bounds, stored
from smartsbd.traces.assembly import Assembly, Event, Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.quarantine import Refusal, UnreadableInputError
from smartsbd.traces.trace import Trace

SOURCE = "rtt_table"

MALFORMED = "not a row of the header's columns"
NO_VALUE = "neither an RTT nor bytes"

_MAX_LINE_BYTES = 512
_MAX_PATH_BYTES = 64
_MARK = b"\xef\xbb\xbf"
_NUMBER = re.compile(rb"(\d{1,19})(?:\.(\d{1,9})\d{0,12})?")
#: Power of ten between a column's unit and that of the event: nanoseconds, microseconds or bytes.
_TIMES = {b"time_s": 9, b"time_ns": 0}
_RTTS = {b"rtt_ms": 3, b"rtt_us": 0}
_PATH, _BYTES = b"path", b"bytes"


def _cells(line: bytes) -> list[bytes]:
    """Return the cells of a line, without white space and a pair of quotes around each."""
    cells = [cell.strip() for cell in line.split(b",")]
    return [cell[1:-1] if len(cell) > 1 and cell[:1] == cell[-1:] == b'"' else cell for cell in cells]


def _names(head: bytes) -> list[bytes]:
    return _cells(head.partition(b"\n")[0][:_MAX_LINE_BYTES].removeprefix(_MARK))


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is such a table."""
    names = _names(head)
    return _PATH in names and any(name in names for name in _TIMES) and any(name in names for name in _RTTS)


def _integer(cell: bytes, power: int) -> int | None:
    """Return a number times a power of ten, truncated; None if it is none.

    Examples
    --------
    >>> _integer(b"12.3456", 3), _integer(b"7", 0), _integer(b"-1", 0)
    (12345, 7, None)
    """
    match = _NUMBER.fullmatch(cell)
    if match is None:
        return None
    fraction = (match[2] or b"").ljust(power, b"0")[:power]
    scale: int = 10**power
    return int(match[1]) * scale + int(fraction or b"0")


@dataclass(frozen=True)
class _Columns:
    """Where the columns are, and by what power of ten time and RTT are multiplied."""

    cells: int
    path: int
    time: tuple[int, int]
    rtt: tuple[int, int]
    acked: int | None

    @classmethod
    def of(cls, path: Path, names: Sequence[bytes]) -> _Columns:
        """Return the columns; raises UnreadableInputError if there are others, one is missing, or one occurs twice."""
        known = {*_TIMES, *_RTTS, _PATH, _BYTES}
        for name in names:
            if name not in known or names.count(name) > 1:
                why = "twice" if name in known else f"unknown, known are {', '.join(sorted(map(bytes.decode, known)))}"
                raise UnreadableInputError(path, 0, f"column {printable(name.decode(errors='replace'))!r} is {why}")
        times, rtts = (
            [(names.index(name), power) for name, power in of.items() if name in names] for of in (_TIMES, _RTTS)
        )
        if len(times) != 1 or len(rtts) != 1:
            raise UnreadableInputError(path, 0, "a table has one column of times and one of RTTs")
        if _PATH not in names:
            raise UnreadableInputError(path, 0, f"a table has a column {_PATH.decode()}")
        return cls(
            cells=len(names),
            path=names.index(_PATH),
            time=times[0],
            rtt=rtts[0],
            acked=names.index(_BYTES) if _BYTES in names else None,
        )


class _Rows:
    """Takes rows in."""

    def __init__(self, header: _Columns, most: Bounds) -> None:
        self._header = header
        self._assembly = Assembly(most)
        #: Number of each path, in order of appearance.
        self._paths: dict[bytes, int] = {}

    def take(self, line: bytes) -> Refused | None:
        header, cells = self._header, _cells(line)
        if len(line) > _MAX_LINE_BYTES or len(cells) != header.cells:
            return MALFORMED, f"{len(line)} bytes"
        (time_at, time_power), (rtt_at, rtt_power) = header.time, header.rtt
        time_ns, path = _integer(cells[time_at], time_power), cells[header.path]
        if time_ns is None or not 0 < len(path) <= _MAX_PATH_BYTES:
            return MALFORMED, "time or path"
        events: list[Event] = []
        for kind, at, power in ((b"ACK", header.acked, 0), (b"RTT", rtt_at, rtt_power)):
            if at is None or not cells[at]:
                continue
            value = _integer(cells[at], power)
            if value is None:
                return MALFORMED, printable(cells[at].decode(errors="replace"))
            events.append((kind, value))
        if not events:
            return NO_VALUE, ""
        number = self._paths.get(path, len(self._paths))
        refused = self._assembly.accept(time_ns, None, number, events)
        if refused is None:
            self._paths[path] = number
        return refused

    def finish(self, trace: Trace) -> Trace:
        names = [printable(path.decode(errors="replace")) for path in self._paths]

        def named(number: int, subflow: Subflow) -> None:
            subflow.name, subflow.at_intervals = names[number], True

        trace.connections = self._assembly.finish(named)
        return trace


def read(path: Path, _dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read such a table, plain or compressed.

    Parameters
    ----------
    path : Path
    _dialect : Dialect
    most : Bounds
        What is beyond is refused.

    Returns
    -------
    Trace
        One connection, its counts and refused rows.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read, or its header has other columns.
    """
    trace = Trace()
    rows = _Rows(_Columns.of(path, _names(stored.head(path))), most)
    for offset, line in stored.lines(path, _MAX_LINE_BYTES):
        if offset == 0:
            # The header.
            continue
        trace.records_in += 1
        refused = rows.take(line)
        if refused is None:
            trace.records_out += 1
        else:
            trace.refuse(path, Refusal(offset, *refused, line[:64]))
    return rows.finish(trace)
