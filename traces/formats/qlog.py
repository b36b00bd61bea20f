"""qlog of QUIC, with several paths or one: RTT samples, smoothed RTTs and losses of each path.

Two forms are read: a JSON document, in which each trace has a list of ``events`` (arrays, whose places ``event_fields``
names, or objects), and JSON text sequences or lines, an event each after a header. A trace is a connection, and a path,
by its ``path_id``, a subflow. An event is a record. ``metrics_updated`` has ``latest_rtt``, the last RTT sample, and
``smoothed_rtt``, each where it changed; ``congestion_state_updated`` has the state of the controller, if the log has
any; ``packet_lost`` is a packet lost. Other events are in no table. RTTs are those of the end that wrote the log.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from smartsbd.contracts.fault import printable
from smartsbd.traces import bounds, stored
from smartsbd.traces.assembly import OUT_OF_RANGE, Assembly, Event, Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.quarantine import Refusal
from smartsbd.traces.trace import Trace

SOURCE = "qlog"

MALFORMED = "not an event of qlog"
TOO_LONG = "longer than allowed"
CUT = "its end is cut off"
#: Unused.
OTHER = "event of another kind"
NO_RTT = "metrics without an RTT"

#: Of an event, and of what comes before a list of events.
_MAX_EVENT_BYTES = 1 << 16
_HEADER_BYTES = 1 << 12
_MARKS = (b'"qlog_version"', b'"qlog_format"')
_LINES = re.compile(rb'\x1e|[^\n]{0,65536}"qlog_format" *: *"(?:JSON-SEQ|NDJSON)"')
_SIGN = re.compile(rb'["\\\[\]{}\n]')
_EVENTS_KEY = re.compile(rb'"events"\s*:\s*$')
_UNIT = re.compile(rb'"time_units?"\s*:\s*"(\w{1,4})"')
_FIELDS = re.compile(rb'"event_fields"\s*:\s*\[([^\[\]{}]{0,512})\]')
_DELTA = re.compile(rb'"time_format"\s*:\s*"(?:delta|relative_to_previous_event)"')
_BETWEEN = b"[], \t\r\n"
_UNITS_NS = {"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "ns": 1}
_NS_PER_US = 1000
_OPEN, _RECOVERY = 0, 3
_MOST_NS = 1 << 63


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is a qlog."""
    return head.lstrip(b"\x1e \r\n")[:1] == b"{" and any(mark in head for mark in _MARKS)


@dataclass(frozen=True)
class _Element:
    """An event as the file has it: where it begins, its text, and why it is refused if it is."""

    offset: int
    text: bytes
    refused: str = ""


@dataclass
class _TraceHeader:
    """What comes before the events of a trace."""

    unit_ns: int = _UNITS_NS["ms"]
    fields: tuple[str, ...] = ("relative_time", "category", "event", "data")
    is_delta: bool = False

    @classmethod
    def of(cls, text: bytes) -> _TraceHeader:
        header = cls()
        unit, names = _UNIT.search(text), _FIELDS.search(text)
        if unit:
            header.unit_ns = _UNITS_NS.get(unit[1].decode("ascii", "replace"), header.unit_ns)
        if names:
            header.fields = tuple(
                name.strip(' "\r\n\t').lower() for name in names[1].decode("utf-8", "replace").split(",")
            )
        header.is_delta = _DELTA.search(text) is not None
        return header


class _Document:
    """Cuts the events out of a JSON document as it comes, holding no more than one.

    A string ends at a line's end, where JSON has none: what is broken there does not take the rest with it.
    """

    def __init__(self) -> None:
        self._depth = 0
        # Depth within the list of events that is open; 0 outside of one.
        self._list_depth = 0
        self._in_string = False
        self._escaped_at = -1
        self._kept = bytearray()
        self._kept_from = 0
        self._is_long = False

    def feed(self, block: bytes, at: int) -> Iterator[_Element | _TraceHeader]:
        """Yield the events, and what comes before each list of them, that end in a block, which begins at `at`."""
        done = 0
        for match in _SIGN.finditer(block):
            place, sign = match.start(), match[0]
            if at + place == self._escaped_at:
                continue
            if self._in_string:
                if sign == b"\\":
                    self._escaped_at = at + place + 1
                elif sign in b'"\n':
                    self._in_string = False
                continue
            if sign == b'"':
                self._in_string = True
            elif sign in b"[{":
                self._keep(block[done:place])
                done = place
                if not self._list_depth and sign == b"[" and _EVENTS_KEY.search(self._kept[-64:]):
                    yield _TraceHeader.of(bytes(self._kept))
                    self._list_depth = self._depth + 1
                    self._begin(at + place)
                elif self._list_depth and self._depth == self._list_depth:
                    yield from self._between()
                    self._begin(at + place)
                self._depth += 1
            elif sign in b"]}":
                self._keep(block[done : place + 1])
                done = place + 1
                self._depth = max(0, self._depth - 1)
                if self._list_depth and self._depth == self._list_depth:
                    yield self._element()
                    self._begin(at + done)
                elif self._list_depth and self._depth < self._list_depth:
                    yield from self._between()
                    self._list_depth = 0
                    self._kept.clear()
        self._keep(block[done:])

    def _begin(self, offset: int) -> None:
        self._kept.clear()
        self._kept_from, self._is_long = offset, False

    def _keep(self, text: bytes) -> None:
        self._kept += text
        if not self._list_depth:
            del self._kept[:-_HEADER_BYTES]
        elif len(self._kept) > _MAX_EVENT_BYTES:
            self._is_long = True
            del self._kept[_MAX_EVENT_BYTES:]

    def _element(self, refused: str = "") -> _Element:
        return _Element(self._kept_from, bytes(self._kept), refused or (TOO_LONG if self._is_long else ""))

    def _between(self) -> Iterator[_Element]:
        """Yield what lies between two events and is none, as one that is refused."""
        if self._kept.strip(_BETWEEN):
            yield self._element(MALFORMED)

    def rest(self) -> Iterator[_Element]:
        """Yield an event that the end of the file cuts off."""
        if self._list_depth and self._depth > self._list_depth:
            yield self._element(CUT)
        elif self._list_depth:
            yield from self._between()


def _elements(path: Path) -> Iterator[_Element | _TraceHeader]:
    if _LINES.match(stored.head(path)):
        for offset, line in stored.lines(path, _MAX_EVENT_BYTES):
            text = line.lstrip(b"\x1e").strip()
            if any(mark in text for mark in _MARKS):
                yield _TraceHeader.of(text)
            elif text:
                yield _Element(offset, text, TOO_LONG if len(line) > _MAX_EVENT_BYTES else "")
        return
    document, at = _Document(), 0
    for block in stored.blocks(path):
        yield from document.feed(block, at)
        at += len(block)
    yield from document.rest()


def _number(value: Any, scale: int) -> int | None:
    """Return a number times `scale`, truncated; None if it is none, or too large."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    return int(value * scale) if -_MOST_NS < value < _MOST_NS else None


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _parsed(text: bytes, names: tuple[str, ...]) -> dict[str, Any] | None:
    """Return an event by the names of its fields, None if it is none."""
    try:
        event = json.loads(text, parse_float=Decimal, parse_constant=_no_constant)
    except (ValueError, RecursionError, ArithmeticError):
        return None
    if isinstance(event, list):
        event = dict(zip(names, event, strict=False)) if len(event) == len(names) else None
    return event if isinstance(event, dict) and isinstance(event.get("data", {}), dict) else None


def _name(event: dict[str, Any]) -> str:
    """Return the name of an event without its category."""
    name = next((event[key] for key in ("name", "event", "event_type") if isinstance(event.get(key), str)), "")
    return str(name).rpartition(":")[2]


def _path(event: dict[str, Any]) -> int | None:
    """Return the number of an event's path, 0 where it has none, None if it is no number."""
    for where in (event, event.get("data", {})):
        for key in ("path_id", "path"):
            if where.get(key) not in (None, ""):
                return _number(where[key], 1)
    return 0


def _events(name: str, data: dict[str, Any], unit_ns: int) -> list[Event] | Refused | None:
    """Return what an event says of its path, or why it is refused, or None if it says nothing that a table holds."""
    if name == "packet_lost":
        return [(b"LOSS", 1)]
    if name == "congestion_state_updated":
        return [(b"CA", _RECOVERY if data.get("new") in {"recovery", "congestion_recovery"} else _OPEN)]
    if name != "metrics_updated":
        return None
    events: list[Event] = []
    for kind, key in ((b"RTT", "latest_rtt"), (b"SRTT", "smoothed_rtt")):
        if key in data:
            rtt_ns = _number(data[key], unit_ns)
            if rtt_ns is None:
                return OUT_OF_RANGE, f"{key} is no number"
            events.append((kind, rtt_ns // _NS_PER_US))
    return events


@dataclass
class _QlogEvents:
    """Takes events in."""

    assembly: Assembly
    trace: Trace
    header: _TraceHeader = field(default_factory=_TraceHeader)
    connection: int = -1
    last_ns: int = 0

    def begin(self, header: _TraceHeader) -> None:
        """Begin with another trace."""
        self.header, self.last_ns = header, 0
        self.connection += 1

    def take(self, element: _Element) -> Refused | None:
        """Take an event; return why it is refused, None if it is not."""
        if element.refused:
            return element.refused, f"{len(element.text)} bytes"
        event = _parsed(element.text, self.header.fields)
        if event is None:
            return MALFORMED, f"{len(element.text)} bytes"
        times = (event[key] for key in ("time", "relative_time", "delta_time") if key in event)
        time_ns, path = _number(next(times, None), self.header.unit_ns), _path(event)
        if time_ns is None or path is None:
            return MALFORMED, "time or path"
        if self.header.is_delta:
            time_ns += self.last_ns
        self.last_ns = time_ns
        events = _events(_name(event), event.get("data", {}), self.header.unit_ns)
        if isinstance(events, tuple):
            return events
        if not events:
            self.trace.unused[OTHER if events is None else NO_RTT] += 1
            return None
        refused = self.assembly.accept(time_ns, self.connection, path, events)
        self.trace.records_out += refused is None
        return refused


def read(path: Path, _dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read a qlog, plain or compressed.

    Parameters
    ----------
    path : Path
    _dialect : Dialect
    most : Bounds
        What is beyond is refused.

    Returns
    -------
    Trace
        A connection for each trace of the log, counts and refused events.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read.
    """
    trace = Trace()
    events = _QlogEvents(Assembly(most), trace)
    for element in _elements(path):
        if isinstance(element, _TraceHeader):
            events.begin(element)
            continue
        trace.records_in += 1
        refused = events.take(element)
        if refused is not None:
            trace.refuse(path, Refusal(element.offset, refused[0], printable(refused[1]), element.text[:64]))
    trace.connections = events.assembly.finish()
    return trace
