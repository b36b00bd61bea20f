"""Where a window lies: T, the grid, and the two rules that place it.

T is 50 times the larger of the two minimum RTTs; the grid's step is the smaller one, or as much more
as keeps the window within :data:`~features.fixed.POINTS_LIMIT` points (SmartSBD, section 3.2).
Minimum RTTs are causal: over the samples up to the window's start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from features.fixed import POINTS_LIMIT, Int64Array
from features.series import SubflowSignals

#: T in units of the larger minimum RTT.
WINDOW_RTTS = 50

NEVER_CONGESTED = "a subflow was never congested"
NO_COINCIDENCE = "the subflows were never congested within T of each other"
NO_RTT_BEFORE = "no RTT sample before the window"
NO_RTT_WITHIN = "no RTT sample of a subflow within the window"
TRACE_ENDS = "the trace ends before the window does"

_NS_PER_US = 1000
_CONGESTED_FROM = 3


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


@dataclass(frozen=True)
class Rejected:
    """A window that was looked for and not found, and why."""

    rule: str
    reason: str


def geometry(rule: str, start_ns: int, min_rtt_x_us: int, min_rtt_y_us: int) -> Window:
    """Return the window that starts at `start_ns` for these minimum RTTs.

    Examples
    --------
    >>> w = geometry("tiled", 0, 24_000, 60_000)
    >>> w.window_ns, w.step_ns, w.n, w.coarsened
    (3000000000, 24000000, 126, False)
    >>> geometry("tiled", 0, 1_000, 60_000).n
    681
    """
    window_ns = WINDOW_RTTS * max(min_rtt_x_us, min_rtt_y_us) * _NS_PER_US
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
    """Return the times at which the subflow entered Recovery or Loss from another state."""
    congested = signals.ca_state >= _CONGESTED_FROM
    before = np.concatenate(([False], congested[:-1]))
    return signals.state_time_ns[congested & ~before]


def _min_rtt_us(signals: SubflowSignals, until_ns: int) -> int | None:
    count = int(np.searchsorted(signals.rtt_time_ns, until_ns, side="right"))
    return int(signals.rtt_us[:count].min()) if count else None


def _window_at(rule: str, start_ns: int, x: SubflowSignals, y: SubflowSignals) -> Window | None:
    min_rtt_x_us, min_rtt_y_us = _min_rtt_us(x, start_ns), _min_rtt_us(y, start_ns)
    if min_rtt_x_us is None or min_rtt_y_us is None:
        return None
    return geometry(rule, start_ns, min_rtt_x_us, min_rtt_y_us)


def _measured_within(signals: SubflowSignals, window: Window) -> bool:
    first = np.searchsorted(signals.rtt_time_ns, window.start_ns, side="left")
    last = np.searchsorted(signals.rtt_time_ns, window.end_ns, side="right")
    return bool(last > first)


def _accept(window: Window, x: SubflowSignals, y: SubflowSignals, end_ns: int) -> Window | Rejected:
    if window.end_ns > end_ns:
        return Rejected(window.rule, TRACE_ENDS)
    if not (_measured_within(x, window) and _measured_within(y, window)):
        return Rejected(window.rule, NO_RTT_WITHIN)
    return window


def triggered(x: SubflowSignals, y: SubflowSignals, end_ns: int) -> list[Window | Rejected]:
    """Return the paper's training window: it starts once both subflows were congested within T.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    end_ns : int, nanoseconds
        End of the trace.

    Returns
    -------
    list of one Window or Rejected

    References
    ----------
    SmartSBD, section 3.2: traces "after the two subflows have just entered" Recovery or Loss
    "within a period of time (T)".
    """
    entries_x, entries_y = congestion_entries_ns(x), congestion_entries_ns(y)
    if not entries_x.size or not entries_y.size:
        return [Rejected("triggered", NEVER_CONGESTED)]
    measured = False
    for start_ns in np.union1d(entries_x, entries_y).tolist():
        latest = [entries[entries <= start_ns] for entries in (entries_x, entries_y)]
        if not latest[0].size or not latest[1].size:
            continue
        window = _window_at("triggered", start_ns, x, y)
        if window is None:
            continue
        measured = True
        if abs(int(latest[0][-1]) - int(latest[1][-1])) <= window.window_ns:
            return [_accept(window, x, y, end_ns)]
    return [Rejected("triggered", NO_COINCIDENCE if measured else NO_RTT_BEFORE)]


def tiled(x: SubflowSignals, y: SubflowSignals, end_ns: int) -> list[Window | Rejected]:
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

    References
    ----------
    SmartSBD, section 3.5; that decisions begin after slow start is our reading.
    """
    entries_x, entries_y = congestion_entries_ns(x), congestion_entries_ns(y)
    if not entries_x.size or not entries_y.size:
        return [Rejected("tiled", NEVER_CONGESTED)]
    if not x.rtt_time_ns.size or not y.rtt_time_ns.size:
        return [Rejected("tiled", NO_RTT_BEFORE)]
    start_ns = int(max(entries_x[0], entries_y[0], x.rtt_time_ns[0], y.rtt_time_ns[0]))
    found: list[Window | Rejected] = []
    while (window := _window_at("tiled", start_ns, x, y)) and window.end_ns <= end_ns:
        found.append(_accept(window, x, y, end_ns))
        start_ns = window.end_ns
    return found or [Rejected("tiled", TRACE_ENDS)]


RULES = {"triggered": triggered, "tiled": tiled}
