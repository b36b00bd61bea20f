"""How far apart two series lie: Euclidean, and after the best alignment in time.

Distances come in units of 4 us, truncated: the sum of squares stays below 2^53, so that float64
adds it without rounding, and ``floor(sqrt(sum) / 4)`` equals ``isqrt(sum >> 4)`` of a kernel.
"""

from __future__ import annotations

import math

import numpy as np
from dtaidistance import dtw_ndim

from features.fixed import CONGESTED_WEIGHT, BoolArray, Int64Array

_UNIT_US = 4


def points(rtt_us: Int64Array | None, congested: BoolArray | None) -> Int64Array:
    """Stack the dimensions that are given into (n, d) points; a congested point weighs one second.

    Examples
    --------
    >>> import numpy as np
    >>> points(np.array([5, 6]), np.array([True, False])).tolist()
    [[5, 1000000], [6, 0]]
    """
    dimensions = []
    if rtt_us is not None:
        dimensions.append(rtt_us)
    if congested is not None:
        dimensions.append(congested.astype(np.int64) * CONGESTED_WEIGHT)
    if not dimensions:
        raise ValueError("rtt_us and congested are both None: a point needs a dimension")
    return np.stack(dimensions, axis=1)


def ed_4us(a: Int64Array, b: Int64Array) -> int:
    """Euclidean distance of two series, point by point.

    Parameters
    ----------
    a, b : (n, d) int64, microseconds
        Points on the same grid, as :func:`points` returns them.

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

    Steps (1,0), (0,1) and (1,1) of weight 1, no window; the local cost is the squared distance of
    the points, and the result the root of the least sum.

    Parameters
    ----------
    a, b : (n, d) int64, microseconds
        Points, as :func:`points` returns them.

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
    distance: float = dtw_ndim.distance_fast(a.astype(np.float64), b.astype(np.float64), inner_dist="squared euclidean")
    return math.floor(distance / _UNIT_US)
