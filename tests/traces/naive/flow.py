"""One TCP connection in a capture: both ends as senders, and what its options say of MPTCP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from smartsbd.traces.assembly import BACKWARDS, MAX_TIME_NS, OUT_OF_RANGE
from smartsbd.traces.quarantine import RAW_BYTES, Refusal
from smartsbd.traces.recorded import CUT_OPTIONS, NOT_ANSWERED, PLAIN, SEEN_TWICE, SYN_INSIDE
from smartsbd.traces.sequence import unwrapped
from smartsbd.traces.trace import Trace
from tests.traces.naive import mptcp
from tests.traces.naive import segment as segments
from tests.traces.naive.pcap import Frame, frames
from tests.traces.naive.seen import Unseen
from tests.traces.naive.segment import ACK, CWR, ECE, FIN, RST, SYN, Segment, UnusableError, segment
from tests.traces.naive.sender import Sender
from tests.traces.naive.vantage import Answers

End = tuple[bytes, int]

# An MPTCP connection shows an option in nearly every segment.
_MANY = 64

_ECN_SETUP = ECE | CWR


class Flow:
    """A TCP connection; end 0 opened it, or, without its handshake, sent the first segment.

    Attributes
    ----------
    ends : (End, End)
        Address and port of both.
    start_ns, end_ns : int, nanoseconds
        Times of the first and the last segment.
    segments : int
        Taken.
    senders : (Sender, Sender)
    answers : Answers
    first_syn : int or None
        Sequence number of the SYN.
    version : int or None
        Of MPTCP.
    keys : list of bytes or None
        Of either end.
    join_token : int or None
        Token of end 1 that a MP_JOIN carried.
    address_ids : list of int or None
        Of either end.
    offered : bool
        It had MP_CAPABLE or MP_JOIN.
    refused : bool
        The SYN/ACK had none: from then on it is plain TCP.
    has_data_signal : bool
        A DSS option was seen.
    signals : Counter of str
        MPTCP options by name; options that are malformed by what is wrong.
    """

    def __init__(self, first: Segment, *, kept_plain: bool = False) -> None:
        self._kept_plain = kept_plain
        self._has_whole_syn = False
        self.reset: int | None = None
        self.is_answered = self.is_backup = False
        # A SYN/ACK is answered to the end that opened the connection.
        turned = first.flags & (SYN | ACK) == SYN | ACK
        self.ends = (first.destination, first.source) if turned else (first.source, first.destination)
        self.start_ns = self.end_ns = first.time_ns
        self.segments = 0
        self.answers = Answers()
        self._senders: tuple[Sender, Sender] | None = None
        self.first_syn: int | None = None
        self.version: int | None = None
        self.keys: list[bytes | None] = [None, None]
        self.join_token: int | None = None
        self.address_ids: list[int | None] = [None, None]
        self.offered = self.refused = False
        self.has_data_signal = False
        self.signals: Counter[str] = Counter()
        self._is_over = False
        # Data acknowledgements of either end, unwrapped, and the first of them.
        self._data_acks: list[tuple[int, int] | None] = [None, None]
        self._ecn_offered = False
        # What the SYN/ACK acknowledges.
        self._syn_acked: int | None = None

    @property
    def senders(self) -> tuple[Sender, Sender]:
        """Both ends as senders."""
        # TCP without MPTCP, of which a capture may hold much, needs none.
        if self._senders is None:
            self._senders = (Sender(0, self.answers), Sender(1, self.answers))
        return self._senders

    @property
    def is_subflow(self) -> bool:
        """Whether it is a subflow of an MPTCP connection."""
        return not self.refused and (self.offered or self.has_data_signal)

    @property
    def is_plain(self) -> bool:
        """Whether it is TCP without MPTCP, as far as can be told: by its SYN, or by many segments without an option."""
        if self._kept_plain or self.offered or self.has_data_signal or self.signals:
            return False
        return self.first_syn is not None or self.segments > _MANY

    @property
    def plain(self) -> str:
        """What it is if it is no subflow, else empty."""
        if self.is_subflow:
            return ""
        if self.offered:
            return NOT_ANSWERED
        return CUT_OPTIONS if self.signals[segments.CUT_OPTIONS] and not self._has_whole_syn else PLAIN

    def begins_anew(self, segment: Segment) -> bool:
        """Tell whether a segment opens another connection between the same addresses and ports."""
        opens = segment.flags & (SYN | ACK) == SYN
        if not opens or segment.seq == self.first_syn or self._is_acked(segment):
            return False
        # What came before a first SYN was the end of an earlier connection.
        return self.first_syn is None or self._is_over

    def _is_acked(self, syn: Segment) -> bool:
        """Tell whether a SYN is the one that was answered, sent again or seen late."""
        return self._syn_acked == (syn.seq + 1) % 2**32

    def take(self, segment: Segment) -> str | None:
        """Take a segment in; return why it is refused, None if it is not."""
        if segment.time_ns < self.end_ns:
            return BACKWARDS
        end = 0 if segment.source == self.ends[0] else 1
        is_syn = segment.flags & (SYN | ACK) == SYN
        if is_syn and self.segments and segment.seq != self.first_syn and not self._is_acked(segment):
            return SYN_INSIDE
        if is_syn:
            self.first_syn = segment.seq
            self._has_whole_syn = segment.options.malformed != segments.CUT_OPTIONS
        if segment.flags & RST and self.reset is None:
            self.reset = -1
        self.end_ns = segment.time_ns
        self.segments += 1
        self._is_over |= bool(segment.flags & (FIN | RST))
        self._ecn(segment)
        data_ack = self._mptcp(segment, end)
        if segment.flags & (SYN | ACK) == SYN | ACK:
            self._syn_acked = segment.ack
            self.is_answered = True
        if self.is_plain:
            self._senders = None
            return None
        self.senders[end].sent(segment)
        self.senders[1 - end].heard(segment, data_ack)
        return None

    def _ecn(self, segment: Segment) -> None:
        if segment.flags & (SYN | ACK) == SYN:
            self._ecn_offered = segment.flags & _ECN_SETUP == _ECN_SETUP
        elif segment.flags & SYN and self._ecn_offered and segment.flags & _ECN_SETUP == ECE:
            for sender in self.senders:
                sender.congestion.has_ecn = True

    def _mptcp(self, segment: Segment, end: int) -> int | None:
        """Read the MPTCP options of a segment that `end` sent; return its data acknowledgement, from the first on."""
        data_ack = None
        if segment.options.malformed is not None:
            self.signals[segment.options.malformed] += 1
        found = []
        for body in segment.options.mptcp:
            try:
                found.append(mptcp.option(body, syn=bool(segment.flags & SYN)))
            except mptcp.MalformedOptionError as error:
                self.signals[str(error)] += 1
        for one in found:
            if isinstance(one, mptcp.Capable):
                self.signals["MP_CAPABLE"] += 1
                self._capable(one, segment, end)
            elif isinstance(one, mptcp.Join):
                self.signals["MP_JOIN"] += 1
                self._join(one, end)
            elif isinstance(one, mptcp.DataAck):
                self.signals["DSS"] += 1
                self.has_data_signal = True
                data_ack = self._data_ack(one, end)
            else:
                self.signals[mptcp.NAMES[one.subtype]] += 1
                self.has_data_signal |= one.subtype == mptcp.DSS
                if one.subtype == mptcp.MP_PRIO:
                    self.is_backup = one.detail == 1
                if one.subtype == mptcp.MP_TCPRST and one.detail is not None:
                    self.reset = one.detail
        if segment.flags & (SYN | ACK) == SYN | ACK and self.offered and not segment.options.malformed:
            self.refused = not found
        return data_ack

    def _capable(self, one: mptcp.Capable, segment: Segment, end: int) -> None:
        self.offered |= bool(segment.flags & SYN)
        # The server settles the version.
        if self.version is None or end == 1:
            self.version = one.version
        for place, key in zip((end, 1 - end), one.keys, strict=False):
            known = self.keys[place]
            if known is None:
                self.keys[place] = key
            elif known != key:
                self.signals["MP_CAPABLE with another key"] += 1

    def _join(self, one: mptcp.Join, end: int) -> None:
        self.offered = True
        self.is_backup |= one.backup
        if one.token is not None:
            self.join_token = one.token
        if one.address_id is not None:
            self.address_ids[end] = one.address_id

    def _data_ack(self, one: mptcp.DataAck, end: int) -> int:
        known = self._data_acks[end]
        if known is None:
            known = self._data_acks[end] = (one.value, one.value)
            self.senders[1 - end].first_data_ack = one
        first, last = known
        last = unwrapped(last, one.value % 2**32)
        self._data_acks[end] = (first, last)
        return last - first


def flows(path: Path, trace: Trace, *, plain: bool = False) -> list[Flow]:
    """Return the subflows of a capture, in order of their first segment; count its records.

    Other flows are among them if `plain`; of few, as all are held here.
    """
    found = connections(path, trace, plain=plain)
    for flow in found:
        if not flow.is_subflow and not plain:
            trace.unused[flow.plain] += flow.segments
    return [flow for flow in found if flow.is_subflow or plain]


def connections(path: Path, trace: Trace, *, plain: bool = False) -> list[Flow]:
    """Return the TCP connections of a capture, with MPTCP or without."""
    current: dict[frozenset[End], Flow] = {}
    found = []
    unseen = Unseen()
    for frame, one in unseen.of(_segments(path, trace)):
        key = frozenset((one.source, one.destination))
        flow = current.get(key)
        if flow is None or flow.begins_anew(one):
            flow = current[key] = Flow(one, kept_plain=plain)
            found.append(flow)
        before_ns = flow.end_ns
        why = flow.take(one)
        if why is not None:
            trace.refuse(path, _refusal(frame, why, f"{one.time_ns} follows {before_ns}"))
    trace.refusals = sorted(trace.refusals, key=lambda refusal: refusal.offset)
    trace.unused += Counter({SEEN_TWICE: unseen.copies})
    return found


def _segments(path: Path, trace: Trace) -> Iterator[tuple[Frame, Segment]]:
    for frame in frames(path):
        trace.records_in += 1
        if isinstance(frame, Refusal):
            trace.refuse(path, frame)
            continue
        try:
            one = segment(frame)
        except UnusableError as error:
            if error.refused:
                trace.refuse(path, _refusal(frame, error.reason, error.detail))
            else:
                trace.unused[error.reason] += 1
            continue
        if one.time_ns < 0:
            trace.refuse(path, _refusal(frame, OUT_OF_RANGE, "time before the clock's origin"))
        elif one.time_ns > MAX_TIME_NS:
            trace.refuse(path, _refusal(frame, OUT_OF_RANGE, "time beyond any clock"))
        else:
            yield frame, one


def _refusal(frame: Frame, reason: str, detail: str) -> Refusal:
    return Refusal(frame.offset, reason, detail, frame.data[:RAW_BYTES])
