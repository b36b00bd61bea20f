"""What the packets of a connection say of each second: windows, what was outstanding, gaps, and flags of MPTCP.

All of it is weighted by time: between two segments everything stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from smartsbd.traces.connection_analysis import ListedSegment
from smartsbd.traces.data_ranges import DataRanges
from smartsbd.traces.sequence import unwrapped

NS_PER_S = 10**9
#: Two segments of the usual size: with less room, a sender waits.
_LEAST_ROOM_BYTES = 2 * 1448
#: Gaps longer than this share of the RTT are silence.
_SILENCE_SHARE = 0.5
#: Of fewer segments nothing is said about how even they are.
_FEWEST_SEGMENTS = 16
#: Of the data, what may be missing in a capture of all of it.
_SKIPPED_SHARE = 0.01
_WORD = 1 << 32
#: No connection carries more.
_MOST_AHEAD_BYTES = 1 << 60
_SYN, _RST, _ACK = 2, 4, 16
_MP_JOIN, _MP_PRIO = 1, 5
_FLAG = 256


@dataclass
class PacketSecond:
    """What was seen of a subflow within a second; shares are seconds here."""

    sent_bytes: int = 0
    resent: int = 0
    reinjected_bytes: int = 0
    full_s: float = 0.0
    held_s: float = 0.0
    idle_s: float = 0.0
    seen_s: float = 0.0
    most_in_flight: int = 0
    window_bytes: int | None = None
    send_ns: list[int] = field(default_factory=list)

    def silent_share(self, rtt_ns: int | None, start_ns: int) -> float | None:
        """Return the share of the second in gaps that are long, None where no RTT is known.

        Parameters
        ----------
        rtt_ns : int or None, nanoseconds
            With the queue: behind one, segments follow each other as slowly as it empties.
        start_ns : int, nanoseconds
            When the second begins.
        """
        if rtt_ns is None or not self.seen_s:
            return None
        gaps: np.ndarray = np.diff(
            np.array([start_ns, *self.send_ns, start_ns + round(self.seen_s * NS_PER_S)], dtype=np.int64)
        )
        return float(gaps[gaps > _SILENCE_SHARE * rtt_ns].sum() / NS_PER_S / self.seen_s)

    def unevenness(self) -> float | None:
        """Return the deviation of the time over two gaps, divided by its mean; None of few segments.

        Examples
        --------
        >>> PacketSecond(send_ns=[n * 10_000_000 for n in range(32)]).unevenness()
        0.0
        """
        if len(self.send_ns) < _FEWEST_SEGMENTS:
            return None
        times = np.array(self.send_ns, dtype=np.int64)
        over_two = (times[2:] - times[:-2]).astype(float)
        middle = float(over_two.mean())
        return float(over_two.std()) / middle if middle else None


@dataclass
class PacketSubflow:
    """A subflow as its packets show it.

    Attributes
    ----------
    seconds : list of PacketSecond
    backup_ns : list of (int, bool)
        From when on it was a backup, and from when on it was none.
    reset_ns : int or None
        When it was reset.
    """

    seconds: list[PacketSecond]
    backup_ns: list[tuple[int, bool]] = field(default_factory=list)
    reset_ns: int | None = None
    isn: int | None = None
    sent_until: int = 0
    acked_until: int = 0
    scale: tuple[int, int] = (-1, -1)

    @property
    def in_flight(self) -> int:
        """Bytes outstanding."""
        return max(0, self.sent_until - self.acked_until)

    def window(self, segment: ListedSegment) -> int:
        """Return the window that a segment of the other end announces."""
        both = min(self.scale) >= 0 and not segment.flags & _SYN
        return segment.window << self.scale[1] if both else segment.window

    def is_backup(self, time_ns: int) -> bool:
        """Tell whether it was a backup at a time."""
        said = [flag for from_ns, flag in self.backup_ns if from_ns <= time_ns]
        return bool(said and said[-1])


class PacketSeconds:
    """Takes the segments of a connection in order of time.

    Parameters
    ----------
    subflows : iterable of int
    start_ns, end_ns : int, nanoseconds
        Of the connection.

    Attributes
    ----------
    subflows : dict of int to PacketSubflow
    """

    def __init__(self, subflows: Iterable[int], start_ns: int, end_ns: int) -> None:
        self._start_ns = self._now_ns = start_ns
        count = (end_ns - start_ns) // NS_PER_S + 1
        self.subflows = {number: PacketSubflow([PacketSecond() for _ in range(count)]) for number in subflows}
        self._data_start: int | None = None
        self._data_end: int | None = None
        self._skipped_bytes = 0
        self._ranges = DataRanges(None)
        self._data_acked: int | None = None
        self._edge: int | None = None

    def take(self, segment: ListedSegment, subflow: int, end: int) -> None:
        """Take a segment.

        Parameters
        ----------
        segment : ListedSegment
        subflow : int
            Its number in the connection.
        end : int
            Which end sent it: 0 for the sender of the data, 1 for the other.
        """
        self._pass_until(segment.time_ns)
        sub = self.subflows[subflow]
        second = sub.seconds[(segment.time_ns - self._start_ns) // NS_PER_S]
        if segment.flags & _SYN:
            scale = max(-1, segment.window_scale)
            sub.scale = (scale, sub.scale[1]) if end == 0 else (sub.scale[0], scale)
        self._signals(segment, sub)
        if end == 0:
            self._send(segment, subflow, second)
        elif segment.flags & _ACK and not segment.flags & _RST:
            self._acknowledge(segment, sub, second)
        second.most_in_flight = max(second.most_in_flight, sub.in_flight)

    def finish(self, end_ns: int) -> None:
        """Count the time up to the end."""
        self._pass_until(end_ns)

    def is_whole(self) -> bool:
        """Tell whether nearly all data passed here: the rest went over subflows that were captured elsewhere."""
        if self._data_start is None or self._data_end is None:
            return True
        return self._skipped_bytes <= _SKIPPED_SHARE * (self._data_end - self._data_start)

    def _pass_until(self, time_ns: int) -> None:
        """Count the time since the segment before, second by second."""
        room = None if self._edge is None or self._data_end is None else self._edge - self._data_end
        outstanding = 0 if self._data_end is None else max(0, self._data_end - (self._data_acked or 0))
        in_flight = sum(sub.in_flight for sub in self.subflows.values())
        held = max(0, outstanding - in_flight) / outstanding if outstanding else 0.0
        while self._now_ns < time_ns:
            place = (self._now_ns - self._start_ns) // NS_PER_S
            until_ns = min(time_ns, self._start_ns + (place + 1) * NS_PER_S)
            passed_s = (until_ns - self._now_ns) / NS_PER_S
            for sub in self.subflows.values():
                second = sub.seconds[place]
                second.seen_s += passed_s
                if room is not None and room < _LEAST_ROOM_BYTES:
                    second.full_s += passed_s
                    second.held_s += passed_s * held
                if not sub.in_flight:
                    second.idle_s += passed_s
            self._now_ns = until_ns

    def _signals(self, segment: ListedSegment, sub: PacketSubflow) -> None:
        if segment.flags & _RST and sub.reset_ns is None:
            sub.reset_ns = segment.time_ns
        if segment.subtypes >> _MP_JOIN & 1 and segment.flags & _SYN and segment.detail[_MP_JOIN] >= _FLAG:
            sub.backup_ns.append((segment.time_ns, True))
        if segment.subtypes >> _MP_PRIO & 1:
            sub.backup_ns.append((segment.time_ns, segment.detail[_MP_PRIO] % _FLAG == 1))

    def _send(self, segment: ListedSegment, subflow: int, second: PacketSecond) -> None:
        sub = self.subflows[subflow]
        if segment.flags & _SYN or sub.isn is None:
            first = (segment.seq + 1 if segment.flags & _SYN else segment.seq) % _WORD
            sub.isn, sub.sent_until, sub.acked_until = first, 0, 0
        second.resent += segment.resent if segment.payload_bytes else 0
        if segment.payload_bytes:
            end = unwrapped(sub.sent_until, (segment.seq - sub.isn) % _WORD) + segment.payload_bytes
            if end > sub.sent_until:
                second.sent_bytes += min(segment.payload_bytes, end - sub.sent_until)
                second.send_ns.append(segment.time_ns)
                sub.sent_until = end
        if segment.mapping_bits and segment.data_bytes > 0:
            first = self._data_number(segment.data_seq, segment.mapping_bits)
            end = first + segment.data_bytes
            if self._data_start is None or self._data_end is None:
                self._data_start = self._data_end = first
            self._skipped_bytes += max(0, first - self._data_end)
            self._data_end = max(self._data_end, end)
            second.reinjected_bytes += self._reinjected(segment, subflow, first - self._data_start)

    def _reinjected(self, segment: ListedSegment, subflow: int, first: int) -> int:
        """Return how much of a mapping was sent before on another subflow; numbers that are no data's count nothing."""
        if abs(first) > _MOST_AHEAD_BYTES:
            return 0
        end = first + segment.data_bytes - segment.is_data_fin
        return self._ranges.add(first, end, subflow, first - segment.subflow_seq).reinjected

    def _acknowledge(self, segment: ListedSegment, sub: PacketSubflow, second: PacketSecond) -> None:
        if sub.isn is not None:
            acked = min(sub.sent_until, unwrapped(sub.acked_until, (segment.ack - sub.isn) % _WORD))
            sub.acked_until = max(sub.acked_until, acked)
        window = sub.window(segment)
        second.window_bytes = max(window, second.window_bytes or 0)
        if segment.data_ack_bits:
            acked = self._data_number(segment.data_ack, segment.data_ack_bits)
            self._data_acked = acked if self._data_acked is None else max(self._data_acked, acked)
            self._edge = acked + window if self._edge is None else max(self._edge, acked + window)

    def _data_number(self, number: int, bits: int) -> int:
        """Return a data sequence number of as many bits as it has, beside those that were seen."""
        if bits > _WORD.bit_length() or self._data_end is None:
            return number
        return unwrapped(self._data_end, number % _WORD)
