"""The congestion state of a Linux sender, inferred from the packets it sent and received.

The rules are those of ``tcp_fastretrans_alert`` and its neighbours, as far as packets show what they depend on. A
sender is in Recovery or Loss because it sent something again; the packets tell why: SACKed segments above it, or
silence.

References
----------
Linux ``net/ipv4/tcp_input.c``; RFC 6675, RFC 8985 (RACK and tail loss probes), RFC 5682 (F-RTO), RFC 2883 (DSACK),
RFC 3522 (timestamps of a spurious retransmission).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from smartsbd.contracts.tables import CWR, DISORDER, OPEN, RECOVERY
from smartsbd.contracts.tables import LOSS_STATE as LOSS
from tests.traces.naive.scoreboard import Covered, Scoreboard

_WRAP, _HALF = 2**32, 2**31


@dataclass(frozen=True, slots=True)
class Heard:
    """An ACK, with what it changed.

    Attributes
    ----------
    time_ns : int, nanoseconds
    ack : int
        Unwrapped.
    advanced, is_dup : bool
        It acknowledged something new; it did not, while data was outstanding.
    acked, sacked : Covered
        What it acknowledged, and SACKed, first.
    dsacked, dsack_end : int
        Segments it reports as received twice, and where they end.
    ts_echo : int or None
        TSecr.
    ece : bool
        It echoes congestion; an ACK older than another does not count.
    """

    time_ns: int
    ack: int
    advanced: bool
    is_dup: bool
    acked: Covered
    sacked: Covered
    dsacked: int
    dsack_end: int
    ts_echo: int | None
    ece: bool


@dataclass(frozen=True, slots=True)
class Resent:
    """A segment sent again.

    Attributes
    ----------
    time_ns : int, nanoseconds
    seq, end : int
        Unwrapped.
    segments : int
        Packets of it on the wire.
    silence_ns : int, nanoseconds
        Since the sender last sent or heard anything, as it saw it.
    rto_ns : int, nanoseconds
        Estimate of its timeout.
    cause_ns : int, nanoseconds
        When what made it do so passed here: the ACK before, or, at the receiver, one RTT earlier.
    tsval : int or None
        Of the segment.
    """

    time_ns: int
    seq: int
    end: int
    segments: int
    silence_ns: int
    rto_ns: int
    cause_ns: int
    tsval: int | None


@dataclass
class Losses:
    """Loss events: when, why (``fast``, ``rto``, ``tlp``), and how many segments were sent again."""

    time_ns: list[int] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    packets: list[int] = field(default_factory=list)


class Congestion:
    """State machine of one sender.

    Attributes
    ----------
    state_ns, states : list of int
        Every change: when, and the state entered.
    losses : Losses
    undone : int
        Times it found that it had sent again in vain, and went back to Open.
    """

    def __init__(self) -> None:
        self.state = OPEN
        self.state_ns: list[int] = []
        self.states: list[int] = []
        self.losses = Losses()
        self.undone = 0
        self.has_sack = False
        self.has_ecn = False
        self._high_seq = 0
        self._duplicates = 0
        # Of the episode: what it sent again and is not known to be in vain, from where on, TSval of the first, whether
        # F-RTO looks on.
        self._to_undo = 0
        self._undo_above = 0
        self._first_tsval: int | None = None
        self._frto = False
        # Timeouts since the last ACK that advanced.
        self._timeouts = 0
        # snd_nxt when a tail loss probe was sent.
        self._probe: int | None = None

    def _enter(self, time_ns: int, state: int) -> None:
        if state == self.state:
            return
        if self.state_ns and time_ns <= self.state_ns[-1]:
            # Two changes by one packet: the first has lasted no time.
            time_ns = self.state_ns.pop()
            self.states.pop()
        before = self.states[-1] if self.states else OPEN
        self.state = state
        if state != before:
            self.state_ns.append(time_ns)
            self.states.append(state)

    def _keep_open(self, time_ns: int, board: Scoreboard) -> None:
        """``tcp_try_keep_open``."""
        left = board.sacked_bytes or self._duplicates or board.resent_outstanding()
        self._enter(time_ns, DISORDER if left else OPEN)

    def heard(self, ack: Heard, board: Scoreboard) -> None:
        """Take an ACK in."""
        self._count_duplicates(ack)
        if ack.dsacked and ack.dsack_end > self._undo_above:
            self._to_undo = max(0, self._to_undo - ack.dsacked)
        if ack.advanced:
            self._timeouts = 0
        self._answer_probe(ack, board)
        if self.state in (RECOVERY, LOSS):
            # Without SACK, an ACK of high_seq itself could be one of the duplicates.
            if ack.ack >= self._high_seq + (not self.has_sack):
                self._leave(ack, board)
            elif self._in_vain(ack, board):
                self.undone += 1
                self._timeouts = 0
                self._enter(ack.time_ns, OPEN)
                self._keep_open(ack.time_ns, board)
            elif board.snd_nxt > self._high_seq and (ack.is_dup or ack.sacked.covered_bytes):
                # F-RTO: what was sent since arrives, what was sent before does not.
                self._frto = False
        elif self.state == CWR and ack.ack > self._high_seq:
            self._enter(ack.time_ns, OPEN)
            self._keep_open(ack.time_ns, board)
        if self.state in (OPEN, DISORDER):
            if ack.ece and self.has_ecn:
                self._high_seq = board.snd_nxt
                self._enter(ack.time_ns, CWR)
            elif self.state == DISORDER or ack.sacked.covered_bytes or self._duplicates:
                self._keep_open(ack.time_ns, board)

    def _leave(self, ack: Heard, board: Scoreboard) -> None:
        """End an episode whose data is acknowledged; what was sent again beyond it is a loss that begins another."""
        self._enter(ack.time_ns, OPEN)
        if board.resent_outstanding():
            self._high_seq = board.snd_nxt
            self._to_undo = max(1, self._to_undo)
            self._enter(ack.time_ns, RECOVERY)
        else:
            self._keep_open(ack.time_ns, board)

    def _count_duplicates(self, ack: Heard) -> None:
        """Count duplicate ACKs as ``tcp_add_reno_sack`` does; with SACK, blocks tell more."""
        if ack.advanced:
            self._duplicates = 0
        elif ack.is_dup and not self.has_sack:
            self._duplicates += 1

    def _answer_probe(self, ack: Heard, board: Scoreboard) -> None:
        """``tcp_process_tlp_ack``: a probe that repaired a loss costs a pulse of CWR."""
        if self._probe is None or ack.ack < self._probe:
            return
        if ack.dsacked or (ack.ack == self._probe and not ack.advanced and not ack.sacked.covered_bytes):
            self._probe = None
        elif ack.ack > self._probe:
            self._probe = None
            if self.state in (OPEN, DISORDER):
                self.state_ns.append(ack.time_ns)
                self.states.append(CWR)
                self.state_ns.append(ack.time_ns)
                self.states.append(OPEN)
                self.state = OPEN
                self._keep_open(ack.time_ns, board)

    def _in_vain(self, ack: Heard, board: Scoreboard) -> bool:
        """Tell whether an ACK shows that what was sent again had arrived the first time."""
        is_loss = self.state == LOSS
        if is_loss and self._frto and not (ack.acked.resent and not self.has_sack):
            # F-RTO: after a timeout, something sent once and before it is acknowledged. Without SACK, that says
            # nothing if what was sent again is acknowledged with it.
            for covered in (ack.acked, ack.sacked):
                if covered.original_below is not None and covered.original_below <= self._high_seq:
                    return True
        if is_loss and not (ack.advanced and self.has_sack):
            return False
        if self._to_undo == 0:
            return True
        if not ack.advanced or ack.ts_echo is None or self._first_tsval is None:
            return False
        delayed = (ack.ts_echo - self._first_tsval) % _WRAP > _HALF
        return delayed and (is_loss or not board.resent_outstanding())

    def resent(self, again: Resent, board: Scoreboard) -> None:
        """Take a segment in that was sent again."""
        # A tenth less: the estimate of RTO lacks samples of the sender's, and puts a timeout a little later.
        silent = 10 * again.silence_ns >= 9 * again.rto_ns
        is_head = again.seq <= board.snd_una
        has_evidence = board.sacked_bytes > 0 or self._duplicates > 0
        if self.state in (RECOVERY, LOSS):
            if silent and is_head:
                self._time_out(again, board)
            else:
                if not self._timeouts and board.snd_nxt <= self._high_seq:
                    # F-RTO ends where there is nothing new to send.
                    self._frto = False
                self._count(again)
        elif again.end <= board.snd_una and not silent:
            # Under way when it was acknowledged: of the episode before.
            self._count(again)
        elif not has_evidence and again.end == board.snd_nxt and self.has_sack and self._probe is None:
            self._probe = board.snd_nxt
            self._event(again, again.cause_ns, "tlp")
        elif is_head and (silent or not has_evidence):
            self._time_out(again, board)
        else:
            self._recover(again, board)

    def _recover(self, again: Resent, board: Scoreboard) -> None:
        """``tcp_enter_recovery``."""
        self._begin(again, board)
        self._frto = False
        self._probe = None
        self._enter(again.cause_ns, RECOVERY)
        self._event(again, again.cause_ns, "fast")

    def _time_out(self, again: Resent, board: Scoreboard) -> None:
        """``tcp_enter_loss``; a timeout that repeats stays in Loss, and has more to be acknowledged."""
        self._frto = self.state not in (RECOVERY, LOSS) or self._timeouts > 0
        self._begin(again, board)
        self._timeouts += 1
        self._probe = None
        self._enter(again.time_ns, LOSS)
        self._event(again, again.time_ns, "rto")

    def _begin(self, again: Resent, board: Scoreboard) -> None:
        """Begin an episode; a timeout within one goes on with what can be undone (``tcp_init_undo``)."""
        self._high_seq = board.snd_nxt
        begins = self.state not in (RECOVERY, LOSS)
        if begins:
            self._first_tsval = again.tsval
        if begins or (self.state == LOSS and not self._timeouts):
            self._to_undo = 0
            self._undo_above = board.snd_una

    def _event(self, again: Resent, time_ns: int, kind: str) -> None:
        # A cause may be earlier than the last event.
        self.losses.time_ns.append(max([time_ns, *self.losses.time_ns[-1:]]))
        self.losses.kind.append(kind)
        self.losses.packets.append(0)
        self._count(again)

    def _count(self, again: Resent) -> None:
        if not self.losses.packets:
            self._event(again, again.time_ns, "tlp")
            return
        self.losses.packets[-1] += again.segments
        self._to_undo += again.segments
