"""Lines of the share of a link that controllers use, by random loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes

MARKERS = "osD^vP*X"


@dataclass(frozen=True)
class Look:
    """How a controller is drawn: its colour, its marker, and how far it is moved aside."""

    colour: str
    marker: str
    aside: float = 0.0


def loss_lines(axes: Axes, table: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    """Draw the share of the link that each controller uses, by random loss.

    Parameters
    ----------
    axes : Axes
    table : DataFrame
        Summary of an experiment ``loss``.
    looks : mapping of str to Look
        Of each controller.
    """
    own = table[(table["experiment"] == "loss") & (table["metric"] == "link_share")]
    own = own.assign(percent=[100 * float(setting.removeprefix("loss ")) for setting in own["setting"]])
    losses = sorted(set(own["percent"]))
    for name, lines in own.groupby("controller", sort=False):
        look = looks[str(name)]
        # At equal distances: most losses of interest are small ones. Side by side, so that intervals can be told apart.
        places = [losses.index(percent) + look.aside for percent in lines["percent"]]
        spread = [lines["mean"] - lines["low"], lines["high"] - lines["mean"]]
        axes.errorbar(
            places,
            lines["mean"],
            yerr=spread,
            fmt=f"{look.marker}-",
            markersize=4,
            linewidth=0.9,
            elinewidth=0.7,
            color=look.colour,
            label=str(name),
        )
    axes.set_xticks(range(len(losses)), [f"{percent:g}" for percent in losses])
    axes.set_ylim(0, 1.05)
    axes.grid(axis="y", alpha=0.3)
    axes.set_xlabel("random loss (%)", fontsize=8)
    axes.tick_params(labelsize=7)
