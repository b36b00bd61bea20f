"""Common lag: delays that agree at one lag in all bands, move together, and lead one another as those of one queue do.

The statistic is in :mod:`smartsbd.detectors.verdict`. A pair is said to share where the score, the logarithm of the
odds, is above a band, and not to share where it is below minus the band; the band narrows as blocks come. In between,
the last verdict holds. Sums fade, so that a bottleneck that moves is followed; where faster sums contradict twice in a
row, they take over. Three and more subflows are put into groups by the scores of all pairs together
(:mod:`smartsbd.detectors.verdict.joint_partition`).

The rule and its weights were defined outside of this repository, on design sets, and scored on connections set aside
(docs/experiments/common-lag.md). This detector judges as the samples come, as its twin in C does
(``detectors/verdict/sbd_common_lag.h``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from smartsbd.detectors.detector import Detector, DetectorKind, Handler
from smartsbd.detectors.event import Kind
from smartsbd.detectors.partition import Pair, pairs_of
from smartsbd.detectors.verdict.fading_sums import SAMPLE_PARTS, EarlierBlocks, FadingSums, sums_of
from smartsbd.detectors.verdict.joint_partition import Groups, PairScore, joint_verdicts
from smartsbd.detectors.verdict.lattice_blocks import LatticeBlock, LatticeBlocks
from smartsbd.detectors.verdict.odds import PairEvidence, evidence_of, score_q10
from smartsbd.detectors.verdict.queue_evidence import has_gone, shows_queue

#: Eighths that sums lose at each block.
_SLOW_EIGHTHS, _FAST_EIGHTHS = 1, 3
#: Most empty blocks in a row that are made up for.
_MOST_VOID = 64


#: What the score has to exceed at the first blocks since the sums began, and at all later ones.
_BANDS_Q10 = (2560, 1536, 1024, 768, 512)
#: Blocks after which the band narrows no more.
BAND_BLOCKS = len(_BANDS_Q10)
#: Pairs of adjacent samples without which no verdict is given, in parts.
LEAST_SAMPLES = 8 * SAMPLE_PARTS
#: What the fast sums' score has to exceed to contradict, in how many blocks in a row, and from which age on.
_FLIP_Q10, _FLIP_BLOCKS, _FLIP_AGE = 2048, 2, 4
#: Age of sums that were fast ones.
_FLIPPED_AGE = 3


def band_q10(age: int) -> int:
    """Return what the score has to exceed, in either direction, for a verdict.

    Parameters
    ----------
    age : int
        Blocks since the sums began, from 1.

    Returns
    -------
    int
        Logarithm of odds, Q10.

    Examples
    --------
    >>> band_q10(1), band_q10(2), band_q10(99)
    (2560, 1536, 512)
    """
    return _BANDS_Q10[min(age, BAND_BLOCKS) - 1]


@dataclass(frozen=True)
class CommonLagRule:
    """What happens to a verdict that is not renewed.

    Attributes
    ----------
    holds : bool
        Whether the last verdict stands where the score allows none.
    flips : bool
        Whether fast sums that contradict take over.
    needs_queues : bool
        Whether a pair has no verdict, and its last one is forgotten, while one of its paths shows no sign of a queue.
    """

    holds: bool = True
    flips: bool = True
    needs_queues: bool = True


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
    queues : tuple of bool
        Of each subflow: whether its path shows a sign of a queue, or none is needed.
    """

    shared: bool | None
    score_q10: int
    age: int
    evidence: PairEvidence
    queues: tuple[bool, bool]

    def pair_score(self) -> PairScore:
        """Return the pair's score, as it is taken together with those of other pairs."""
        if not all(self.queues):
            return PairScore(None, None)
        return PairScore(self.shared, self.score_q10 if _speaks(self.evidence) else 0)


def _speaks(evidence: PairEvidence) -> bool:
    """Tell whether there is enough for a verdict."""
    return evidence.samples >= LEAST_SAMPLES and evidence.bands > 0


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

        Yields
        ------
        CommonLagJudgement
            In order of the blocks; none while no block is complete.
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
            yield self._judgement(block)
        self._void = 0
        self._pass()
        self._slow.add(sums)
        self._fast.add(sums)
        yield self._judgement(block)

    def _pass(self) -> None:
        self._slow.fade(_SLOW_EIGHTHS)
        self._fast.fade(_FAST_EIGHTHS)
        for close in self._blocks.close:
            close.fade(_SLOW_EIGHTHS)
        self._age += 1

    def _risen_us(self, block: LatticeBlock) -> list[int]:
        return [mean - least for mean, least in zip(self._before.means_us, block.min_us, strict=True)]

    def _queues(self, block: LatticeBlock, evidence: PairEvidence) -> tuple[bool, bool]:
        if not self.rule.needs_queues:
            return True, True
        a, b = map(shows_queue, self._slow.probes, evidence.memory_q10, self._blocks.close, self._risen_us(block))
        return a, b

    def _forget_what_has_gone(self, block: LatticeBlock) -> None:
        """Begin the sums anew where a path's queue has gone: its traces would last in them for long."""
        if any(map(has_gone, self._slow.probes, self._risen_us(block))):
            self._slow, self._fast = FadingSums(), FadingSums()
            self._age = self._contrary = 0

    def _judgement(self, block: LatticeBlock) -> CommonLagJudgement:
        evidence = evidence_of(self._slow)
        score = score_q10(evidence)
        if self.rule.flips and self._age >= _FLIP_AGE:
            recent = evidence_of(self._fast)
            recent_score = score_q10(recent)
            contradicts = (recent_score > 0) != (score > 0) and abs(recent_score) > _FLIP_Q10
            self._contrary = self._contrary + 1 if contradicts and recent.samples >= LEAST_SAMPLES else 0
            if self._contrary >= _FLIP_BLOCKS:
                self._slow, self._age, self._contrary = self._fast.copy(), _FLIPPED_AGE, 0
                evidence, score = recent, recent_score
        queues = self._queues(block, evidence)
        if not all(queues):
            self.shared = None
        elif _speaks(evidence) and abs(score) > band_q10(self._age):
            self.shared = score > 0
        elif not self.rule.holds:
            self.shared = None
        judgement = CommonLagJudgement(self.shared, score, self._age, evidence, queues)
        if self.rule.needs_queues:
            self._forget_what_has_gone(block)
        return judgement


class CommonLag(Detector):
    """Judges each pair of subflows by itself, block by block, and makes groups of the scores of all."""

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
        self._places = dict(zip(self._pairs, pairs_of(range(len(self.subflow_ids))), strict=True))
        self._scores: dict[Pair, PairScore] = {}
        self._groups: Groups | None = None
        self._due_ns: int | None = None

    def _on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        # Verdicts of one moment are given at once.
        if self._due_ns != time_ns:
            self._give()
        for pair, judged in self._pairs.items():
            if subflow_id not in pair:
                continue
            for judgement in judged.on_rtt(pair.index(subflow_id), time_ns, value):
                self._scores[self._places[pair]] = judgement.pair_score()
                self._due_ns = time_ns

    def _give(self) -> None:
        if self._due_ns is not None:
            joint = joint_verdicts(len(self.subflow_ids), self._scores, self._groups)
            self._groups = joint.groups if joint.is_known() else None
            self._decide(self._due_ns, joint.partition())
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
