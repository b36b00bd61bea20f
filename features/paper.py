"""SmartSBD's eighteen features (Table 3): nine in integers, and nine with throughput that it ranks and leaves out.

Integers: RTT in microseconds above both series' common minimum, a congested point weighing one second.
With throughput: float64 in seconds, Mbit/s and 0 or 1. Other readings change the series or the distance
(:class:`~smartsbd.features.reading.Reading`), and what comes out is no longer what is exported.

The formulas are those of the default reading. Sums run over the n points of the grid; isqrt, // and >> truncate.
"""

from __future__ import annotations

import math

import numpy as np

from smartsbd.features import distance, ratio
from smartsbd.features.fixed import CONGESTED_WEIGHT, FEATURE_LIMIT, ONE_Q10, Float64Array, Int64Array, ratio_q10
from smartsbd.features.series import PairGrid

_US_PER_S = 1_000_000
_US_PER_MS = 1_000
#: What 1 of a series without unit is in an integer distance: as much as a second.
_UNITLESS_WEIGHT = CONGESTED_WEIGHT
#: Where the logarithm of a ratio is clipped.
_LOG_LIMIT = 7.0


def _sd(values: Float64Array) -> float:
    """Return the standard deviation; exactly 0 of a constant series, and the same on every processor."""
    above = (values - values[0]).tolist()
    mean = math.fsum(above) / len(above)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in above) / len(above))


def _z_score(a: Float64Array, b: Float64Array) -> tuple[Float64Array, Float64Array]:
    first, second = ((series - series.mean()) / (_sd(series) or 1.0) for series in (a, b))
    return first, second


def _min_max(a: Float64Array, b: Float64Array) -> tuple[Float64Array, Float64Array]:
    low, high = min(a.min(), b.min()), max(a.max(), b.max())
    span = (high - low) or 1.0
    return (a - low) / span, (b - low) / span


_WITHOUT_UNIT = {"z_score": _z_score, "min_max": _min_max}


def _integers(grid: PairGrid, *, rtt: bool, congestion: bool) -> tuple[Int64Array, Int64Array]:
    """Return the (n, d) points of both subflows for an integer distance."""
    units = grid.reading.units
    dimensions: list[tuple[Int64Array, Int64Array]] = []
    if rtt:
        dimensions.append((grid.above_a_us, grid.above_b_us))
    if congestion:
        weight = _US_PER_MS if units == "ms" else CONGESTED_WEIGHT
        dimensions.append((grid.congested_a * np.int64(weight), grid.congested_b * np.int64(weight)))
    if units in _WITHOUT_UNIT:
        scaled = [_WITHOUT_UNIT[units](a.astype(np.float64), b.astype(np.float64)) for a, b in dimensions]
        scaled = [(a * _UNITLESS_WEIGHT, b * _UNITLESS_WEIGHT) for a, b in scaled]
        dimensions = [(np.rint(a).astype(np.int64), np.rint(b).astype(np.int64)) for a, b in scaled]
    a, b = (np.stack(side, axis=1) for side in zip(*dimensions, strict=True))
    return a, b


def _reals(grid: PairGrid, *, rtt: bool = False, congestion: bool = False) -> tuple[Float64Array, Float64Array]:
    """Return the (n, d) points of both subflows with throughput: seconds, 0 or 1, Mbit/s."""
    units = grid.reading.units
    dimensions: list[tuple[Float64Array, Float64Array]] = []
    if rtt:
        per_unit = _US_PER_MS if units == "ms" else _US_PER_S
        dimensions.append((grid.above_a_us / per_unit, grid.above_b_us / per_unit))
    if congestion:
        dimensions.append((grid.congested_a.astype(np.float64), grid.congested_b.astype(np.float64)))
    dimensions.append((grid.rate_a_mbit_s, grid.rate_b_mbit_s))
    if units in _WITHOUT_UNIT:
        dimensions = [_WITHOUT_UNIT[units](a, b) for a, b in dimensions]
    a, b = (np.stack(side, axis=1) for side in zip(*dimensions, strict=True))
    return a, b


def _ed_4us(grid: PairGrid, *, rtt: bool, congestion: bool) -> int:
    total_4us = min(distance.ed_4us(*_integers(grid, rtt=rtt, congestion=congestion)), FEATURE_LIMIT)
    return total_4us if grid.reading.distance == "total" else distance.per_point(total_4us, grid.n)


def _dtwd_4us(grid: PairGrid, *, rtt: bool, congestion: bool) -> int:
    a, b = _integers(grid, rtt=rtt, congestion=congestion)
    if grid.reading.dtw == "squared":
        total_4us = distance.dtwd_4us(a, b)
    else:
        total_4us = math.floor(distance.other_dtwd(a, b, grid.reading.dtw) / distance.UNIT_US)
    # Only other readings reach the limit: z-scores of two dimensions, or a sum of absolute costs beyond 67 s.
    total_4us = min(total_4us, FEATURE_LIMIT)
    return total_4us if grid.reading.distance == "total" else distance.per_point(total_4us, grid.n)


def _ed(grid: PairGrid, *, rtt: bool = False, congestion: bool = False) -> float:
    total = distance.ed(*_reals(grid, rtt=rtt, congestion=congestion))
    return total if grid.reading.distance == "total" else total / math.sqrt(grid.n)


def _dtwd(grid: PairGrid, *, rtt: bool = False, congestion: bool = False) -> float:
    a, b = _reals(grid, rtt=rtt, congestion=congestion)
    total = distance.dtwd(a, b) if grid.reading.dtw == "squared" else distance.other_dtwd(a, b, grid.reading.dtw)
    return total if grid.reading.distance == "total" else total / math.sqrt(grid.n)


def _log_ratio_q10(numerator: float, denominator: float) -> int:
    if numerator == denominator:
        log = 0.0
    elif denominator == 0:
        log = _LOG_LIMIT
    elif numerator == 0:
        log = -_LOG_LIMIT
    else:
        log = min(max(math.log(numerator / denominator), -_LOG_LIMIT), _LOG_LIMIT)
    return round((log + _LOG_LIMIT) * ONE_Q10)


def _sd_ratio_q10(grid: PairGrid, a: Int64Array, b: Int64Array) -> int:
    if grid.reading.zero_deviation == "log":
        return _log_ratio_q10(ratio.deviation(a), ratio.deviation(b))
    if grid.reading.zero_deviation == "epsilon" and ratio.deviation(b) == 0:
        # Against a thousand-millionth nothing is nothing, and anything else is beyond the cap.
        return 0 if ratio.deviation(a) == 0 else FEATURE_LIMIT
    return ratio.sd_ratio_q10(a, b)


def rtt_ed_4us(grid: PairGrid) -> int:
    """ED of the RTT series.

    isqrt(sum((a - b)^2) >> 4), where a and b are the RTTs above both series' common minimum, at most 2^21 - 1, in
    microseconds.

    Returns
    -------
    int in [0, 2^24), units of 4 us

    Examples
    --------
    >>> rtt_ed_4us(PairGrid.of(rtt_a_us=[50_030, 50_000], rtt_b_us=[50_000, 50_040]))
    12
    """
    return _ed_4us(grid, rtt=True, congestion=False)


def cstate_ed_4us(grid: PairGrid) -> int:
    """ED of the congestion series.

    isqrt(m * 10^12 >> 4), where m is the number of points at which one of the two is congested and the other is not: a
    congested point weighs as much as 10^6 microseconds.

    Returns
    -------
    int in [0, 2^24), units of 4 us

    Examples
    --------
    >>> cstate_ed_4us(PairGrid.of(congested_a=[True, False], congested_b=[False, False]))
    250000
    """
    return _ed_4us(grid, rtt=False, congestion=True)


def rtt_cstate_ed_4us(grid: PairGrid) -> int:
    """ED of the (RTT, congestion) series.

    isqrt((sum((a - b)^2) + m * 10^12) >> 4), with a and b of :func:`rtt_ed_4us` and m of :func:`cstate_ed_4us`.

    Returns
    -------
    int in [0, 2^24), units of 4 us

    Examples
    --------
    >>> rtt_cstate_ed_4us(
    ...     PairGrid.of(rtt_a_us=[1_750_000, 1_000_000], rtt_b_us=[1_000_000] * 2, congested_a=[True, False])
    ... )
    312500
    """
    return _ed_4us(grid, rtt=True, congestion=True)


def rtt_dtwd_4us(grid: PairGrid) -> int:
    """DTW distance of the RTT series.

    floor(sqrt(least) / 4), where least is the least sum of (a[i] - b[j])^2 over all warping paths, with a and b of
    :func:`rtt_ed_4us`. A path leads from (0, 0) to (n - 1, n - 1) in steps (1, 0), (0, 1) and (1, 1).

    Returns
    -------
    int in [0, 2^24), units of 4 us

    Examples
    --------
    >>> rtt_dtwd_4us(PairGrid.of(rtt_a_us=[50_000, 50_040, 50_000], rtt_b_us=[50_000, 50_000, 50_040]))
    10
    """
    return _dtwd_4us(grid, rtt=True, congestion=False)


def cstate_dtwd_4us(grid: PairGrid) -> int:
    """DTW distance of the congestion series.

    floor(sqrt(m * 10^12) / 4), where m is the number of points (i, j) at which a[i] is congested and b[j] is not, or
    the reverse, on the warping path that has the fewest of them.

    Returns
    -------
    int in [0, 2^24), units of 4 us

    Examples
    --------
    >>> cstate_dtwd_4us(PairGrid.of(congested_a=[False, True, False], congested_b=[False, False, False]))
    250000
    """
    return _dtwd_4us(grid, rtt=False, congestion=True)


def rtt_cstate_dtwd_4us(grid: PairGrid) -> int:
    """DTW distance of the (RTT, congestion) series.

    floor(sqrt(least) / 4), as in :func:`rtt_dtwd_4us`; where one of a[i] and b[j] is congested and the other is not,
    10^12 is added to (a[i] - b[j])^2.

    Returns
    -------
    int in [0, 2^24), units of 4 us

    Examples
    --------
    >>> rtt_cstate_dtwd_4us(PairGrid.of(rtt_a_us=[50_030, 50_000], rtt_b_us=[50_000] * 2))
    7
    """
    return _dtwd_4us(grid, rtt=True, congestion=True)


def rtt_sd_ratio_q10(grid: PairGrid) -> int:
    """Ratio of the RTT series' standard deviations.

    (D(a) << 10) // D(b) with D(x) = isqrt(n * sum(x^2) - sum(x)^2), n times the standard deviation, and a and b of
    :func:`rtt_ed_4us`. At most 2^24 - 1, which is also the value if b alone is constant; 1024 if both are.

    Returns
    -------
    int in [0, 2^24 - 1], Q10

    Examples
    --------
    >>> rtt_sd_ratio_q10(PairGrid.of(rtt_a_us=[60_000, 60_020], rtt_b_us=[50_000, 50_010]))
    2048
    """
    return _sd_ratio_q10(grid, grid.above_a_us, grid.above_b_us)


def cstate_sd_ratio_q10(grid: PairGrid) -> int:
    """Ratio of the congestion series' standard deviations.

    As :func:`rtt_sd_ratio_q10`, with a and b 1 where a subflow is congested and 0 elsewhere.

    Returns
    -------
    int in [0, 2^24 - 1], Q10

    Examples
    --------
    >>> cstate_sd_ratio_q10(PairGrid.of(congested_a=[True] + [False] * 3, congested_b=[True, True, False, False]))
    512
    """
    return _sd_ratio_q10(grid, grid.congested_a.astype(np.int64), grid.congested_b.astype(np.int64))


def min_rtt_ratio_q10(grid: PairGrid) -> int:
    """Ratio of the minimum RTTs up to the window.

    (min_rtt_a_us << 10) // min_rtt_b_us, at most 2^24 - 1; each is the smallest RTT sample up to the window's start.

    Returns
    -------
    int in [0, 2^24 - 1], Q10

    Examples
    --------
    >>> min_rtt_ratio_q10(PairGrid.of(rtt_a_us=[60_000, 61_000], rtt_b_us=[24_000, 26_000]))
    2560
    """
    return ratio_q10(grid.min_rtt_a_us, grid.min_rtt_b_us)


def rate_ed(grid: PairGrid) -> float:
    """ED of the throughput series.

    sqrt(sum((a - b)^2)), where a and b are the smoothed throughputs in Mbit/s.

    Returns
    -------
    float, Mbit/s
        Not negative.

    Examples
    --------
    >>> rate_ed(PairGrid.of(rate_a_mbit_s=[1.0, 1.0], rate_b_mbit_s=[4.0, 5.0]))
    5.0
    """
    return _ed(grid)


def rtt_rate_ed(grid: PairGrid) -> float:
    """ED of the (RTT, throughput) series.

    sqrt(sum(s^2 + r^2)), where s is the difference of the RTTs above both series' common minimum, each at most 2^21 - 1
    microseconds, in seconds, and r that of the throughputs in Mbit/s.

    Returns
    -------
    float
        Not negative; of s and Mbit/s.

    Examples
    --------
    >>> rtt_rate_ed(PairGrid.of(rtt_a_us=[1_750_000, 1_000_000], rtt_b_us=[1_000_000] * 2, rate_a_mbit_s=[1.0, 0.0]))
    1.25
    """
    return _ed(grid, rtt=True)


def cstate_rate_ed(grid: PairGrid) -> float:
    """ED of the (congestion, throughput) series.

    sqrt(sum(c^2 + r^2)), where c is 1 where one of the two is congested and the other is not, else 0, and r is that of
    :func:`rtt_rate_ed`.

    Returns
    -------
    float
        Not negative; of 0 or 1 and Mbit/s.

    Examples
    --------
    >>> cstate_rate_ed(PairGrid.of(congested_a=[True, False], rate_a_mbit_s=[0.75, 0.0]))
    1.25
    """
    return _ed(grid, congestion=True)


def rtt_cstate_rate_ed(grid: PairGrid) -> float:
    """ED of the (RTT, congestion, throughput) series.

    sqrt(sum(s^2 + c^2 + r^2)), with s and r of :func:`rtt_rate_ed` and c of :func:`cstate_rate_ed`.

    Returns
    -------
    float
        Not negative; of s, 0 or 1 and Mbit/s.

    Examples
    --------
    >>> rtt_cstate_rate_ed(
    ...     PairGrid.of(
    ...         rtt_a_us=[2_000_000, 1_000_000],
    ...         rtt_b_us=[1_000_000] * 2,
    ...         congested_a=[True, True],
    ...         rate_a_mbit_s=[1.0, 0.0],
    ...     )
    ... )
    2.0
    """
    return _ed(grid, rtt=True, congestion=True)


def rate_dtwd(grid: PairGrid) -> float:
    """DTW distance of the throughput series.

    The root of the least sum of r[i, j]^2 over all warping paths of :func:`rtt_dtwd_4us`, where r[i, j] is the
    throughput of one subflow at i less that of the other at j, in Mbit/s.

    Returns
    -------
    float, Mbit/s
        Not negative.

    Examples
    --------
    >>> rate_dtwd(PairGrid.of(rate_a_mbit_s=[1.0, 5.0, 1.0], rate_b_mbit_s=[1.0, 1.0, 5.0]))
    4.0
    """
    return _dtwd(grid)


def rtt_rate_dtwd(grid: PairGrid) -> float:
    """DTW distance of the (RTT, throughput) series.

    As :func:`rate_dtwd`, with s^2 + r^2 of :func:`rtt_rate_ed` in place of r^2, each between point i of one subflow and
    point j of the other.

    Returns
    -------
    float
        Not negative; of s and Mbit/s.

    Examples
    --------
    >>> rtt_rate_dtwd(PairGrid.of(rtt_a_us=[1_750_000, 1_000_000], rtt_b_us=[1_000_000] * 2, rate_a_mbit_s=[1.0, 0.0]))
    1.25
    """
    return _dtwd(grid, rtt=True)


def cstate_rate_dtwd(grid: PairGrid) -> float:
    """DTW distance of the (congestion, throughput) series.

    As :func:`rate_dtwd`, with c^2 + r^2 of :func:`cstate_rate_ed` in place of r^2, each between point i of one subflow
    and point j of the other.

    Returns
    -------
    float
        Not negative; of 0 or 1 and Mbit/s.

    Examples
    --------
    >>> cstate_rate_dtwd(PairGrid.of(congested_a=[True, False], rate_a_mbit_s=[0.75, 0.0]))
    1.25
    """
    return _dtwd(grid, congestion=True)


def rtt_cstate_rate_dtwd(grid: PairGrid) -> float:
    """DTW distance of the (RTT, congestion, throughput) series.

    As :func:`rate_dtwd`, with s^2 + c^2 + r^2 of :func:`rtt_cstate_rate_ed` in place of r^2, each between point i of
    one subflow and point j of the other.

    Returns
    -------
    float
        Not negative; of s, 0 or 1 and Mbit/s.

    Examples
    --------
    >>> rtt_cstate_rate_dtwd(PairGrid.of(rate_a_mbit_s=[1.0, 5.0, 1.0], rate_b_mbit_s=[1.0, 1.0, 5.0]))
    4.0
    """
    return _dtwd(grid, rtt=True, congestion=True)


def rate_sd_ratio(grid: PairGrid) -> float:
    """Ratio of the throughput series' standard deviations.

    SD(a) / SD(b) with SD(x) = sqrt(sum((x - mean(x))^2) / n) of the throughputs. At most (2^24 - 1) / 1024, which is
    also the value if b alone is constant; 1 if both are.

    Returns
    -------
    float
        From 0 to (2^24 - 1) / 1024, without unit.

    Examples
    --------
    >>> rate_sd_ratio(PairGrid.of(rate_a_mbit_s=[1.0, 3.0], rate_b_mbit_s=[1.0, 2.0]))
    2.0
    >>> rate_sd_ratio(PairGrid.of(rate_a_mbit_s=[1.0, 1.0], rate_b_mbit_s=[2.0, 2.0]))
    1.0
    """
    a, b = _sd(grid.rate_a_mbit_s), _sd(grid.rate_b_mbit_s)
    if grid.reading.zero_deviation == "log":
        return _log_ratio_q10(a, b) / ONE_Q10
    if b == 0:
        epsilon = grid.reading.zero_deviation == "epsilon"
        return FEATURE_LIMIT / ONE_Q10 if a > 0 else 0.0 if epsilon else 1.0
    return min(a / b, FEATURE_LIMIT / ONE_Q10)
