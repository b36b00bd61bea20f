"""EMPTCP-R, after EMPTCP (Ye et al., ICCCN 2019): subflows marked in the same slots of time share.

Evidence: R. The paper's text was not at hand; only this is certain. From its abstract (A): detection is by ECN, and
there may be several bottlenecks. From FMBBR's paper (T): a birth-death Markov model gives a sampling period D, within
which arrival times of marked packets are analysed. Every rule below is our reconstruction.

From the first RTT sample on, time is cut into slots of length D, end to end. Two subflows share if both have a marked
ACK in at least half of those slots, so far, in which at least one has; that is decided anew at the end of each slot. D
is the largest smoothed RTT, plus the 99th percentile of the lengths of bursts of marks.

What the specification leaves open, and how it is taken here:

- All slots of the connection so far count.
- D is set when a slot begins, from what is known then.
- A burst is a run of ACKs of one subflow that all echo a mark, from its first to its last; ACKs of one moment are one,
  and marked if any of them is. A burst is over with the first ACK that is not marked. Bursts of all subflows are taken
  together. The percentile is the smallest length such that 99 % of the bursts are no longer; while no burst is over,
  the RTT alone is D.
- Marks before the first RTT sample count to the first slot.
- Subflows without an RTT sample when a slot begins are not compared in it.
- Where no slot has a mark of either of two subflows, nothing is said of them.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from smartsbd.detectors.detector import Detector, DetectorKind, Handler
from smartsbd.detectors.event import Kind
from smartsbd.detectors.partition import Pair, pairs_of, partition_of
from smartsbd.detectors.smoothed_rtt import NS_PER_EIGHTH_US, smoothed

#: Later than any time.
_NEVER = 2**63 - 1


@dataclass(frozen=True)
class Slots:
    """Parameters of EMPTCP-R.

    Attributes
    ----------
    slot_srtts : float or None
        Length of a slot, in units of the largest smoothed RTT; None is that RTT and the 99th percentile of bursts.
    share : float
        Share of the slots with a mark in which both subflows must have one.
    """

    slot_srtts: float | None = None
    share: float = 0.5

    def __post_init__(self) -> None:
        if (self.slot_srtts is not None and self.slot_srtts <= 0) or not 0 < self.share <= 1:
            raise ValueError(
                f"slot_srtts, share are {self.slot_srtts}, {self.share}: must be above 0 or None, and from 0 to 1"
            )


def percentile99(ordered: Sequence[int]) -> int:
    """Return the smallest of some ascending numbers such that 99 % of them are no larger.

    Returns
    -------
    int
        One of the numbers, in their unit.

    Examples
    --------
    >>> percentile99(range(1, 101)), percentile99(range(1, 102))
    (99, 100)
    """
    return ordered[-(-99 * len(ordered) // 100) - 1]


class _SlotRun:
    """Marked ACKs of a subflow in a row: when the first and the last came, and when the last ACK of any kind came."""

    __slots__ = ("ack_ns", "first_ns", "last_ns")

    def __init__(self) -> None:
        self.ack_ns = -1
        #: None while the last ACKs are not marked.
        self.first_ns: int | None = None
        self.last_ns = -1


class Emptcp(Detector):
    """Compares in which slots subflows have marks."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._srtt_eighth_us: dict[int, int] = {}
        self._runs: dict[int, _SlotRun] = {}
        self._bursts_ns: list[int] = []
        #: Of every two subflows, number of slots in which one has a mark, and in which both have.
        self._either: dict[Pair, int] = {}
        self._both: dict[Pair, int] = {}
        #: The slot that runs: its end and length, the subflows compared in it, and those with a mark.
        self._end_ns = _NEVER
        self._length_ns = 0
        self._compared: list[int] = []
        self._marked: set[int] = set()

    def handlers(self) -> Mapping[int, Handler]:
        """RTT samples and marks, and ACKs where bursts are measured."""
        handlers: dict[int, Handler] = {Kind.RTT: self._on_rtt, Kind.MARK: self._on_mark}
        return handlers if self._slots.slot_srtts is not None else {**handlers, Kind.ACK: self._on_ack}

    def reset(self, subflow_ids: Iterable[int]) -> None:
        """Begin with a new connection."""
        super().reset(subflow_ids)
        self._srtt_eighth_us = dict.fromkeys(self.subflow_ids, 0)
        self._runs = {subflow_id: _SlotRun() for subflow_id in self.subflow_ids}
        self._bursts_ns = []
        self._either = dict.fromkeys(pairs_of(self.subflow_ids), 0)
        self._both = dict.fromkeys(pairs_of(self.subflow_ids), 0)
        self._end_ns = _NEVER
        self._marked = set()

    def _on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        if time_ns >= self._end_ns:
            self.advance(time_ns)
        self._srtt_eighth_us[subflow_id] = smoothed(self._srtt_eighth_us[subflow_id], value)
        if self._end_ns == _NEVER:
            self._begin(time_ns)

    def _on_ack(self, time_ns: int, subflow_id: int, value: int) -> None:
        if time_ns >= self._end_ns:
            self.advance(time_ns)
        run = self._runs[subflow_id]
        if run.first_ns is not None and time_ns > run.ack_ns:
            self._end_burst(run)
        run.ack_ns = time_ns

    def _on_mark(self, time_ns: int, subflow_id: int, value: int) -> None:
        if time_ns >= self._end_ns:
            self.advance(time_ns)
        self._marked.add(subflow_id)
        run = self._runs[subflow_id]
        if run.first_ns is None:
            run.first_ns = time_ns
        run.last_ns = time_ns

    def _end_burst(self, run: _SlotRun) -> None:
        """Note a burst if ACKs without a mark came after it."""
        if run.first_ns is not None and run.ack_ns > run.last_ns:
            insort(self._bursts_ns, run.last_ns - run.first_ns)
            run.first_ns = None

    def _begin(self, time_ns: int) -> None:
        """Begin a slot."""
        for run in self._runs.values():
            self._end_burst(run)
        longest_eighth_us = max(self._srtt_eighth_us.values())
        times = 1 if self._slots.slot_srtts is None else self._slots.slot_srtts
        length_ns = math.ceil(times * longest_eighth_us * NS_PER_EIGHTH_US)
        if self._bursts_ns:
            length_ns += percentile99(self._bursts_ns)
        self._end_ns = time_ns + length_ns
        self._length_ns = length_ns
        self._compared = [subflow_id for subflow_id, srtt_eighth_us in self._srtt_eighth_us.items() if srtt_eighth_us]

    def advance(self, time_ns: int) -> None:
        """End the slots that are over."""
        if time_ns < self._end_ns or self._end_ns == _NEVER:
            return
        self._close()
        self._begin(self._end_ns)
        if time_ns >= self._end_ns:
            # Slots without any event are of one length.
            length_ns = self._length_ns
            self._end_ns += (time_ns - self._end_ns) // length_ns * length_ns + length_ns

    def _close(self) -> None:
        """End the slot that runs."""
        for pair in pairs_of(self._compared):
            marked = len(self._marked.intersection(pair))
            self._either[pair] += marked > 0
            self._both[pair] += marked > 1
        self._marked.clear()
        verdicts: dict[Pair, bool | None] = {
            pair: self._both[pair] / either >= self._slots.share for pair, either in self._either.items() if either
        }
        self._decide(self._end_ns, partition_of(self.subflow_ids, verdicts))


EMPTCP = DetectorKind(
    name="emptcp-r",
    evidence="R",
    source="after Ye et al., ICCCN 2019",
    build=Emptcp,
    presets={"default": Slots()},
)
