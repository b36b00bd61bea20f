"""Figures of simulated transfers."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

_MARKERS = "osD^vP*X"


def by_loss(table: pd.DataFrame) -> Figure:
    """Draw the share of the link that each controller uses, by random loss.

    Parameters
    ----------
    table : DataFrame
        Rows of reports/mpol/summary.csv.
    """
    own = table[(table["experiment"] == "loss") & (table["metric"] == "link_share")]
    own = own.assign(percent=[100 * float(setting.removeprefix("loss ")) for setting in own["setting"]])
    losses = sorted(set(own["percent"]))
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axes = figure.subplots()
    for number, (name, lines) in enumerate(own.groupby("controller", sort=False)):
        # At equal distances: most losses of interest are small ones. Side by side, so that intervals can be told apart.
        places = [losses.index(percent) + 0.05 * (number - 3) for percent in lines["percent"]]
        spread = [lines["mean"] - lines["low"], lines["high"] - lines["mean"]]
        axes.errorbar(
            places,
            lines["mean"],
            yerr=spread,
            fmt=f"{_MARKERS[number % len(_MARKERS)]}-",
            markersize=4,
            linewidth=0.9,
            elinewidth=0.7,
            color=f"C{number}",
            label=str(name),
        )
    axes.set_xticks(range(len(losses)), [f"{percent:g}" for percent in losses])
    axes.set_ylim(0, 1.05)
    axes.grid(axis="y", alpha=0.3)
    axes.set_xlabel("random loss (%)", fontsize=8)
    axes.set_ylabel("share of the link, 95 % interval over runs", fontsize=8)
    axes.tick_params(labelsize=7)
    if losses:
        figure.legend(loc="outside upper center", fontsize=7, ncols=4, frameon=False)
    return figure
