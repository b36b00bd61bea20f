"""Figures of controllers with a learnt part: what random loss leaves them, and how they share with TCP flows."""

from __future__ import annotations

import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from studies.transfers.loss_lines import MARKERS, Look, loss_lines
from studies.transfers.repetitions import NOT_RUN

#: Networks in the right panel, each in a size of its own.
_TOPOLOGIES = {"one link": 70, "first link": 45, "both links": 25, "chain": 12}

#: How far lines are apart at one loss.
_APART = 0.02


def _fairness(axes: Axes, table: pd.DataFrame, looks: dict[str, Look]) -> None:
    """Draw utilisation and Jain's index of each controller beside TCP flows."""
    own = table[table["experiment"] == "friendliness"]
    means = own.pivot_table(index=["setting", "controller"], columns="metric", values="mean", sort=False)
    if not {"utilisation", "jain"} <= set(means.columns):
        return
    for row in means.reset_index().to_dict("records"):
        look = looks[row["controller"]]
        axes.scatter(
            row["utilisation"],
            row["jain"],
            s=_TOPOLOGIES[row["setting"]],
            marker=look.marker,
            facecolor="none",
            edgecolor=look.colour,
            linewidth=1,
        )
    axes.grid(alpha=0.3)
    drawn = [name for name in _TOPOLOGIES if name in set(own["setting"])]
    axes.set_xlabel(f"utilisation, from large to small: {', '.join(drawn)}", fontsize=8)
    axes.set_ylabel("Jain's index, connection and TCP flows", fontsize=8)
    axes.tick_params(labelsize=7)


def by_loss_and_fairness(table: pd.DataFrame) -> Figure:
    """Draw the share of both links by random loss, and utilisation beside fairness where TCP flows compete.

    Parameters
    ----------
    table : DataFrame
        Rows of summary.csv. Controllers that were not run are named below.
    """
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    names = list(dict.fromkeys(table["controller"]))
    looks = {
        str(name): Look(
            to_hex(colormaps["tab20"](number)), MARKERS[number % len(MARKERS)], _APART * (number - len(names) / 2)
        )
        for number, name in enumerate(names)
    }
    loss_lines(left, table, looks)
    left.set_ylabel("share of both links, 95 % interval over runs", fontsize=8)
    _fairness(right, table, looks)
    if left.get_legend_handles_labels()[0]:
        figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", fontsize=7, ncols=5, frameon=False)
    waiting = dict.fromkeys(table.loc[table["metric"] == NOT_RUN, "controller"])
    if waiting:
        figure.supxlabel(f"{NOT_RUN}: {', '.join(waiting)}", fontsize=8)
    return figure
