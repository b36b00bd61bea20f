"""The best agreement at a possible lag against that at impossible ones, in integers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from smartsbd.features.fixed import ONE_Q10, Int64Array
from smartsbd.features.lag_excess.band import BANDS, NULL_LAGS, Band
from smartsbd.features.lag_excess.correlogram import Correlogram

#: Pairs of changes that a band's fullest lag, and that an impossible lag, has at least.
_LEAST_POINTS = 12
_LEAST_NULL_POINTS = 8
#: Impossible lags that a band needs.
_LEAST_NULL_LAGS = 10
#: Bands that a verdict needs.
LEAST_BANDS = 4
#: A lag counts if it has 3 / 10 of what the fullest has.
_SHARE = (3, 10)
_CORRELATION_BITS = 15
#: 1e-4, added to the variance, in units of squared correlations.
_FLOOR = (1 << 2 * _CORRELATION_BITS) // 10_000
#: Bounds of a band's excess, Q10: no band decides alone.
LOWEST_Q10, HIGHEST_Q10 = -2 * ONE_Q10, 8 * ONE_Q10


@dataclass(frozen=True)
class Excess:
    """What a band says.

    Attributes
    ----------
    excess_q10 : int
        The largest correlation at a possible lag, less the mean at impossible ones, in their standard deviations.
    peak_q10 : int
        That largest correlation.
    """

    excess_q10: int
    peak_q10: int


def correlations_q15(agreement: Int64Array, counted: Int64Array) -> Int64Array:
    """Return the correlation at each lag, 0 where nothing was counted; (lags,) int64, Q15.

    (agreement << 15) / counted, truncated toward zero.

    Parameters
    ----------
    agreement, counted : (lags,) int64
        As :class:`~smartsbd.features.lag_excess.correlogram.Correlogram` has them of a band.

    Returns
    -------
    (lags,) int64 in [-2^15, 2^15], Q15

    Examples
    --------
    >>> correlations_q15(np.array([3, -3, 0]), np.array([4, 4, 0])).tolist()
    [24576, -24576, 0]
    """
    size = (np.abs(agreement) << _CORRELATION_BITS) // np.maximum(counted, 1)
    correlation: Int64Array = np.sign(agreement) * size
    return correlation


def excess_of(band: Band, agreement: Int64Array, counted: Int64Array) -> Excess | None:
    """Return what a band says, None if too little was counted.

    With r the correlations of :func:`correlations_q15`, peak is the largest r at a possible lag, and m, total and
    squares are the number, the sum and the sum of the squares of r at the impossible ones. The excess is

        ((m * peak - total) << 10) / isqrt(m * squares - total^2 + m^2 * (2^30 // 10000)),

    truncated toward zero and kept from -2048 to 8192: the peak less the mean, over the standard deviation, where 10^-4
    is added to the variance. The peak itself is divided by 32, truncated toward zero, to be in Q10.

    A lag takes part if it has at least 3/10 of what the fullest lag has; an impossible one needs 8 pairs of changes,
    too. Too little is: fewer than 12 in the fullest lag, fewer than 10 impossible lags, or no possible one.

    Parameters
    ----------
    band : Band
    agreement, counted : (lags,) int64

    Returns
    -------
    Excess or None

    Examples
    --------
    Signs that agree at lag 0 always, and at impossible lags as often as not: the excess is that of the floor, 1 over
    0.01, and so the upper bound.

    >>> band = Band(2)
    >>> agreement, counted = np.zeros(len(band.lags), dtype=np.int64), np.full(len(band.lags), 100)
    >>> agreement[band.lags.index(0)] = 100
    >>> excess_of(band, agreement, counted)
    Excess(excess_q10=8192, peak_q10=1024)

    At the impossible lags of one side three quarters agree, and at lag 0 too: one standard deviation above the mean,
    less what the floor adds.

    >>> agreement[band.lags.index(0)] = 50
    >>> agreement[: NULL_LAGS] = 50
    >>> excess_of(band, agreement, counted)
    Excess(excess_q10=1023, peak_q10=512)
    """
    most = int(counted.max())
    enough = counted * _SHARE[1] >= most * _SHARE[0]
    null = np.ones(counted.size, dtype=np.bool_)
    null[NULL_LAGS : NULL_LAGS + 2 * band.possible + 1] = False
    usable = null & enough & (counted >= _LEAST_NULL_POINTS)
    lags = int(usable.sum())
    if most < _LEAST_POINTS or lags < _LEAST_NULL_LAGS or not (enough & ~null).any():
        return None
    correlation = correlations_q15(agreement, counted)
    peak = int(correlation[enough & ~null].max())
    total = int(correlation[usable].sum())
    spread = math.isqrt(lags * int((correlation[usable] ** 2).sum()) - total * total + lags * lags * _FLOOR)
    above = lags * peak - total
    size = (abs(above) << 10) // spread
    return Excess(
        min(max(size if above >= 0 else -size, LOWEST_Q10), HIGHEST_Q10), (abs(peak) >> 5) * (1 if peak >= 0 else -1)
    )


def excesses(of: Correlogram) -> list[Excess | None]:
    """Return what each band says.

    One for each of :data:`~smartsbd.features.lag_excess.band.BANDS`, as :func:`excess_of`.

    Returns
    -------
    list of Excess or None
    """
    return [
        excess_of(band, *sums) for band, sums in zip(BANDS, zip(of.agreement, of.counted, strict=True), strict=True)
    ]
