"""What a sender has outstanding, as packets show it: sent, sent again, SACKed, acknowledged.

Sequence numbers here are unwrapped (:func:`smartsbd.traces.sequence.unwrapped`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from enum import Enum

#: Pieces of a window that are kept; of more, the oldest are taken as acknowledged.
MAX_PIECES = 1 << 15
# Acknowledged segments are dropped in batches: dropping each would move the whole list.
_BATCH = 512


class Kind(Enum):
    """What sending a range of bytes is."""

    NEW = "new"
    AGAIN = "sent again"
    FILLED = "fills a gap"
    OLD = "acknowledged before"


@dataclass(slots=True)
class _Sent:
    seq: int
    end: int
    sent_ns: int
    copies: int = 0
    sacked: bool = False


@dataclass(slots=True)
class Covered:
    """What an acknowledgement or SACK covers for the first time.

    Attributes
    ----------
    covered_bytes : int
    sent_ns : int or None
        When the last of it that was never sent again was sent.
    resent : bool
        Whether some of it was sent again.
    original_below : int or None
        The lowest end of a segment of it that was never sent again.
    """

    covered_bytes: int = 0
    sent_ns: int | None = None
    resent: bool = False
    original_below: int | None = None

    def take(self, one: _Sent) -> None:
        """Take one segment in."""
        self.covered_bytes += one.end - one.seq
        if one.copies:
            self.resent = True
        else:
            self.sent_ns = one.sent_ns
            if self.original_below is None:
                self.original_below = one.end


@dataclass
class Scoreboard:
    """Segments of one subflow, from the first that is not acknowledged on.

    Attributes
    ----------
    snd_una, snd_nxt : int
        First byte not acknowledged, and first not sent, as far as packets show.
    sacked_bytes : int
        Sent, and SACKed above `snd_una`.
    resent_bytes : int
        Sent again, and neither acknowledged nor SACKed.
    """

    snd_una: int
    snd_nxt: int
    sacked_bytes: int = 0
    resent_bytes: int = 0
    _sent: list[_Sent] = field(default_factory=list)
    _head: int = 0
    # What was not seen when more was sent: low, high, since when; in order, as are runs of what is SACKed.
    _gaps: list[tuple[int, int, int]] = field(default_factory=list)
    _runs: list[tuple[int, int]] = field(default_factory=list)

    @property
    def outstanding(self) -> bool:
        """Whether something is sent and not acknowledged."""
        return self.snd_nxt > self.snd_una

    def resent_outstanding(self) -> bool:
        """Whether something that was sent again is neither acknowledged nor SACKed."""
        return self.resent_bytes > 0

    def send(self, seq: int, end: int, time_ns: int) -> tuple[Kind, int]:
        """Take a segment that was sent.

        Returns
        -------
        (Kind, int)
            And for a gap that is filled, since when it was open, ns.
        """
        if seq >= self.snd_nxt:
            if seq > self.snd_nxt:
                self._gaps.append((self.snd_nxt, seq, time_ns))
            self._sent.append(_Sent(seq, end, time_ns))
            self.snd_nxt = end
            return Kind.NEW, time_ns
        if end <= self.snd_una:
            return Kind.OLD, time_ns
        low, high = max(seq, self.snd_una), min(end, self.snd_nxt)
        known = self._range(low, high)
        pieces: list[_Sent] = []
        at = low
        for one in self._sent[known]:
            if at < one.seq:
                pieces.append(_Sent(at, one.seq, time_ns, copies=1))
            if not one.copies and not one.sacked:
                self.resent_bytes += one.end - one.seq
            one.copies += 1
            one.sent_ns = time_ns
            pieces.append(one)
            at = one.end
        if at < high:
            pieces.append(_Sent(at, high, time_ns, copies=1))
        filled = len(pieces) > known.stop - known.start
        if filled:
            self._fill(known, pieces)
        if end > self.snd_nxt:
            # Sent again together with what follows.
            self._sent.append(_Sent(self.snd_nxt, end, time_ns))
            self.snd_nxt = end
        if not filled or known.start < known.stop:
            return Kind.AGAIN, time_ns
        gap = bisect_right(self._gaps, low, key=lambda one: one[1])
        return Kind.FILLED, self._gaps[gap][2] if gap < len(self._gaps) else time_ns

    def _fill(self, known: slice, pieces: list[_Sent]) -> None:
        """Put segments that are in part known in their place."""
        before = sum(one.end - one.seq for one in self._sent[known])
        self._sent[known] = pieces
        self.resent_bytes += sum(one.end - one.seq for one in pieces) - before
        low, high = pieces[0].seq, pieces[-1].end
        # It was SACKed before it was seen.
        first = bisect_right(self._runs, low, key=lambda run: run[1])
        for start, stop in self._runs[first : bisect_left(self._runs, high, lo=first, key=lambda run: run[0])]:
            self._mark(max(low, start), min(high, stop), Covered())

    def as_first(self, seq: int) -> None:
        """Take the segment at `seq`, which filled a gap, for its first copy: it was only late."""
        at = bisect_left(self._sent, seq, lo=self._head, key=lambda one: one.seq)
        if at < len(self._sent):
            one = self._sent[at]
            if one.copies and not one.sacked:
                self.resent_bytes -= one.end - one.seq
            one.copies = 0

    def _range(self, low: int, high: int) -> slice:
        """Return the segments in [low, high), after cutting those across its edges."""
        for edge in (low, high):
            at = bisect_right(self._sent, edge, lo=self._head, key=lambda one: one.seq) - 1
            if at >= self._head and self._sent[at].seq < edge < self._sent[at].end:
                one = self._sent[at]
                self._sent.insert(at + 1, _Sent(edge, one.end, one.sent_ns, one.copies, one.sacked))
                one.end = edge
        start = bisect_left(self._sent, low, lo=self._head, key=lambda one: one.seq)
        return slice(start, bisect_left(self._sent, high, lo=start, key=lambda one: one.seq))

    def sack(self, blocks: tuple[tuple[int, int], ...]) -> Covered:
        """Take the SACK blocks of an ACK, without a DSACK, and return what they cover first."""
        found = Covered()
        for left, right in sorted(blocks):
            for low, high in self._news(max(left, self.snd_una), min(right, self.snd_nxt)):
                self._mark(low, high, found)
        return found

    def _news(self, low: int, high: int) -> list[tuple[int, int]]:
        """Return the parts of [low, high) that were not SACKed before, and remember that they are."""
        if low >= high:
            return []
        first = bisect_left(self._runs, low, key=lambda run: run[1])
        last = bisect_right(self._runs, high, lo=first, key=lambda run: run[0])
        parts = []
        at = low
        for start, stop in self._runs[first:last]:
            if at < start:
                parts.append((at, start))
            at = max(at, stop)
        if at < high:
            parts.append((at, high))
        if first == last and len(self._runs) >= MAX_PIECES:
            return []
        if first < last:
            low, high = min(low, self._runs[first][0]), max(high, self._runs[last - 1][1])
        self._runs[first:last] = [(low, high)]
        return parts

    def _mark(self, low: int, high: int, found: Covered) -> None:
        for one in self._sent[self._range(low, high)]:
            if not one.sacked:
                one.sacked = True
                self.sacked_bytes += one.end - one.seq
                if one.copies:
                    self.resent_bytes -= one.end - one.seq
                found.take(one)

    def acknowledge(self, ack: int) -> Covered:
        """Take a cumulative acknowledgement that advances, and return what it covers first."""
        found = Covered()
        self.snd_nxt = max(self.snd_nxt, ack)
        for one in self._sent[self._range(self.snd_una, ack)]:
            if one.sacked:
                self.sacked_bytes -= one.end - one.seq
                found.resent |= one.copies > 0
            else:
                if one.copies:
                    self.resent_bytes -= one.end - one.seq
                found.take(one)
            self._head += 1
        self.snd_una = ack
        if self._head > _BATCH:
            del self._sent[: self._head]
            self._head = 0
        del self._gaps[: bisect_right(self._gaps, ack, key=lambda gap: gap[1])]
        del self._runs[: bisect_right(self._runs, ack, key=lambda run: run[1])]
        return found

    def bound(self) -> bool:
        """Let go of the oldest segments, as if they were acknowledged, where there are too many; tell whether."""
        if len(self._sent) - self._head <= MAX_PIECES:
            return False
        while len(self._sent) - self._head > MAX_PIECES:
            self.acknowledge(self._sent[self._head].end)
        return True
