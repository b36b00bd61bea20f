"""Figures of what subflows find while they start up, and of a TCP flow beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_PROBED = {"probed_first": "alone on its link", "probed_second": "sharing", "probed_third": "sharing too"}


def _probes(axes: Axes, table: pd.DataFrame, names: Sequence[str]) -> None:
    """Draw the bandwidth that each subflow finds over what it could have alone."""
    own = table[table["metric"].isin(list(_PROBED)) & (table["setting"] == "limited rival")]
    for number, (metric, label) in enumerate(_PROBED.items()):
        rows = own[own["metric"] == metric].set_index("controller").reindex(list(names))
        axes.errorbar(
            rows["mean"],
            np.arange(len(names)) + 0.2 * (number - 1),
            xerr=[rows["mean"] - rows["low"], rows["high"] - rows["mean"]],
            fmt="osD"[number],
            markersize=4,
            elinewidth=0.8,
            color=f"C{number}",
            label=label,
        )
    axes.set_yticks(range(len(names)), list(names), fontsize=7)
    axes.invert_yaxis()
    axes.axvline(1, color="black", linewidth=0.7, linestyle=":")
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("bandwidth found over what the subflow could have alone", fontsize=8)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.12), fontsize=7, ncols=3, frameon=False)


def by_start(table: pd.DataFrame, rates: pd.DataFrame, names: Sequence[str]) -> Figure:
    """Draw what subflows find while they start up, and the rate of the TCP flow beside them over time.

    Parameters
    ----------
    table : DataFrame
        Rows of summary.csv.
    rates : DataFrame
        Rows of rival.csv.
    names : sequence of str
        Controllers, the first of which is the one to compare with.
    """
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    own = rates[(rates["setting"] == "limited rival") & rates["controller"].isin(list(names))]
    if own.empty:
        figure.text(0.5, 0.5, "no run", ha="center", va="center", fontsize=9)
        return figure
    left, right = figure.subplots(1, 2)
    _probes(left, table[table["experiment"] == "draws"], names)
    for number, name in enumerate(names):
        rows = own[own["controller"] == name]
        right.plot(rows["at_s"], rows["mean"], color=f"C{number}", linewidth=1.1, label=name)
        right.fill_between(rows["at_s"], rows["low"], rows["high"], color=f"C{number}", alpha=0.15, linewidth=0)
    right.set_ylim(0, None)
    right.grid(alpha=0.3)
    right.set_xlabel("seconds since the connection began", fontsize=8)
    right.set_ylabel("TCP flow of 5 Mbit/s, Mbit/s", fontsize=8)
    right.legend(loc="upper center", bbox_to_anchor=(0.5, 1.12), fontsize=7, ncols=4, frameon=False)
    for axes in (left, right):
        axes.tick_params(labelsize=7)
    return figure
