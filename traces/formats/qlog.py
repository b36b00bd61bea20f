"""qlog of QUIC, with several paths or one: RTT samples, smoothed RTTs and losses of each path.

All generations are read: draft-00 to draft-02, 0.3, 0.4 and the final schema, as a JSON document or a sequence of
records. A trace is a connection, and if its events name groups (``group_id``), each of them. A path, by its number or
its name, is a subflow. An event is a record. ``metrics_updated`` has ``latest_rtt``, the last RTT sample, and
``smoothed_rtt``, each where it changed; ``congestion_state_updated`` has the state of the controller, if the log has
any; ``packet_lost`` is a packet lost. Other events are in no table. RTTs are those of the end that wrote the log.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from blake3 import blake3

from smartsbd.contracts.fault import printable
from smartsbd.traces import bounds, stored
from smartsbd.traces.assembly import MAX_SUBFLOW, OUT_OF_RANGE, Assembly, Event, Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats.json_lists import CUT, TOO_LONG, Element
from smartsbd.traces.formats.qlog_records import (
    DELTAS,
    MALFORMED,
    Document,
    TraceHeader,
    in_sequence,
    is_document,
    recognises,
)
from smartsbd.traces.quarantine import Refusal, UnreadableInputError
from smartsbd.traces.trace import Trace

__all__ = ["CUT", "MALFORMED", "SOURCE", "TOO_LONG", "read", "recognises"]

SOURCE = "qlog"

NO_HEADER = "no header before it says its unit"
NO_UNIT = "unit of time that is none of us, ms, s and ns"
UNIT_CUT = "its unit may be in a part of the header that is cut off or too long"
#: Unused.
OTHER = "event of another kind"
NO_RTT = "metrics without an RTT"

_DEFAULTS = TraceHeader("ms", ("relative_time", "category", "event", "data"), is_delta=False)
_UNITS_NS = {"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "ns": 1}
_NS_PER_US = 1000
_RTTS = {b"RTT", b"SRTT"}
_OPEN, _RECOVERY = 0, 3
_MOST_NS = 1 << 63
# The drafts have other names for the same events; categories aside, in small letters.
_METRICS = re.compile(r"(?:recovery_)?metrics?_updated?")
_LOST = re.compile(r"(?:recovery_)?packets?_lost")
_STATE = re.compile(r"(?:recovery_)?congestion_state_updated?")
_NUMBER = re.compile(r"-?[0-9]{1,20}(?:\.[0-9]{0,20})?(?:[eE][+-]?[0-9]{1,2})?", re.ASCII)
_WHOLE = re.compile(r"0|[1-9][0-9]{0,4}", re.ASCII)
_HEX = re.compile(r"0[xX]0{0,16}([0-9a-fA-F]{1,4})|((?:[0-9a-fA-F]{2}){1,2})", re.ASCII)
_MOST_LETTERS = 128
_INSTEAD = "let the end that sends log its recovery events, or ping over both paths meanwhile (docs/questions.md)"


def _number(value: Any, scale: int) -> int | None:
    """Return a number, or a text that is one, times `scale`, truncated; None if it is none, or too large."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = Decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    return int(value * scale) if -_MOST_NS < value < _MOST_NS else None


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _parsed(text: bytes, names: Sequence[str]) -> dict[str, Any] | None:
    """Return an event by the names of its fields, None if it is none."""
    try:
        event = json.loads(text, parse_float=Decimal, parse_constant=_no_constant)
    except (ValueError, RecursionError, ArithmeticError):
        return None
    if isinstance(event, list):
        event = dict(zip(names, event, strict=False)) if len(event) == len(names) else None
    return event if isinstance(event, dict) else None


def _name(event: dict[str, Any]) -> str:
    """Return the name of an event without its category, in small letters."""
    name = next((event[key] for key in ("name", "event", "event_type", "type") if isinstance(event.get(key), str)), "")
    return str(name).rpartition(":")[2].lower()


def _path(event: dict[str, Any], data: dict[str, Any], common: str | None) -> int | str | None:
    """Return the number or the name of an event's path, 0 where it has none, None if it is neither."""
    path: Any = common
    for key in ("path_id", "path", "tuple"):
        named = next((where[key] for where in (event, data) if where.get(key) not in (None, "")), None)
        if named is not None:
            path = named
            break
    if path is None:
        return 0
    if isinstance(path, str):
        if _WHOLE.fullmatch(path) and int(path) <= MAX_SUBFLOW:
            return int(path)
        return path if len(path) <= _MOST_LETTERS else None
    return _number(path, 1) if _number(path, 1) == path else None


def _group(event: dict[str, Any]) -> str | None:
    """Return what tells apart the connections of one trace, None where nothing does."""
    group = next((event[key] for key in ("group_id", "odcid", "ODCID") if event.get(key) is not None), None)
    if group is None:
        return None
    text = json.dumps(group, default=str) if isinstance(group, str | int | Decimal) else repr(group)
    return text if len(text) <= _MOST_LETTERS else blake3(text.encode("utf-8", "surrogatepass")).hexdigest()


def _is_held(name: str) -> bool:
    """Tell whether a table holds what events of this name say."""
    return any(names.fullmatch(name) for names in (_METRICS, _LOST, _STATE))


def _metrics(data: dict[str, Any], unit_ns: int) -> list[Event] | Refused:
    """Return the RTTs of an event, or why it is refused."""
    events: list[Event] = []
    for kind, key in ((b"RTT", "latest_rtt"), (b"SRTT", "smoothed_rtt")):
        if data.get(key) is not None:
            rtt_ns = _number(data[key], unit_ns)
            if rtt_ns is None:
                return OUT_OF_RANGE, f"{key} is no number"
            events.append((kind, rtt_ns // _NS_PER_US))
    return events


def _events(name: str, data: dict[str, Any], unit_ns: int) -> list[Event] | Refused | None:
    """Return what an event says of its path, or why it is refused, or None if it says nothing that a table holds."""
    if _METRICS.fullmatch(name):
        return _metrics(data, unit_ns)
    if _LOST.fullmatch(name):
        packets = data.get("lost_packets", 1)
        return [(b"LOSS", packets if isinstance(packets, int) and not isinstance(packets, bool) else 1)]
    if _STATE.fullmatch(name):
        state = data.get("new", data.get("new_state"))
        in_recovery = isinstance(state, str) and state.lower() in {"recovery", "congestion_recovery"}
        return [(b"CA", _RECOVERY if in_recovery else _OPEN)]
    return None


@dataclass
class _Paths:
    """The numbers and names of the paths of each connection."""

    #: Of each connection and path as the log has it.
    _numbers: dict[tuple[Any, int | str], int] = field(default_factory=dict)
    _taken: set[tuple[Any, int]] = field(default_factory=set)
    #: Of each subflow of the assembly that has a name.
    names: dict[int, str] = field(default_factory=dict)

    def number(self, connection: Any, path: int | str) -> int:
        """Return the number of a path: its own if it has one that no other path has, else the lowest that is free."""
        known = self._numbers.get((connection, path))
        if known is not None:
            return known
        if isinstance(path, int):
            number = path
        else:
            digits = _HEX.fullmatch(path)
            number = int(digits[1] or digits[2], 16) if digits else 0
            number = number if number <= MAX_SUBFLOW else 0
        if (connection, number) in self._taken:
            number = next((free for free in range(MAX_SUBFLOW) if (connection, free) not in self._taken), number)
        return number

    def keep(self, connection: Any, path: int | str, number: int, subflow: int | None) -> None:
        """Take down the number of a path, of which a record was accepted."""
        if (connection, path) in self._numbers:
            return
        self._numbers[connection, path] = number
        self._taken.add((connection, number))
        if isinstance(path, str) and subflow is not None:
            self.names[subflow] = printable(path)


@dataclass
class _QlogEvents:
    """Takes events in."""

    assembly: Assembly
    trace: Trace
    header: TraceHeader | None = None
    connection: int = -1
    last_ns: int = 0
    has_rtts: bool = False
    paths: _Paths = field(default_factory=_Paths)

    def begin(self, header: TraceHeader) -> None:
        """Begin with another trace."""
        self.header, self.last_ns = header.over(_DEFAULTS), 0
        self.connection += 1

    def take(self, element: Element) -> Refused | None:
        """Take an event; return why it is refused, None if it is not."""
        if element.refused:
            return element.refused, f"{len(element.text)} bytes"
        if self.header is None:
            return NO_HEADER, f"{len(element.text)} bytes"
        event = _parsed(element.text, self.header.fields or ())
        if event is None:
            return MALFORMED, f"{len(element.text)} bytes"
        unit_ns = _UNITS_NS.get(self.header.unit or "")
        if unit_ns is None:
            return (NO_UNIT, self.header.unit) if self.header.unit else (UNIT_CUT, f"{len(element.text)} bytes")
        time_ns = self._time_ns(event, unit_ns)
        if time_ns is None:
            return MALFORMED, "time"
        return self._take_data(event, time_ns, unit_ns)

    def _time_ns(self, event: dict[str, Any], unit_ns: int) -> int | None:
        """Return when an event was, None if that is no number."""
        key = next((key for key in ("time", "relative_time", "delta_time") if key in event), "time")
        time_ns = _number(event.get(key), unit_ns)
        if time_ns is None:
            return None
        is_delta = self.header is not None and self.header.is_delta
        if isinstance(event.get("time_format"), str):
            is_delta = event["time_format"].lower() in DELTAS
        if is_delta or key == "delta_time":
            time_ns += self.last_ns
        self.last_ns = time_ns
        return time_ns

    def _take_data(self, event: dict[str, Any], time_ns: int, unit_ns: int) -> Refused | None:
        """Take what an event says of its path; return why it is refused, None if it is not."""
        data = event.get("data", {})
        name = _name(event)
        if not isinstance(data, dict) and (not name or _is_held(name)):
            return MALFORMED, "data"
        events = _events(name, data, unit_ns)
        if isinstance(events, tuple):
            return events
        if not events:
            self.trace.unused[OTHER if events is None else NO_RTT] += 1
            return None
        path = _path(event, data, self.header.path if self.header else None)
        if path is None:
            return MALFORMED, "path"
        connection = (self.connection, _group(event))
        number = self.paths.number(connection, path)
        refused = self.assembly.accept(time_ns, connection, number, events)
        if refused is None:
            self.trace.records_out += 1
            self.has_rtts |= any(kind in _RTTS for kind, _ in events)
            self.paths.keep(connection, path, number, self.assembly.number(connection, number))
        return refused

    def finish(self) -> None:
        """Make connections of what was taken."""
        names = self.paths.names

        def named(number: int, subflow: Subflow) -> None:
            subflow.name = names.get(number)

        self.trace.connections = self.assembly.finish(named)


def _taken(
    path: Path, records: Iterable[Element | TraceHeader], most: Bounds
) -> tuple[_QlogEvents, UnreadableInputError | None]:
    """Take records in, all of them: return what became of them, and why no more were taken if they were too bad."""
    events, error = _QlogEvents(Assembly(most), Trace()), None
    for record in records:
        if isinstance(record, TraceHeader):
            events.begin(record)
        elif error is None:
            events.trace.records_in += 1
            refused = events.take(record)
            if refused is not None:
                refusal = Refusal(record.offset, refused[0], printable(refused[1]), record.text[:64])
                try:
                    events.trace.refuse(path, refusal)
                except UnreadableInputError as raised:
                    error = raised
    return events, error


def _without_rtts(trace: Trace) -> str:
    """Say why a qlog has no RTT, and what to do."""
    refused = trace.refused()
    what = f"a qlog of {trace.records_in:,} event{'s'[: trace.records_in != 1]}"
    if not trace.records_in:
        return f"a qlog without events: {_INSTEAD}"
    if NO_HEADER in refused:
        return "events of qlog without the header that says their unit: give the whole log, from its first record on"
    if trace.unused[NO_RTT]:
        return f"{what} whose metrics have no latest_rtt and no smoothed_rtt: {_INSTEAD}"
    if refused:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in refused.items())
        return f"{what} without any RTT that is read; refused: {reasons}"
    return f"{what} without any metrics_updated, so without RTTs: {_INSTEAD}"


def read(path: Path, _dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read a qlog, plain or compressed; a document is read again if what comes behind its events says how to read them.

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
        If the file as a whole cannot be read, or holds no RTT.
    """
    if is_document(stored.head(path)):
        document = Document(path, most)
        events, error = _taken(path, document.records(), most)
        if document.says_more:
            # What was made of the first reading goes before the second begins.
            del events
            events, error = _taken(path, Document(path, most, document.headers).records(), most)
    else:
        events, error = _taken(path, in_sequence(path), most)
    if error is not None:
        raise error
    if not events.has_rtts:
        raise UnreadableInputError(path, 0, _without_rtts(events.trace))
    events.finish()
    return events.trace
