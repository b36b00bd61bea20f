"""Lag excess, ours: delays agree better at a possible lag than at impossible ones where a queue is shared.

The statistic is in :mod:`smartsbd.features.lag_excess`. The criterion has two thresholds and learns nothing: an excess
says by how many standard deviations the best possible lag is above the impossible ones of the same pair, so it needs no
calibration by what it is measured on. A second witness, the comparison test on the same tiles, adds its lead, one
at most in either direction. Where thresholds, witness and memory come from is in docs/experiments/lag-excess.md.

Unlike other detectors this one takes an opinion back: where the evidence lies between the thresholds, or does not allow
a verdict, nothing is said of a pair. It keeps every sample, and judges anew whenever it is asked; its twin in C
(``detectors/in_c/sbd_lag_excess.h``) judges as the samples come.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import ClassVar

from smartsbd.detectors.detector import Detector, DetectorKind, Handler
from smartsbd.detectors.event import Kind
from smartsbd.detectors.partition import Pair, pairs_of, partition_of
from smartsbd.features.fixed import ONE_Q10
from smartsbd.features.lag_excess import gate
from smartsbd.features.lag_excess.excess import Excess, excesses
from smartsbd.features.lag_excess.lattice import Lattice, lattice_of
from smartsbd.features.lag_excess.memory import Evidence, Forgetting, Memory
from smartsbd.features.lag_excess.tile import Tile, tiles
from smartsbd.features.series import SubflowSignals

#: What a sender includes, its card, and where the header is.
HEADER, CARD = "sbd_lag_excess.h", "sbd_lag_excess.md"
SOURCE = Path(__file__).parent / "in_c" / HEADER
#: Tiles that a sender has room for.
MOST_TILES = 4
#: What the witness adds or takes at most.
_WITNESS_Q10 = ONE_Q10


@dataclass(frozen=True)
class Criterion:
    """When a pair is said to share.

    Attributes
    ----------
    shared_above_q10, apart_below_q10 : int
        Thresholds of the score, the mean excess over bands and what the witness adds; between them nothing is said.
    tiles : int
        How many the verdict rests on, the one that goes on among them: 1 to 4.
    compares : bool
        Whether the comparison test is a witness.
    """

    shared_above_q10: int = 2253
    apart_below_q10: int = 1741
    tiles: int = 4
    compares: bool = True

    def __post_init__(self) -> None:
        if self.apart_below_q10 > self.shared_above_q10:
            raise ValueError("apart_below_q10 is above shared_above_q10")
        if not 1 <= self.tiles <= MOST_TILES:
            raise ValueError(f"tiles is {self.tiles}, must be from 1 to {MOST_TILES}")

    def memory(self) -> Memory:
        """Return the memory of a pair that begins."""
        return Memory(Forgetting(tiles=self.tiles))

    def judged(self, evidence: Evidence) -> tuple[bool | None, int | None, str | None]:
        """Return the verdict on evidence, the score, and the reason where there is no verdict."""
        return self.judged_by(excesses(evidence.correlogram), evidence)

    def judged_by(self, bands: list[Excess | None], evidence: Evidence) -> tuple[bool | None, int | None, str | None]:
        """Return what :meth:`judged` returns, given the excess of each band of the evidence."""
        score_q10 = mean_excess_q10(bands)
        if score_q10 is not None and self.compares:
            score_q10 += _witnessed_q10(evidence)
        reason = gate.closed(evidence, bands)
        if reason is not None or score_q10 is None:
            return None, score_q10, reason
        if score_q10 > self.shared_above_q10:
            return True, score_q10, None
        if score_q10 < self.apart_below_q10:
            return False, score_q10, None
        return None, score_q10, gate.BETWEEN


@dataclass(frozen=True)
class Judgement:
    """The judgement on a pair from a moment on.

    Attributes
    ----------
    decided_ns : int, nanoseconds
        From when on.
    start_ns : int, nanoseconds
        First time of what the judgement rests on.
    end_ns : int, nanoseconds
        Last time of what the judgement rests on.
    shared : bool or None
    score_q10 : int or None
        Mean excess over the bands that say something, and what the witness adds.
    reason : str or None
        Why there is no verdict.
    evidence : Evidence or None
    wrong_share : None
        It was never calibrated.
    """

    wrong_share: ClassVar[None] = None

    decided_ns: int
    start_ns: int
    end_ns: int
    shared: bool | None
    score_q10: int | None
    reason: str | None
    evidence: Evidence | None


def mean_excess_q10(bands: list[Excess | None]) -> int | None:
    """Return the mean excess over the bands that say something, truncated toward zero; None if none does.

    Returns
    -------
    int or None
        In 1024ths of a standard deviation.

    Examples
    --------
    >>> mean_excess_q10([None, Excess(-3, 0), Excess(-4, 0)])
    -3
    """
    excesses_q10 = [band.excess_q10 for band in bands if band is not None]
    if not excesses_q10:
        return None
    total = sum(excesses_q10)
    return abs(total) // len(excesses_q10) * (1 if total >= 0 else -1)


def _witnessed_q10(evidence: Evidence) -> int:
    lead_q10 = evidence.comparison.lead_q10()
    return 0 if lead_q10 is None else min(max(lead_q10, -_WITNESS_Q10), _WITNESS_Q10)


def judgement(tile: Tile, lattice: Lattice, memory: Memory, criterion: Criterion) -> Judgement:
    """Return the judgement when a tile, or half of it, is known.

    Parameters
    ----------
    tile : Tile
    lattice : Lattice
        Where the tiles lie.
    memory : Memory
        What is kept of the pair's earlier tiles; this tile is added to it.
    criterion : Criterion
        When the evidence suffices for a verdict.

    Returns
    -------
    Judgement
        Without evidence if the queue is too deep for the tile.
    """
    evidence = memory.add(tile)
    end_ns = tile.start_ns + tile.steps * lattice.step_ns
    if evidence is None:
        return Judgement(tile.decided_ns, tile.start_ns, end_ns, None, None, gate.TOO_DEEP, None)
    return Judgement(tile.decided_ns, evidence.start_ns, end_ns, *criterion.judged(evidence), evidence)


def judgements(x: SubflowSignals, y: SubflowSignals, criterion: Criterion) -> Iterator[Judgement]:
    """Yield the judgements on a pair, in time order; none if there is no tile.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    criterion : Criterion

    Yields
    ------
    Judgement
        One at each half of a tile that is known.
    """
    lattice = lattice_of(x, y)
    if isinstance(lattice, str):
        return
    memory = criterion.memory()
    for tile in tiles(x, y, lattice):
        yield judgement(tile, lattice, memory, criterion)


class _Samples:
    """RTT samples of a subflow as they come."""

    def __init__(self) -> None:
        self.time_ns = array("q")
        self.rtt_us = array("q")

    def signals(self) -> SubflowSignals:
        return SubflowSignals.of_rtts(self.time_ns.tolist(), self.rtt_us.tolist())


class LagExcess(Detector):
    """Judges each pair of subflows by itself, at each half of a tile."""

    def __init__(self, criterion: Criterion) -> None:
        self.criterion = criterion
        self._samples: dict[int, _Samples] = {}

    def handlers(self) -> Mapping[int, Handler]:
        """RTT samples."""
        return {Kind.RTT: self._on_rtt}

    def reset(self, subflow_ids: Iterable[int]) -> None:
        """Begin with a new connection."""
        super().reset(subflow_ids)
        self._samples = {subflow_id: _Samples() for subflow_id in self.subflow_ids}

    def _on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        self._samples[subflow_id].time_ns.append(time_ns)
        self._samples[subflow_id].rtt_us.append(value)

    def advance(self, time_ns: int) -> None:
        """Judge by all samples so far; that a time is later than the last sample adds nothing."""
        signals = {subflow_id: samples.signals() for subflow_id, samples in self._samples.items()}
        verdicts_in_order = sorted(
            (
                (judged.decided_ns, pair, judged.shared)
                for pair in pairs_of(self.subflow_ids)
                for judged in judgements(signals[pair[0]], signals[pair[1]], self.criterion)
            ),
            key=itemgetter(0),
        )
        self._partition = (None,) * len(self.subflow_ids)
        self._opinions = []
        verdicts: dict[Pair, bool | None] = {}
        for decided_ns, at_once in itertools.groupby(verdicts_in_order, key=itemgetter(0)):
            verdicts.update({pair: shared for _, pair, shared in at_once})
            self._decide(decided_ns, partition_of(self.subflow_ids, verdicts))


LAG_EXCESS = DetectorKind(
    name="lag-excess",
    evidence="ours",
    source="ours",
    build=LagExcess,
    presets={"default": Criterion(), "alone": Criterion(shared_above_q10=2560, apart_below_q10=2048, compares=False)},
)
