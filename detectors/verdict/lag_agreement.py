"""Agreement of two subflows' changes at possible and impossible lags, band by band.

Lags of up to a round trip either way are possible where a queue is shared. Twenty longer ones on either side are not:
they say how much delays of this pair agree by chance.
"""

from __future__ import annotations

from smartsbd.detectors.verdict.change_signs import BANDS, EARLIER_BITS, ChangeSigns, changes_of, span_of, stride_of

STEPS_PER_RTT = 16
#: Impossible lags on either side.
NULL_LAGS = 20


def possible_of(band: int) -> int:
    """Return the largest possible lag of a band, in strides."""
    return STEPS_PER_RTT // stride_of(band)


def lags_of(band: int) -> list[int]:
    """Return the lags of a band, in strides: impossible ones, possible ones, impossible ones.

    Returns
    -------
    list of int
        Ascending, and symmetric about 0.

    Examples
    --------
    >>> lags_of(6)[:3], lags_of(6)[19:23], lags_of(6)[-1]
    ([-24, -23, -22], [-5, 0, 5, 6], 24)
    """
    possible = possible_of(band)
    first = possible + max(2, span_of(band) // stride_of(band)) + 1
    last = first + NULL_LAGS
    return [*range(1 - last, 1 - first), *range(-possible, possible + 1), *range(first, last)]


#: Number of lags of all bands.
LAGS = sum(len(lags_of(band)) for band in range(BANDS))


def agreements(a: ChangeSigns, b: ChangeSigns, band: int) -> list[tuple[int, int]]:
    """Return, for each lag of a band, by how many more changes agree than differ, and how many were compared.

    Parameters
    ----------
    a, b : ChangeSigns
        Of both subflows in a block. At a lag above 0, b's changes are the earlier ones; partners may lie in earlier
        blocks.
    band : int

    Returns
    -------
    list of (int, int)
        In the order of :func:`lags_of`.
    """
    mask = (1 << changes_of(band)) - 1
    at_lags = []
    for lag in lags_of(band):
        later, sooner = (a, b) if lag >= 0 else (b, a)
        by = EARLIER_BITS - abs(lag)
        both = later.counted >> EARLIER_BITS & sooner.counted >> by & mask
        different = (later.above >> EARLIER_BITS ^ sooner.above >> by) & both
        at_lags.append((both.bit_count() - 2 * different.bit_count(), both.bit_count()))
    return at_lags
