"""Changes of the delay band by band, and what is left of them: their signs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smartsbd.features.fixed import BoolArray, Int64Array
from smartsbd.features.lag_excess.delays import Delays
from smartsbd.features.lag_excess.lattice import STEPS_PER_RTT, TILE_STEPS

#: Impossible lags on either side that a possible one is compared with.
NULL_LAGS = 20


@dataclass(frozen=True)
class Band:
    """Changes over a number of steps.

    Attributes
    ----------
    span : int, steps
        The mean of its later half less that of its earlier half is a change.
    """

    span: int

    @property
    def stride(self) -> int:
        """From one change to the next, steps."""
        return max(1, self.span // 4)

    @property
    def points(self) -> int:
        """Changes in a tile."""
        return TILE_STEPS // self.stride

    @property
    def possible(self) -> int:
        """Largest possible lag: one round trip, strides.

        Returns
        -------
        int, strides

        Examples
        --------
        >>> [band.possible for band in BANDS], [band.points for band in BANDS]
        ([16, 16, 8, 4, 2, 1, 0], [800, 800, 400, 200, 100, 50, 25])
        """
        return STEPS_PER_RTT // self.stride

    @property
    def first_null(self) -> int:
        """Smallest lag of those that are impossible, strides: far enough for no step to be in both."""
        return self.possible + max(2, self.span // self.stride) + 1

    @property
    def lags(self) -> tuple[int, ...]:
        """Lags that are counted, ascending, strides.

        Returns
        -------
        tuple of int, strides

        Examples
        --------
        >>> lags = Band(128).lags
        >>> len(lags), lags[0], lags[19:22], lags[-1]
        (41, -24, (-5, 0, 5), 24)
        """
        null = range(self.first_null, self.first_null + NULL_LAGS)
        return (*(-lag for lag in reversed(null)), *range(-self.possible, self.possible + 1), *null)

    @property
    def bridged(self) -> int:
        """Most that :attr:`~smartsbd.features.lag_excess.delays.Delays.silence` may be of a step that counts."""
        return max(0, (self.span // 4).bit_length() - 1)


BANDS: tuple[Band, ...] = tuple(Band(span) for span in (2, 4, 8, 16, 32, 64, 128))
#: Steps before a tile that its first changes reach back to.
LEAD_STEPS = BANDS[-1].span - 1


@dataclass(frozen=True)
class Signs:
    """Signs of a subflow's changes in a tile, one bit for each.

    Attributes
    ----------
    above : int
        Bit i is set where change i counts and is above the mean of those that count.
    counted : int
        Bit i is set where change i counts.
    """

    above: int
    counted: int


def _packed(flags: BoolArray) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def changes_of(delays: Delays, band: Band, steps: int) -> tuple[Int64Array, BoolArray]:
    """Return a tile's changes in a band, half a span times as large, and which of them count.

    The change at step t, where h is half of the span, is

        sum(rtt_us[t - h + 1 .. t]) - sum(rtt_us[t - 2h + 1 .. t - h]).

    Counted from the tile's first step, t is 0, stride, 2 * stride and so on. A change does not count if more than half
    of its span lies in silences longer than twice the span, and eight steps.

    Parameters
    ----------
    delays : Delays
        Of a tile, and :data:`LEAD_STEPS` before it.
    band : Band
    steps : int
        Of the tile that have passed.

    Returns
    -------
    changes : (n,) int64, microseconds times span / 2
    counted : (n,) bool

    Examples
    --------
    A delay that rises by 1 us each step: over 4 steps the later two are together 4 us above the earlier two.

    >>> rising = Delays(np.arange(LEAD_STEPS + 3), np.zeros(LEAD_STEPS + 3, dtype=np.int64))
    >>> changes, counted = changes_of(rising, Band(4), 3)
    >>> changes.tolist(), counted.tolist()
    ([4, 4, 4], [True, True, True])
    """
    half = band.span // 2
    at = np.arange(0, steps, band.stride) + LEAD_STEPS
    total = np.concatenate(([0], np.cumsum(delays.rtt_us)))
    silent = np.concatenate(([0], np.cumsum(delays.silence > band.bridged)))
    changes = total[at + 1] - 2 * total[at + 1 - half] + total[at + 1 - band.span]
    counted: BoolArray = silent[at + 1] - silent[at + 1 - band.span] <= half
    return changes, counted


def signs_of(changes: Int64Array, counted: BoolArray) -> Signs:
    """Return the signs of changes around their mean over those that count.

    Change i is above if n * change[i] > sum(change), n and the sum those of the changes that count.

    Parameters
    ----------
    changes, counted : (n,) int64, (n,) bool
        As :func:`changes_of` returns them.

    Returns
    -------
    Signs
        Bit i is that of change i.

    Examples
    --------
    >>> import numpy as np
    >>> signs_of(np.array([0, 9, 4, 90]), np.array([True, True, True, False]))
    Signs(above=2, counted=7)
    """
    above = counted & (changes * int(counted.sum()) > int(changes[counted].sum()))
    return Signs(_packed(above), _packed(counted))
