"""Figure of controllers crossed with schedulers: what goodput is of that of the first pair."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_MARKERS = "osD^"


def by_task(gained: pd.DataFrame) -> Figure:
    """Draw goodput under each controller and scheduler over that of the first, a panel for each task.

    Parameters
    ----------
    gained : DataFrame
        Rows of gains.csv.
    """
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    if gained.empty:
        figure.text(0.5, 0.5, "no run", ha="center", va="center", fontsize=9)
        return figure
    parts = gained["group"].str.rpartition(", ")
    own = gained.assign(networks_of=parts[0], task=parts[2])
    tasks, choices = (list(dict.fromkeys(own[name])) for name in ("task", "controller"))
    kinds = list(dict.fromkeys(own["networks_of"]))
    panels: list[Axes] = list(np.atleast_1d(figure.subplots(1, len(tasks), sharey=True)))
    for axes, task in zip(panels, tasks, strict=True):
        for number, kind in enumerate(kinds):
            drawn = own[(own["task"] == task) & (own["networks_of"] == kind)]
            places = np.array([choices.index(name) for name in drawn["controller"]])
            axes.errorbar(
                drawn["mean"],
                places + 0.16 * (number - (len(kinds) - 1) / 2),
                xerr=[drawn["mean"] - drawn["low"], drawn["high"] - drawn["mean"]],
                fmt=_MARKERS[number],
                markersize=3.5,
                elinewidth=0.8,
                color=f"C{number}",
                label=kind if axes is panels[0] else None,
            )
        axes.axvline(1, color="black", linewidth=0.7, linestyle=":")
        axes.grid(axis="x", alpha=0.3)
        axes.set_title(task, fontsize=8)
        axes.tick_params(labelsize=7)
    panels[0].set_yticks(range(len(choices)), choices, fontsize=8)
    panels[0].invert_yaxis()
    figure.supxlabel(f"goodput over that of {choices[0]} in the same network", fontsize=8)
    figure.legend(loc="outside upper center", fontsize=7, ncols=4, frameon=False)
    return figure
