"""How far two series move together, in integers of 64 bits."""

from __future__ import annotations

import math

import numpy as np

from smartsbd.features.fixed import ONE_Q10, Int64Array

#: A quotient in Q10 needs ten bits of head room: larger denominators are shifted down to this many.
_QUOTIENT_BITS = 52


def correlation_q10(x: Int64Array, y: Int64Array) -> int:
    """Pearson's correlation of two series.

    With D(x) = isqrt(n * sum(x^2) - sum(x)^2) the result is (n * sum(xy) - sum(x) * sum(y)) / (D(x) * D(y)),
    truncated toward zero and kept within +-1; where the denominator has more than 52 bits, both are first
    shifted right by the rest.

    Parameters
    ----------
    x, y : (n,) int64
        ``|values| < 2^21`` and ``n <= 682``, so that no sum leaves 63 bits.

    Returns
    -------
    int in [-1024, 1024], Q10
        0 if a series is constant: it tells nothing of the other.

    Examples
    --------
    >>> import numpy as np
    >>> correlation_q10(np.array([1, 2, 3]), np.array([2, 4, 7])), correlation_q10(np.array([1, 2]), np.array([5, 5]))
    (1024, 0)
    >>> correlation_q10(np.array([0, 0, 9000]), np.array([4000, 0, 0]))
    -512
    """
    n = x.size
    sum_x, sum_y = int(x.sum()), int(y.sum())
    spread_x = math.isqrt(n * int((x * x).sum()) - sum_x * sum_x)
    spread_y = math.isqrt(n * int((y * y).sum()) - sum_y * sum_y)
    if spread_x == 0 or spread_y == 0:
        return 0
    common = n * int((x * y).sum()) - sum_x * sum_y
    spread = spread_x * spread_y
    shift = max(0, spread.bit_length() - _QUOTIENT_BITS)
    size = min(((abs(common) >> shift) << 10) // (spread >> shift), ONE_Q10)
    return size if common >= 0 else -size


def doubled_ranks(values: Int64Array) -> Int64Array:
    """Return twice the rank of each value, 1 the smallest; equals take their mean rank.

    2 * less + equal + 1 for a value that `less` values fall below and that occurs `equal` times.

    Returns
    -------
    (n,) int64
        From 2 to 2n.

    Examples
    --------
    >>> import numpy as np
    >>> doubled_ranks(np.array([30, 10, 10, 20])).tolist()
    [8, 3, 3, 6]
    """
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (2 * np.cumsum(count) - count + 1)[place].astype(np.int64)


def largest_lagged_q10(x: Int64Array, y: Int64Array, lag: int) -> int:
    """Largest correlation of the overlapping parts over all shifts of up to `lag` points either way.

    The largest :func:`correlation_q10` of x[k + s] and y[k] over the points k at which both exist, s from -lag to lag.

    Parameters
    ----------
    x, y : (n,) int64
        As :func:`correlation_q10` takes them.
    lag : int, points
        Largest shift; at most n, and the parts that overlap are n - ``|shift|`` long.

    Returns
    -------
    int in [-1024, 1024], Q10

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0, 0, 9, 0, 0, 0])
    >>> y = np.array([0, 0, 0, 9, 0, 0])
    >>> correlation_q10(x, y), largest_lagged_q10(x, y, 1)
    (-207, 1024)
    """
    n = x.size
    return max(
        correlation_q10(x[max(0, shift) : n + min(0, shift)], y[max(0, -shift) : n + min(0, -shift)])
        for shift in range(-lag, lag + 1)
    )
