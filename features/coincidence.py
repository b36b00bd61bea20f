"""How far two series of yes and no coincide, beside what chance would give."""

from __future__ import annotations

import numpy as np

from smartsbd.features.fixed import BoolArray


def jaccard_excess_q10(x: BoolArray, y: BoolArray) -> int:
    """Jaccard index of two series less the one expected of independent series of the same frequencies.

    With p and q points in `x` and `y` and s in both, the index is s / (p + q - s), and the expected one
    pq / (n(p + q) - pq); each is truncated to Q10.

    Returns
    -------
    int in [-1024, 1024], Q10
        0 if either series is never or always true: chance alone gives what is seen.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([True, False, False, False])
    >>> jaccard_excess_q10(x, x), jaccard_excess_q10(x, ~x), jaccard_excess_q10(x, x & ~x)
    (878, -236, 0)
    """
    n, p, q, both = x.size, int(x.sum()), int(y.sum()), int((x & y).sum())
    if p == 0 or q == 0:
        return 0
    return (both << 10) // (p + q - both) - ((p * q) << 10) // (n * (p + q) - p * q)


def widened(x: BoolArray, reach: int) -> BoolArray:
    """Return whether the series is true at most `reach` points away.

    Parameters
    ----------
    x : (n,) bool
    reach : int, points
        To either side; 0 changes nothing.

    Returns
    -------
    (n,) bool

    Examples
    --------
    >>> import numpy as np
    >>> widened(np.array([False, False, True, False, False, False]), 1).tolist()
    [False, True, True, True, False, False]
    """
    window = np.ones(2 * reach + 1, dtype=np.int64)
    is_near: BoolArray = np.convolve(x, window, mode="full")[reach : reach + x.size] > 0
    return is_near
