"""How far apart two series lie: Euclidean, and after the best alignment in time.

Distances come in units of 4 us, truncated: the sum of squares stays below 2^53, so that float64
adds it without rounding, and ``floor(sqrt(sum) / 4)`` equals ``isqrt(sum >> 4)`` of a kernel.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from smartsbd.features.fixed import Float64Array, Int64Array
from smartsbd.native import time_warping

UNIT_US = 4
#: Width of the Sakoe-Chiba band as a share of n.
_BAND_SHARE = 0.1


def ed_4us(a: Int64Array, b: Int64Array) -> int:
    """Euclidean distance of two series, point by point.

    isqrt(sum((a - b)^2) >> 4), the sum over all points and dimensions.

    Parameters
    ----------
    a, b : (n, d) int64, microseconds
        Points on the same grid.

    Returns
    -------
    int in [0, 2^24), units of 4 us

    Examples
    --------
    >>> import numpy as np
    >>> ed_4us(np.array([[0], [0]]), np.array([[30], [40]]))
    12

    References
    ----------
    SmartSBD, section 3.2 and Table 3 (ED).
    """
    difference = a - b
    return math.isqrt(int((difference * difference).sum()) >> 4)


def dtwd_4us(a: Int64Array, b: Int64Array) -> int:
    """Distance of two series after dynamic time warping.

    floor(sqrt(least) / 4), where least is the least sum of squared distances of the points a[i] and b[j] over all paths
    from (0, 0) to (n - 1, n - 1). Steps are (1, 0), (0, 1) and (1, 1), each of weight 1; there is no window.

    Parameters
    ----------
    a, b : (n, d) int64, microseconds
        Points on the same grid.

    Returns
    -------
    int in [0, 2^24), units of 4 us; never more than :func:`ed_4us`

    Examples
    --------
    >>> import numpy as np
    >>> dtwd_4us(np.array([[0], [40], [0]]), np.array([[0], [0], [40]]))
    10

    References
    ----------
    SmartSBD, section 3.2 and Table 3 (DTWD).
    """
    return math.floor(dtwd(a.astype(np.float64), b.astype(np.float64)) / UNIT_US)


def per_point(distance: int, n: int) -> int:
    """Return a distance divided by the root of its number of points, in integers: isqrt(distance^2 / n).

    Returns
    -------
    int
        In the unit of the distance, truncated.

    Examples
    --------
    >>> per_point(100, 25), per_point(10, 3)
    (20, 5)
    """
    return math.isqrt(distance * distance // n)


def ed(a: Float64Array, b: Float64Array) -> float:
    """Euclidean distance of two (n, d) series of reals.

    sqrt(sum((a - b)^2)), the sum over all points and dimensions.

    Returns
    -------
    float
        Not negative, in the unit of the series.

    Examples
    --------
    >>> import numpy as np
    >>> ed(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    5.0

    References
    ----------
    SmartSBD, section 3.2 and Table 3 (ED).
    """
    difference = a - b
    # A plain sum in order: vectorised ones differ from processor to processor in the last digit.
    return math.sqrt(math.fsum((difference * difference).ravel().tolist()))


def dtwd(a: Float64Array, b: Float64Array) -> float:
    """Distance of two (n, d) series of reals after dynamic time warping, as :func:`dtwd_4us`.

    The root of the least sum itself, not divided and not truncated.

    Returns
    -------
    float
        Not negative, in the unit of the series; never more than :func:`ed`.

    Examples
    --------
    >>> import numpy as np
    >>> dtwd(np.array([[0.0], [4.0], [0.0]]), np.array([[0.0], [0.0], [4.0]]))
    4.0

    References
    ----------
    SmartSBD, section 3.2 and Table 3 (DTWD).
    """
    return time_warping.distance(a, b)


def warping_path(a: Int64Array | Float64Array, b: Int64Array | Float64Array) -> Int64Array:
    """Best alignment of two series, that of :func:`dtwd`.

    Parameters
    ----------
    a, b : (n, d)
        Points on the same grid.

    Returns
    -------
    (steps, 2) int64
        Positions in `a` and `b` that are aligned with each other, from the first points to the last.

    Examples
    --------
    >>> import numpy as np
    >>> warping_path(np.array([[0], [40], [0]]), np.array([[0], [0], [40]])).tolist()
    [[0, 0], [0, 1], [1, 2], [2, 2]]
    """
    # Not needed to show what an input holds, and slow to import.
    from dtaidistance import dtw_ndim

    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return np.array(dtw_ndim.warping_path(first, second, inner_dist="squared euclidean"), dtype=np.int64)


def _symmetric2(a: Float64Array, b: Float64Array) -> float:
    """Return the least sum with diagonal steps counting twice, over the sum of the lengths."""
    rows, columns = len(a), len(b)
    cost = np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2))
    # Cells of one antidiagonal do not depend on each other, and lie evenly in memory; least[i] is the one in row i - 1.
    flat, step = cost.ravel(), columns - 1
    before, last, least = (np.full(rows + 2, np.inf) for _ in range(3))
    last[1] = 2 * cost[0, 0]
    for diagonal in range(1, rows + columns - 1):
        first, end = max(0, diagonal - columns + 1), min(rows, diagonal + 1)
        costs = flat[diagonal + first * step : diagonal + (end - 1) * step + 1 : step or 1]
        straight = np.minimum(last[first:end], last[first + 1 : end + 1]) + costs
        np.minimum(straight, before[first:end] + 2 * costs, out=least[first + 1 : end + 1])
        least[first] = least[end + 1] = np.inf
        before, last, least = last, least, before
    return float(last[rows]) / (rows + columns)


def other_dtwd(
    a: Int64Array | Float64Array, b: Int64Array | Float64Array, kind: Literal["l1", "symmetric2", "band"]
) -> float:
    """Distance after another kind of warping (docs/ambiguities.md, 11).

    Parameters
    ----------
    a, b : (n, d)
    kind : str
        ``l1``: the sum of the distances of the points along the path. ``symmetric2``: the same, a diagonal
        step counting twice, divided by the sum of the lengths. ``band``: as :func:`dtwd`, the path staying
        within 10 % of n of the diagonal.

    Returns
    -------
    float
        Not negative, in the unit of the series.

    Examples
    --------
    The path leads over the points (0, 0), (0, 1), (1, 2) and (2, 2), of which the last has a distance of 4.

    >>> import numpy as np
    >>> a, b = np.array([[0], [4], [0]]), np.array([[0], [0], [4]])
    >>> other_dtwd(a, b, "l1"), other_dtwd(a, b, "band")
    (4.0, 4.0)
    >>> round(other_dtwd(a, b, "symmetric2"), 3)
    0.667

    References
    ----------
    Sakoe and Chiba 1978 (symmetric2, band).
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if kind == "symmetric2":
        return _symmetric2(first, second)
    from dtaidistance import dtw_ndim

    if kind == "band":
        window = math.ceil(_BAND_SHARE * len(first)) + 1
        distance: float = dtw_ndim.distance_fast(first, second, inner_dist="squared euclidean", window=window)
        return distance
    total: float = dtw_ndim.distance_fast(first, second, inner_dist="euclidean")
    return total
