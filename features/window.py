"""Where a window lies: T, the grid, and the two rules that place it.

T is 50 times the larger of the two minimum RTTs; the grid's step is the smaller one, or as much more
as keeps the window within :data:`~smartsbd.features.fixed.POINTS_LIMIT` points (SmartSBD, section 3.2).
Minimum RTTs are causal: over the samples up to the window's start. Other readings are options
(:class:`~smartsbd.features.reading.Reading`), and so is a length other than 50, for comparing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from smartsbd.features.fixed import POINTS_LIMIT, BoolArray, Int64Array
from smartsbd.features.reading import DEFAULT, Reading
from smartsbd.features.series import SubflowSignals

#: T in units of the larger minimum RTT; every exported feature is defined for it.
WINDOW_RTTS = 50

NEVER_CONGESTED = "a subflow was never congested"
NO_STATES = "no change of congestion state of a subflow is known"
NO_COINCIDENCE = "the subflows were never congested within T of each other"
NO_RTT_BEFORE = "no RTT sample before the window"
NO_RTT_WITHIN = "no RTT sample of a subflow within the window"
NO_RATE = "no throughput of a subflow up to the window's end: fewer than two ACKs of new data"
CONGESTED_ONCE = "a subflow was congested no more than once"
LONG_GAP = "the RTT samples of a subflow have a gap of more than ten steps"
WIFI_UNKNOWN = "which of the two subflows is on WiFi is not known"
TRACE_ENDS = "the trace ends before the window does"

#: A gap of RTT samples longer than this many steps is bridged, counted, or refused.
GAP_STEPS = 10

_NS_PER_US = 1000
#: Length of tcp_min_rtt_wlen, the kernel's filter of the minimum RTT.
_KERNEL_FILTER_NS = 300_000_000_000


@dataclass(frozen=True)
class Window:
    """One window of a pair of subflows.

    Attributes
    ----------
    rule : str
        ``triggered`` or ``tiled``.
    start_ns, window_ns, step_ns : int, nanoseconds
        Start, length T, and step of the grid.
    n : int
        Grid points, the first at the start.
    coarsened : bool
        The step is longer than the smaller minimum RTT.
    min_rtt_x_us, min_rtt_y_us : int, microseconds
        Smallest RTT sample of either subflow up to the start.
    """

    rule: str
    start_ns: int
    window_ns: int
    step_ns: int
    n: int
    coarsened: bool
    min_rtt_x_us: int
    min_rtt_y_us: int

    @property
    def end_ns(self) -> int:
        """End of the window, nanoseconds."""
        return self.start_ns + self.window_ns

    def grid_ns(self) -> Int64Array:
        """Return the (n,) times of the grid, nanoseconds."""
        return self.start_ns + self.step_ns * np.arange(self.n, dtype=np.int64)


@dataclass(frozen=True)
class Rejected:
    """A window that could not be made: why, and, if it could be placed, where it would have been."""

    rule: str
    reason: str
    start_ns: int | None = None
    window_ns: int | None = None


def geometry(rule: str, start_ns: int, min_rtt_x_us: int, min_rtt_y_us: int, window_rtts: int = WINDOW_RTTS) -> Window:
    """Return the window that starts at `start_ns` for these minimum RTTs, `window_rtts` times the larger one long.

    Parameters
    ----------
    rule : str
        The rule that placed the window.
    start_ns : int, nanoseconds
    min_rtt_x_us, min_rtt_y_us : int, microseconds
        Minimum RTTs of the first and the second subflow. The smaller one is the step of the grid, unless the window
        would have more than :data:`~smartsbd.features.fixed.POINTS_LIMIT` points.
    window_rtts : int
        Length of the window in units of the larger minimum RTT.

    Returns
    -------
    Window

    Examples
    --------
    >>> w = geometry("tiled", 0, 24_000, 60_000)
    >>> w.window_ns, w.step_ns, w.n, w.coarsened
    (3000000000, 24000000, 126, False)
    >>> geometry("tiled", 0, 1_000, 60_000).n
    681
    >>> w = geometry("tiled", 0, 24_000, 60_000, 25)
    >>> w.window_ns, w.step_ns, w.n
    (1500000000, 24000000, 63)
    """
    window_ns = window_rtts * max(min_rtt_x_us, min_rtt_y_us) * _NS_PER_US
    natural_ns = min(min_rtt_x_us, min_rtt_y_us) * _NS_PER_US
    step_ns = max(natural_ns, -(-window_ns // (POINTS_LIMIT - 1)))
    return Window(
        rule=rule,
        start_ns=start_ns,
        window_ns=window_ns,
        step_ns=step_ns,
        n=window_ns // step_ns + 1,
        coarsened=step_ns > natural_ns,
        min_rtt_x_us=min_rtt_x_us,
        min_rtt_y_us=min_rtt_y_us,
    )


def congestion_entries_ns(signals: SubflowSignals) -> Int64Array:
    """Return the times at which the subflow became congested (entered Recovery or Loss)."""
    before = np.concatenate(([False], signals.congested[:-1]))
    return signals.state_time_ns[signals.congested & ~before]


def _min_rtt_us(signals: SubflowSignals, start_ns: int, reading: Reading) -> int | None:
    count = int(np.searchsorted(signals.rtt_time_ns, start_ns, side="right"))
    if not count:
        return None
    if reading.min_rtt == "whole":
        return int(signals.lowest_rtt_us[-1])
    if reading.min_rtt == "kernel":
        first = int(np.searchsorted(signals.rtt_time_ns, start_ns - _KERNEL_FILTER_NS, side="left"))
        return int(signals.rtt_us[min(first, count - 1) : count].min())
    return int(signals.lowest_rtt_us[count - 1])


def _window_at(
    rule: str, start_ns: int, x: SubflowSignals, y: SubflowSignals, reading: Reading, window_rtts: int
) -> Window | None:
    min_rtt_x_us, min_rtt_y_us = _min_rtt_us(x, start_ns, reading), _min_rtt_us(y, start_ns, reading)
    if min_rtt_x_us is None or min_rtt_y_us is None:
        return None
    return geometry(rule, start_ns, min_rtt_x_us, min_rtt_y_us, window_rtts)


def _measured_within(signals: SubflowSignals, window: Window) -> bool:
    first = np.searchsorted(signals.rtt_time_ns, window.start_ns, side="left")
    last = np.searchsorted(signals.rtt_time_ns, window.end_ns, side="right")
    return bool(last > first)


def in_gap(signals: SubflowSignals, window: Window, at_ns: Int64Array) -> BoolArray:
    """Tell which times lie strictly within a gap of more than GAP_STEPS steps between RTT samples.

    Before the first sample and after the last one there is no gap: the value is held.

    Parameters
    ----------
    signals : SubflowSignals
    window : Window
        Has the length of a step.
    at_ns : (n,) int64, nanoseconds
        The times asked for.

    Returns
    -------
    (n,) bool
    """
    times = signals.rtt_time_ns
    if not times.size:
        return np.zeros(at_ns.size, dtype=np.bool_)
    # The sample at or after each time, if there is one before it too.
    right = np.searchsorted(times, at_ns, side="left")
    between = (right > 0) & (right < times.size)
    right = np.where(between, right, 0)
    gap_ns = times[right] - times[right - 1]
    is_bridged: BoolArray = between & (gap_ns > GAP_STEPS * window.step_ns) & (times[right] != at_ns)
    return is_bridged


def _rejected(window: Window, reason: str) -> Rejected:
    return Rejected(window.rule, reason, window.start_ns, window.window_ns)


def _never_congested(*signals: SubflowSignals) -> str:
    """Return why no congestion is known: a subflow had none, or the input has no states."""
    return NEVER_CONGESTED if all(subflow.state_time_ns.size for subflow in signals) else NO_STATES


def _accept(window: Window, x: SubflowSignals, y: SubflowSignals, end_ns: int, reading: Reading) -> Window | Rejected:
    if window.end_ns > end_ns:
        return _rejected(window, TRACE_ENDS)
    if not (_measured_within(x, window) and _measured_within(y, window)):
        return _rejected(window, NO_RTT_WITHIN)
    if not all(signals.rate_time_ns.size and signals.rate_time_ns[0] <= window.end_ns for signals in (x, y)):
        return _rejected(window, NO_RATE)
    if reading.denominator == "wifi" and (x.on_wifi is None or y.on_wifi is None or x.on_wifi == y.on_wifi):
        return _rejected(window, WIFI_UNKNOWN)
    at_ns = window.grid_ns()
    if reading.gap == "rejected" and any(in_gap(signals, window, at_ns).any() for signals in (x, y)):
        return _rejected(window, LONG_GAP)
    return window


def _after_tile(
    entries: Sequence[Int64Array],
    from_ns: int,
    x: SubflowSignals,
    y: SubflowSignals,
    reading: Reading,
    window_rtts: int,
) -> Window | str:
    """Return the window at the end of the first tile of length T that holds an entry of both subflows."""
    start_ns = max(from_ns, *(int(signals.rtt_time_ns[0]) if signals.rtt_time_ns.size else 0 for signals in (x, y)))
    last_ns = max(int(entry_ns[-1]) for entry_ns in entries)
    while start_ns <= last_ns and (tile := _window_at("triggered", start_ns, x, y, reading, window_rtts)):
        if all(((entry_ns >= tile.start_ns) & (entry_ns < tile.end_ns)).any() for entry_ns in entries):
            return _window_at("triggered", tile.end_ns, x, y, reading, window_rtts) or NO_RTT_BEFORE
        start_ns = tile.end_ns
    return NO_COINCIDENCE


def _trigger(
    entries: Sequence[Int64Array], x: SubflowSignals, y: SubflowSignals, reading: Reading, window_rtts: int
) -> Window | str:
    """Return the first window that entries of both subflows trigger, or why there is none."""
    measured = False
    for later_ns in np.union1d(*entries).tolist():
        latest = [entry_ns[entry_ns <= later_ns] for entry_ns in entries]
        if not latest[0].size or not latest[1].size:
            continue
        window = _window_at("triggered", later_ns, x, y, reading, window_rtts)
        if window is None:
            continue
        measured = True
        first_ns, second_ns = sorted(int(entry_ns[-1]) for entry_ns in latest)
        if reading.trigger == "any" or second_ns - first_ns <= window.window_ns:
            if reading.trigger == "earlier":
                window = _window_at("triggered", first_ns, x, y, reading, window_rtts)
            if window:
                return window
    return NO_COINCIDENCE if measured else NO_RTT_BEFORE


def triggered(
    x: SubflowSignals, y: SubflowSignals, end_ns: int, reading: Reading = DEFAULT, window_rtts: int = WINDOW_RTTS
) -> list[Window | Rejected]:
    """Return the paper's training window: it starts once both subflows were congested within T.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    end_ns : int, nanoseconds
        End of the trace.
    reading : Reading
    window_rtts : int
        T in units of the larger minimum RTT.

    Returns
    -------
    list of Window or Rejected
        One, unless the reading asks for all.

    References
    ----------
    SmartSBD, section 3.2: traces "after the two subflows have just entered" Recovery or Loss
    "within a period of time (T)".
    """
    entries = [congestion_entries_ns(signals) for signals in (x, y)]
    if reading.first_congestion == "skipped":
        entries = [entry_ns[1:] for entry_ns in entries]
    windows: list[Window | Rejected] = []
    from_ns = 0
    while True:
        entries = [entry_ns[entry_ns >= from_ns] for entry_ns in entries]
        if not all(entry_ns.size for entry_ns in entries):
            skipped = reading.first_congestion == "skipped"
            return windows or [Rejected("triggered", CONGESTED_ONCE if skipped else _never_congested(x, y))]
        if reading.trigger == "tile":
            window = _after_tile(entries, from_ns, x, y, reading, window_rtts)
        else:
            window = _trigger(entries, x, y, reading, window_rtts)
        if isinstance(window, str):
            return windows or [Rejected("triggered", window)]
        accepted = _accept(window, x, y, end_ns, reading)
        if isinstance(accepted, Rejected) and accepted.reason == TRACE_ENDS:
            return windows or [accepted]
        windows.append(accepted)
        if reading.triggered_windows == "first":
            return windows
        from_ns = window.end_ns


def tiled(
    x: SubflowSignals, y: SubflowSignals, end_ns: int, reading: Reading = DEFAULT, window_rtts: int = WINDOW_RTTS
) -> list[Window | Rejected]:
    """Return the paper's runtime windows: back to back once both subflows have met congestion.

    The first starts when both have been in Recovery or Loss and both have an RTT sample. Each
    window's T follows from the minimum RTTs up to its own start. The rest of the trace that is
    shorter than T is no window and is not counted as a rejected one, unless it is the only one.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    end_ns : int, nanoseconds
        End of the trace.
    reading : Reading
    window_rtts : int
        T in units of the larger minimum RTT.

    Returns
    -------
    list of Window or Rejected
        In time order, at least one.

    References
    ----------
    SmartSBD, section 3.5; that decisions begin after slow start is our reading.
    """
    entries_x, entries_y = congestion_entries_ns(x), congestion_entries_ns(y)
    if not entries_x.size or not entries_y.size:
        return [Rejected("tiled", _never_congested(x, y))]
    if not x.rtt_time_ns.size or not y.rtt_time_ns.size:
        return [Rejected("tiled", NO_RTT_BEFORE)]
    start_ns = int(max(entries_x[0], entries_y[0], x.rtt_time_ns[0], y.rtt_time_ns[0]))
    windows: list[Window | Rejected] = []
    while (window := _window_at("tiled", start_ns, x, y, reading, window_rtts)) and window.end_ns <= end_ns:
        windows.append(_accept(window, x, y, end_ns, reading))
        start_ns = window.end_ns
    if windows or window is None:
        return windows or [Rejected("tiled", NO_RTT_BEFORE)]
    return [_rejected(window, TRACE_ENDS)]


RULES = {"triggered": triggered, "tiled": tiled}
