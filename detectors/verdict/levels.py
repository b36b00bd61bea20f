"""Correlation of two subflows' delays themselves, at lags of up to a round trip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smartsbd.detectors.verdict.change_signs import BLOCK_STEPS, LEAD_STEPS

#: Steps from one delay that is compared to the next.
DECIMATION = 4
#: Lags either way, in these.
LEVEL_LAGS = 4
#: Level of a silence from which on a delay is not compared.
_TOO_SILENT = 4
#: What a deviation is at most.
DEVIATION_US = (1 << 20) - 1


def deviation_us(delay_us: int, from_us: int) -> int:
    """Return a delay's deviation, at most about a second either way.

    Returns
    -------
    int, microseconds
        At most :data:`DEVIATION_US` in size.

    Examples
    --------
    >>> deviation_us(30, 50), deviation_us(3_000_000, 0)
    (-20, 1048575)
    """
    return min(max(delay_us - from_us, -DEVIATION_US), DEVIATION_US)


@dataclass(frozen=True)
class BlockDelays:
    """A subflow's delays at the steps of a block and the 255 before.

    Attributes
    ----------
    delay_us, level : sequence of int
        The delay at each step, and how many of 8, 16, ..., 512 steps the silence exceeds that it lies in.
    mean_us, earlier_mean_us : int
        Mean over this block and the two before, and the same at the block before.
    """

    delay_us: Sequence[int]
    level: Sequence[int]
    mean_us: int
    earlier_mean_us: int

    def deviation(self, step: int) -> int | None:
        """Return the deviation at a step of the block, or shortly before; None in a silence."""
        if self.level[LEAD_STEPS + step] >= _TOO_SILENT:
            return None
        return deviation_us(self.delay_us[LEAD_STEPS + step], self.mean_us if step >= 0 else self.earlier_mean_us)


@dataclass
class LevelSums:
    """Sums of products of deviations.

    Attributes
    ----------
    products, counted : list of int
        At each lag; at lags above 0 the second subflow's delays are the earlier ones.
    squares : list of int
        Of both subflows, where both have a delay.
    both : int
        How many these are.
    """

    products: list[int]
    counted: list[int]
    squares: list[int]
    both: int


def levels_of(a: BlockDelays, b: BlockDelays, number: int) -> LevelSums:
    """Return the sums of a block.

    Parameters
    ----------
    a, b : BlockDelays
    number : int
        Of the block: before the first one there are no delays.

    Returns
    -------
    LevelSums
        Lags from ``-LEVEL_LAGS`` to ``LEVEL_LAGS``, each of :data:`DECIMATION` steps.
    """
    lags = 2 * LEVEL_LAGS + 1
    sums = LevelSums([0] * lags, [0] * lags, [0, 0], 0)
    for step in range(0, BLOCK_STEPS, DECIMATION):
        here = (a.deviation(step), b.deviation(step))
        if here[0] is not None and here[1] is not None:
            sums.squares[0] += here[0] ** 2
            sums.squares[1] += here[1] ** 2
            sums.both += 1
        for lag in range(-LEVEL_LAGS, LEVEL_LAGS + 1):
            earlier_step = step - abs(lag) * DECIMATION
            if earlier_step < 0 and not number:
                continue
            later, sooner = here[lag < 0], (b if lag >= 0 else a).deviation(earlier_step)
            if later is not None and sooner is not None:
                sums.products[LEVEL_LAGS + lag] += later * sooner
                sums.counted[LEVEL_LAGS + lag] += 1
    return sums
