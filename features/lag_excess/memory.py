"""What is kept of the tiles so far: the lag of a shared queue stays, so that its evidence adds up."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from features.fixed import Int64Array
from features.lag_excess.correlogram import Correlogram
from features.lag_excess.tile import Motion, Tile

#: A decaying sum loses one part in so many with each tile.
_DECAY = 8


@dataclass(frozen=True)
class Evidence:
    """Sums over tiles.

    Attributes
    ----------
    correlogram : Correlogram
    motion_a, motion_b : Motion
        Of the pair's first and second subflow.
    """

    correlogram: Correlogram
    motion_a: Motion
    motion_b: Motion

    @classmethod
    def of(cls, tile: Tile) -> Evidence:
        """Return what a tile alone says."""
        return cls(tile.correlogram, tile.motion_a, tile.motion_b)

    def __add__(self, other: Evidence) -> Evidence:
        return Evidence(
            self.correlogram + other.correlogram, self.motion_a + other.motion_a, self.motion_b + other.motion_b
        )

    def faded(self) -> Evidence:
        """Return seven eighths of every sum, truncated toward zero."""

        def kept(sums: Int64Array) -> Int64Array:
            return sums - (abs(sums) // _DECAY) * (1 - 2 * (sums < 0))

        of = self.correlogram
        motions = (
            Motion(*(int(value) - int(value) // _DECAY for value in vars(own).values()))
            for own in (self.motion_a, self.motion_b)
        )
        return Evidence(
            Correlogram(tuple(kept(own) for own in of.agreement), tuple(kept(own) for own in of.counted)), *motions
        )


#: What a tile alone, and the memory, say: shared, not shared, or None.
Verdict = Callable[[Evidence], bool | None]


@dataclass(frozen=True)
class Forgetting:
    """How much is kept.

    Attributes
    ----------
    tiles : int or None
        The last so many, the one that goes on among them; None keeps all.
    fades : bool
        Sums lose an eighth with each tile.
    restarts : bool
        A whole tile that alone says the opposite of what was kept is the new beginning.
    """

    tiles: int | None = None
    fades: bool = False
    restarts: bool = False


#: By name, from the least that is kept to the most.
FORGETTING = {
    "tile": Forgetting(tiles=1),
    "tiles_2": Forgetting(tiles=2),
    "tiles_4": Forgetting(tiles=4),
    "fading": Forgetting(fades=True),
    "tiles_8": Forgetting(tiles=8),
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
        self._whole: deque[Evidence] = deque(maxlen=None if forgetting.tiles is None else max(1, forgetting.tiles))

    def add(self, tile: Tile) -> Evidence | None:
        """Take a tile, or half of it; return what is known then, None if nothing is.

        A tile that is too deep adds nothing.
        """
        if tile.deep:
            return self._sum(None)
        own = Evidence.of(tile)
        if not tile.whole:
            return self._sum(own)
        if self._restarts(own):
            self._whole.clear()
        found = self._sum(own)
        if self._forgetting.tiles is None:
            self._whole.clear()
            self._whole.append(found or own)
        else:
            self._whole.append(own)
        return found

    def _restarts(self, own: Evidence) -> bool:
        if not self._forgetting.restarts or self._verdict is None or not self._whole:
            return False
        said = self._verdict(own), self._verdict(self._whole[0])
        return None not in said and said[0] != said[1]

    def _sum(self, own: Evidence | None) -> Evidence | None:
        kept = list(self._whole)
        if own is not None and self._forgetting.tiles is not None:
            kept = kept[max(0, len(kept) - self._forgetting.tiles + 1) :]
        if own is not None and self._forgetting.fades:
            kept = [one.faded() for one in kept]
        found = own
        for one in reversed(kept):
            found = one if found is None else found + one
        return found
