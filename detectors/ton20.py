"""TON20-R, after SB-CC (Wei, Xue, Han, Wei, Hong, ToN 28(2) 2020): subflows marked at the same time share.

Evidence: R. Only the paper's first page was at hand; only this is certain. From its abstract (A): ECN detects shared
bottlenecks, and gives a degree of congestion. From SmartSBD (T): subflows that are marked at the same time are likely
to share; signals are losses and marks; there are states, one of them called Final Judgement; on losses alone, it was in
the right final state for 0.266 of the time where a bottleneck was shared, and for 0.637 where none was. Every rule
below is our reconstruction.

A round opens with a signal of any subflow while none is open, and lasts some times the largest smoothed RTT at that
moment, its end included. Its members are the subflows with a signal in it. At its end, two subflows of which both are
members are judged the same, and two of which one is a member different. K equal verdicts in a row are a final one;
only that is an opinion.

What the specification leaves open, and how it is taken here:

- The verdicts that end a final one must be contrary in a row; as K of them are a final verdict themselves, a sticky
  final verdict goes over into its contrary at once.
- A loss is the first entry into Recovery or Loss of an episode (:class:`smartsbd.detectors.loss_episode.LossEpisodes`);
  how much is lost does not count. Every ACK that echoes a mark is a signal, and so are those that go on echoing it
  until the sender has answered (RFC 3168).
- Subflows without an RTT sample when the round opens are not judged in it; without any RTT sample none opens.
- The degree of congestion steers the rate of sending; it has no part in detection.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from smartsbd.detectors.detector import Detector, DetectorKind, Handler
from smartsbd.detectors.event import Kind
from smartsbd.detectors.loss_episode import LossEpisodes
from smartsbd.detectors.partition import Pair, pairs_of, partition_of
from smartsbd.detectors.smoothed_rtt import NS_PER_EIGHTH_US, smoothed

#: Later than any time.
_NEVER = 2**63 - 1


@dataclass(frozen=True)
class Judging:
    """Parameters of TON20-R.

    Attributes
    ----------
    round_srtts : float
        Length of a round, in units of the largest smoothed RTT.
    k : int
        Equal verdicts in a row that make a final one.
    sticky : bool
        Whether a final verdict lasts until k contrary ones in a row, or ends with the first.
    signal : str
        Losses or ECN marks.
    """

    round_srtts: float = 1.0
    k: int = 3
    sticky: bool = True
    signal: Literal["loss", "ecn"] = "loss"

    def __post_init__(self) -> None:
        if not (self.round_srtts > 0 and self.k >= 1):
            raise ValueError(f"round_srtts, k are {self.round_srtts}, {self.k}: must be above 0, and at least 1")


class RoundJudgement:
    """The judgement on two subflows, round by round.

    Attributes
    ----------
    final : bool or None
        Whether they share; None while that is not final.

    Examples
    --------
    >>> judgement, finals = RoundJudgement(k=2, sticky=True), []
    >>> for same in (True, True, False, True, False, False):
    ...     judgement.take(same)
    ...     finals.append(judgement.final)
    >>> finals
    [None, True, True, True, True, False]
    """

    def __init__(self, k: int, sticky: bool) -> None:
        self._k = k
        self._sticky = sticky
        self._same: bool | None = None
        self._in_a_row = 0
        self.final: bool | None = None

    def take(self, same: bool) -> None:
        """Take the verdict of a round."""
        self._in_a_row = self._in_a_row + 1 if same == self._same else 1
        self._same = same
        if self._in_a_row >= self._k:
            self.final = same
        elif not self._sticky:
            self.final = None


class Ton20(Detector):
    """Judges every two subflows by whether they have signals in the same rounds."""

    def __init__(self, judging: Judging) -> None:
        self._judging = judging
        self._srtt_eighth_us: dict[int, int] = {}
        self._episodes = LossEpisodes(())
        self._judgements: dict[Pair, RoundJudgement] = {}
        #: End of the open round, the subflows that it judges, and its members.
        self._end_ns = _NEVER
        self._judged: list[int] = []
        self._members: set[int] = set()

    def handlers(self) -> Mapping[int, Handler]:
        """RTT samples, and changes of state or marks."""
        if self._judging.signal == "ecn":
            return {Kind.RTT: self._on_rtt, Kind.MARK: self._on_mark}
        return {Kind.RTT: self._on_rtt, Kind.CA: self._on_state}

    def reset(self, subflow_ids: Iterable[int]) -> None:
        """Begin with a new connection."""
        super().reset(subflow_ids)
        self._srtt_eighth_us = dict.fromkeys(self.subflow_ids, 0)
        self._episodes = LossEpisodes(self.subflow_ids)
        judging = self._judging
        self._judgements = {pair: RoundJudgement(judging.k, judging.sticky) for pair in pairs_of(self.subflow_ids)}
        self._end_ns = _NEVER

    def _on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        if time_ns > self._end_ns:
            self._close()
        self._srtt_eighth_us[subflow_id] = smoothed(self._srtt_eighth_us[subflow_id], value)

    def _on_state(self, time_ns: int, subflow_id: int, value: int) -> None:
        if time_ns > self._end_ns:
            self._close()
        if self._episodes.begins(subflow_id, value):
            self._take(time_ns, subflow_id)

    def _on_mark(self, time_ns: int, subflow_id: int, value: int) -> None:
        if time_ns > self._end_ns:
            self._close()
        self._take(time_ns, subflow_id)

    def _take(self, time_ns: int, subflow_id: int) -> None:
        """Take a signal: it opens a round, or belongs to the open one."""
        if self._end_ns == _NEVER:
            longest_eighth_us = max(self._srtt_eighth_us.values())
            if not longest_eighth_us:
                return
            self._end_ns = time_ns + math.floor(self._judging.round_srtts * longest_eighth_us * NS_PER_EIGHTH_US)
            self._judged = [subflow_id for subflow_id, srtt_eighth_us in self._srtt_eighth_us.items() if srtt_eighth_us]
            self._members = set()
        self._members.add(subflow_id)

    def _close(self) -> None:
        """End the round with its verdicts."""
        for pair in pairs_of(self._judged):
            members = len(self._members.intersection(pair))
            if members:
                self._judgements[pair].take(members > 1)
        finals = {pair: judgement.final for pair, judgement in self._judgements.items()}
        self._decide(self._end_ns, partition_of(self.subflow_ids, finals))
        self._end_ns = _NEVER

    def advance(self, time_ns: int) -> None:
        """End the round that is over."""
        if time_ns >= self._end_ns:
            self._close()


TON20 = DetectorKind(
    name="ton20-r",
    evidence="R",
    source="after Wei, Xue, Han, Wei, Hong, ToN 2020",
    build=Ton20,
    presets={"default": Judging(), "ecn": Judging(signal="ecn")},
)
