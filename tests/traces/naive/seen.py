"""Copies of packets: a host that captures on all of its interfaces sees a packet on each it passes."""

from __future__ import annotations

from bisect import insort
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.traces.naive.link import is_vlan
from tests.traces.naive.pcap import Frame
from tests.traces.naive.segment import FIN, SYN, Segment

# Segments written out of order within so many are put in order; those later than that run backwards.
_OUT_OF_ORDER_SEGMENTS = 64
_SEEN_SEGMENTS = 2048
_MOST_WAYS = 6
_COPY_NS = 1_000_000_000
# No timer of a sender is as short.
_NO_TIMER_NS = 1_000_000
_SAME_WAY_NS = 500_000
_OUTGOING = 4
# By link type: where the first EtherType is, where what follows the header, and the byte that tells who sent it.
_HEADERS = {1: (12, 14, None), 113: (14, 16, 1), 276: (0, 20, 10)}

#: Of one captured segment; none has the same.
Key = tuple[int, int]


@dataclass
class _Waiting:
    """A segment that waits for earlier ones, by time and number."""

    key: Key
    frame: Frame
    segment: Segment

    def __lt__(self, other: _Waiting) -> bool:
        return self.key < other.key


@dataclass
class _Seen:
    first_ns: int
    kept: Key
    is_outgoing: bool
    ways: set[object] = field(default_factory=set)

    def has(self, way: object) -> bool:
        return way in self.ways or len(self.ways) == _MOST_WAYS


def _way(frame: Frame, segment: Segment) -> tuple[object, bool]:
    """Return where a frame was seen, and whether it says that the host that captured sends it."""
    if frame.link not in _HEADERS:
        return (frame.interface, frame.link, segment.hops), False
    kind, after, sender = _HEADERS[frame.link]
    while len(frame.data) >= after + 4 and is_vlan(int.from_bytes(frame.data[kind : kind + 2], "big")):
        kind, after = after + 2, after + 4
    is_outgoing = sender is not None and frame.data[sender] == _OUTGOING
    return (frame.interface, frame.link, segment.hops, frame.data[:after]), is_outgoing


def _common(segment: Segment) -> tuple[object, ...]:
    """Return what copies of a packet have in common; a SYN may be told of a smaller MSS on its way through a host."""
    options: object = segment.whole_options
    if segment.flags & SYN:
        options = (segment.options.timestamps, segment.options_from_mptcp, len(segment.whole_options))
    return (
        segment.source,
        segment.destination,
        segment.identification,
        segment.seq,
        segment.ack,
        segment.flags,
        segment.window,
        segment.payload_bytes,
        options,
    )


def _takes_numbers(segment: Segment) -> bool:
    return bool(segment.payload_bytes or segment.flags & (SYN | FIN))


def _is_beyond(one: int, other: int) -> bool:
    return 0 < (one - other) % 2**32 < 2**31


def _is_cause(answer: Segment, segment: Segment) -> bool:
    """Tell whether an answer may be why a segment is sent again at once, or why another follows that looks the same."""
    if not _takes_numbers(segment) or answer.ack == segment.seq:
        return True
    return any(_is_beyond(right, segment.seq) for _, right in answer.options.sack)


class Unseen:
    """Segments in order of time, each once.

    Attributes
    ----------
    copies : int
        Left out so far.
    """

    def __init__(self) -> None:
        self.copies = 0
        # The longest between copies by one way that hold data.
        self._same_way_ns = -1
        self._waiting: list[_Waiting] = []
        self._seen: OrderedDict[int, tuple[tuple[object, ...], _Seen]] = OrderedDict()
        self._latest: dict[tuple[object, ...], int] = {}

    def of(self, captured: Iterable[tuple[Frame, Segment]]) -> Iterator[tuple[Frame, Segment]]:
        """Yield segments in order of time, where they were written a little out of order."""
        for number, (frame, segment) in enumerate(captured):
            one = _Waiting((segment.time_ns, number), frame, segment)
            if self._is_copy(one):
                self.copies += 1
                continue
            insort(self._waiting, one)
            if len(self._waiting) > _OUT_OF_ORDER_SEGMENTS:
                first = self._waiting.pop(0)
                yield first.frame, first.segment
        for one in self._waiting:
            yield one.frame, one.segment

    def _is_copy(self, one: _Waiting) -> bool:
        way, is_outgoing = _way(one.frame, one.segment)
        common = _common(one.segment)
        latest = self._latest.get(common)
        seen = self._seen[latest][1] if latest is not None else None
        if seen is None or not self._is_copy_of(seen, one, way):
            self._remember(common, _Seen(one.segment.time_ns, one.key, is_outgoing, {way}), one.key[1])
            return False
        if not seen.has(way):
            seen.ways.add(way)
        elif _takes_numbers(one.segment) and (apart_ns := abs(one.segment.time_ns - seen.first_ns)) <= _SAME_WAY_NS:
            self._same_way_ns = max(self._same_way_ns, apart_ns)
        seen.is_outgoing &= is_outgoing
        # What the host sends leaves it last where it is nearest to the wire; what comes is there first.
        time_ns, kept_ns = one.key[0], seen.kept[0]
        kept = self._kept(seen)
        is_nearer = time_ns > kept_ns if seen.is_outgoing else time_ns < kept_ns
        if is_nearer and abs(time_ns - seen.first_ns) <= _NO_TIMER_NS and kept is not None:
            self._waiting.remove(kept)
            insort(self._waiting, one)
            seen.kept = one.key
        return True

    def _remember(self, common: tuple[object, ...], seen: _Seen, number: int) -> None:
        self._seen[number] = (common, seen)
        self._latest[common] = number
        if len(self._seen) > _SEEN_SEGMENTS:
            oldest, (forgotten, _) = self._seen.popitem(last=False)
            if self._latest[forgotten] == oldest:
                del self._latest[forgotten]

    def _kept(self, seen: _Seen) -> _Waiting | None:
        """Return the copy that is kept, None if it waits no more."""
        return next((one for one in self._waiting if one.key == seen.kept), None)

    def _is_copy_of(self, seen: _Seen, one: _Waiting, way: object) -> bool:
        segment = one.segment
        apart_ns = abs(segment.time_ns - seen.first_ns)
        if apart_ns > _COPY_NS:
            return False
        if apart_ns <= _NO_TIMER_NS and not seen.has(way):
            return True
        ends = (segment.source, segment.destination)
        sent = [other for other in self._waiting if (other.segment.source, other.segment.destination) == ends]
        # Where the sender numbers its packets, a segment sent again has another number.
        if len(segment.source[0]) == 4 and segment.identification:
            if any(other.segment.identification != segment.identification for other in sent):
                return True
            if not any(other.key != seen.kept for other in sent) and not seen.has(way):
                return True
        if apart_ns > _SAME_WAY_NS or self._kept(seen) is None:
            return False
        return not self._may_be_sent_again(seen, one, sent)

    def _may_be_sent_again(self, seen: _Seen, one: _Waiting, sent: Sequence[_Waiting]) -> bool:
        """Tell whether a segment that came by the same way, at once and without a number, may be another.

        Parameters
        ----------
        seen : _Seen
            The one that looks the same; its copy that is kept waits.
        one : _Waiting
        sent : sequence of _Waiting
            Those of the same end.
        """
        segment, (first, last) = one.segment, sorted((seen.kept, one.key))
        is_soon = abs(segment.time_ns - seen.first_ns) <= self._same_way_ns
        # Alike are answers to segments that came at once: the copies of others tell them from copies.
        if not _takes_numbers(segment) and not is_soon:
            return True
        # A segment is sent again at once only if later ones arrived, and an answer says so.
        ends = (segment.destination, segment.source)
        answers = [other for other in self._waiting if (other.segment.source, other.segment.destination) == ends]
        if answers:
            return any(first < other.key < last and _is_cause(other.segment, segment) for other in answers)
        has_later = any(first < other.key < last and _is_beyond(other.segment.seq, segment.seq) for other in sent)
        return has_later and not is_soon
