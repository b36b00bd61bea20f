"""C-MPBBR's rule (Mahmud, Lubna, Song, Cho, IEEE Access 8, 2020): subflows of one rate share. Evidence: K.

A negative control: equal rates are no evidence of sharing. Two links of one capacity give equal rates, and one link
gives two subflows unequal ones where their RTTs or losses differ. The rule shows how far this shortcut goes: on data
where another detector is no better, it has not been shown that the other sees more than rates.

Known from the authors' public kernel module (K, ``mptcp_c-mpbbr.c``; the paper was not read): each subflow has BBR's
estimate of its bottleneck bandwidth, the largest delivery rate of ten round trips. In the fourth of the eight phases of
BBR's cycle, each of one smallest RTT, a subflow counts the subflows whose estimates are within 20 % of its own, itself
included; those without an estimate do not count. So many are taken to share its bottleneck if this count and the last
are above one. If the last alone is, it holds. In both states of the file that were read, the line that calls this is a
comment.

Ours:

- The module has a count for each subflow. Here, two subflows are judged by themselves, and are of one rate if either
  counts the other: the lower estimate is at most 20 % below the higher.
- Two subflows have one cycle: eight times the larger of their smallest RTTs so far (BBR's look back 10 s). It ends with
  the first RTT sample of either that comes so late, and with it begins the next. The first begins when both have one.
- A cycle has one count, at its end. The module counts at every ACK of the phase.
- A rate is sampled with each RTT sample, of the segment that gave it: the bytes acknowledged since the last ACK before
  that was sent, over the time since that ACK. A segment sent before the ACK that an earlier rate begins with has none.
- BBR counts what SACK reports. Here, that is acknowledged all at once when the hole before it is filled, and would make
  a high rate. So no rate begins with an ACK of Recovery or Loss, or with one that acknowledges nothing new.
- Whether the application limits a rate is not known: every sample counts. BBR's estimate of a policed rate is left out.
- A cycle at whose end either has no estimate is passed over. Nothing is said before the second that is not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from smartsbd.contracts.tables import RECOVERY
from smartsbd.detectors.detector import Detector, DetectorKind, Handler
from smartsbd.detectors.event import Kind
from smartsbd.detectors.partition import Pair, pairs_of, partition_of

_NS_PER_US = 1000
_NS_PER_S = 1_000_000_000
#: Later than any time.
_NEVER = 2**63 - 1


@dataclass(frozen=True)
class EqualRates:
    """Parameters of C-MPBBR's rule.

    Attributes
    ----------
    tolerance : float
        Share of a subflow's own bandwidth by which another's of the same rate may differ.
    bandwidth_rounds : int
        Round trips before the one that runs whose delivery rates the bandwidth is the largest of, as the kernel counts.
    cycle_rtts : int
        Length of a cycle, in units of the larger of the two subflows' smallest RTTs.
    """

    tolerance: float = 0.2
    bandwidth_rounds: int = 10
    cycle_rtts: int = 8

    def __post_init__(self) -> None:
        if not (0 <= self.tolerance < 1 and self.bandwidth_rounds >= 1 and self.cycle_rtts >= 1):
            raise ValueError(
                f"tolerance, bandwidth_rounds, cycle_rtts are {self.tolerance}, {self.bandwidth_rounds},"
                f" {self.cycle_rtts}: must be from 0 to below 1, and at least 1"
            )


def of_one_rate(rate_a: float, rate_b: float, tolerance: float) -> bool:
    """Tell whether two rates differ by no more than a share of the larger.

    Parameters
    ----------
    rate_a, rate_b : float
        Of one unit.
    tolerance : float
        The share.

    Returns
    -------
    bool
        True at a difference of exactly that share too.

    Examples
    --------
    >>> of_one_rate(80.0, 100.0, 0.2), of_one_rate(100.0, 79.0, 0.2)
    (True, False)
    """
    # The higher rate allows the larger difference.
    return abs(rate_a - rate_b) <= tolerance * max(rate_a, rate_b)


class CountBefore:
    """Whether two subflows are taken to share, by whether they were of one rate in each cycle.

    One rate in two cycles in a row is taken as sharing, and so is a cycle of two rates after one of one rate; a cycle
    of one rate after one of two rates is not. So the module's cases come to one: the last cycle's rates decide, and
    the decision takes effect a cycle later.

    Examples
    --------
    >>> count = CountBefore()
    >>> [count.take(of_one) for of_one in (True, True, False, True, True, False, False)]
    [None, True, True, False, True, True, False]
    """

    def __init__(self) -> None:
        self._of_one: bool | None = None

    def take(self, of_one: bool) -> bool | None:
        """Take whether the rates were one in a cycle; return whether the subflows share, None in the first cycle."""
        before, self._of_one = self._of_one, of_one
        return before


class Bandwidth:
    """BBR's estimate of a subflow's bottleneck bandwidth, from its ACKs, RTT samples and states in order of time.

    Attributes
    ----------
    min_rtt_us : int
        Smallest RTT so far; 0 before the first.

    Examples
    --------
    >>> bandwidth = Bandwidth(rounds=10)
    >>> for time_ms in range(0, 200, 10):
    ...     bandwidth.ack(time_ms * 1_000_000, 1000 * time_ms)
    ...     bandwidth.rtt(time_ms * 1_000_000, rtt_us=50_000)
    >>> bandwidth.bytes_per_s()
    1000000.0
    """

    __slots__ = ("_acked_bytes", "_acks", "_has_hole", "_maxima", "_round", "_round_ns", "_rounds", "min_rtt_us")

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds
        self._acked_bytes = -1
        self._has_hole = False
        #: Times and bytes of ACKs that a rate may begin with, from the one that the last rate begins with on.
        self._acks: deque[tuple[int, int]] = deque()
        #: Rounds and rates that are, or may yet become, the largest.
        self._maxima: deque[tuple[int, float]] = deque()
        #: Number and beginning of the round trip that runs.
        self._round = 0
        self._round_ns = 0
        self.min_rtt_us = 0

    def ack(self, time_ns: int, acked_bytes: int) -> None:
        """Take an ACK: the bytes acknowledged so far."""
        if acked_bytes <= self._acked_bytes:
            return
        self._acked_bytes = acked_bytes
        if self._has_hole:
            return
        if not self.min_rtt_us:
            # No RTT sample may ever come.
            self._acks.clear()
        self._acks.append((time_ns, acked_bytes))

    def state(self, ca_state: int) -> None:
        """Take a change of congestion state, before the ACK of the same moment."""
        self._has_hole = ca_state >= RECOVERY

    def rtt(self, time_ns: int, rtt_us: int) -> None:
        """Take an RTT sample, at least 1, after the ACK that gave it."""
        sent_ns = time_ns - rtt_us * _NS_PER_US
        if not self.min_rtt_us:
            self.min_rtt_us, self._round_ns = rtt_us, time_ns
        elif rtt_us < self.min_rtt_us:
            self.min_rtt_us = rtt_us
        # A round trip is over with the first ACK of what was sent in it.
        if sent_ns >= self._round_ns:
            self._round += 1
            self._round_ns = time_ns
        acks, maxima = self._acks, self._maxima
        while len(acks) > 1 and acks[1][0] <= sent_ns:
            acks.popleft()
        if acks and acks[0][0] <= sent_ns:
            start_ns, start_bytes = acks[0]
            rate = (self._acked_bytes - start_bytes) * _NS_PER_S / (time_ns - start_ns)
            while maxima and maxima[-1][1] <= rate:
                maxima.pop()
            maxima.append((self._round, rate))
        while maxima and maxima[0][0] < self._round - self._rounds:
            maxima.popleft()

    def bytes_per_s(self) -> float:
        """Return the estimate; 0 if there is none."""
        return self._maxima[0][1] if self._maxima else 0.0


class CMpbbr(Detector):
    """Shared where two subflows' bandwidths were the same, cycle after cycle.

    What comes at one moment is taken together: a cycle that is over at a moment is ended when that has passed.
    """

    def __init__(self, rates: EqualRates) -> None:
        self._rates = rates
        self._bandwidths: dict[int, Bandwidth] = {}
        self._ends_ns: dict[Pair, int] = {}
        self._counts: dict[Pair, CountBefore] = {}
        self._verdicts: dict[Pair, bool | None] = {}
        #: Time of the last RTT sample, and the time of a sample from which on there is something to do.
        self._now_ns = -1
        self._due_ns = _NEVER

    def handlers(self) -> Mapping[int, Handler]:
        """ACKs, RTT samples and changes of state."""
        return {Kind.CA: self._on_state, Kind.ACK: self._on_ack, Kind.RTT: self._on_rtt}

    def reset(self, subflow_ids: Iterable[int]) -> None:
        """Begin with a new connection."""
        super().reset(subflow_ids)
        self._bandwidths = {subflow_id: Bandwidth(self._rates.bandwidth_rounds) for subflow_id in self.subflow_ids}
        self._ends_ns, self._counts, self._verdicts = {}, {}, {}
        self._now_ns = -1
        self._due_ns = _NEVER

    def _on_state(self, time_ns: int, subflow_id: int, value: int) -> None:
        self._bandwidths[subflow_id].state(value)

    def _on_ack(self, time_ns: int, subflow_id: int, value: int) -> None:
        self._bandwidths[subflow_id].ack(time_ns, value)

    def _on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        if time_ns > self._now_ns:
            self.advance(time_ns)
            self._now_ns = time_ns
        bandwidth = self._bandwidths[subflow_id]
        if not bandwidth.min_rtt_us:
            # Its cycles begin.
            self._due_ns = time_ns
        bandwidth.rtt(time_ns, value)

    def advance(self, time_ns: int) -> None:
        """End the cycles that were over at the last RTT sample, and begin the next."""
        if self._now_ns < self._due_ns:
            return
        now_ns = self._now_ns
        for pair in pairs_of(subflow_id for subflow_id, bandwidth in self._bandwidths.items() if bandwidth.min_rtt_us):
            if self._ends_ns.get(pair, now_ns) > now_ns:
                continue
            a, b = (self._bandwidths[subflow_id] for subflow_id in pair)
            if pair in self._ends_ns:
                self._close(pair, a.bytes_per_s(), b.bytes_per_s())
            longest_us = max(a.min_rtt_us, b.min_rtt_us)
            self._ends_ns[pair] = now_ns + self._rates.cycle_rtts * longest_us * _NS_PER_US
        self._due_ns = min(self._ends_ns.values(), default=_NEVER)
        if self._verdicts:
            self._decide(now_ns, partition_of(self.subflow_ids, self._verdicts))

    def _close(self, pair: Pair, a_bytes_per_s: float, b_bytes_per_s: float) -> None:
        """End a cycle of two subflows with their bandwidths."""
        if a_bytes_per_s > 0 and b_bytes_per_s > 0:
            count = self._counts.setdefault(pair, CountBefore())
            verdict = count.take(of_one_rate(a_bytes_per_s, b_bytes_per_s, self._rates.tolerance))
            if verdict is not None:
                self._verdicts[pair] = verdict


C_MPBBR = DetectorKind(
    name="c-mpbbr",
    evidence="K",
    source="Mahmud et al., IEEE Access 2020; public code",
    build=CMpbbr,
    presets={"default": EqualRates()},
)
