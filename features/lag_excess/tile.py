"""A pair's tiles: stretches of fifty round trips, each judged when half of it has passed, and when all has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from features.fixed import BoolArray, Int64Array
from features.lag_excess.band import BANDS, LEAD_STEPS, changes_of, signs_of
from features.lag_excess.correlogram import Correlogram, correlogram
from features.lag_excess.delays import LONGEST, Delays, decided_ns, delays_at, known_before_ns
from features.lag_excess.lattice import PART_STEPS, TILE_STEPS, Lattice
from features.series import SubflowSignals

#: A tile whose mean RTT is above so many of the larger minimum RTT is too short for what moves in it.
_DEEP_RTTS = 10
#: Bands whose changes say whether anything moves, slow and fast.
_SLOW, _FAST = 64, 4


@dataclass(frozen=True)
class Motion:
    """How large a subflow's changes are in a tile: sums, and over how many.

    Attributes
    ----------
    slow, fast : int, microseconds times half a span
        Sums of the absolute changes over 64 steps, and over 4.
    slow_points, fast_points : int
    steps, silent : int
        Steps of the tile that have passed, and how many of them lie in a silence longer than 256 steps.
    """

    slow: int
    slow_points: int
    fast: int
    fast_points: int
    steps: int
    silent: int

    def __add__(self, other: Motion) -> Motion:
        return Motion(*(own + its for own, its in zip(vars(self).values(), vars(other).values(), strict=True)))


@dataclass(frozen=True)
class Tile:
    """What is known of a pair at half of a tile, or at its end.

    Attributes
    ----------
    number : int
        From 0.
    steps : int
        Passed of it: 400 or 800.
    start_ns : int, nanoseconds
    decided_ns : int, nanoseconds
        When a sender knows it: at the first sample of either subflow after the last step, the later of the two.
    deep : bool
        The mean RTT of a subflow is more than ten of the larger minimum RTT.
    motion_a, motion_b : Motion
        Of the pair's first and second subflow.
    correlogram : Correlogram
        Of the first subflow's changes with the second's.
    """

    number: int
    steps: int
    start_ns: int
    decided_ns: int
    deep: bool
    motion_a: Motion
    motion_b: Motion
    correlogram: Correlogram

    @property
    def whole(self) -> bool:
        """Nothing of it is still to come."""
        return self.steps == TILE_STEPS


def _first_numbers(signals: SubflowSignals, lattice: Lattice) -> set[int]:
    """Return the numbers of tiles in which the subflow has a sample."""
    within = signals.rtt_time_ns[signals.rtt_time_ns >= lattice.start_ns] - lattice.start_ns
    return set(np.unique(within // (lattice.step_ns * TILE_STEPS)).tolist())


def _is_deep(delays: Delays, lattice: Lattice, steps: int) -> bool:
    return int(delays.rtt_us[LEAD_STEPS : LEAD_STEPS + steps].sum()) > _DEEP_RTTS * lattice.min_rtt_us * steps


def _total(changes: Int64Array, counted: BoolArray) -> tuple[int, int]:
    return int(np.abs(changes[counted]).sum()), int(counted.sum())


def _judged(x: SubflowSignals, y: SubflowSignals, lattice: Lattice, number: int, steps: int) -> Tile:
    first = number * TILE_STEPS
    signs, motions, deep = [], [], False
    for own in (x, y):
        delays = delays_at(own, lattice, first - LEAD_STEPS, LEAD_STEPS + steps)
        changes = {band.span: changes_of(delays, band, steps) for band in BANDS}
        signs.append([signs_of(*found) for found in changes.values()])
        (slow, slow_points), (fast, fast_points) = (_total(*changes[span]) for span in (_SLOW, _FAST))
        silent = int((delays.silence[LEAD_STEPS:] == LONGEST).sum())
        motions.append(Motion(slow, slow_points, fast, fast_points, steps, silent))
        deep = deep or _is_deep(delays, lattice, steps)
    last_ns = int(lattice.at_ns(first + steps - 1, 1)[0])
    return Tile(
        number=number,
        steps=steps,
        start_ns=int(lattice.at_ns(first, 1)[0]),
        decided_ns=max(decided_ns(own, last_ns) for own in (x, y)),
        deep=deep,
        motion_a=motions[0],
        motion_b=motions[1],
        correlogram=correlogram(*signs),
    )


def tiles(x: SubflowSignals, y: SubflowSignals, lattice: Lattice) -> Iterator[Tile]:
    """Yield a pair's tiles, each at half of it and at its end; none in which a subflow has no sample.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    lattice : Lattice
    """
    known_ns = min(known_before_ns(own) for own in (x, y))
    for number in sorted(_first_numbers(x, lattice) & _first_numbers(y, lattice)):
        for steps in (PART_STEPS, TILE_STEPS):
            if int(lattice.at_ns(number * TILE_STEPS + steps - 1, 1)[0]) < known_ns:
                yield _judged(x, y, lattice, number, steps)
