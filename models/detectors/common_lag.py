"""Common lag: delays that agree at one lag in all bands, move together, and lead one another as those of one queue do.

The statistic is in :mod:`features.common_lag`. A pair is said to share where the score, the logarithm of the odds, is
above a band, and not to where it is below minus that; the band narrows as blocks come. Between them the last verdict
holds. Sums fade, so that a bottleneck that moves is followed; where faster sums contradict twice in a row, they take
over.

The rule and its weights were defined outside of this repository, on design sets, and scored on connections set aside
(docs/experiments/common-lag.md). This detector judges as the samples come, as its twin in C does
(``export/baselines/sbd_common_lag.h``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from features.common_lag.fading_sums import SAMPLE_PARTS, EarlierBlocks, FadingSums, sums_of
from features.common_lag.lattice_blocks import LatticeBlock, LatticeBlocks
from features.common_lag.odds import PairEvidence, evidence_of, score_q10
from models.detectors.detector import Detector, DetectorKind, Handler
from models.detectors.event import Kind
from models.partition import Pair, pairs_of, partition_of

#: Eighths that sums lose at each block.
_SLOW_EIGHTHS, _FAST_EIGHTHS = 1, 3
#: Blocks without anything that are made up for.
_MOST_VOID = 64


#: What the score has to exceed at the first blocks since the sums began, and at all later ones.
_BANDS_Q10 = (2560, 1536, 1024, 768, 512)
#: Pairs of adjacent samples without which no verdict is given, in parts.
_LEAST_SAMPLES = 8 * SAMPLE_PARTS
#: What the fast sums' score has to exceed to contradict, in how many blocks in a row, and from which age on.
_FLIP_Q10, _FLIP_BLOCKS, _FLIP_AGE = 2048, 2, 4
#: Age of sums that were fast ones.
_FLIPPED_AGE = 3


@dataclass(frozen=True)
class CommonLagRule:
    """What a verdict does when it is not renewed.

    Attributes
    ----------
    holds : bool
        Whether the last verdict stands where the score allows none.
    flips : bool
        Whether fast sums that contradict take over.
    """

    holds: bool = True
    flips: bool = True


@dataclass(frozen=True)
class CommonLagJudgement:
    """The judgement when a block is known.

    Attributes
    ----------
    shared : bool or None
        The verdict that holds; None before the first.
    score_q10 : int
    age : int
        Blocks since the sums began.
    evidence : PairEvidence
    """

    shared: bool | None
    score_q10: int
    age: int
    evidence: PairEvidence


class CommonLagPair:
    """A pair of subflows, judged as samples come."""

    def __init__(self, rule: CommonLagRule) -> None:
        self.rule = rule
        self.shared: bool | None = None
        self._blocks = LatticeBlocks()
        self._lattice = 0
        self._begin()

    def _begin(self) -> None:
        self._slow, self._fast, self._before = FadingSums(), FadingSums(), EarlierBlocks()
        self._age = self._contrary = self._void = 0

    def on_rtt(self, which: int, time_ns: int, rtt_us: int) -> Iterator[CommonLagJudgement]:
        """Take a sample, none older than the one before; yield the judgements that it allows.

        Parameters
        ----------
        which : int
            0 for the lower subflow number, 1 for the higher.
        time_ns : int, nanoseconds
        rtt_us : int, us
        """
        for block in self._blocks.on_rtt(which, time_ns, rtt_us):
            yield from self._judged(block)
        if self._blocks.lattices != self._lattice:
            self._lattice = self._blocks.lattices
            self._begin()

    def finish(self) -> Iterator[CommonLagJudgement]:
        """Yield the judgements on what is complete, when no sample follows."""
        for block in self._blocks.finish():
            yield from self._judged(block)

    def _judged(self, block: LatticeBlock) -> Iterator[CommonLagJudgement]:
        sums = sums_of(block, self._before)
        self._void += block.skipped
        void = block.silent and not sums.any()
        self._blocks.tell_void(void)
        if void:
            self._void += 1
            return
        for _ in range(min(self._void, _MOST_VOID)):
            self._pass()
            yield self._judgement()
        self._void = 0
        self._pass()
        self._slow.add(sums)
        self._fast.add(sums)
        yield self._judgement()

    def _pass(self) -> None:
        self._slow.fade(_SLOW_EIGHTHS)
        self._fast.fade(_FAST_EIGHTHS)
        self._age += 1

    def _judgement(self) -> CommonLagJudgement:
        evidence = evidence_of(self._slow)
        score = score_q10(evidence)
        if self.rule.flips and self._age >= _FLIP_AGE:
            recent = evidence_of(self._fast)
            recent_score = score_q10(recent)
            contradicts = (recent_score > 0) != (score > 0) and abs(recent_score) > _FLIP_Q10
            self._contrary = self._contrary + 1 if contradicts and recent.samples >= _LEAST_SAMPLES else 0
            if self._contrary >= _FLIP_BLOCKS:
                self._slow, self._age, self._contrary = self._fast.copy(), _FLIPPED_AGE, 0
                evidence, score = recent, recent_score
        band_q10 = _BANDS_Q10[min(self._age, len(_BANDS_Q10)) - 1]
        if evidence.samples >= _LEAST_SAMPLES and evidence.bands and abs(score) > band_q10:
            self.shared = score > 0
        elif not self.rule.holds:
            self.shared = None
        return CommonLagJudgement(self.shared, score, self._age, evidence)


class CommonLag(Detector):
    """Judges each pair of subflows by itself, block by block."""

    def __init__(self, rule: CommonLagRule) -> None:
        self.rule = rule
        self._pairs: dict[Pair, CommonLagPair] = {}

    def handlers(self) -> Mapping[int, Handler]:
        """RTT samples."""
        return {Kind.RTT: self._on_rtt}

    def reset(self, subflow_ids: Iterable[int]) -> None:
        """Begin with a new connection."""
        super().reset(subflow_ids)
        self._pairs = {pair: CommonLagPair(self.rule) for pair in pairs_of(self.subflow_ids)}
        self._due_ns: int | None = None

    def _on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        # Verdicts of one moment are given at once.
        if self._due_ns != time_ns:
            self._give()
        for pair, judged in self._pairs.items():
            if subflow_id in pair and any([*judged.on_rtt(pair.index(subflow_id), time_ns, value)]):
                self._due_ns = time_ns

    def _give(self) -> None:
        if self._due_ns is not None:
            verdicts = {pair: judged.shared for pair, judged in self._pairs.items()}
            self._decide(self._due_ns, partition_of(self.subflow_ids, verdicts))
        self._due_ns = None

    def advance(self, time_ns: int) -> None:
        """Give the verdicts of the last sample's moment; that a time is later adds nothing."""
        self._give()


COMMON_LAG = DetectorKind(
    name="common-lag",
    evidence="ours",
    source="ours",
    build=CommonLag,
    presets={"default": CommonLagRule()},
)
