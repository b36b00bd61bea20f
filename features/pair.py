"""From two subflows' signals to the rows of ``pair_window``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from features import catalog
from features.resample import pair_grid
from features.series import SubflowSignals
from features.window import RULES, Rejected, Window


@dataclass(frozen=True)
class PairWindow:
    """One window with its features."""

    window: Window
    saturated: int
    features: dict[str, int]


def pair_windows(
    x: SubflowSignals, y: SubflowSignals, end_ns: int, rules: Sequence[str]
) -> tuple[list[PairWindow], list[Rejected]]:
    """Return all windows of a pair, and those that were looked for in vain.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    end_ns : int, nanoseconds
        End of the trace.
    rules : sequence of str
        Names in :data:`features.window.RULES`.
    """
    found: list[PairWindow] = []
    rejected: list[Rejected] = []
    for rule in rules:
        for placed in RULES[rule](x, y, end_ns):
            if isinstance(placed, Rejected):
                rejected.append(placed)
                continue
            grid, saturated = pair_grid(x, y, placed)
            found.append(PairWindow(placed, saturated, catalog.compute(grid)))
    return found, rejected
