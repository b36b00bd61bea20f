"""Figure of last verdicts under each choice at the sender."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

_MARKERS = "osD^vP*X"
#: Height of a choice's rows in a figure of few choices, and of more.
_FEW_CHOICES, _FEW_HEIGHT, _MANY_HEIGHT = 20, 0.5, 0.3
#: Detectors drawn by controller, as many as can be told apart.
_BY_SENDER = (
    ("lag-excess", "default"),
    ("wavelet", "default"),
    ("rubenstein-r", "default"),
    ("rfc8382", "default"),
    ("forest_invariant", "trained on sites"),
    ("tree_paper", "trained on sites"),
)


def by_choice(table: pd.DataFrame) -> Figure:
    """Draw how right some detectors are under each choice at the sender, and how much less than under its reference.

    Parameters
    ----------
    table : DataFrame
        Rows of the dataset's CSV file.
    """
    choices = list(dict.fromkeys(table["choice"]))
    height = _FEW_HEIGHT if len(choices) <= _FEW_CHOICES else _MANY_HEIGHT
    figure = Figure(figsize=(8.5, height * len(choices) + 1.3), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    drawn = [own for own in table.groupby(["detector", "parameters"], sort=False) if own[0] in _BY_SENDER]
    offsets = 0.11 * (np.arange(len(drawn)) - (len(drawn) - 1) / 2)
    for number, ((name, own), offset) in enumerate(zip(drawn, offsets, strict=True)):
        places = np.array([choices.index(choice) for choice in own["choice"]]) + offset
        for axes, value in zip(panels, ("right", "less"), strict=True):
            spread = [own[value] - own[f"{value}_low"], own[f"{value}_high"] - own[value]]
            style = {"fmt": _MARKERS[number], "markersize": 3.5, "elinewidth": 0.8, "color": f"C{number}"}
            axes.errorbar(own[value], places, xerr=spread, label=f"{name[0]}, {name[1]}", **style)
    panels[0].set_yticks(range(len(choices)), choices, fontsize=8)
    panels[0].set_ylim(len(choices) - 0.4, -0.6)
    panels[0].set_xlabel("share right of all pairs; no verdict counts as wrong", fontsize=8)
    panels[1].set_xlabel(f"difference to {_reference(table)}, paired by network", fontsize=8)
    panels[1].axvline(0, color="black", linewidth=0.8, linestyle=":")
    for axes in panels:
        axes.grid(axis="x", alpha=0.3)
        axes.tick_params(axis="x", labelsize=7)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", fontsize=7, ncols=3, frameon=False)
    figure.supylabel("what chooses at the sender", fontsize=8)
    return figure


def _reference(table: pd.DataFrame) -> str:
    """Return what choices are compared with, for people."""
    names = table["reference"].unique()
    return str(names[0]) if len(names) == 1 else "the reference"
