"""Verdicts by lag excess: shared, not shared, or unknown and why.

The rule has two thresholds and learns nothing: an excess says by how many standard deviations the best possible lag is
above the impossible ones of the same pair, so it needs no calibration by what it is measured on. Where the thresholds
and the memory come from is in docs/experiments.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from features.lag_excess import gate
from features.lag_excess.excess import Excess, excesses
from features.lag_excess.lattice import TOO_FEW_SAMPLES, Lattice, lattice_of
from features.lag_excess.memory import FORGETTING, Evidence, Memory
from features.lag_excess.tile import Tile, tiles
from features.series import SubflowSignals

__all__ = ["TOO_FEW_SAMPLES", "Judgement", "Rule", "judgement", "judgements", "mean_excess_q10"]


@dataclass(frozen=True)
class Rule:
    """When a pair is said to share.

    Attributes
    ----------
    shared_above_q10, apart_below_q10 : int
        Thresholds of the mean excess over bands; between them nothing is said.
    forgetting : str
        A name in :data:`features.lag_excess.memory.FORGETTING`.
    """

    shared_above_q10: int = 2560
    apart_below_q10: int = 2048
    forgetting: str = "tiles_4"

    def __post_init__(self) -> None:
        if self.apart_below_q10 > self.shared_above_q10:
            raise ValueError("apart_below_q10 is above shared_above_q10")
        if self.forgetting not in FORGETTING:
            raise ValueError(f"forgetting is {self.forgetting!r}, must be one of {sorted(FORGETTING)}")

    def memory(self) -> Memory:
        """Return the memory of a pair that begins."""
        return Memory(FORGETTING[self.forgetting], lambda evidence: self.judged(evidence)[0])

    def judged(self, evidence: Evidence) -> tuple[bool | None, int | None, str | None]:
        """Return the verdict on evidence, the mean excess, and the reason where there is no verdict."""
        bands = excesses(evidence.correlogram)
        found_q10 = mean_excess_q10(bands)
        reason = gate.closed(evidence, bands)
        if reason is not None or found_q10 is None:
            return None, found_q10, reason
        if found_q10 > self.shared_above_q10:
            return True, found_q10, None
        if found_q10 < self.apart_below_q10:
            return False, found_q10, None
        return None, found_q10, gate.BETWEEN


@dataclass(frozen=True)
class Judgement:
    """What is said of a pair from a moment on.

    Attributes
    ----------
    decided_ns : int, nanoseconds
        From when on.
    start_ns : int, nanoseconds
        First time of what it rests on.
    end_ns : int, nanoseconds
        Last time of what it rests on.
    shared : bool or None
    excess_q10 : int or None
        Mean over the bands that say something.
    reason : str or None
        Why there is no verdict.
    evidence : Evidence or None
    """

    decided_ns: int
    start_ns: int
    end_ns: int
    shared: bool | None
    excess_q10: int | None
    reason: str | None
    evidence: Evidence | None


def mean_excess_q10(bands: list[Excess | None]) -> int | None:
    """Return the mean excess over the bands that say something, truncated toward zero; None if none does.

    Examples
    --------
    >>> mean_excess_q10([None, Excess(-3, 0), Excess(-4, 0)])
    -3
    """
    found = [one.excess_q10 for one in bands if one is not None]
    if not found:
        return None
    total = sum(found)
    return abs(total) // len(found) * (1 if total >= 0 else -1)


def judgement(tile: Tile, lattice: Lattice, memory: Memory, rule: Rule) -> Judgement:
    """Return what is said when a tile, or half of it, is known."""
    evidence = memory.add(tile)
    end_ns = tile.start_ns + tile.steps * lattice.step_ns
    if evidence is None:
        return Judgement(tile.decided_ns, tile.start_ns, end_ns, None, None, gate.TOO_DEEP, None)
    return Judgement(tile.decided_ns, evidence.start_ns, end_ns, *rule.judged(evidence), evidence)


def judgements(x: SubflowSignals, y: SubflowSignals, rule: Rule) -> Iterator[Judgement]:
    """Yield what is said of a pair, in time order; nothing where there is no tile.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    rule : Rule
    """
    lattice = lattice_of(x, y)
    if isinstance(lattice, str):
        return
    memory = rule.memory()
    for tile in tiles(x, y, lattice):
        yield judgement(tile, lattice, memory, rule)
