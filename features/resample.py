"""Irregular samples onto a grid, RTTs in integers."""

from __future__ import annotations

import numpy as np

from smartsbd.features.fixed import Float64Array, Int64Array
from smartsbd.features.reading import DEFAULT, Reading
from smartsbd.features.series import PairGrid, SubflowSignals, congested_at
from smartsbd.features.window import Window, in_gap
from smartsbd.native import window_features


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

    Raises
    ------
    ValueError
        If there is no sample.

    Examples
    --------
    >>> import numpy as np
    >>> interpolate(np.array([0, 10]), np.array([100, 95]), np.array([-5, 1, 5, 10, 20])).tolist()
    [100, 100, 98, 95, 95]

    References
    ----------
    SmartSBD, section 3.2 (linear interpolation).
    """
    return window_features.interpolated(time_ns, values, at_ns)


def last_known(time_ns: Int64Array, values: Int64Array, at_ns: Int64Array) -> Int64Array:
    """Return the last value at or before each time, 0 before the first.

    Parameters
    ----------
    time_ns, values : (m,) int64
        Samples in time order; of several at one time the last counts. `time_ns` is in nanoseconds.
    at_ns : (n,) int64, nanoseconds
        The times asked for.

    Returns
    -------
    (n,) int64
        In the unit of the values.

    Examples
    --------
    >>> import numpy as np
    >>> last_known(np.array([0, 10]), np.array([100, 150]), np.array([-1, 9, 10])).tolist()
    [0, 100, 150]
    """
    if not values.size:
        return np.zeros(at_ns.size, dtype=np.int64)
    last = np.searchsorted(time_ns, at_ns, side="right") - 1
    return np.where(last >= 0, values[last], 0)


def _rate_mbit_s(signals: SubflowSignals, window: Window, at_ns: Int64Array) -> Float64Array:
    """Interpolate the throughput linearly; only the samples around the grid matter."""
    times = signals.rate_time_ns
    first = max(0, int(np.searchsorted(times, at_ns[0], side="right")) - 1)
    end = int(np.searchsorted(times, at_ns[-1], side="left")) + 1
    return np.interp(at_ns - window.start_ns, times[first:end] - window.start_ns, signals.rate_mbit_s[first:end])


def _rtt_us(signals: SubflowSignals, window: Window, at_ns: Int64Array, reading: Reading) -> Int64Array:
    linear = interpolate(signals.rtt_time_ns, signals.rtt_us, at_ns)
    if reading.gap != "held":
        return linear
    held = last_known(signals.rtt_time_ns, signals.rtt_us, at_ns)
    return np.where(in_gap(signals, window, at_ns), held, linear)


def bridged_points(x: SubflowSignals, y: SubflowSignals, window: Window) -> int:
    """Return how many points of both series lie in a gap of more than ten steps between RTT samples.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair.
    window : Window
        Its grid has the points.

    Returns
    -------
    int, points
        Of both series together.
    """
    at_ns = window.grid_ns()
    return sum(int(in_gap(signals, window, at_ns).sum()) for signals in (x, y))


def denominator(x: SubflowSignals, window: Window, reading: Reading = DEFAULT) -> int:
    """Return which subflow of a pair is the denominator of ratios: 0 the first, 1 the second.

    The one with the lower minimum RTT, on a tie the first; or the one on WiFi. :mod:`smartsbd.features.window` has made
    sure that one of the two is.

    Parameters
    ----------
    x : SubflowSignals
        The first subflow of the pair.
    window : Window
        Has the minimum RTTs of both.
    reading : Reading
        Its :attr:`~smartsbd.features.reading.Reading.denominator` decides.

    Returns
    -------
    int
    """
    if reading.denominator == "wifi":
        return 0 if x.on_wifi else 1
    return 0 if window.min_rtt_x_us <= window.min_rtt_y_us else 1


def pair_grid(x: SubflowSignals, y: SubflowSignals, window: Window, reading: Reading = DEFAULT) -> PairGrid:
    """Resample a pair on its window's grid.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    window : Window
    reading : Reading

    Returns
    -------
    PairGrid
        As many points as the window's grid.
    """
    at_ns = window.grid_ns()
    b = denominator(x, window, reading)
    pair = (y, x) if b == 0 else (x, y)
    min_rtt_us = (window.min_rtt_x_us, window.min_rtt_y_us)
    rtt_a_us, rtt_b_us = (_rtt_us(signals, window, at_ns, reading) for signals in pair)
    congested_a, congested_b = (congested_at(signals.state_time_ns, signals.congested, at_ns) for signals in pair)
    acked_a_bytes, acked_b_bytes = (last_known(signals.ack_time_ns, signals.acked_bytes, at_ns) for signals in pair)
    rate_a_mbit_s, rate_b_mbit_s = (_rate_mbit_s(signals, window, at_ns) for signals in pair)
    return PairGrid(
        rtt_a_us=rtt_a_us,
        rtt_b_us=rtt_b_us,
        congested_a=congested_a,
        congested_b=congested_b,
        acked_a_bytes=acked_a_bytes,
        acked_b_bytes=acked_b_bytes,
        rate_a_mbit_s=rate_a_mbit_s,
        rate_b_mbit_s=rate_b_mbit_s,
        min_rtt_a_us=min_rtt_us[1 - b],
        min_rtt_b_us=min_rtt_us[b],
        step_ns=window.step_ns,
        reading=reading,
    )
