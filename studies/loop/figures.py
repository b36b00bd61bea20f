"""Figures of experiments with the loop closed."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smartsbd.pipelines.closed_loop.comparison import ALL

_MARKERS = "osD^vP*X"
_PANELS = (
    ("loop_nsb", "rate limited", "not shared,\nrate limited rivals"),
    ("loop_nsb", "bulk", "not shared,\nbulk rivals"),
    ("loop_sb", "one flow beside", "shared with one flow"),
)
#: Controls of the series over time, as many as can be told apart.
_OVER_TIME = ("lia", "reno", "oracle", "lag_excess", "tree_paper")


def gains(table: pd.DataFrame) -> Figure:
    """Draw each control's goodput over LIA's, by site.

    Parameters
    ----------
    table : DataFrame
        Rows of reports/compared.csv.
    """
    wanted = pd.DataFrame([panel[:2] for panel in _PANELS], columns=["experiment", "variant"])
    own = table.merge(wanted, on=["experiment", "variant"])
    controls = list(dict.fromkeys(own["control"]))
    places = [place for place in dict.fromkeys(own["place"]) if place != ALL]
    figure = Figure(figsize=(9, 0.28 * len(controls) + 1.6), layout="constrained")
    panels = figure.subplots(1, len(_PANELS), sharey=True)
    for axes, (experiment, variant, title) in zip(panels, _PANELS, strict=True):
        drawn = own[(own["experiment"] == experiment) & (own["variant"] == variant)]
        for index, place in enumerate(places):
            here = drawn[drawn["place"] == place]
            at = [controls.index(control) + 0.15 * (index - (len(places) - 1) / 2) for control in here["control"]]
            _errors(axes, here, "over_lia", at, index, place)
        axes.axvline(1, color="black", linewidth=0.8, linestyle=":")
        axes.set_title(title, fontsize=8)
        axes.grid(axis="x", alpha=0.3)
        axes.tick_params(axis="x", labelsize=7)
    panels[0].set_yticks(range(len(controls)), controls, fontsize=7)
    panels[0].invert_yaxis()
    handles, labels = panels[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside upper center", fontsize=7, ncols=4, frameon=False)
    figure.supxlabel("goodput over LIA's on the same network, mean and 95 % interval over networks", fontsize=8)
    return figure


def _errors(axes: Axes, rows: pd.DataFrame, name: str, at: list[float], index: int, label: str) -> None:
    spread = np.abs([rows[name] - rows[f"{name}_low"], rows[f"{name}_high"] - rows[name]])
    axes.errorbar(
        rows[name],
        at,
        xerr=np.nan_to_num(spread),
        label=label,
        fmt=_MARKERS[index % len(_MARKERS)],
        markersize=3.5,
        elinewidth=0.8,
        color=f"C{index}",
    )


def harm(table: pd.DataFrame) -> Figure:
    """Draw what one TCP flow has beside each control, over what it has beside a connection of one path.

    Parameters
    ----------
    table : DataFrame
        Rows of reports/harm.csv.
    """
    settings = [place for place in dict.fromkeys(table["place"]) if place != ALL]
    controls = list(dict.fromkeys(table["control"]))
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    for index, control in enumerate(controls):
        own = table[table["control"] == control].set_index("place").reindex(settings)
        at = np.arange(len(settings)) + 0.05 * (index - (len(controls) - 1) / 2)
        axes.plot(
            at,
            own["rival_share"],
            label=control,
            markersize=4,
            linestyle="none",
            marker=_MARKERS[index % len(_MARKERS)],
            color=f"C{index % 10}",
        )
    axes.axhline(1, color="black", linewidth=0.8, linestyle=":")
    axes.set_xticks(range(len(settings)), settings, fontsize=7)
    axes.grid(axis="y", alpha=0.3)
    axes.tick_params(axis="y", labelsize=7)
    axes.set_ylabel("rival's goodput over that beside one path", fontsize=8)
    if controls:
        figure.legend(loc="outside upper center", fontsize=7, ncols=6, frameon=False)
    return figure


def shift(seconds: pd.DataFrame) -> Figure:
    """Draw goodput over time while the bottleneck moves: the mean of each second over the networks of a site.

    Parameters
    ----------
    seconds : DataFrame
        Rows of seconds.parquet, as the study's program writes it.
    """
    places = list(dict.fromkeys(seconds["place"])) if len(seconds) else []
    variants = list(dict.fromkeys(seconds["variant"])) if len(seconds) else []
    figure = Figure(figsize=(9, 1.7 * max(1, len(places)) + 0.8), layout="constrained")
    panels = figure.subplots(max(1, len(places)), max(1, len(variants)), squeeze=False, sharex=True, sharey=True)
    for row, place in zip(panels, places, strict=False):
        for axes, variant in zip(row, variants, strict=True):
            own = seconds[(seconds["place"] == place) & (seconds["variant"] == variant)]
            for index, control in enumerate(one for one in _OVER_TIME if one in set(own["control"])):
                lines = own[own["control"] == control].groupby("from_s")["goodput_mbit_s"].mean()
                axes.plot(lines.index, lines.to_numpy(), linewidth=0.9, color=f"C{index}", label=control)
            axes.set_title(f"{place}, {variant}", fontsize=8)
            axes.grid(alpha=0.3)
            axes.tick_params(labelsize=7)
    handles, labels = panels[0][0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside upper center", fontsize=7, ncols=5, frameon=False)
    figure.supxlabel("time (s)", fontsize=8)
    figure.supylabel("goodput of the connection (Mbit/s)", fontsize=8)
    return figure
