"""A pair's tiles: stretches of fifty round trips, each judged when half of it has passed, and when all has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from smartsbd.features.fixed import BoolArray, Int64Array
from smartsbd.features.lag_excess.band import BANDS, LEAD_STEPS, changes_of, signs_of
from smartsbd.features.lag_excess.comparison import Comparison, comparison
from smartsbd.features.lag_excess.correlogram import Correlogram, correlogram
from smartsbd.features.lag_excess.delays import LONGEST, SILENT_STEPS, Delays, decided_ns, delays_at, since
from smartsbd.features.lag_excess.lattice import PART_STEPS, TILE_STEPS, Lattice
from smartsbd.features.series import SubflowSignals

#: A tile whose mean RTT is above so many of the larger minimum RTT is too short for what moves in it.
_DEEP_RTTS = 10
#: Steps that a sender waits for the sample from which the last RTT of a tile, or of half of it, is known.
WAITED_STEPS = 256
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
    silences : int
        Silences longer than eight steps that end in them, or since the step before.
    """

    slow: int
    slow_points: int
    fast: int
    fast_points: int
    steps: int
    silent: int
    silences: int

    def __add__(self, other: Motion) -> Motion:
        return Motion(*(mine + its for mine, its in zip(vars(self).values(), vars(other).values(), strict=True)))


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
        When a sender knows it: at the first sample after the last step, of the two subflows the later.
    deep : bool
        The mean RTT of a subflow is more than ten of the larger minimum RTT.
    motion_a, motion_b : Motion
        Of the pair's first and second subflow.
    ended_together : int
        Silences of both that end within half a step of each other.
    correlogram : Correlogram
        Of the first subflow's changes with the second's.
    comparison : Comparison
    """

    number: int
    steps: int
    start_ns: int
    decided_ns: int
    deep: bool
    motion_a: Motion
    motion_b: Motion
    ended_together: int
    correlogram: Correlogram
    comparison: Comparison

    @property
    def whole(self) -> bool:
        """Nothing of it is still to come."""
        return self.steps == TILE_STEPS


def _numbers(signals: SubflowSignals, lattice: Lattice) -> set[int]:
    """Return the numbers of tiles in which the subflow has a sample, or has one soon after."""
    within = signals.rtt_time_ns[signals.rtt_time_ns >= lattice.start_ns] - lattice.start_ns
    numbers = np.unique(within // (lattice.step_ns * TILE_STEPS))
    return set(numbers.tolist()) | set((numbers[numbers > 0] - 1).tolist())


def _decided_ns(x: SubflowSignals, y: SubflowSignals, lattice: Lattice, last_ns: int) -> int | None:
    """Return when a sender knows both RTTs of a time; None if never, or so late that it does not wait."""
    x_known_ns, y_known_ns = decided_ns(x, last_ns), decided_ns(y, last_ns)
    if x_known_ns is None or y_known_ns is None:
        return None
    known_ns = max(x_known_ns, y_known_ns)
    return known_ns if known_ns - last_ns <= WAITED_STEPS * lattice.step_ns else None


def _silence_ends_ns(signals: SubflowSignals, lattice: Lattice) -> Int64Array:
    """Return when silences longer than eight steps end, from the lattice's start on."""
    ends_ns = signals.rtt_time_ns[1:][np.diff(signals.rtt_time_ns) > SILENT_STEPS * lattice.step_ns]
    return ends_ns[ends_ns >= lattice.start_ns]


def _together_ns(ends_x_ns: Int64Array, ends_y_ns: Int64Array, lattice: Lattice) -> Int64Array:
    """Return when both silences are over, of those that end within half a step of each other."""
    places = np.searchsorted(ends_y_ns, ends_x_ns - lattice.step_ns // 2, side="left")
    near_ns = np.append(ends_y_ns, np.iinfo(np.int64).max)[places]
    together_ns: Int64Array = np.maximum(ends_x_ns, near_ns)[near_ns <= ends_x_ns + lattice.step_ns // 2]
    return together_ns


def _is_deep(delays: Delays, lattice: Lattice, steps: int) -> bool:
    return int(delays.rtt_us[LEAD_STEPS : LEAD_STEPS + steps].sum()) > _DEEP_RTTS * lattice.min_rtt_us * steps


def _total(changes: Int64Array, counted: BoolArray) -> tuple[int, int]:
    return int(np.abs(changes[counted]).sum()), int(counted.sum())


@dataclass(frozen=True)
class _Silences:
    """When silences of either subflow end, and of both together."""

    ends_ns: tuple[Int64Array, Int64Array]
    together_ns: Int64Array

    @classmethod
    def of(cls, x: SubflowSignals, y: SubflowSignals, lattice: Lattice) -> _Silences:
        ends_x_ns, ends_y_ns = _silence_ends_ns(x, lattice), _silence_ends_ns(y, lattice)
        return cls((ends_x_ns, ends_y_ns), np.sort(_together_ns(ends_x_ns, ends_y_ns, lattice)))


def _count(times_ns: Int64Array, after_ns: int, last_ns: int) -> int:
    return int(np.searchsorted(times_ns, last_ns, side="right") - np.searchsorted(times_ns, after_ns, side="right"))


def _tile_at(
    x: SubflowSignals, y: SubflowSignals, lattice: Lattice, silences: _Silences, number: int, steps: int
) -> Tile | None:
    first = number * TILE_STEPS
    first_ns, last_ns = (int(lattice.at_ns(at, 1)[0]) for at in (first, first + steps - 1))
    before_ns = first_ns - lattice.step_ns
    known_ns = _decided_ns(x, y, lattice, last_ns)
    if known_ns is None:
        return None
    signs, motions, deep = [], [], False
    for signals, ends_ns in zip((x, y), silences.ends_ns, strict=True):
        delays = delays_at(signals, lattice, first - LEAD_STEPS, LEAD_STEPS + steps)
        changes = {band.span: changes_of(delays, band, steps) for band in BANDS}
        signs.append([signs_of(*changes_in_band) for changes_in_band in changes.values()])
        (slow, slow_points), (fast, fast_points) = (_total(*changes[span]) for span in (_SLOW, _FAST))
        silent = int((delays.silence[LEAD_STEPS:] == LONGEST).sum())
        ended = _count(ends_ns, before_ns, last_ns)
        motions.append(Motion(slow, slow_points, fast, fast_points, steps, silent, ended))
        deep = deep or _is_deep(delays, lattice, steps)
    return Tile(
        number=number,
        steps=steps,
        start_ns=first_ns,
        decided_ns=known_ns,
        deep=deep,
        motion_a=motions[0],
        motion_b=motions[1],
        ended_together=_count(silences.together_ns, before_ns, last_ns),
        correlogram=correlogram(*signs),
        comparison=comparison(x, y, lattice, first_ns, last_ns),
    )


def tiles(x: SubflowSignals, y: SubflowSignals, lattice: Lattice) -> Iterator[Tile]:
    """Yield a pair's tiles, each at half of it and at its end, in time order.

    A sender does not wait longer than 256 steps for the sample from which the last RTT is known. What is not known by
    then is left out.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    lattice : Lattice

    Yields
    ------
    Tile
    """
    x, y = since(x, lattice), since(y, lattice)
    silences = _Silences.of(x, y, lattice)
    for number in sorted(_numbers(x, lattice) & _numbers(y, lattice)):
        for steps in (PART_STEPS, TILE_STEPS):
            tile = _tile_at(x, y, lattice, silences, number, steps)
            if tile is not None:
                yield tile
