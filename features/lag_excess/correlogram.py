"""How often the signs of two subflows' changes agree, lag by lag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from smartsbd.features.fixed import Int64Array
from smartsbd.features.lag_excess.band import BANDS, Signs


@dataclass(frozen=True)
class Correlogram:
    """Sums over pairs of changes that both count, band by band and lag by lag.

    Attributes
    ----------
    agreement : tuple of (lags,) int64
        For each band and lag, changes whose signs agree less those whose signs do not.
    counted : tuple of (lags,) int64
        All of them.
    """

    agreement: tuple[Int64Array, ...]
    counted: tuple[Int64Array, ...]

    def __add__(self, other: Correlogram) -> Correlogram:
        """Return the sums over both: the lag of a shared queue stays."""
        return Correlogram(
            tuple(mine + its for mine, its in zip(self.agreement, other.agreement, strict=True)),
            tuple(mine + its for mine, its in zip(self.counted, other.counted, strict=True)),
        )


def _at_lags(a: Signs, b: Signs, lags: Sequence[int]) -> tuple[Int64Array, Int64Array]:
    agreement, counted = [], []
    for lag in lags:
        # The change of `b` is `lag` strides before that of `a`.
        above, its = (bits << lag if lag >= 0 else bits >> -lag for bits in (b.above, b.counted))
        both = a.counted & its
        agreement.append(both.bit_count() - 2 * ((a.above ^ above) & both).bit_count())
        counted.append(both.bit_count())
    return np.array(agreement, dtype=np.int64), np.array(counted, dtype=np.int64)


def correlogram(a: Sequence[Signs], b: Sequence[Signs]) -> Correlogram:
    """Return how the signs of two subflows in a tile agree, band by band.

    With s(i) = 1 where change i is above the mean, else -1, agreement at lag L is sum(s_a(i) * s_b(i - L)) over all i
    for which change i of the first subflow and change i - L of the second both count; counted is the number of these i.

    Parameters
    ----------
    a, b : sequence of Signs
        One for each of :data:`~smartsbd.features.lag_excess.band.BANDS`, of the first and the second subflow.

    Returns
    -------
    Correlogram

    Examples
    --------
    The second subflow's changes are the first's, three steps earlier.

    >>> from smartsbd.features.lag_excess.band import Signs
    >>> everything = (1 << 25) - 1
    >>> a = [Signs(0b1011001110001111000010101 << 3 & everything, everything)] * 7
    >>> b = [Signs(0b1011001110001111000010101, everything)] * 7
    >>> sums = correlogram(a, b)
    >>> at = BANDS[0].lags.index(3)
    >>> sums.agreement[0][at], sums.counted[0][at]
    (np.int64(22), np.int64(22))
    """
    bands = [_at_lags(signs_a, signs_b, band.lags) for band, signs_a, signs_b in zip(BANDS, a, b, strict=True)]
    return Correlogram(tuple(agreement for agreement, _ in bands), tuple(counted for _, counted in bands))
