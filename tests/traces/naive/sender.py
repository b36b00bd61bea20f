"""One end of a TCP connection as a sender: its signals, from the packets that pass one point of the path.

RTT samples are taken as ``tcp_clean_rtx_queue`` takes those it gives to the congestion controller: from the last
segment an ACK acknowledges or SACKs first, unless something acknowledged was sent again (Karn's rule); then from the
timestamp, if there is one. Where packets are captured far from the sender, a second kind of sample is taken: from a
timestamp that passes towards the sender to its echo coming back.

References
----------
Linux ``net/ipv4/tcp_input.c``; RFC 6298, RFC 7323 section 4; K. Nichols, pping (echoed timestamps).
"""

from __future__ import annotations

from array import array
from collections import OrderedDict

from smartsbd.traces.assembly import MAX_TIME_NS
from smartsbd.traces.connection import NOT_OBSERVED, Subflow
from smartsbd.traces.sequence import unwrapped
from smartsbd.traces.vantage import RECEIVER, SENDER
from tests.traces.naive.congestion import Congestion, Heard, Resent
from tests.traces.naive.mptcp import DataAck
from tests.traces.naive.scoreboard import Covered, Kind, Scoreboard
from tests.traces.naive.segment import ACK, ECE, FIN, PSH, RST, SYN, Segment
from tests.traces.naive.vantage import Answers
from tests.traces.naive.way_back import one_way_us

_MS = 1_000_000
_US = 1_000
_MIN_RTO_NS = 200 * _MS
_FIRST_RTO_NS = 1_000 * _MS
# Sending follows the ACK that allows it at once; later than that, a timer fired.
_AT_ONCE_NS = _MS
# A segment that comes late by less is out of order, where no RTT is known.
_REORDERED_NS = 3 * _MS
# What one packet holds at most, where no SYN says less; more is several, cut by the network card.
_DEFAULT_SEGMENT_BYTES = 1448
_TIMESTAMPS_OPTION_BYTES = 12
_MAX_TIMESTAMPS = 4096
# Of which no window is: a number farther away is none of this connection's.
_MAX_AWAY_BYTES = 2**28
# No connection has sent so much: a data acknowledgement beyond is none of this connection's.
_MAX_DATA_ACK = 2**62
_DUPLICATES = 3
_NONE = Covered()


class _Stamps:
    """When timestamps passed first: the newest, each newer than the one before."""

    def __init__(self) -> None:
        self._passed: OrderedDict[int, int] = OrderedDict()
        self._last = 0

    def take(self, tsval: int, time_ns: int) -> None:
        """Take a timestamp that passes; one that is no newer than another is known or late."""
        value = unwrapped(self._last, tsval) if self._passed else tsval
        if self._passed and value <= self._last:
            return
        self._passed[value] = time_ns
        self._last = value
        if len(self._passed) > _MAX_TIMESTAMPS:
            self._passed.popitem(last=False)

    def find(self, tsval: int) -> int | None:
        """Return when a timestamp passed."""
        return self._passed.get(unwrapped(self._last, tsval))

    def drop_before(self, tsval: int) -> None:
        """Forget what is older than a timestamp that is known: echoes do not go back."""
        value = unwrapped(self._last, tsval)
        if value <= self._last:
            for one in [one for one in self._passed if one < value]:
                del self._passed[one]

    def pop(self, tsval: int) -> int | None:
        """Forget a timestamp and all before it; return when it passed."""
        passed_ns = self.find(tsval)
        if passed_ns is not None:
            while self._passed.popitem(last=False)[0] != unwrapped(self._last, tsval):
                pass
        return passed_ns


class _Estimate:
    """SRTT and RTO as Linux has them: the deviation counts no less than 200 ms."""

    def __init__(self) -> None:
        self.srtt_ns = 0
        self._deviation_ns = 0

    def take(self, rtt_ns: int) -> None:
        if not self.srtt_ns:
            self.srtt_ns, self._deviation_ns = rtt_ns, rtt_ns // 2
        else:
            self._deviation_ns += (abs(rtt_ns - self.srtt_ns) - self._deviation_ns) // 4
            self.srtt_ns += (rtt_ns - self.srtt_ns) // 8

    @property
    def rto_ns(self) -> int:
        return (
            self.srtt_ns + max(4 * min(self._deviation_ns, MAX_TIME_NS // 8), _MIN_RTO_NS)
            if self.srtt_ns
            else _FIRST_RTO_NS
        )


class Sender:
    """Takes the segments of one end, and those it hears, in the order they pass.

    Parameters
    ----------
    end : int
        0 or 1: which end of the subflow it is.
    answers : Answers
        Of both ends.

    Attributes
    ----------
    payload_bytes : int
        Sent the first time.
    resent_segments : int
        Sent again, SYN and FIN included.
    implausible : int
        Numbers so far from what was sent that nothing follows from them.
    forgotten : int
        Times more was outstanding than is kept.
    first_data_ack : DataAck or None
        The first data acknowledgement this end heard.
    """

    def __init__(self, end: int, answers: Answers) -> None:
        self.payload_bytes = 0
        self.resent_segments = 0
        self.implausible = 0
        self.forgotten = 0
        self.congestion = Congestion()
        self._end = end
        self._answers = answers
        # Not answered yet; it is not known which of two an answer is for.
        self._syns_heard = 0
        self._syn_heard_ns = 0
        # Both ends permit SACK, or it is not used; a SYN that was not seen is taken to permit it.
        self._sack_sent, self._sack_heard = True, False
        self._board: Scoreboard | None = None
        self._first_seq = 0
        self._fin_seq: int | None = None
        self._segment_bytes = _DEFAULT_SEGMENT_BYTES
        self._window = -1
        self._established = False
        self._heard_ns = self._sent_ns = -1
        self._three_sacked_ns: int | None = None
        self._near, self._far = _Estimate(), _Estimate()
        self._echo_ns: int | None = None
        # When each TSval was first seen, on its way to this end and from it.
        self._to_echo, self._own = _Stamps(), _Stamps()
        self._data_ack = -1
        self.first_data_ack: DataAck | None = None
        # Parallel, one element a row; a row that is no ACK has only a sample by echo.
        self._time_ns = array("q")
        self._is_ack = array("b")
        self._acked_bytes = array("q")
        self._matched_us = array("q")
        self._echoed_us = array("q")
        self._is_dup = array("b")
        self._sacked_bytes = array("q")
        self._ece = array("b")
        self._data_acks = array("q")
        # Of ACKs that give a sample and are no duplicates.
        self._tsvals = array("q")

    def sent(self, segment: Segment) -> None:
        """Take a segment this end sent."""
        options = segment.options
        time_ns = segment.time_ns
        if segment.flags & RST:
            return
        if options.timestamps is not None:
            self._echoed(segment, *options.timestamps)
        if segment.flags & SYN:
            self._sack_sent = options.sack_permitted
            self.congestion.has_sack = self._sack_heard and self._sack_sent
        if segment.flags & ACK:
            if self._syns_heard == 1:
                self._answers.take(self._end, time_ns - self._syn_heard_ns)
            self._syns_heard = 0
        size = segment.end - segment.seq
        if not size:
            return
        # Another number than so far: of a server that forgot its first SYN/ACK, or after an ACK of nothing.
        is_other = segment.flags & SYN and segment.seq + 1 != self._first_seq and not any(self._acked_bytes[-1:])
        if self._board is None or is_other:
            self._board = Scoreboard(segment.seq, segment.seq)
            self._first_seq = segment.seq + bool(segment.flags & SYN)
        board = self._board
        seq = unwrapped(board.snd_nxt, segment.seq)
        if abs(seq - board.snd_nxt) > _MAX_AWAY_BYTES:
            self.implausible += 1
            return
        if size == 1 and not segment.flags & (SYN | FIN) and self._is_probe(board, seq, segment.flags):
            return
        if segment.flags & FIN:
            self._fin_seq = seq + size - 1
        before = board.snd_nxt
        kind, since_ns = board.send(seq, seq + size, time_ns)
        new_bytes = size if kind is Kind.FILLED else board.snd_nxt - before
        self.payload_bytes += max(0, min(new_bytes, segment.payload_bytes))
        if kind is Kind.FILLED and time_ns - since_ns < self._late_ns():
            board.as_first(seq)
        elif kind is not Kind.NEW:
            self._resent(segment, board, seq, size)
        self._sent_ns = time_ns
        self.forgotten += board.bound()

    def _is_probe(self, board: Scoreboard, seq: int, flags: int) -> bool:
        """Tell whether a byte is a keep-alive, which none pushes, or looks for room in a window of zero."""
        is_keep_alive = seq == board.snd_una - 1 and not flags & PSH
        return is_keep_alive or (self._window == 0 and seq <= board.snd_nxt)

    def _late_ns(self) -> int:
        """Return how late a segment must be to be a second copy whose first was lost before it came here."""
        round_trip_ns = self._answers.round_trip_ns()
        return _REORDERED_NS if round_trip_ns is None else round_trip_ns // 2

    def _resent(self, segment: Segment, board: Scoreboard, seq: int, size: int) -> None:
        time_ns = segment.time_ns
        segments = max(1, -(-segment.payload_bytes // self._segment_bytes))
        self.resent_segments += segments
        if not self._established or segment.flags & SYN:
            return
        far = self._answers.vantage(self._end) == RECEIVER
        delay_ns = (self._echo_ns or 0) if far else 0
        if far:
            cause_ns = self._three_sacked_ns or time_ns - delay_ns
        else:
            cause_ns = self._heard_ns if time_ns - self._heard_ns <= _AT_ONCE_NS else time_ns
        again = Resent(
            time_ns=time_ns,
            seq=seq,
            end=seq + size,
            segments=segments,
            silence_ns=time_ns - max(self._heard_ns, self._sent_ns) - delay_ns,
            rto_ns=(self._far if far else self._near).rto_ns,
            cause_ns=cause_ns,
            tsval=segment.options.timestamps[0] if segment.options.timestamps else None,
        )
        self.congestion.resent(again, board)

    def _echoed(self, segment: Segment, tsval: int, echo: int) -> None:
        """Take a sample if a timestamp that passed towards this end comes back for the first time."""
        # An echo tells which copy came of what was sent; what holds nothing has no copies.
        if segment.payload_bytes or segment.flags & FIN:
            self._own.take(tsval, segment.time_ns)
        passed_ns = self._to_echo.pop(echo) if segment.flags & ACK else None
        if passed_ns is None:
            return
        rtt_ns = segment.time_ns - passed_ns
        self._answers.take(self._end, rtt_ns)
        self._echo_ns = rtt_ns
        if segment.payload_bytes:
            self._far.take(rtt_ns)
            self._row(segment.time_ns, is_ack=0, echoed_us=max(1, rtt_ns // _US))

    def heard(self, segment: Segment, data_ack: int | None) -> None:
        """Take a segment that came to this end; `data_ack` counts from the first one heard."""
        options = segment.options
        if segment.flags & RST:
            return
        if options.timestamps is not None:
            self._to_echo.take(options.timestamps[0], segment.time_ns)
            self._own.drop_before(options.timestamps[1])
        if segment.flags & SYN:
            if options.mss:
                stamps = _TIMESTAMPS_OPTION_BYTES if options.timestamps else 0
                self._segment_bytes = max(1, min(self._segment_bytes, options.mss - stamps))
            self._sack_heard = options.sack_permitted
            self.congestion.has_sack = self._sack_heard and self._sack_sent
            self._syns_heard += 1
            self._syn_heard_ns = segment.time_ns
        if not segment.flags & ACK:
            return
        if self._board is None:
            self._board = Scoreboard(segment.ack, segment.ack)
            self._first_seq = segment.ack
        self._acknowledged(segment, self._board, data_ack)
        self._heard_ns = segment.time_ns
        self._window = segment.window
        self._established = True
        if options.sack:
            self.congestion.has_sack = True

    def _acknowledged(self, segment: Segment, board: Scoreboard, data_ack: int | None) -> None:
        time_ns = segment.time_ns
        ack = unwrapped(board.snd_una, segment.ack)
        if ack > board.snd_nxt + _MAX_AWAY_BYTES:
            # Linux drops an ACK of what was not sent; a capture may miss a part of what was.
            self.implausible += 1
            return
        advanced = ack > board.snd_una
        of_syn = advanced and ack == self._first_seq
        pure = not segment.payload_bytes and not segment.flags & (SYN | FIN)
        new_data_ack = data_ack is not None and data_ack > self._data_ack
        is_dup = (
            pure
            and ack == board.snd_una
            and board.outstanding
            and segment.window == self._window != 0
            and not new_data_ack
        )
        blocks, dsacked, dsack_end = self._blocks(segment, board, ack)
        sacked = board.sack(blocks) if blocks else _NONE
        acked = board.acknowledge(ack) if advanced else _NONE
        self.forgotten += board.bound()
        if segment.flags & SYN:
            self._handshake(time_ns, acked)
            return
        rtt_ns = self._matched(time_ns, acked, sacked, segment)
        if rtt_ns is not None:
            self._answers.take(1 - self._end, rtt_ns)
            self._near.take(rtt_ns)
        echo = segment.options.timestamps[1] if segment.options.timestamps else None
        # The third segment SACKed, of segments a little shorter too.
        if board.sacked_bytes <= (_DUPLICATES - 1) * self._segment_bytes:
            self._three_sacked_ns = None
        elif self._three_sacked_ns is None:
            self._three_sacked_ns = time_ns
        ece = bool(segment.flags & ECE)
        self.congestion.heard(
            Heard(
                time_ns,
                ack,
                advanced,
                is_dup,
                acked,
                sacked,
                dsacked,
                dsack_end,
                echo,
                ece=ece and ack >= board.snd_una,
            ),
            board,
        )
        if new_data_ack and data_ack is not None:
            self._data_ack = data_ack
        # A SYN/ACK is not in the queue of who sent it: its sample counts for the timeout alone, as a SYN's does.
        matched_us = NOT_OBSERVED if rtt_ns is None or of_syn else max(1, rtt_ns // _US)
        stamps = None if matched_us == NOT_OBSERVED or is_dup else segment.options.timestamps
        self._row(
            time_ns,
            is_ack=1,
            matched_us=matched_us,
            is_dup=int(is_dup),
            sacked_bytes=sacked.covered_bytes,
            ece=int(ece),
            data_ack=NOT_OBSERVED if data_ack is None else data_ack,
            tsval=NOT_OBSERVED if stamps is None else stamps[0],
        )

    def _handshake(self, time_ns: int, acked: Covered) -> None:
        """Take the sample of a SYN: it counts for the timeout, but no controller is there to be given it."""
        if acked.sent_ns is not None and not acked.resent:
            self._answers.take(1 - self._end, time_ns - acked.sent_ns)
            self._near.take(time_ns - acked.sent_ns)

    def _blocks(self, segment: Segment, board: Scoreboard, ack: int) -> tuple[tuple[tuple[int, int], ...], int, int]:
        """Return the SACK blocks without a DSACK, unwrapped, how many segments the DSACK reports, and its end."""
        blocks = [(unwrapped(ack, left), unwrapped(ack, right)) for left, right in segment.options.sack]
        dsacked = dsack_end = 0
        if blocks:
            left, right = blocks[0]
            inside = len(blocks) > 1 and blocks[1][0] <= left and right <= blocks[1][1]
            # Of an ACK that is late, a block below what was acknowledged since is none.
            if left < ack or inside:
                if left < right:
                    dsacked, dsack_end = max(1, -(-(right - left) // self._segment_bytes)), right
                del blocks[0]
        # Broken edges cover nothing; nor does what begins where it would have been acknowledged.
        una = max(ack, board.snd_una)
        return tuple((left, right) for left, right in blocks if una < left < right <= board.snd_nxt), dsacked, dsack_end

    def _matched(self, time_ns: int, acked: Covered, sacked: Covered, segment: Segment) -> int | None:
        """Return the RTT sample of an ACK."""
        if sacked.sent_ns is not None:
            return time_ns - sacked.sent_ns
        if acked.sent_ns is not None and not acked.resent:
            return time_ns - acked.sent_ns
        if acked.covered_bytes and segment.options.timestamps is not None:
            stamped_ns = self._own.find(segment.options.timestamps[1])
            return None if stamped_ns is None else time_ns - stamped_ns
        return None

    def _row(
        self,
        time_ns: int,
        *,
        is_ack: int,
        matched_us: int = NOT_OBSERVED,
        echoed_us: int = NOT_OBSERVED,
        is_dup: int = 0,
        sacked_bytes: int = 0,
        ece: int = 0,
        data_ack: int = NOT_OBSERVED,
        tsval: int = NOT_OBSERVED,
    ) -> None:
        last = 0 if self._board is None else self._board.snd_una
        if self._fin_seq is not None:
            last = min(last, self._fin_seq)
        self._time_ns.append(time_ns)
        self._is_ack.append(is_ack)
        # A FIN that is none, below what is acknowledged, takes nothing back.
        self._acked_bytes.append(max(0, last - self._first_seq, *self._acked_bytes[-1:]))
        self._matched_us.append(matched_us)
        self._echoed_us.append(echoed_us)
        self._is_dup.append(is_dup)
        self._sacked_bytes.append(sacked_bytes)
        self._ece.append(ece)
        self._data_acks.append(data_ack)
        self._tsvals.append(tsval)

    @property
    def matched_us(self) -> list[int]:
        """RTT sample of each ACK heard, in order, without those of the handshake; NOT_OBSERVED where there is none."""
        return [rtt_us for rtt_us, is_ack in zip(self._matched_us, self._is_ack, strict=True) if is_ack]

    @property
    def acked_bytes(self) -> int:
        """Bytes acknowledged, without SYN and FIN."""
        return self._acked_bytes[-1] if self._acked_bytes else 0

    @property
    def fin_is_acked(self) -> bool:
        """Whether the FIN is acknowledged."""
        return self._fin_seq is not None and self._board is not None and self._board.snd_una > self._fin_seq

    def _acked_before(self, first_data: int | None) -> int | None:
        """Return the data-level bytes acknowledged by the first data acknowledgement."""
        if first_data is None or self.first_data_ack is None:
            return None
        span = 2**self.first_data_ack.bits
        before = (self.first_data_ack.value - first_data) % span
        # Less than none: the acknowledgement is none of this connection's.
        return before if before < span // 2 else None

    @staticmethod
    def _data_level(data_ack: int, acked_before: int | None) -> int:
        if data_ack == NOT_OBSERVED or acked_before is None or not 0 <= data_ack + acked_before < _MAX_DATA_ACK:
            return NOT_OBSERVED
        return data_ack + acked_before

    def write(self, subflow: Subflow, first_data: int | None) -> None:
        """Write the signals into a subflow.

        Parameters
        ----------
        subflow : Subflow
        first_data : int or None
            Data sequence number of the first byte this end's connection sent; None where it is not known.
        """
        vantage = self._answers.vantage(self._end)
        acked_before = self._acked_before(first_data)
        matched_us = NOT_OBSERVED
        one_way = one_way_us(self._time_ns, self._matched_us, self._tsvals) if vantage == SENDER else {}
        for row in range(len(self._time_ns)):
            is_ack = self._is_ack[row]
            if vantage == SENDER:
                if not is_ack:
                    continue
                rtt_us = self._matched_us[row]
            elif vantage == RECEIVER or NOT_OBSERVED in (self._echoed_us[row], matched_us):
                rtt_us = NOT_OBSERVED if vantage != RECEIVER else self._echoed_us[row]
            else:
                # Half-way: there and back on either side.
                rtt_us = self._echoed_us[row] + matched_us
            if is_ack and self._matched_us[row] != NOT_OBSERVED:
                matched_us = self._matched_us[row]
            subflow.acks.append(
                self._time_ns[row],
                self._acked_bytes[row],
                rtt_us=rtt_us,
                is_dup=self._is_dup[row] if is_ack else NOT_OBSERVED,
                newly_sacked_bytes=self._sacked_bytes[row] if is_ack else NOT_OBSERVED,
                ece=self._ece[row] if is_ack else NOT_OBSERVED,
                data_ack=self._data_level(self._data_acks[row], acked_before),
                owd_us=one_way.get(row, NOT_OBSERVED),
            )
        congestion = self.congestion
        subflow.retransmissions = self.resent_segments
        subflow.state_time_ns.extend(congestion.state_ns)
        subflow.state_ca_state.extend(congestion.states)
        subflow.loss_time_ns.extend(congestion.losses.time_ns)
        subflow.loss_kind.extend(congestion.losses.kind)
        subflow.loss_packets.extend(congestion.losses.packets)
