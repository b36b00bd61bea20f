"""Ratios of the two subflows' properties, in Q10; the denominator has the lower minimum RTT."""

from __future__ import annotations

import math

import numpy as np

from features.fixed import Int64Array, ratio_q10


def _deviation(values: Int64Array) -> int:
    """Return n times the standard deviation, truncated: isqrt(n * sum(x^2) - sum(x)^2)."""
    total = int(values.sum())
    return math.isqrt(values.size * int((values * values).sum()) - total * total)


def sd_ratio_q10(a: Int64Array, b: Int64Array) -> int:
    """How much more one subflow's series varies than the other's.

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
    return ratio_q10(_deviation(a.astype(np.int64)), _deviation(b.astype(np.int64)))


def min_rtt_ratio_q10(a_us: int, b_us: int) -> int:
    """How much longer one path is than the other: minimum RTT over minimum RTT.

    Examples
    --------
    >>> min_rtt_ratio_q10(60_000, 24_000)
    2560

    References
    ----------
    SmartSBD, Table 3 (Min_RTT_Ratio).
    """
    return ratio_q10(a_us, b_us)
