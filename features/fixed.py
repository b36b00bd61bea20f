"""Bounds of the integer features: what keeps every sum exact in float64 and every feature in float32.

A kernel has no floating point, scikit-learn's trees compare float32 copies, and libraries add in
float64. With the bounds here all three see the same integers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]
Float64Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

#: RTTs, less the pair's common minimum, are clamped to this (2.1 s).
RTT_LIMIT_US = (1 << 21) - 1
#: What a congested point weighs against microseconds of RTT: one second.
CONGESTED_WEIGHT = 1_000_000
#: Most points a window may have.
POINTS_LIMIT = 682
#: Largest value of a feature: below 2^24 an integer survives the copy to float32.
FEATURE_LIMIT = (1 << 24) - 1
#: Decimal places of a score that are kept: below them, sums depend on the processor.
SCORE_DIGITS = 6
#: The Q10 representation of 1.
ONE_Q10 = 1 << 10


def ratio_q10(numerator: int, denominator: int) -> int:
    """Return the quotient of two non-negative integers in Q10, truncated.

    (numerator << 10) // denominator, at most 2^24 - 1. 0/0 is 1 (both are constant, or both absent); x/0 is the cap.

    Returns
    -------
    int in [0, 2^24 - 1], Q10

    Examples
    --------
    >>> ratio_q10(3, 2), ratio_q10(0, 0), ratio_q10(5, 0) == FEATURE_LIMIT
    (1536, 1024, True)
    """
    if denominator == 0:
        return ONE_Q10 if numerator == 0 else FEATURE_LIMIT
    return min((numerator << 10) // denominator, FEATURE_LIMIT)


def truncated(dividend: int, divisor: int) -> int:
    """Return a quotient, truncated toward zero.

    Returns
    -------
    int

    Examples
    --------
    >>> truncated(-7, 2), truncated(7, 2)
    (-3, 3)
    """
    return dividend // divisor if (dividend >= 0) == (divisor > 0) else -(-dividend // divisor)
