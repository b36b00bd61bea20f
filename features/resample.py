"""Irregular samples onto a grid, in integers."""

from __future__ import annotations

import numpy as np

from features.fixed import RTT_LIMIT_US, BoolArray, Int64Array
from features.series import PairGrid, SubflowSignals
from features.window import Window

_CONGESTED_FROM = 3


def grid_ns(start_ns: int, step_ns: int, n: int) -> Int64Array:
    """Return the (n,) times of a window's grid, nanoseconds."""
    return start_ns + step_ns * np.arange(n, dtype=np.int64)


def interpolate(time_ns: Int64Array, values: Int64Array, at_ns: Int64Array) -> Int64Array:
    """Interpolate linearly between samples; before the first and after the last, hold it.

    Parameters
    ----------
    time_ns, values : (m,) int64, m >= 1
        Samples in time order; of several at one time the last counts.
    at_ns : (n,) int64, nanoseconds
        Where to interpolate.

    Returns
    -------
    (n,) int64
        ``v0 + (v1 - v0) * (t - t0) / (t1 - t0)`` with C's division, which truncates toward zero.

    Examples
    --------
    >>> import numpy as np
    >>> interpolate(np.array([0, 10]), np.array([100, 95]), np.array([-5, 1, 5, 10, 20])).tolist()
    [100, 100, 98, 95, 95]

    References
    ----------
    SmartSBD, section 3.2 (linear interpolation).
    """
    if not time_ns.size:
        raise ValueError("time_ns is empty: there is nothing to interpolate between")
    last_of_time = np.append(np.diff(time_ns) > 0, True)
    time_ns, values = time_ns[last_of_time], values[last_of_time]
    left = np.searchsorted(time_ns, at_ns, side="right") - 1
    right = np.minimum(left + 1, time_ns.size - 1)
    left = np.maximum(left, 0)
    span_ns = time_ns[right] - time_ns[left]
    rise = values[right] - values[left]
    elapsed_ns = np.clip(at_ns - time_ns[left], 0, None)
    between = (left != right) & (elapsed_ns > 0) & (span_ns > 0)
    size = np.abs(rise)
    if int(size.max()) * int(elapsed_ns.max()) >= 1 << 63:
        size = size.astype(object)  # a gap of hours and a jump of seconds would overflow 64 bits
    step = (size * elapsed_ns // np.where(between, span_ns, 1)).astype(np.int64)
    return values[left] + np.where(between, np.sign(rise) * step, 0)


def congested_at(signals: SubflowSignals, at_ns: Int64Array) -> BoolArray:
    """Tell at each time whether the subflow is in Recovery or Loss.

    References
    ----------
    SmartSBD, section 3.1: Open and Disorder are uncongested; CWR, which it leaves out, is here too.
    """
    if not signals.state_time_ns.size:
        return np.zeros(at_ns.size, dtype=np.bool_)
    last = np.searchsorted(signals.state_time_ns, at_ns, side="right") - 1
    congested: BoolArray = (last >= 0) & (signals.ca_state[np.maximum(last, 0)] >= _CONGESTED_FROM)
    return congested


def pair_grid(x: SubflowSignals, y: SubflowSignals, window: Window) -> tuple[PairGrid, int]:
    """Resample a pair on its window's grid.

    The denominator of ratios (`b`) is the subflow with the lower minimum RTT, on a tie `x`.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    window : Window

    Returns
    -------
    grid : PairGrid
    saturated : int
        Points of either series clamped to RTT_LIMIT_US.
    """
    at_ns = grid_ns(window.start_ns, window.step_ns, window.n)
    rtt_us = [interpolate(signals.rtt_time_ns, signals.rtt_us, at_ns) for signals in (x, y)]
    common_min_us = min(int(rtt_us[0].min()), int(rtt_us[1].min()))
    above_us = [series - common_min_us for series in rtt_us]
    saturated = sum(int((series > RTT_LIMIT_US).sum()) for series in above_us)
    clamped_us = [np.minimum(series, RTT_LIMIT_US) for series in above_us]
    congested = [congested_at(signals, at_ns) for signals in (x, y)]
    min_rtt_us = (window.min_rtt_x_us, window.min_rtt_y_us)
    a, b = (1, 0) if min_rtt_us[0] <= min_rtt_us[1] else (0, 1)
    grid = PairGrid(
        rtt_a_us=clamped_us[a],
        rtt_b_us=clamped_us[b],
        congested_a=congested[a],
        congested_b=congested[b],
        min_rtt_a_us=min_rtt_us[a],
        min_rtt_b_us=min_rtt_us[b],
    )
    return grid, saturated
