"""From two subflows' signals to windows with their series and features."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass

import numpy as np

from smartsbd.features import catalog
from smartsbd.features.fixed import Int64Array
from smartsbd.features.reading import DEFAULT, Reading
from smartsbd.features.resample import bridged_points, denominator, pair_grid
from smartsbd.features.series import PairGrid, SubflowSignals
from smartsbd.features.window import RULES, WINDOW_RTTS, Rejected, Window

#: Windows of one pair by their place and what decides their features then.
Known = MutableMapping[tuple[Window, Reading], "PairWindow"]

CONSTANT = "a series of the denominator is constant"


@dataclass(frozen=True)
class PairWindow:
    """One window with its series and features.

    Attributes
    ----------
    window : Window
    grid : PairGrid
        The series; its `b` is the denominator.
    denominator : int
        0 if that is the pair's first subflow, 1 if the second.
    bridged : int
        Points in a gap of more than ten steps between RTT samples.
    features : dict of str to int or float
    """

    window: Window
    grid: PairGrid
    denominator: int
    bridged: int
    features: dict[str, float]

    def rtts_us(self) -> tuple[Int64Array, Int64Array]:
        """Return the RTT series of the pair's first and second subflow, (n,) int64, microseconds."""
        grid = self.grid
        return (grid.rtt_a_us, grid.rtt_b_us) if self.denominator == 1 else (grid.rtt_b_us, grid.rtt_a_us)


def _denominator_is_constant(grid: PairGrid) -> bool:
    return any(
        np.ptp(series.astype(np.float64)) == 0 for series in (grid.rtt_b_us, grid.congested_b, grid.rate_b_mbit_s)
    )


def pair_window(
    x: SubflowSignals, y: SubflowSignals, placed: Window, reading: Reading = DEFAULT, feature_set: str = "all"
) -> PairWindow:
    """Return a pair's series and features in a window that has its place.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first; taken with the same reading.
    placed : Window
    reading : Reading
    feature_set : str
        Features to compute, a name in :data:`smartsbd.features.feature_set.SETS`.

    Returns
    -------
    PairWindow
    """
    grid = pair_grid(x, y, placed, reading)
    return PairWindow(
        window=placed,
        grid=grid,
        denominator=denominator(x, placed, reading),
        bridged=bridged_points(x, y, placed),
        features=catalog.compute(grid, feature_set),
    )


def pair_windows(
    x: SubflowSignals,
    y: SubflowSignals,
    end_ns: int,
    rules: Sequence[str],
    reading: Reading = DEFAULT,
    feature_set: str = "all",
    window_rtts: int = WINDOW_RTTS,
    known: Known | None = None,
) -> tuple[list[PairWindow], list[Rejected]]:
    """Return all windows of a pair, and those that could not be made.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first; taken with the same reading.
    end_ns : int, nanoseconds
        End of the trace.
    rules : sequence of str
        Names in :data:`smartsbd.features.window.RULES`.
    reading : Reading
    feature_set : str
        Features to compute, a name in :data:`smartsbd.features.feature_set.SETS`.
    window_rtts : int
        Length of a window in units of the larger minimum RTT; at least 3, because some features lag by two.
    known : mutable mapping, optional
        Windows of this pair that other readings gave, with the same set of features. Nothing is computed twice, and new
        windows are added. The series of a known window hold the reading with which they were first computed.

    Returns
    -------
    windows : list of PairWindow
        Rule by rule, in time order.
    rejected : list of Rejected
    """
    windows: list[PairWindow] = []
    rejected: list[Rejected] = []
    of_placed = reading.of_placed()
    if known is None:
        known = {}
    for rule in rules:
        for placed in RULES[rule](x, y, end_ns, reading, window_rtts):
            if isinstance(placed, Rejected):
                rejected.append(placed)
                continue
            if (placed, of_placed) not in known:
                known[placed, of_placed] = pair_window(x, y, placed, reading, feature_set)
            window = known[placed, of_placed]
            if reading.zero_deviation == "rejected" and _denominator_is_constant(window.grid):
                rejected.append(Rejected(rule, CONSTANT, placed.start_ns, placed.window_ns))
                continue
            windows.append(window)
    return windows, rejected
