"""Features of our own, not the paper's: free of the paths' base RTTs and, except for two, of scale too.

What two subflows of one bottleneck have in common is the coming and going of its queue. The paper's
distances are taken on the RTT itself, whose base says nothing of sharing; these are taken on the queueing
delay, the RTT above the subflow's own minimum in the window, or on its ups and downs alone. All are
integers, exactly those an integer kernel computes. docs/experiments/invariant-features.md lists what was tried and
dropped.

In the formulas sums run over the n points of the grid; isqrt, // and >> truncate.
"""

from __future__ import annotations

import math

from smartsbd.features.coincidence import jaccard_excess_q10, widened
from smartsbd.features.correlation import correlation_q10, doubled_ranks, largest_lagged_q10
from smartsbd.features.distance import dtwd_4us, ed_4us, per_point
from smartsbd.features.fixed import RTT_LIMIT_US, Int64Array, ratio_q10
from smartsbd.features.ratio import deviation, folded_ratio_q10
from smartsbd.features.series import PairGrid

#: How far, in larger RTTs, the lagged correlation shifts the series, and what span changes are taken over.
_LAG_RTTS = 2
_CHANGE_RTTS = 2
#: What time, in larger RTTs, delivered bytes are counted over: the sawtooth of a window takes several.
_RATE_RTTS = 5
_VALUE_BITS = RTT_LIMIT_US.bit_length()


def _change(values: Int64Array, span: int) -> Int64Array:
    """Return by how much a series rises over `span` points; (n - span,), empty if it is no longer than that."""
    return values[span:] - values[: max(0, values.size - span)]


def queue_ed_4us(grid: PairGrid) -> int:
    """ED of the queueing delays, per point.

    isqrt(ED^2 // n) with ED = isqrt(sum((a - b)^2) >> 4), where a and b are the queueing delays, RTTs above the
    subflow's own minimum in the window, at most 2^21 - 1, in microseconds. This is the root of the mean squared
    difference: in a common queue both wait alike.

    Returns
    -------
    int in [0, 2^24), units of 4 us

    Examples
    --------
    >>> queue_ed_4us(PairGrid.of(rtt_a_us=[90_000, 90_080, 90_000, 90_000], rtt_b_us=[50_000] * 4))
    10

    References
    ----------
    SmartSBD, section 3.2 (ED), on another series.
    """
    return per_point(ed_4us(grid.queue_a_us[:, None], grid.queue_b_us[:, None]), grid.n)


def queue_dtwd_4us(grid: PairGrid) -> int:
    """DTW distance of the queueing delays, per point.

    isqrt(DTWD^2 // n) with DTWD = floor(sqrt(least) / 4), where least is the least sum of (a[i] - b[j])^2 over all
    warping paths of :func:`~smartsbd.features.distance.dtwd_4us`, and a and b are the queueing delays of
    :func:`queue_ed_4us`.

    Returns
    -------
    int in [0, 2^24), units of 4 us
        Never more than :func:`queue_ed_4us`.

    Examples
    --------
    >>> queue_dtwd_4us(PairGrid.of(rtt_a_us=[90_000, 90_080, 90_000, 90_000], rtt_b_us=[50_000] * 4))
    10
    >>> queue_dtwd_4us(PairGrid.of(rtt_a_us=[90_000, 90_080, 90_000], rtt_b_us=[50_000, 50_000, 50_080]))
    11

    References
    ----------
    SmartSBD, section 3.2 (DTWD), on another series.
    """
    return per_point(dtwd_4us(grid.queue_a_us[:, None], grid.queue_b_us[:, None]), grid.n)


def queue_ed_ratio_q10(grid: PairGrid) -> int:
    """ED of the queueing delays against their size: 0 where they are equal, 1 where never both wait.

    (isqrt(sum((a - b)^2)) << 10) // isqrt(sum(a^2) + sum(b^2)), where a and b are the queueing delays of
    :func:`queue_ed_4us`; 1024 if neither ever waits.

    Returns
    -------
    int in [0, 1024], Q10

    Examples
    --------
    >>> queue_ed_ratio_q10(PairGrid.of(rtt_a_us=[90_000, 90_400], rtt_b_us=[50_000, 50_300]))
    204
    >>> queue_ed_ratio_q10(PairGrid.of(rtt_a_us=[90_000, 90_400], rtt_b_us=[50_300, 50_000]))
    1024
    >>> queue_ed_ratio_q10(PairGrid.of(rtt_a_us=[90_000, 90_000], rtt_b_us=[50_000, 50_000]))
    1024
    """
    a, b = grid.queue_a_us, grid.queue_b_us
    difference = a - b
    apart, size = int((difference * difference).sum()), int((a * a).sum()) + int((b * b).sum())
    return ratio_q10(math.isqrt(apart), math.isqrt(size))


def rtt_correlation_q10(grid: PairGrid) -> int:
    """Correlation of the RTT series (Pearson).

        ((n * sum(a * b) - sum(a) * sum(b)) << 10) / (D(a) * D(b)), D(x) = isqrt(n * sum(x^2) - sum(x)^2),

    truncated toward zero and kept within +-1024, where a and b are the queueing delays of :func:`queue_ed_4us`; 0 if
    one is constant. :func:`~smartsbd.features.correlation.correlation_q10` says what is shifted where D(a) * D(b) has
    more than 52 bits.

    The standardised Euclidean distance is a function of it, root of 2n(1 - r), and so not a feature too.

    Returns
    -------
    int in [-1024, 1024], Q10

    Examples
    --------
    >>> rtt_correlation_q10(PairGrid.of(rtt_a_us=[90_000, 91_000, 92_000], rtt_b_us=[50_002, 50_001, 50_000]))
    -1024
    """
    return correlation_q10(grid.queue_a_us, grid.queue_b_us)


def rtt_rank_correlation_q10(grid: PairGrid) -> int:
    """Rank correlation of the RTT series (Spearman), equals at their mean rank.

    The correlation of :func:`rtt_correlation_q10`, with a and b twice the ranks of the queueing delays: of a value that
    `less` points fall below and that `equal` points have, itself among them, 2 * less + equal + 1.

    Returns
    -------
    int in [-1024, 1024], Q10

    Examples
    --------
    >>> rtt_rank_correlation_q10(PairGrid.of(rtt_a_us=[90_000, 90_001, 99_000], rtt_b_us=[50_000, 58_000, 58_001]))
    1024
    """
    return correlation_q10(doubled_ranks(grid.queue_a_us), doubled_ranks(grid.queue_b_us))


def rtt_lagged_correlation_q10(grid: PairGrid) -> int:
    """Largest correlation of the RTT series within a lag of two of the larger minimum RTT.

    The largest correlation, as :func:`rtt_correlation_q10` has it, of a[k + s] and b[k] over the points at which both
    exist, for each shift s from -L to L points. L is twice :attr:`~smartsbd.features.series.PairGrid.rtt_steps`, the
    steps in the larger minimum RTT. A sample reaches the sender a path's way back after the queue gave it: the paths
    differ by up to an RTT.

    Returns
    -------
    int in [-1024, 1024], Q10

    Examples
    --------
    >>> rtt_lagged_correlation_q10(
    ...     PairGrid.of(rtt_a_us=[50_000, 99_000, 50_000, 50_000], rtt_b_us=[50_000, 50_000, 99_000, 50_000])
    ... )
    1024
    """
    return largest_lagged_q10(grid.queue_a_us, grid.queue_b_us, _LAG_RTTS * grid.rtt_steps)


def rtt_change_correlation_q10(grid: PairGrid) -> int:
    """Correlation of the RTT series' changes over two of the larger minimum RTT.

    The correlation of :func:`rtt_correlation_q10`, of the changes a[k + c] - a[k] and b[k + c] - b[k], where c is twice
    :attr:`~smartsbd.features.series.PairGrid.rtt_steps`, the steps in the larger minimum RTT; 0 if there are no more
    than c points. Slow trends, which two unrelated paths may have alike, are gone; the noise of neighbouring samples,
    which changes over one step are made of, is not yet all there is.

    Returns
    -------
    int in [-1024, 1024], Q10

    Examples
    --------
    >>> rtt_change_correlation_q10(
    ...     PairGrid.of(rtt_a_us=[50_000, 50_000, 59_000, 51_000], rtt_b_us=[50_000, 58_000, 60_000, 60_000])
    ... )
    1024
    """
    span = _CHANGE_RTTS * grid.rtt_steps
    return correlation_q10(_change(grid.queue_a_us, span), _change(grid.queue_b_us, span))


def queue_mean_ratio_q10(grid: PairGrid) -> int:
    """Mean queueing delays, the smaller over the larger.

    (min(A, B) << 10) // max(A, B), where A and B are the sums of the queueing delays of :func:`queue_ed_4us`; 1024 if
    neither ever waits.

    Returns
    -------
    int in [0, 1024], Q10

    Examples
    --------
    >>> queue_mean_ratio_q10(PairGrid.of(rtt_a_us=[90_000, 93_000], rtt_b_us=[50_000, 54_000]))
    768
    """
    return folded_ratio_q10(int(grid.queue_a_us.sum()), int(grid.queue_b_us.sum()))


def queue_sd_ratio_q10(grid: PairGrid) -> int:
    """Spread (SD) of the queueing delays, the smaller over the larger.

    (min(A, B) << 10) // max(A, B) with A = D(a) and B = D(b), D(x) = isqrt(n * sum(x^2) - sum(x)^2), of the queueing
    delays of :func:`queue_ed_4us`; 1024 if both are constant.

    Returns
    -------
    int in [0, 1024], Q10

    Examples
    --------
    >>> queue_sd_ratio_q10(PairGrid.of(rtt_a_us=[90_000, 90_400], rtt_b_us=[50_000, 50_100]))
    256
    """
    return folded_ratio_q10(deviation(grid.queue_a_us), deviation(grid.queue_b_us))


def cstate_near_jaccard_excess_q10(grid: PairGrid) -> int:
    """Coincidence of congestion within one of the larger minimum RTT, less what chance would give.

    Both series are widened first: a point counts as congested if one at most
    :attr:`~smartsbd.features.series.PairGrid.rtt_steps` points away is, the steps in the larger minimum RTT. Of p and q
    such points of either, s of both and n in all, the result is

        (s << 10) // (p + q - s) - (p * q << 10) // (n * (p + q) - p * q),

    and 0 if p or q is 0.

    Returns
    -------
    int in [-1024, 1024], Q10

    Examples
    --------
    >>> cstate_near_jaccard_excess_q10(
    ...     PairGrid.of(congested_a=[True] + [False] * 7, congested_b=[False, True] + [False] * 6)
    ... )
    502
    """
    reach = grid.rtt_steps
    return jaccard_excess_q10(widened(grid.congested_a, reach), widened(grid.congested_b, reach))


def _delivered(acked_bytes: Int64Array, span: int) -> Int64Array:
    """Return the bytes delivered over `span` points, shifted right until the largest has 21 bits."""
    delivered = _change(acked_bytes, span)
    largest = int(delivered.max()) if delivered.size else 0
    return delivered >> max(0, largest.bit_length() - _VALUE_BITS)


def rate_correlation_q10(grid: PairGrid) -> int:
    """Correlation of the bytes delivered over five of the larger minimum RTT: what one gains the other loses.

    The correlation of :func:`rtt_correlation_q10`, of the bytes a[k + m] - a[k] and b[k + m] - b[k] that are
    acknowledged over m points, where m is five times :attr:`~smartsbd.features.series.PairGrid.rtt_steps`, the steps in
    the larger minimum RTT. Each series is first shifted right until its largest value has at most 21 bits. 0 if there
    are no more than m points, or one series is constant.

    Returns
    -------
    int in [-1024, 1024], Q10

    Examples
    --------
    >>> rate_correlation_q10(
    ...     PairGrid.of(
    ...         acked_a_bytes=[0, 0, 0, 0, 0, 9_000, 14_000, 18_000],
    ...         acked_b_bytes=[0, 0, 0, 0, 0, 5_000, 10_000, 16_000],
    ...     )
    ... )
    1017
    """
    span = _RATE_RTTS * grid.rtt_steps
    return correlation_q10(_delivered(grid.acked_a_bytes, span), _delivered(grid.acked_b_bytes, span))
