"""JSON of ``iperf3 -J`` and ``--json-stream``: smoothed RTTs of each interval, where the sender is Linux.

``intervals`` holds an object for each interval, with the streams in it: ``rtt`` is the smoothed RTT at its end in
microseconds, ``retransmits`` counts segments sent again in it. A test is a connection, and a stream a subflow. The
clock begins where the test says that it began, by whole seconds or, since iperf 3.17, milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from smartsbd.traces import bounds, stored
from smartsbd.traces.assembly import MAX_TIME_NS, OUT_OF_RANGE, Assembly, Event, Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.endpoint import Sockets, endpoint, socket_name
from smartsbd.traces.formats.json_lists import Element, ListBegins, integer, lists, parsed
from smartsbd.traces.quarantine import Refusal, UnreadableInputError
from smartsbd.traces.trace import Trace

SOURCE = "iperf3"

MALFORMED = "not an interval of iperf3's"
NO_TIME = "no time at which the test began"
#: Unused.
RECEIVES = "stream of the receiving end"
NO_RTT = "stream without an RTT"
#: Why an input is unreadable.
NO_INTERVAL = "iperf3's JSON without an interval: the test failed, or ran with -i 0; run iperf3 -J -i 0.1"
ONLY_RECEIVES = (
    "iperf3's JSON of the end that receives: only a sender on Linux has RTTs; run iperf3 -J -i 0.1 where the data is"
    " sent from"
)
ONLY_WITHOUT = "iperf3's JSON without RTTs: it has them of TCP, at a sender on Linux; see docs/questions.md"

_MOST_BYTES = 1 << 18
# A socket that the test does not name.
_UNKNOWN = "unknown:0 unknown:0"
_NS_PER_S = 1_000_000_000
_DOCUMENT = re.compile(rb'"version"\s*:\s*"iperf 3|"event"\s*:\s*"(?:start|interval)"\s*,\s*"data"')
_STREAMED = re.compile(rb'\s*\{\s*"event"\s*:\s*"')
_TIME_S = re.compile(rb'"timesecs"\s*:\s*(\d{1,10})\b')
_TIME_MS = re.compile(rb'"timemillisecs"\s*:\s*(\d{1,13})\b')
_CONNECTED = re.compile(rb'"connected"\s*:\s*\[([^\[\]]*)\]')
_OBJECT = re.compile(rb"\{[^{}]{0,1024}\}")


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is such JSON."""
    return head.lstrip()[:1] == b"{" and _DOCUMENT.search(head) is not None


@dataclass
class _Test:
    """What a test says of itself before its intervals: when it began, and its sockets by iperf3's numbers of them."""

    begin_ns: int | None = None
    resolution_ns: int = 0
    sockets: dict[int, str] = field(default_factory=dict)
    # Numbers of subflows, by those of the sockets.
    subflows: dict[int, int] = field(default_factory=dict)
    # Times begin anew after what is omitted.
    shift_ns: int = 0
    last_ns: int = 0

    @classmethod
    def of(cls, before: bytes) -> _Test:
        test = cls()
        seconds, milliseconds = _TIME_S.findall(before), _TIME_MS.findall(before)
        if milliseconds:
            test.resolution_ns = 1_000_000
            test.begin_ns = int(milliseconds[-1]) * test.resolution_ns
        elif seconds:
            test.resolution_ns = _NS_PER_S
            test.begin_ns = int(seconds[-1]) * test.resolution_ns
        for text in _OBJECT.findall((_CONNECTED.findall(before) or [b""])[-1]):
            socket = parsed(text) or {}
            number = integer(socket.get("socket"))
            ends = [endpoint(f"{socket.get(f'{end}_host')}:{socket.get(f'{end}_port')}") for end in ("local", "remote")]
            local, remote = ends
            if number is not None and local and remote and not any(" " in end.address for end in (local, remote)):
                test.sockets[number] = socket_name(local, remote)
        return test

    def time_ns(self, start: Any, end: Any) -> int | Refused:
        """Return when an interval ended, or why that is not known."""
        start_ns, end_ns = integer(start, 9), integer(end, 9)
        if self.begin_ns is None:
            return NO_TIME, ""
        if start_ns is None or end_ns is None:
            return MALFORMED, "an interval without its times"
        if not 0 <= start_ns <= MAX_TIME_NS or not 0 <= end_ns <= MAX_TIME_NS:
            # Times of others would be counted from it.
            return OUT_OF_RANGE, "an interval's times"
        if end_ns + self.shift_ns < self.last_ns and start_ns + self.shift_ns < self.last_ns - _NS_PER_S // 2:
            self.shift_ns = self.last_ns
        self.last_ns = max(self.last_ns, end_ns + self.shift_ns)
        return self.begin_ns + self.shift_ns + end_ns


def _streamed(path: Path) -> Iterator[Element | ListBegins]:
    """Yield the intervals of a log of which each line is an event."""
    for offset, line in stored.lines(path, _MOST_BYTES):
        event = parsed(line) if len(line) <= _MOST_BYTES else None
        name = event.get("event") if event else None
        if name == "start":
            yield ListBegins(line)
        elif event is not None and name == "interval":
            # The object of the interval within the event: what is shown of it begins the same.
            yield Element(offset, line)
        elif event is None and line.strip():
            yield Element(offset, line[:_MOST_BYTES], MALFORMED)


class _Intervals:
    """Takes intervals in."""

    def __init__(self, path: Path, most: Bounds) -> None:
        self.path = path
        self.trace = Trace()
        self._assembly = Assembly(most)
        self._sockets = Sockets()
        # What the last digit of a subflow's times counts, against those of another test.
        self._resolutions_ns: list[int] = []
        self._test = _Test()
        self._tests = 0

    def begin(self, before: bytes) -> None:
        """Begin with another test."""
        self._test = _Test.of(before)
        self._tests += 1

    def take(self, element: Element) -> None:
        """Take an interval: a record for each of its streams."""
        interval = element.parsed()
        if interval is not None and isinstance(interval.get("data"), dict):
            interval = interval["data"]
        streams = interval.get("streams") if interval is not None else None
        if not isinstance(streams, list):
            self.trace.records_in += 1
            self._refuse(element, (element.refused or MALFORMED, f"{len(element.text)} bytes"))
            return
        for place, stream in enumerate(streams):
            self.trace.records_in += 1
            refused = self._stream(stream)
            if refused is not None:
                self._refuse(element, refused, place)

    def _refuse(self, element: Element, refused: Refused, place: int = 0) -> None:
        # An interval is longer than its streams are many: each has an offset of its own.
        self.trace.refuse(self.path, Refusal(element.offset + place, *refused, element.text[:64]))

    def _stream(self, stream: Any) -> Refused | None:
        number = integer(stream.get("socket")) if isinstance(stream, dict) else None
        if number is None:
            return MALFORMED, "a stream without a socket"
        time_ns = self._test.time_ns(stream.get("start"), stream.get("end"))
        if stream.get("sender") is False:
            self.trace.unused[RECEIVES] += 1
            return None
        rtt_us = integer(stream.get("rtt"))
        if not rtt_us:
            self.trace.unused[NO_RTT] += 1
            return None
        if not isinstance(time_ns, int):
            return time_ns
        events: list[Event] = [(b"SRTT", rtt_us)]
        if again := integer(stream.get("retransmits")):
            events.append((b"RTX", again))
        test = self._test
        subflow = test.subflows.get(number, len(test.subflows))
        refused = self._assembly.accept(time_ns, self._tests, subflow, events)
        if refused is None:
            self.trace.records_out += 1
            test.subflows[number] = subflow
            if len(self._assembly) > len(self._resolutions_ns):
                self._resolutions_ns.append(test.resolution_ns)
                self._sockets.add(test.sockets.get(number, _UNKNOWN))
        return refused

    def finish(self) -> Trace:
        """Return what the input holds.

        Raises
        ------
        UnreadableInputError
            If there is no RTT in it.
        """
        trace = self.trace
        if not trace.records_out:
            reasons = ", ".join(f"{count} {reason}" for reason, count in trace.refused().items())
            why = NO_INTERVAL
            if reasons:
                why = f"iperf3's JSON of which nothing can be used: {reasons}"
            elif trace.unused[NO_RTT]:
                why = ONLY_WITHOUT
            elif trace.unused[RECEIVES]:
                why = ONLY_RECEIVES
            raise UnreadableInputError(self.path, 0, why)

        def described(number: int, subflow: Subflow) -> None:
            self._sockets.describe(number, subflow)
            subflow.at_intervals, subflow.resolution_ns = True, self._resolutions_ns[number]

        trace.connections = self._assembly.finish(described)
        return trace


def read(path: Path, _dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read what iperf3 wrote, plain or compressed.

    Parameters
    ----------
    path : Path
    _dialect : Dialect
    most : Bounds
        What is beyond is refused.

    Returns
    -------
    Trace
        A connection for each test, whose subflows are the streams, counts and refused intervals.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read, or holds no RTT.
    """
    intervals = _Intervals(path, most)
    is_streamed = _STREAMED.match(stored.head(path)) is not None
    for element in _streamed(path) if is_streamed else lists(path, "intervals", _MOST_BYTES):
        if isinstance(element, ListBegins):
            intervals.begin(element.before)
        else:
            intervals.take(element)
    return intervals.finish()
