"""Figure of recordings beside their simulated twins."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from smartsbd.pipelines.reporting.figures.style import BLUE, GREY, ORANGE


def by_detector(table: pd.DataFrame) -> Figure:
    """Draw how right each detector is on recordings and on their simulated twins; a line joins the two.

    Parameters
    ----------
    table : DataFrame
        Rows of the dataset's CSV file.
    """
    own = table.sort_values(["recorded", "simulated"], kind="stable").reset_index(drop=True)
    figure = Figure(figsize=(7.5, 0.19 * len(own) + 1.1), layout="constrained")
    axes = figure.subplots()
    axes.hlines(own.index, own["recorded"], own["simulated"], color=GREY, linewidth=0.8)
    for name, colour, marker in (("recorded", ORANGE, "o"), ("simulated", BLUE, "s")):
        axes.scatter(own[name], own.index, color=colour, marker=marker, s=16, zorder=2, label=name)
    axes.set_yticks(own.index, own["detector"] + ", " + own["parameters"], fontsize=6)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.8, len(own) - 0.2)
    axes.set_xlabel(f"share right of {own['pairs'].max()} pairs; no verdict counts as wrong")
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside upper center", fontsize=7, ncols=2, frameon=False)
    return figure
