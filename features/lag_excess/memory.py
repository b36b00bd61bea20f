"""What is kept of the tiles so far: the lag of a shared queue stays, so that its evidence adds up."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from smartsbd.features.fixed import Int64Array
from smartsbd.features.lag_excess.comparison import Comparison, Probes
from smartsbd.features.lag_excess.correlogram import Correlogram
from smartsbd.features.lag_excess.tile import Motion, Tile

#: A fading sum loses one part in so many with each tile; after so many tiles next to nothing is left.
_FADES = 8
_FADED = 64


@dataclass(frozen=True)
class Evidence:
    """Sums over tiles.

    Attributes
    ----------
    start_ns : int, nanoseconds
        First time of the first of them.
    correlogram : Correlogram
    comparison : Comparison
    motion_a, motion_b : Motion
        Of the pair's first and second subflow.
    ended_together : int
        Silences of both that ended together.
    """

    start_ns: int
    correlogram: Correlogram
    comparison: Comparison
    motion_a: Motion
    motion_b: Motion
    ended_together: int

    @classmethod
    def of(cls, tile: Tile) -> Evidence:
        """Return what a tile alone says."""
        return cls(tile.start_ns, tile.correlogram, tile.comparison, tile.motion_a, tile.motion_b, tile.ended_together)

    def __add__(self, later: Evidence) -> Evidence:
        return Evidence(
            self.start_ns,
            self.correlogram + later.correlogram,
            self.comparison + later.comparison,
            self.motion_a + later.motion_a,
            self.motion_b + later.motion_b,
            self.ended_together + later.ended_together,
        )

    def faded(self) -> Evidence:
        """Return seven eighths of every sum, what is lost truncated toward zero.

        Of a sum x, x - sign(x) * (abs(x) // 8) is left.

        Returns
        -------
        Evidence
        """

        def kept(sums: Int64Array) -> Int64Array:
            lost = abs(sums) // _FADES
            return sums - lost * (1 - 2 * (sums < 0))

        def left(sums: Motion | Probes) -> list[int]:
            return [int(value) - int(value) // _FADES for value in vars(sums).values()]

        agreement, counted = self.correlogram.agreement, self.correlogram.counted
        return Evidence(
            self.start_ns,
            Correlogram(tuple(map(kept, agreement)), tuple(map(kept, counted))),
            Comparison(Probes(*left(self.comparison.a)), Probes(*left(self.comparison.b))),
            Motion(*left(self.motion_a)),
            Motion(*left(self.motion_b)),
            self.ended_together - self.ended_together // _FADES,
        )


#: What evidence says: shared, not shared, or None.
Verdict = Callable[[Evidence], bool | None]


@dataclass(frozen=True)
class Forgetting:
    """How much is kept.

    Attributes
    ----------
    tiles : int or None
        The last so many, including the one that is not over and those without evidence; None keeps all.
    fades : bool
        Sums lose an eighth with each tile.
    restarts : bool
        A whole tile that alone says the opposite of what was kept is the new beginning.
    """

    tiles: int | None = None
    fades: bool = False
    restarts: bool = False


#: By name.
FORGETTING = {
    "tile": Forgetting(tiles=1),
    "tiles_2": Forgetting(tiles=2),
    "tiles_4": Forgetting(tiles=4),
    "tiles_8": Forgetting(tiles=8),
    "fading": Forgetting(fades=True),
    "restarting": Forgetting(restarts=True),
    "all": Forgetting(),
}


class Memory:
    """A pair's evidence as its tiles come.

    Parameters
    ----------
    forgetting : Forgetting
    verdict : callable, optional
        Needed by a memory that restarts.
    """

    def __init__(self, forgetting: Forgetting, verdict: Verdict | None = None) -> None:
        if forgetting.restarts and verdict is None:
            raise ValueError("a memory that restarts needs to know what evidence says")
        self._forgetting = forgetting
        self._verdict = verdict
        #: Number of the last tile of each sum, and the sum; one for each tile where the last few are kept.
        self._kept: deque[tuple[int, Evidence]] = deque()

    def add(self, tile: Tile) -> Evidence | None:
        """Take a tile, or half of it; return what is known then, None if nothing is.

        A tile that is too deep adds nothing.

        Returns
        -------
        Evidence or None
            Sums over the tiles that are kept, and this one.
        """
        self._forget(tile.number)
        latest = None if tile.deep else Evidence.of(tile)
        if tile.whole and latest is not None and self._contradicts(latest):
            self._kept.clear()
        parts = [sums for _, sums in self._kept]
        if latest is not None:
            parts.append(latest)
        if not parts:
            return None
        total = parts[0]
        for part in parts[1:]:
            total += part
        if tile.whole and latest is not None:
            if self._forgetting.tiles is None:
                self._kept.clear()
                self._kept.append((tile.number, total))
            else:
                self._kept.append((tile.number, latest))
        return total

    def _forget(self, number: int) -> None:
        """Drop what is too old when a tile of this number comes."""
        if self._forgetting.tiles is not None:
            while self._kept and self._kept[0][0] <= number - self._forgetting.tiles:
                self._kept.popleft()
        elif self._forgetting.fades and self._kept:
            last, sums = self._kept.pop()
            for _ in range(min(number - last, _FADED)):
                sums = sums.faded()
            self._kept.append((max(last, number), sums))

    def _contradicts(self, latest: Evidence) -> bool:
        if not self._forgetting.restarts or self._verdict is None or not self._kept:
            return False
        verdict, verdict_before = self._verdict(latest), self._verdict(self._kept[0][1])
        return None not in (verdict, verdict_before) and verdict != verdict_before
