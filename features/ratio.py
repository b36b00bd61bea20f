"""Ratios of the two subflows' properties, in Q10; the denominator has the lower minimum RTT."""

from __future__ import annotations

import math

import numpy as np

from smartsbd.features.fixed import Int64Array, ratio_q10


def deviation(values: Int64Array) -> int:
    """Return n times the standard deviation, truncated: isqrt(n * sum(x^2) - sum(x)^2).

    Returns
    -------
    int
        In the unit of the values times n.

    Examples
    --------
    >>> import numpy as np
    >>> deviation(np.array([0, 10]))
    10
    """
    total = int(values.sum())
    return math.isqrt(values.size * int((values * values).sum()) - total * total)


def sd_ratio_q10(a: Int64Array, b: Int64Array) -> int:
    """How much more one subflow's series varies than the other's.

    (D(a) << 10) // D(b), where D is :func:`deviation`; 1024 if both are 0.

    Parameters
    ----------
    a, b : (n,) int64
        Series on the same grid (microseconds, or 0 and 1); `b` is the denominator subflow.

    Returns
    -------
    int in [0, 2^24 - 1], Q10
        SD(a)/SD(b) truncated; 1024 where both are constant, the cap where only `b` is.

    Examples
    --------
    >>> import numpy as np
    >>> sd_ratio_q10(np.array([0, 20]), np.array([0, 10]))
    2048

    References
    ----------
    SmartSBD, section 3.2 and Table 3 (RTT_SD_Ratio, CState_SD_Ratio).
    """
    return ratio_q10(deviation(a.astype(np.int64)), deviation(b.astype(np.int64)))


def folded_ratio_q10(x: int, y: int) -> int:
    """Return the smaller of two non-negative integers over the larger in Q10: alike is 1024.

    (min(x, y) << 10) // max(x, y); 1024 if both are 0.

    Returns
    -------
    int in [0, 1024], Q10

    Examples
    --------
    >>> folded_ratio_q10(3, 4), folded_ratio_q10(4, 3), folded_ratio_q10(0, 4), folded_ratio_q10(0, 0)
    (768, 768, 0, 1024)
    """
    return ratio_q10(min(x, y), max(x, y))
