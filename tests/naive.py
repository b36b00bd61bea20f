"""Definitions as plain loops, written from the text and not from the pipeline's code.

64-bit integers throughout, divisions and roots as C does them. Slow and obvious on purpose; compiled so that a million
windows can be checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, ParamSpec, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

Ints: TypeAlias = npt.NDArray[np.int64]
Reals: TypeAlias = npt.NDArray[np.float64]
Times: TypeAlias = npt.NDArray[np.int64] | Sequence[int]
Flags: TypeAlias = npt.NDArray[np.bool_] | npt.NDArray[np.uint8] | Sequence[int] | Sequence[bool]
Table: TypeAlias = npt.NDArray[Any]

LIMIT_US = 2_097_151
CONGESTED_US = 1_000_000
CAP = 16_777_215
ONE = 1024
CORRELATION_BITS = 52
DELIVERED_BITS = 21
MOST_STEPS = 681
WINDOW_RTTS = 50
RATE_WEIGHT = 0.125

PAPER_NAMES: tuple[str, ...] = (
    "rtt_ed_4us",
    "cstate_ed_4us",
    "rtt_cstate_ed_4us",
    "rtt_dtwd_4us",
    "cstate_dtwd_4us",
    "rtt_cstate_dtwd_4us",
    "rtt_sd_ratio_q10",
    "cstate_sd_ratio_q10",
    "min_rtt_ratio_q10",
)
INVARIANT_NAMES: tuple[str, ...] = (
    "queue_ed_4us",
    "queue_dtwd_4us",
    "queue_ed_ratio_q10",
    "rtt_correlation_q10",
    "rtt_rank_correlation_q10",
    "rtt_lagged_correlation_q10",
    "rtt_change_correlation_q10",
    "queue_mean_ratio_q10",
    "queue_sd_ratio_q10",
    "cstate_near_jaccard_excess_q10",
    "rate_correlation_q10",
)
INTEGER_NAMES: tuple[str, ...] = PAPER_NAMES + INVARIANT_NAMES
REAL_NAMES: tuple[str, ...] = (
    "rate_ed",
    "rtt_rate_ed",
    "cstate_rate_ed",
    "rtt_cstate_rate_ed",
    "rate_dtwd",
    "rtt_rate_dtwd",
    "cstate_rate_dtwd",
    "rtt_cstate_rate_dtwd",
    "rate_sd_ratio",
)


class Compiled(Protocol[P, R_co]):
    """A compiled function and the Python function it was made from."""

    @property
    def py_func(self) -> Callable[P, R_co]:
        """Function in plain Python."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Run the compiled function."""


def compiled(function: Callable[P, R_co]) -> Compiled[P, R_co]:
    """Numba's decorator, typed."""
    made: Compiled[P, R_co] = njit(cache=True)(function)
    return made


class Signals(NamedTuple):
    """Signals of one subflow, each in time order."""

    rtt_time_ns: Ints
    rtt_us: Ints
    state_time_ns: Ints
    congested: npt.NDArray[np.bool_] | npt.NDArray[np.uint8]
    ack_time_ns: Ints
    acked_bytes: Ints


class Grid(NamedTuple):
    """Series of a window; b has the lower minimum RTT."""

    r_a: Ints
    r_b: Ints
    c_a: Ints
    c_b: Ints
    k_a: Ints
    k_b: Ints
    m_a: int
    m_b: int
    step_ns: int


# Signals at a time. Each has its own binary search, so that its plain Python form calls nothing compiled.


@compiled
def rtt_at(time_ns: Times, rtt_us: Times, at_ns: int) -> int:
    """Linear between the last sample at or before and the first after; held at both ends.

    Of several samples at one time the last counts.
    """
    low = 0
    high = len(time_ns)
    if high == 0:
        raise ValueError("no RTT sample")
    while low < high:
        middle = (low + high) // 2
        if time_ns[middle] <= at_ns:
            low = middle + 1
        else:
            high = middle
    # `low` samples are at or before.
    if low == len(time_ns):
        last: int = rtt_us[low - 1]
        return last
    after = low
    while after + 1 < len(time_ns) and time_ns[after + 1] == time_ns[low]:
        after += 1
    v1: int = rtt_us[after]
    if low == 0:
        return v1
    v0: int = rtt_us[low - 1]
    t0: int = time_ns[low - 1]
    t1: int = time_ns[after]
    product = (v1 - v0) * (at_ns - t0)
    if product < 0:
        return v0 - (-product) // (t1 - t0)
    return v0 + product // (t1 - t0)


@compiled
def congested_at(time_ns: Times, congested: Flags, at_ns: int) -> int:
    """State after the last change at or before; not congested before the first."""
    low = 0
    high = len(time_ns)
    while low < high:
        middle = (low + high) // 2
        if time_ns[middle] <= at_ns:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return 0
    return 1 if congested[low - 1] else 0


@compiled
def acked_at(time_ns: Times, acked_bytes: Times, at_ns: int) -> int:
    """Bytes of the last ACK at or before; 0 before the first."""
    low = 0
    high = len(time_ns)
    while low < high:
        middle = (low + high) // 2
        if time_ns[middle] <= at_ns:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return 0
    acked: int = acked_bytes[low - 1]
    return acked


@compiled
def min_rtt_us(time_ns: Times, rtt_us: Times, until_ns: int) -> int:
    """Smallest of the samples at or before."""
    if len(time_ns) == 0 or time_ns[0] > until_ns:
        raise ValueError("no RTT sample")
    least: int = rtt_us[0]
    for i in range(len(time_ns)):
        if time_ns[i] > until_ns:
            break
        least = min(least, rtt_us[i])
    return least


# The window.


@compiled
def geometry(min_a_us: int, min_b_us: int, window_rtts: int = WINDOW_RTTS) -> tuple[int, int, int]:
    """T, step and number of points."""
    window_ns = window_rtts * max(min_a_us, min_b_us) * 1000
    step_ns = min(min_a_us, min_b_us) * 1000
    shortest_ns = (window_ns + MOST_STEPS - 1) // MOST_STEPS
    step_ns = max(step_ns, shortest_ns)
    return window_ns, step_ns, window_ns // step_ns + 1


def entries_ns(state_time_ns: Times, congested: Flags) -> list[int]:
    """Every time of a change into congested from not congested."""
    found = []
    before = False
    for time_ns, after in zip(state_time_ns, congested, strict=True):
        if after and not before:
            found.append(int(time_ns))
        before = bool(after)
    return found


def triggered_start_ns(x: Signals, y: Signals, window_rtts: int = WINDOW_RTTS) -> int | None:
    """Earliest max(a, b) over pairs of entries within T of each other; None if there is none.

    Pairs before the first RTT sample of either subflow do not count.
    """
    entries_x = entries_ns(x.state_time_ns, x.congested)
    entries_y = entries_ns(y.state_time_ns, y.congested)
    window_at = {}
    for start_ns in entries_x + entries_y:
        if len(x.rtt_time_ns) == 0 or len(y.rtt_time_ns) == 0:
            continue
        if x.rtt_time_ns[0] > start_ns or y.rtt_time_ns[0] > start_ns:
            continue
        m_x = min_rtt_us(x.rtt_time_ns, x.rtt_us, start_ns)
        m_y = min_rtt_us(y.rtt_time_ns, y.rtt_us, start_ns)
        window_at[start_ns] = window_rtts * max(m_x, m_y) * 1000
    best = None
    for a in entries_x:
        for b in entries_y:
            start_ns = max(a, b)
            if start_ns not in window_at or abs(a - b) > window_at[start_ns]:
                continue
            if best is None or start_ns < best:
                best = start_ns
    return best


@compiled
def resampled(x: Signals, y: Signals, start_ns: int, window_rtts: int = WINDOW_RTTS) -> Grid:
    """Six series of the window at `start_ns`."""
    m_x = min_rtt_us(x.rtt_time_ns, x.rtt_us, start_ns)
    m_y = min_rtt_us(y.rtt_time_ns, y.rtt_us, start_ns)
    _, step_ns, n = geometry(m_x, m_y, window_rtts)
    r_x = np.zeros(n, np.int64)
    r_y = np.zeros(n, np.int64)
    c_x = np.zeros(n, np.int64)
    c_y = np.zeros(n, np.int64)
    k_x = np.zeros(n, np.int64)
    k_y = np.zeros(n, np.int64)
    for k in range(n):
        at_ns = start_ns + k * step_ns
        r_x[k] = rtt_at(x.rtt_time_ns, x.rtt_us, at_ns)
        r_y[k] = rtt_at(y.rtt_time_ns, y.rtt_us, at_ns)
        c_x[k] = congested_at(x.state_time_ns, x.congested, at_ns)
        c_y[k] = congested_at(y.state_time_ns, y.congested, at_ns)
        k_x[k] = acked_at(x.ack_time_ns, x.acked_bytes, at_ns)
        k_y[k] = acked_at(y.ack_time_ns, y.acked_bytes, at_ns)
    if m_x <= m_y:
        return Grid(r_y, r_x, c_y, c_x, k_y, k_x, m_y, m_x, step_ns)
    return Grid(r_x, r_y, c_x, c_y, k_x, k_y, m_x, m_y, step_ns)


# Helpers.


@compiled
def isqrt(v: int) -> int:
    """Largest integer whose square is at most v, for 0 <= v < 2^63."""
    root = int(math.sqrt(v))
    # root * root could overflow; root > v // root says the same as root * root > v.
    while root > 0 and root > v // root:
        root -= 1
    while root + 1 <= v // (root + 1):
        root += 1
    return root


@compiled
def bits(v: int) -> int:
    """How many binary digits v has; none for 0 and below."""
    count = 0
    while v > 0:
        v >>= 1
        count += 1
    return count


@compiled
def ratio(p: int, q: int) -> int:
    """P over q in 1024ths; 1024 if both are 0."""
    if q == 0:
        return ONE if p == 0 else CAP
    return min(p * ONE // q, CAP)


@compiled
def folded(p: int, q: int) -> int:
    """Smaller over the larger in 1024ths."""
    return ratio(min(p, q), max(p, q))


@compiled
def total(u: Ints) -> int:
    """Sum."""
    result = 0
    for i in range(len(u)):
        result += u[i]
    return result


@compiled
def total_of_products(u: Ints, v: Ints) -> int:
    """Sum of u times v."""
    result = 0
    for i in range(len(u)):
        result += u[i] * v[i]
    return result


@compiled
def lowest(u: Ints) -> int:
    """Minimum."""
    result: int = u[0]
    for i in range(len(u)):
        result = min(result, u[i])
    return result


@compiled
def deviation(v: Ints) -> int:
    """Length times the standard deviation."""
    s = total(v)
    return isqrt(len(v) * total_of_products(v, v) - s * s)


@compiled
def clamped_above(r: Ints, floor_us: int) -> Ints:
    """Excess of r over `floor_us`, at most the limit."""
    result = np.zeros(len(r), np.int64)
    for i in range(len(r)):
        result[i] = min(r[i] - floor_us, LIMIT_US)
    return result


@compiled
def count_clamped(r: Ints, floor_us: int) -> int:
    """How many values the limit changes."""
    count = 0
    for i in range(len(r)):
        if r[i] - floor_us > LIMIT_US:
            count += 1
    return count


@compiled
def scaled(u: Ints, factor: int) -> Ints:
    """Every value times the factor."""
    result = np.zeros(len(u), np.int64)
    for i in range(len(u)):
        result[i] = u[i] * factor
    return result


@compiled
def points1(u: Table) -> Table:
    """Points of one dimension."""
    result = np.zeros((len(u), 1), u.dtype)
    for i in range(len(u)):
        result[i, 0] = u[i]
    return result


@compiled
def points2(u: Table, v: Table) -> Table:
    """Points of two dimensions."""
    result = np.zeros((len(u), 2), u.dtype)
    for i in range(len(u)):
        result[i, 0] = u[i]
        result[i, 1] = v[i]
    return result


@compiled
def points3(u: Table, v: Table, w: Table) -> Table:
    """Points of three dimensions."""
    result = np.zeros((len(u), 3), u.dtype)
    for i in range(len(u)):
        result[i, 0] = u[i]
        result[i, 1] = v[i]
        result[i, 2] = w[i]
    return result


@compiled
def squared_distance(a: Table, b: Table) -> Any:
    """Sum over points of the squared distance."""
    result = 0
    for i in range(a.shape[0]):
        for d in range(a.shape[1]):
            result += (a[i, d] - b[i, d]) * (a[i, d] - b[i, d])
    return result


@compiled
def dtw(a: Table, b: Table) -> Any:
    """Least sum of squared distances over warping paths, row by row."""
    columns = b.shape[0]
    above = np.zeros(columns, a.dtype)
    here = np.zeros(columns, a.dtype)
    for i in range(a.shape[0]):
        for j in range(columns):
            cost = 0
            for d in range(a.shape[1]):
                cost += (a[i, d] - b[j, d]) * (a[i, d] - b[j, d])
            if i > 0 and j > 0:
                cost += min(above[j - 1], above[j], here[j - 1])
            elif i > 0:
                cost += above[j]
            elif j > 0:
                cost += here[j - 1]
            here[j] = cost
        above, here = here, above
    return above[columns - 1]


@compiled
def ed_4us(a: Ints, b: Ints) -> int:
    """Euclidean distance in units of 4 us."""
    return isqrt(squared_distance(a, b) // 16)


@compiled
def dtwd_4us(a: Ints, b: Ints) -> int:
    """DTW distance in units of 4 us."""
    return isqrt(dtw(a, b) // 16)


@compiled
def per_point(distance: int, n: int) -> int:
    """Root of the mean square per point of the grid."""
    return isqrt(distance * distance // n)


@compiled
def correlation(u: Ints, v: Ints) -> int:
    """Pearson's correlation in 1024ths, truncated toward zero; 0 if either is constant or empty."""
    m = len(u)
    if m == 0:
        return 0
    su = deviation(u)
    sv = deviation(v)
    if su == 0 or sv == 0:
        return 0
    numerator = m * total_of_products(u, v) - total(u) * total(v)
    product = su * sv
    shift = 0
    if bits(product) > CORRELATION_BITS:
        shift = bits(product) - CORRELATION_BITS
    size = min(((abs(numerator) >> shift) * ONE) // (product >> shift), ONE)
    return -size if numerator < 0 else size


@compiled
def doubled_ranks(v: Ints) -> Ints:
    """Twice the mid-rank of every value."""
    result = np.zeros(len(v), np.int64)
    for i in range(len(v)):
        smaller = 0
        equal = 0
        for j in range(len(v)):
            if v[j] < v[i]:
                smaller += 1
            if v[j] == v[i]:
                equal += 1
        result[i] = 2 * smaller + equal + 1
    return result


@compiled
def lagged_correlation(u: Ints, v: Ints, most: int) -> int:
    """Largest correlation of the overlapping parts over shifts of -most..most."""
    n = len(u)
    best = -ONE
    for d in range(-most, most + 1):
        found = 0
        if -n < d < n:
            found = correlation(u[max(0, d) : n + min(0, d)], v[max(0, -d) : n + min(0, -d)])
        best = max(best, found)
    return best


@compiled
def jaccard_excess(u: Ints, v: Ints) -> int:
    """Jaccard's index in 1024ths less what chance would give."""
    n = len(u)
    p = total(u)
    q = total(v)
    both = total_of_products(u, v)
    if p == 0 or q == 0:
        return 0
    return both * ONE // (p + q - both) - p * q * ONE // (n * (p + q) - p * q)


@compiled
def widened(u: Ints, h: int) -> Ints:
    """1 wherever u is 1 within h."""
    result = np.zeros(len(u), np.int64)
    for i in range(len(u)):
        for j in range(max(0, i - h), min(len(u) - 1, i + h) + 1):
            if u[j] == 1:
                result[i] = 1
    return result


@compiled
def change(v: Ints, s: int) -> Ints:
    """Change over s steps; empty if the series is no longer than that."""
    result = np.zeros(max(0, len(v) - s), np.int64)
    for i in range(len(result)):
        result[i] = v[i + s] - v[i]
    return result


@compiled
def delivered(k: Ints, s: int) -> Ints:
    """Bytes acknowledged over s steps, shifted so that the largest has at most 21 bits."""
    result = change(k, s)
    largest = 0
    for i in range(len(result)):
        largest = max(largest, result[i])
    shift = max(0, bits(largest) - DELIVERED_BITS)
    for i in range(len(result)):
        result[i] = result[i] >> shift
    return result


# Integer features.


@compiled
def paper_features(grid: Grid) -> Ints:
    """Paper's nine, then how many points were clamped."""
    floor_us = min(lowest(grid.r_a), lowest(grid.r_b))
    above_a = clamped_above(grid.r_a, floor_us)
    above_b = clamped_above(grid.r_b, floor_us)
    congested_a = scaled(grid.c_a, CONGESTED_US)
    congested_b = scaled(grid.c_b, CONGESTED_US)
    rtt_a = points1(above_a)
    rtt_b = points1(above_b)
    cstate_a = points1(congested_a)
    cstate_b = points1(congested_b)
    both_a = points2(above_a, congested_a)
    both_b = points2(above_b, congested_b)
    out = np.zeros(10, np.int64)
    out[0] = ed_4us(rtt_a, rtt_b)
    out[1] = ed_4us(cstate_a, cstate_b)
    out[2] = ed_4us(both_a, both_b)
    out[3] = dtwd_4us(rtt_a, rtt_b)
    out[4] = dtwd_4us(cstate_a, cstate_b)
    out[5] = dtwd_4us(both_a, both_b)
    out[6] = ratio(deviation(above_a), deviation(above_b))
    out[7] = ratio(deviation(grid.c_a), deviation(grid.c_b))
    out[8] = ratio(grid.m_a, grid.m_b)
    out[9] = count_clamped(grid.r_a, floor_us) + count_clamped(grid.r_b, floor_us)
    return out


@compiled
def invariant_features(grid: Grid) -> Ints:
    """Those of `INVARIANT_NAMES`, in order."""
    n = len(grid.r_a)
    rtt_steps = max(grid.m_a, grid.m_b) * 1000 // grid.step_ns
    q_a = clamped_above(grid.r_a, lowest(grid.r_a))
    q_b = clamped_above(grid.r_b, lowest(grid.r_b))
    queue_a = points1(q_a)
    queue_b = points1(q_b)
    out = np.zeros(len(INVARIANT_NAMES), np.int64)
    out[0] = per_point(ed_4us(queue_a, queue_b), n)
    out[1] = per_point(dtwd_4us(queue_a, queue_b), n)
    out[2] = ratio(
        isqrt(squared_distance(queue_a, queue_b)), isqrt(total_of_products(q_a, q_a) + total_of_products(q_b, q_b))
    )
    out[3] = correlation(q_a, q_b)
    out[4] = correlation(doubled_ranks(q_a), doubled_ranks(q_b))
    out[5] = lagged_correlation(q_a, q_b, 2 * rtt_steps)
    out[6] = correlation(change(q_a, 2 * rtt_steps), change(q_b, 2 * rtt_steps))
    out[7] = folded(total(q_a), total(q_b))
    out[8] = folded(deviation(q_a), deviation(q_b))
    out[9] = jaccard_excess(widened(grid.c_a, rtt_steps), widened(grid.c_b, rtt_steps))
    out[10] = correlation(delivered(grid.k_a, 5 * rtt_steps), delivered(grid.k_b, 5 * rtt_steps))
    return out


@compiled
def integer_features(grid: Grid) -> Ints:
    """Integer features in the order of `INTEGER_NAMES`, then how many points were clamped."""
    paper = paper_features(grid)
    invariant = invariant_features(grid)
    return np.concatenate((paper[:9], invariant, paper[9:]))


def features(x: Signals, y: Signals, start_ns: int, window_rtts: int = WINDOW_RTTS) -> tuple[dict[str, int], int]:
    """All features of the window at `start_ns`, and how many points were clamped."""
    values = integer_features(resampled(x, y, start_ns, window_rtts))
    return {name: int(values[i]) for i, name in enumerate(INTEGER_NAMES)}, int(values[-1])


# Float features.


@compiled
def smoothed_rates(ack_time_ns: Ints, acked_bytes: Ints) -> tuple[Ints, Reals]:
    """Smoothed Mbit/s of the ACKs that acknowledge more than all before; the first only starts the count."""
    times = np.zeros(len(ack_time_ns), np.int64)
    rates = np.zeros(len(ack_time_ns), np.float64)
    count = 0
    started = False
    last_ns = 0
    last_bytes = 0
    for i in range(len(ack_time_ns)):
        if i + 1 < len(ack_time_ns) and ack_time_ns[i + 1] == ack_time_ns[i]:
            continue
        if not started:
            started = True
            last_ns = ack_time_ns[i]
            last_bytes = acked_bytes[i]
        elif acked_bytes[i] > last_bytes:
            sample = (acked_bytes[i] - last_bytes) * 8000 / (ack_time_ns[i] - last_ns)
            times[count] = ack_time_ns[i]
            if count == 0:
                rates[count] = sample
            else:
                rates[count] = (1 - RATE_WEIGHT) * rates[count - 1] + RATE_WEIGHT * sample
            count += 1
            last_ns = ack_time_ns[i]
            last_bytes = acked_bytes[i]
    return times[:count], rates[:count]


@compiled
def rate_at(time_ns: Ints, rates: Reals, at_ns: int) -> float:
    """Linear between the samples, held at both ends; 0 if there is none."""
    low = 0
    high = len(time_ns)
    if high == 0:
        return 0.0
    while low < high:
        middle = (low + high) // 2
        if time_ns[middle] <= at_ns:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        first: float = rates[0]
        return first
    if low == len(time_ns):
        last: float = rates[low - 1]
        return last
    t0 = time_ns[low - 1]
    t1 = time_ns[low]
    between: float = rates[low - 1] + (rates[low] - rates[low - 1]) * ((at_ns - t0) / (t1 - t0))
    return between


@compiled
def resampled_rate(ack_time_ns: Ints, acked_bytes: Ints, start_ns: int, step_ns: int, n: int) -> Reals:
    """Rate on the grid."""
    times, rates = smoothed_rates(ack_time_ns, acked_bytes)
    result = np.zeros(n, np.float64)
    for k in range(n):
        result[k] = rate_at(times, rates, start_ns + k * step_ns)
    return result


@compiled
def real_deviation(v: Reals) -> float:
    """SD of the population, taken about the first value so that a constant has exactly 0."""
    mean = 0.0
    for i in range(len(v)):
        mean += v[i] - v[0]
    mean /= len(v)
    squares = 0.0
    for i in range(len(v)):
        squares += (v[i] - v[0] - mean) * (v[i] - v[0] - mean)
    return math.sqrt(squares / len(v))


@compiled
def real_ratio(p: float, q: float) -> float:
    """P over q; 1 if both are 0."""
    if q == 0:
        return 1.0 if p == 0 else CAP / ONE
    return p / q


@compiled
def in_units(u: Ints, unit: int) -> Reals:
    """Every value over the unit."""
    result = np.zeros(len(u), np.float64)
    for i in range(len(u)):
        result[i] = u[i] / unit
    return result


def real_features(x: Signals, y: Signals, start_ns: int, window_rtts: int = WINDOW_RTTS) -> dict[str, float]:
    """Nine features with the rate of the window at `start_ns`."""
    grid = resampled(x, y, start_ns, window_rtts)
    n = len(grid.r_a)
    m_x = min_rtt_us(x.rtt_time_ns, x.rtt_us, start_ns)
    m_y = min_rtt_us(y.rtt_time_ns, y.rtt_us, start_ns)
    a, b = (y, x) if m_x <= m_y else (x, y)
    floor_us = min(lowest(grid.r_a), lowest(grid.r_b))
    tables = []
    rates = []
    for one, rtt, congested in ((a, grid.r_a, grid.c_a), (b, grid.r_b, grid.c_b)):
        r = in_units(clamped_above(rtt, floor_us), 1_000_000)
        c = in_units(congested, 1)
        h = resampled_rate(one.ack_time_ns, one.acked_bytes, start_ns, grid.step_ns, n)
        tables.append((points1(h), points2(r, h), points2(c, h), points3(r, c, h)))
        rates.append(h)
    values = [math.sqrt(squared_distance(u, v)) for u, v in zip(*tables, strict=True)]
    values += [math.sqrt(dtw(u, v)) for u, v in zip(*tables, strict=True)]
    values.append(real_ratio(real_deviation(rates[0]), real_deviation(rates[1])))
    return dict(zip(REAL_NAMES, values, strict=True))
