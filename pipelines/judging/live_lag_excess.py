"""The lag excess on samples of a connection as they come, in bounded memory.

A pair is judged when both subflows have a sample later than half of a tile, or a tile: then no later sample can change
the judgement. So the judgements are those of the detector on the whole input, to the bit
(``tests/pipelines/test_live.py``), whatever the order in which the subflows' samples come.
"""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from smartsbd.detectors.lag_excess import Criterion, Judgement, judgement
from smartsbd.detectors.partition import Pair
from smartsbd.features.lag_excess.lattice import DELAY_LIMIT_US, FIRST_SAMPLES, PART_STEPS, TILE_STEPS, Lattice
from smartsbd.features.lag_excess.memory import Memory
from smartsbd.features.lag_excess.tile import WAITED_STEPS, Tile, tiles
from smartsbd.features.series import SubflowSignals
from smartsbd.pipelines.judging.live_limits import LATE_NS, KeptAtMost

_PARTS = TILE_STEPS // PART_STEPS
#: Samples that stay although no tile needs them.
_LEFT = 1024
DROPPED = "samples dropped, more than are kept"


class Samples:
    """RTT samples of a subflow: the last ones, and the smallest of those before."""

    def __init__(self) -> None:
        self.time_ns = array("q")
        self.rtt_us = array("q")
        self.count = 0
        #: Time of the tenth.
        self.begun_ns: int | None = None
        self._lowest_us = DELAY_LIMIT_US

    @property
    def newest_ns(self) -> int:
        """Time of the last."""
        return self.time_ns[-1]

    def add(self, time_ns: int, rtt_us: int) -> None:
        """Take a sample, none earlier than the last."""
        self.time_ns.append(time_ns)
        self.rtt_us.append(rtt_us)
        self.count += 1
        if self.count == FIRST_SAMPLES:
            self.begun_ns = time_ns

    def lowest_us(self, until_ns: int) -> int:
        """Return the smallest RTT of all samples up to a time."""
        return min([self._lowest_us, *self.rtt_us[: bisect_right(self.time_ns, until_ns)]])

    def drop(self, count: int) -> None:
        """Drop the first `count` samples."""
        self._lowest_us = min([self._lowest_us, *self.rtt_us[:count]])
        del self.time_ns[:count], self.rtt_us[:count]

    def thin(self, count: int) -> None:
        """Drop `count` samples after the first, so that there is a silence in their place."""
        del self.time_ns[1 : count + 1], self.rtt_us[1 : count + 1]

    def signals(self) -> SubflowSignals:
        """Return the samples that are kept as a subflow's signals."""
        return SubflowSignals.of_rtts(self.time_ns.tolist(), self.rtt_us.tolist())


class LivePair:
    """A pair of subflows, judged at each half of a tile."""

    def __init__(self, criterion: Criterion, x: Samples, y: Samples) -> None:
        self._criterion = criterion
        self._sides = (x, y)
        self._lattice: Lattice | None = None
        self._memory: Memory = criterion.memory()
        # Of the half that is waited for, from 0.
        self._part = 0

    def _place(self) -> Lattice | None:
        """Return where the tiles lie, once it is known: both have a sample later than the later one's tenth."""
        if self._lattice is None:
            begun_ns = [side.begun_ns for side in self._sides]
            fixed_ns = None if None in begun_ns else max(time_ns for time_ns in begun_ns if time_ns is not None)
            if fixed_ns is not None and min(side.newest_ns for side in self._sides) > fixed_ns:
                lowest_us = max(side.lowest_us(fixed_ns) for side in self._sides)
                self._lattice = Lattice(fixed_ns, min(lowest_us, DELAY_LIMIT_US))
        return self._lattice

    def _shifted(self, lattice: Lattice) -> tuple[Lattice, int]:
        """Return the lattice from the tile before on, whose end the first changes reach back to, and its number."""
        first = max(self._part // _PARTS - 1, 0)
        return replace(lattice, fixed_ns=lattice.fixed_ns + first * TILE_STEPS * lattice.step_ns), first

    def needed_ns(self) -> int | None:
        """Return from when on samples are needed, and the last before; None if the last ones will do."""
        return None if self._lattice is None else self._shifted(self._lattice)[0].fixed_ns

    def judged(self) -> Iterator[Judgement]:
        """Yield the judgements that no later sample can change, and have not been yielded."""
        lattice = self._place()
        if lattice is None:
            return
        half_ns, waited_ns = PART_STEPS * lattice.step_ns, WAITED_STEPS * lattice.step_ns
        while True:
            last_ns = lattice.start_ns + (self._part + 1) * half_ns - lattice.step_ns
            newest_ns = [side.newest_ns for side in self._sides]
            if min(newest_ns) <= last_ns:
                # Is it too late for the other to be in time? Then go on to the first half that is not.
                over_ns = max(newest_ns) - LATE_NS - waited_ns - last_ns
                if over_ns <= 0:
                    return
                self._part += -(-over_ns // half_ns)
                continue
            later_ns = [side.time_ns[bisect_right(side.time_ns, last_ns)] for side in self._sides]
            over_ns = max(later_ns) - waited_ns - last_ns
            if over_ns > 0:
                self._part += -(-over_ns // half_ns)
                continue
            tile = self._tile(lattice)
            self._part += 1
            if tile is not None:
                yield judgement(tile, lattice, self._memory, self._criterion)

    def _tile(self, lattice: Lattice) -> Tile | None:
        shifted, first = self._shifted(lattice)
        number, half = divmod(self._part, _PARTS)
        wanted = (number - first, (half + 1) * PART_STEPS)
        x, y = (side.signals() for side in self._sides)
        made = tiles(x, y, shifted)
        tile = next((candidate for candidate in made if (candidate.number, candidate.steps) >= wanted), None)
        if tile is None or (tile.number, tile.steps) != wanted:
            return None
        return replace(tile, number=number)


class LagExcessConnection:
    """A connection whose pairs are judged by the lag excess.

    Parameters
    ----------
    criterion : Criterion
    limits : KeptAtMost
    counts : Counter of str
        Counts the samples that are dropped.
    """

    def __init__(self, criterion: Criterion, limits: KeptAtMost, counts: Counter[str]) -> None:
        self._criterion = criterion
        self._limits = limits
        self._counts = counts
        #: Of each subflow.
        self.samples: dict[int, Samples] = {}
        self._pairs: dict[Pair, LivePair] = {}

    def begin(self, subflow_id: int) -> None:
        """Begin with a subflow."""
        self.samples[subflow_id] = Samples()
        for pair in itertools.combinations(sorted(self.samples), 2):
            if subflow_id in pair:
                x, y = (self.samples[number] for number in pair)
                self._pairs[pair] = LivePair(self._criterion, x, y)

    def take(self, time_ns: int, subflow_id: int, rtt_us: int) -> Iterator[tuple[Pair, Judgement]]:
        """Take a sample of a subflow, none older than its last; yield the judgements that it completes.

        Parameters
        ----------
        time_ns : int, nanoseconds
        subflow_id : int
        rtt_us : int, microseconds

        Yields
        ------
        Pair
            Numbers of the subflows, the lower first.
        Judgement
        """
        samples = self.samples[subflow_id]
        samples.add(time_ns, rtt_us)
        for pair, live in self._pairs.items():
            if subflow_id in pair:
                yield from ((pair, judged) for judged in live.judged())
        if len(samples.time_ns) >= 2 * _LEFT and not len(samples.time_ns) % _LEFT:
            self._trim(samples, subflow_id)

    def finish(self) -> Iterator[tuple[Pair, Judgement]]:
        """Yield nothing: every judgement waits for a later sample."""
        yield from ()

    def _trim(self, samples: Samples, subflow_id: int) -> None:
        """Drop what no pair needs, and if there is still too much, the older half."""
        needed = [live.needed_ns() for pair, live in self._pairs.items() if subflow_id in pair]
        places = [bisect_right(samples.time_ns, time_ns) - 1 for time_ns in needed if time_ns is not None]
        samples.drop(max(min([len(samples.time_ns) - _LEFT, *places]), 0))
        if len(samples.time_ns) > self._limits.samples:
            half = len(samples.time_ns) // 2
            self._counts[DROPPED] += half
            samples.thin(half)
