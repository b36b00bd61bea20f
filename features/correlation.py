"""How far two subflows' RTTs move together: the simple references every detector must beat."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy import stats

from features.fixed import Int64Array


def _correlation(a: Sequence[int], b: Sequence[int]) -> float:
    """Correlate integers; sums are exact, so that the result is the same on every processor."""
    n = len(a)
    sum_a, sum_b = sum(a), sum(b)
    spread_a = n * sum(x * x for x in a) - sum_a * sum_a
    spread_b = n * sum(y * y for y in b) - sum_b * sum_b
    if spread_a == 0 or spread_b == 0:
        return 0.0
    shared = n * sum(x * y for x, y in zip(a, b, strict=True)) - sum_a * sum_b
    return shared / (math.sqrt(spread_a) * math.sqrt(spread_b))


def pearson(a: Int64Array, b: Int64Array) -> float:
    """Linear correlation of two series on one grid.

    Parameters
    ----------
    a, b : (n,) int64

    Returns
    -------
    float in [-1, 1]
        0 if a series is constant: it tells nothing of the other.

    Examples
    --------
    >>> import numpy as np
    >>> round(pearson(np.array([1, 2, 3]), np.array([2, 4, 7])), 3)
    0.993
    """
    return _correlation(a.tolist(), b.tolist())


def spearman(a: Int64Array, b: Int64Array) -> float:
    """Rank correlation of two series on one grid; ties take their mean rank.

    Parameters
    ----------
    a, b : (n,) int64

    Returns
    -------
    float in [-1, 1]
        0 if a series is constant.

    Examples
    --------
    >>> import numpy as np
    >>> round(spearman(np.array([1, 2, 3, 4]), np.array([1, 10, 100, 1000])), 9)
    1.0
    """
    # Mean ranks of ties are halves: doubled, they are integers.
    doubled = [[round(2 * rank) for rank in stats.rankdata(series).tolist()] for series in (a, b)]
    return _correlation(*doubled)
