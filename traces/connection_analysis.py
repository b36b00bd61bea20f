"""One MPTCP connection of a capture, packet by packet: what was mapped, acknowledged, sent again and signalled.

Data sequence numbers count from the first byte of their direction, if the key of its end is known; else from the first
number that was seen. What is kept has a bound, and what is beyond it is counted.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from smartsbd.traces.connection import NOT_OBSERVED, Connection
from smartsbd.traces.data_ranges import DataRanges
from smartsbd.traces.sequence import unwrapped
from smartsbd.traces.vantage import RECEIVER, SENDER

#: Points that are kept of a series; of more, every second, every fourth and so on. A power of two.
MOST_POINTS = 1 << 12
#: The same of events of one kind.
MOST_EVENTS = 1 << 10
#: Gaps that are listed.
MOST_GAPS = 1 << 8
#: Whether a mapping has bytes that another one had.
MAPPING_KINDS = ("new", "reinjected")
#: Directions, by who sends their data.
DIRECTIONS = (SENDER, RECEIVER)
DATA_FIN, INFINITE, SENT_AGAIN, ZERO_WINDOW, FIN, RST = (
    "DATA_FIN",
    "infinite mapping",
    "sent again",
    "zero window",
    "FIN",
    "RST",
)
ECHO = "ADD_ADDR echo"

_FIN, _SYN, _RST, _ACK = 1, 2, 4, 16
_MP_CAPABLE, _MP_JOIN, _DSS, _ADD_ADDR, _REMOVE_ADDR, _MP_PRIO, _MP_FAIL, _MP_FASTCLOSE, _MP_TCPRST = range(9)
# Events by subtype of option, as native/packets/src/mptcp.h numbers them, and what the number beside each is.
_EVENTS = {
    _MP_CAPABLE: ("MP_CAPABLE", None),
    _MP_JOIN: ("MP_JOIN", "address_id"),
    _ADD_ADDR: ("ADD_ADDR", "address_id"),
    _REMOVE_ADDR: ("REMOVE_ADDR", "address_id"),
    _MP_PRIO: ("MP_PRIO", "backup"),
    _MP_FAIL: ("MP_FAIL", None),
    _MP_FASTCLOSE: ("MP_FASTCLOSE", None),
    _MP_TCPRST: ("MP_TCPRST", "reason"),
}
#: What the number of an event is, by its kind; of others there is none.
NUMBERS = {
    **{kind: number for kind, number in _EVENTS.values() if number is not None},
    ECHO: "address_id",
    DATA_FIN: "data_seq",
    SENT_AGAIN: "segments",
}
#: Kinds of events, in the order in which they are shown.
EVENT_KINDS = (
    *(kind for kind, _ in _EVENTS.values()),
    ECHO,
    DATA_FIN,
    FIN,
    RST,
    INFINITE,
    ZERO_WINDOW,
    SENT_AGAIN,
)
_EVENT_BITS = sum(1 << subtype for subtype in _EVENTS)
_DETAIL_FLAG = 256
_WORD, _DOUBLE = 1 << 32, 1 << 64
_LONG = 64

IMPLAUSIBLE_MAPPINGS = "mappings with a number beyond any window"
IMPLAUSIBLE_ACKS = "data acknowledgements with a number beyond any window"
CUT_MAPPINGS = "mappings without room for them in their option"
BELOW_KEPT = "bytes mapped below the ranges that are kept: whether they were mapped before is not known"
FORGOTTEN_RANGES = "ranges of mapped data that are not kept any more"
REPEATED_OPTIONS = "further options of one kind in a segment: the last one counts"


class ListedSegment(NamedTuple):
    """A segment as native/packets/src/listed-segment.h lists it."""

    flow: int
    time_ns: int
    data_seq: int
    data_ack: int
    seq: int
    ack: int
    payload_bytes: int
    subflow_seq: int
    data_bytes: int
    resent: int
    window: int
    subtypes: int
    repeated: int
    detail: Sequence[int]
    end: int
    flags: int
    data_ack_bits: int
    mapping_bits: int
    is_data_fin: int
    is_mapping_cut: int
    window_scale: int


class SpacedPoints:
    """Points of a series: all of them, or, of many, every second, every fourth and so on.

    Parameters
    ----------
    *names : str
        Of the columns.
    most : int
        Points that are kept, a power of two.

    Attributes
    ----------
    count : int
        Points that came.
    every : int
        One of so many is kept, the first included.

    Examples
    --------
    >>> points = SpacedPoints("time_ns", most=4)
    >>> for time_ns in range(11):
    ...     points.append(time_ns)
    >>> points.count, points.every, points.column("time_ns").tolist()
    (11, 4, [0, 4, 8])
    """

    def __init__(self, *names: str, most: int = MOST_POINTS) -> None:
        self._names = names
        self._columns = [array("q") for _ in names]
        self._most = most
        self.count = 0
        self.every = 1

    def append(self, *values: int) -> None:
        """Take a point."""
        if self.count % self.every == 0 and len(self._columns[0]) == self._most:
            self._columns = [column[::2] for column in self._columns]
            self.every *= 2
        if self.count % self.every == 0:
            for column, value in zip(self._columns, values, strict=True):
                column.append(value)
        self.count += 1

    def column(self, name: str) -> np.ndarray:
        """Return one column."""
        return np.array(self._columns[self._names.index(name)], dtype=np.int64)

    def content(self, start_ns: int) -> dict[str, Any]:
        """Return all columns as lists, times from `start_ns` on; what was not observed is None.

        Parameters
        ----------
        start_ns : int, nanoseconds
            The time that they count from.

        Returns
        -------
        dict
            ``count``, ``every``, and a list for each column.
        """
        columns: dict[str, Any] = {"count": self.count, "every": self.every}
        for name, column in zip(self._names, self._columns, strict=True):
            values = [None if value == NOT_OBSERVED else value for value in column]
            if name == "time_ns":
                values = [value - start_ns for value in column]
            columns[name] = values
        return columns


@dataclass(slots=True)
class SubflowSending:
    """What one end sent over one subflow.

    Attributes
    ----------
    segments, payload_bytes, resent : int
        Segments, their payload, and how many of them were sent again.
    new_bytes, reinjected_bytes, repeated_bytes : int
        Of its mappings, by what was known of the bytes before.
    unmapped_bytes : int or None
        Payload beyond all that mappings covered when it passed; None where the SYN was not captured.
    least_window, most_window : int or None, bytes
        Its receive window, scaled if both SYNs were captured.
    """

    segments: int = 0
    payload_bytes: int = 0
    resent: int = 0
    new_bytes: int = 0
    reinjected_bytes: int = 0
    repeated_bytes: int = 0
    unmapped_bytes: int | None = None
    least_window: int | None = None
    most_window: int | None = None
    isn: int | None = None
    window_scale: int = -1
    covered_until: int = 1
    sent_until: int = 1
    has_zero_window: bool = False

    def open(self, isn: int, window_scale: int) -> None:
        """Take its SYN."""
        self.isn, self.window_scale = isn, window_scale
        if self.unmapped_bytes is None:
            self.unmapped_bytes = 0

    def map_until(self, subflow_seq: int) -> None:
        """Take the number after the last one of a mapping, which counts from the SYN and may have wrapped."""
        self.covered_until = max(self.covered_until, unwrapped(self.covered_until, subflow_seq % _WORD))

    def send(self, seq: int, payload_bytes: int) -> None:
        """Take the payload of a segment."""
        self.payload_bytes += payload_bytes
        if self.isn is None or self.unmapped_bytes is None:
            return
        start = unwrapped(self.sent_until, (seq - self.isn) % _WORD)
        end = start + payload_bytes
        self.unmapped_bytes += max(0, end - max(start, self.sent_until, self.covered_until))
        self.sent_until = max(self.sent_until, end)


@dataclass(slots=True)
class _Numbers:
    """Data sequence numbers of one direction: makes distances from the first out of as many bits as an option has."""

    first: int | None
    bits: int = _LONG
    highest: int = 0

    def count(self, raw: int, bits: int) -> int | None:
        """Return how far a number is from the first; None if no window is so large."""
        if self.first is None:
            self.first, self.bits = raw, bits
            return 0
        distance = unwrapped(self.highest, (raw - self.first) % _WORD)
        if bits == _LONG and self.bits == _LONG and (raw - self.first - distance) % _DOUBLE:
            return None
        if bits == _LONG and self.bits < _LONG:
            self.first, self.bits = (raw - distance) % _DOUBLE, _LONG
        self.highest = max(self.highest, distance)
        return distance


class DirectionAnalysis:
    """The data of one direction: its mappings, and the acknowledgements and windows of the other end.

    Parameters
    ----------
    first_data : int or None
        Number of the first byte, where its end's key is known.

    Attributes
    ----------
    ranges : DataRanges
        What was mapped.
    mappings : SpacedPoints
        One for each mapping with bytes that it was not seen with before: its number and bytes, and a place in
        :data:`MAPPING_KINDS`.
    repeated : int
        Options with a mapping that was seen before.
    reinjections : SpacedPoints
        Mappings of bytes that another mapping had: how many of them, and on which subflow they were first.
    acks : SpacedPoints
        One for each segment of the other end with ACK: data acknowledgement, receive window, and the bytes mapped
        beyond all data acknowledgements.
    acked : int or None
        Highest data acknowledgement.
    most_outstanding : int, bytes
    """

    def __init__(self, first_data: int | None) -> None:
        self.numbers = _Numbers(first_data)
        self.ranges = DataRanges(None if first_data is None else 0)
        self.mappings = SpacedPoints("time_ns", "subflow", "data_seq", "bytes", "kind")
        self.reinjections = SpacedPoints("time_ns", "subflow", "data_seq", "bytes", "first_subflow", most=MOST_EVENTS)
        self.acks = SpacedPoints("time_ns", "subflow", "data_ack", "window", "outstanding_bytes")
        self.repeated = 0
        self.acked: int | None = None
        self.most_outstanding = 0

    def acknowledge(self, time_ns: int, subflow: int, data_ack: int | None, window: int) -> None:
        """Take what a segment of the other end says.

        Parameters
        ----------
        time_ns : int, nanoseconds
        subflow : int
        data_ack : int or None
            Counted from the first byte.
        window : int, bytes
        """
        if data_ack is not None:
            self.acked = data_ack if self.acked is None else max(self.acked, data_ack)
        outstanding = NOT_OBSERVED
        if self.acked is not None and self.ranges.end is not None:
            outstanding = max(0, self.ranges.end - self.acked)
            self.most_outstanding = max(self.most_outstanding, outstanding)
        self.acks.append(time_ns, subflow, NOT_OBSERVED if data_ack is None else data_ack, window, outstanding)


class ConnectionAnalysis:
    """Takes the segments of a connection in order of time.

    Parameters
    ----------
    connection : Connection
        Of a capture.

    Attributes
    ----------
    connection : Connection
    start_ns, end_ns : int, nanoseconds
        Times of its first and its last segment.
    directions : list of DirectionAnalysis
        The data of the end that sent more, and of the other.
    sending : dict of int to list of SubflowSending
        By subflow: of that end, and of the other.
    events : dict of str to SpacedPoints
        By kind: time, subflow, which end it is from (a place in :data:`DIRECTIONS`), its number (:data:`NUMBERS`), and
        1 for a MP_JOIN of a backup.
    left_out : Counter of str
        What was seen and could not be analysed, counted by the reason.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.start_ns, self.end_ns = connection.span_ns()
        self.directions = [DirectionAnalysis(first) for first in connection.first_data]
        self.sending = {number: [SubflowSending(), SubflowSending()] for number in connection.subflows}
        self.events: dict[str, SpacedPoints] = {}
        self.left_out: Counter[str] = Counter()

    def take(self, segment: ListedSegment, subflow: int, end: int) -> None:
        """Take a segment.

        Parameters
        ----------
        segment : ListedSegment
        subflow : int
            Its number in the connection.
        end : int
            Which end sent it: 0 for the end that sent more, 1 for the other.
        """
        sending = self.sending[subflow][end]
        sending.segments += 1
        if segment.flags & _SYN:
            sending.open(segment.seq, segment.window_scale)
        if segment.subtypes & _EVENT_BITS:
            self._signal(segment, subflow, end)
        if segment.repeated:
            self.left_out[REPEATED_OPTIONS] += segment.repeated.bit_count()
        self._map(segment, subflow, end)
        if segment.payload_bytes:
            sending.send(segment.seq + bool(segment.flags & _SYN), segment.payload_bytes)
        if segment.resent:
            sending.resent += segment.resent
            self._event(SENT_AGAIN, segment.time_ns, subflow, end, segment.resent)
        for flag, kind in ((_FIN, FIN), (_RST, RST)):
            if segment.flags & flag:
                self._event(kind, segment.time_ns, subflow, end)
        if segment.flags & _ACK and not segment.flags & _RST:
            self._acknowledge(segment, subflow, end)

    def _event(
        self, kind: str, time_ns: int, subflow: int, end: int, number: int = NOT_OBSERVED, flag: int = 0
    ) -> None:
        if kind not in self.events:
            self.events[kind] = SpacedPoints("time_ns", "subflow", "from", "number", "flag", most=MOST_EVENTS)
        self.events[kind].append(time_ns, subflow, end, number, flag)

    def _signal(self, segment: ListedSegment, subflow: int, end: int) -> None:
        for subtype, (kind, _) in _EVENTS.items():
            if not segment.subtypes >> subtype & 1:
                continue
            number, flag = segment.detail[subtype], 0
            if number >= _DETAIL_FLAG:
                number, flag = number - _DETAIL_FLAG, 1
            event_kind = ECHO if subtype == _ADD_ADDR and flag else kind
            self._event(event_kind, segment.time_ns, subflow, end, NOT_OBSERVED if number < 0 else number, flag)

    def _map(self, segment: ListedSegment, subflow: int, end: int) -> None:
        """Take what a segment maps, by DSS, or by the MP_CAPABLE that ends a handshake and has data."""
        if segment.is_mapping_cut:
            self.left_out[CUT_MAPPINGS] += 1
        direction = self.directions[end]
        data_seq: int | None
        if segment.mapping_bits:
            data_seq = direction.numbers.count(segment.data_seq, segment.mapping_bits)
            subflow_seq = segment.subflow_seq
        elif segment.data_bytes > 0 and segment.subtypes >> _MP_CAPABLE & 1 and direction.numbers.first is not None:
            data_seq, subflow_seq = 0, 1
        else:
            return
        if data_seq is None:
            self.left_out[IMPLAUSIBLE_MAPPINGS] += 1
            return
        if segment.data_bytes == 0:
            self._event(INFINITE, segment.time_ns, subflow, end)
            return
        end_seq = data_seq + segment.data_bytes - segment.is_data_fin
        if segment.is_data_fin:
            self._event(DATA_FIN, segment.time_ns, subflow, end, end_seq)
        if end_seq > data_seq:
            self._add(direction, segment, subflow, end, (data_seq, end_seq, subflow_seq))

    def _add(
        self, direction: DirectionAnalysis, segment: ListedSegment, subflow: int, end: int, where: tuple[int, int, int]
    ) -> None:
        data_seq, end_seq, subflow_seq = where
        mapped = direction.ranges.add(data_seq, end_seq, subflow, data_seq - subflow_seq)
        direction.numbers.highest = max(direction.numbers.highest, end_seq)
        sending = self.sending[subflow][end]
        sending.map_until(subflow_seq + end_seq - data_seq)
        sending.new_bytes += mapped.new
        sending.reinjected_bytes += mapped.reinjected
        sending.repeated_bytes += mapped.repeated
        if mapped.unknown:
            self.left_out[BELOW_KEPT] += mapped.unknown
        if not mapped.new and not mapped.reinjected:
            direction.repeated += 1
            return
        direction.mappings.append(segment.time_ns, subflow, data_seq, end_seq - data_seq, int(mapped.reinjected > 0))
        if mapped.first_subflow is not None:
            direction.reinjections.append(segment.time_ns, subflow, data_seq, mapped.reinjected, mapped.first_subflow)

    def _acknowledge(self, segment: ListedSegment, subflow: int, end: int) -> None:
        sending = self.sending[subflow][end]
        direction = self.directions[1 - end]
        data_ack = None
        if segment.data_ack_bits:
            data_ack = direction.numbers.count(segment.data_ack, segment.data_ack_bits)
            if data_ack is None:
                self.left_out[IMPLAUSIBLE_ACKS] += 1
        shift = 0 if segment.flags & _SYN else self.window_shift(subflow)[end]
        window = segment.window << shift
        sending.least_window = window if sending.least_window is None else min(sending.least_window, window)
        sending.most_window = window if sending.most_window is None else max(sending.most_window, window)
        if window == 0 and not sending.has_zero_window:
            self._event(ZERO_WINDOW, segment.time_ns, subflow, end)
        sending.has_zero_window = window == 0
        direction.acknowledge(segment.time_ns, subflow, data_ack, window)

    def window_shift(self, subflow: int) -> tuple[int, int]:
        """Return by how many bits the windows of both ends are scaled: both must announce it (RFC 7323, section 2.2).

        Parameters
        ----------
        subflow : int

        Returns
        -------
        (int, int)
            Bits of the end that sent more, and of the other; 0 unless both SYNs have the option.
        """
        first, second = (sending.window_scale for sending in self.sending[subflow])
        return (first, second) if first >= 0 and second >= 0 else (0, 0)

    def all_left_out(self) -> Counter[str]:
        """Return the counts of what was seen and could not be analysed, and of what was not kept."""
        left_out = self.left_out.copy()
        for direction in self.directions:
            left_out[FORGOTTEN_RANGES] += direction.ranges.forgotten
        return +left_out
