"""Figure of the MP-OL paper's controllers: what random loss leaves them of the link."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from studies.transfers.loss_lines import MARKERS, Look, loss_lines

#: How far lines are apart at one loss, and which of seven is in the middle.
_APART, _MIDDLE = 0.05, 3


def by_loss(table: pd.DataFrame) -> Figure:
    """Draw the share of the link that each controller uses, by random loss.

    Parameters
    ----------
    table : DataFrame
        Rows of summary.csv.
    """
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axes = figure.subplots()
    own = table.loc[(table["experiment"] == "loss") & (table["metric"] == "link_share"), "controller"]
    looks = {
        str(name): Look(f"C{number}", MARKERS[number % len(MARKERS)], _APART * (number - _MIDDLE))
        for number, name in enumerate(dict.fromkeys(own))
    }
    loss_lines(axes, table, looks)
    axes.set_ylabel("share of the link, 95 % interval over runs", fontsize=8)
    if len(own):
        figure.legend(loc="outside upper center", fontsize=7, ncols=4, frameon=False)
    return figure
