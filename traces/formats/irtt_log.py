"""JSON of ``irtt client -o``: one path, an RTT sample for each packet that came back.

``round_trips`` holds an object for each packet: when it came back (``timestamps.client.receive.wall``, nanoseconds
since 1970) and its RTT without the server's time (``delay.rtt``, nanoseconds). Packets that are lost are counted.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from smartsbd.traces import bounds
from smartsbd.traces.assembly import Assembly, Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats.echo_paths import NO_ANSWER
from smartsbd.traces.formats.json_lists import ListBegins, integer, lists
from smartsbd.traces.quarantine import Refusal, UnreadableInputError
from smartsbd.traces.trace import Trace

SOURCE = "irtt"

MALFORMED = "not a round trip of irtt's"
NO_TIME = "no wall clock: run irtt client without --clock=monotonic"
#: Unused.
LOST = "lost"
#: Why an input is unreadable.
LINES = "irtt's lines, which have no times: run irtt client -o FILE.json, see docs/questions.md"
NOTHING_CAME = "irtt's JSON without a round trip: see that the server answers, and that -o is the client's"

_MOST_BYTES = 1 << 14
_NS_PER_US = 1000
_DOCUMENT = re.compile(rb'"irtt"\s*:\s*"|"round_trips"\s*:\s*\[\s*\{\s*"seqno"')
_LINE = re.compile(rb"^(?:[^\n]{1,60} )?seq=\d{1,9} rtt=\S{1,20} rd=", re.MULTILINE)


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is such JSON, or what irtt prints beside it."""
    return (head.lstrip()[:1] == b"{" and _DOCUMENT.search(head) is not None) or _LINE.search(head) is not None


def _at(value: Any, *names: str) -> Any:
    """Return what is in an object under some names, one within the other; None if it is not there."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _take(assembly: Assembly, connection: int, trip: dict[str, Any]) -> Refused | None:
    rtt_ns = integer(_at(trip, "delay", "rtt"))
    if rtt_ns is None:
        return MALFORMED, "delay.rtt is no number"
    time_ns = integer(_at(trip, "timestamps", "client", "receive", "wall"))
    if time_ns is None:
        return NO_TIME, ""
    return assembly.accept(time_ns, connection, 0, [(b"RTT", rtt_ns // _NS_PER_US)])


def read(path: Path, _dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read what irtt's client wrote, plain or compressed.

    Parameters
    ----------
    path : Path
    _dialect : Dialect
    most : Bounds
        What is beyond is refused.

    Returns
    -------
    Trace
        A connection of one subflow for each document, counts and refused round trips.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read, or holds no round trip with a time.
    """
    assembly, trace, connection = Assembly(most), Trace(), -1
    for element in lists(path, "round_trips", _MOST_BYTES):
        if isinstance(element, ListBegins):
            connection += 1
            continue
        trace.records_in += 1
        trip = element.parsed()
        lost = None if trip is None else trip.get("lost")
        if trip is None:
            refused: Refused | None = (element.refused or MALFORMED, f"{len(element.text)} bytes")
        elif isinstance(lost, str) and lost.startswith("true"):
            trace.unused[LOST] += 1
            continue
        else:
            refused = _take(assembly, connection, trip)
        if refused is None:
            trace.records_out += 1
        else:
            trace.refuse(path, Refusal(element.offset, *refused, element.text[:64]))
    if not trace.records_out:
        raise UnreadableInputError(path, 0, _why_nothing(trace, connection))
    trace.signals[NO_ANSWER] = trace.unused[LOST]
    trace.signals = +trace.signals

    def at_intervals(_number: int, subflow: Subflow) -> None:
        subflow.at_intervals = True

    trace.connections = assembly.finish(at_intervals)
    return trace


def _why_nothing(trace: Trace, connection: int) -> str:
    if connection < 0 and not trace.records_in:
        return LINES
    refused = trace.refused()
    reasons = ", ".join(f"{count} {reason}" for reason, count in refused.items())
    return f"irtt's JSON of which nothing can be used: {reasons}" if reasons else NOTHING_CAME
