"""The figure of connections as other tools show them: accuracy and coverage against the sampling interval."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smartsbd.pipelines.reporting.figures.style import BLUE, GREY, ORANGE

_COLOURS = {"log": "black", "ping": BLUE, "csv": "#2f855a", "tcp_probe": GREY, "ss": ORANGE, "ss_news": "#b83280"}
#: Ticks of each subflow, the same of all, and none.
_LINES = {"own": "o-", "common": "s--", "": ":"}
_SHARES = {"decided": "right where decided", "coverage": "share of pairs decided"}


def _draw(axes: Axes, own: pd.DataFrame, share: str) -> None:
    for number, (name, lines) in enumerate(own.groupby(["kind", "ticks"], sort=False)):
        kind, ticks = map(str, name)
        colour = _COLOURS[kind]
        label = kind + {"own": ", own ticks", "common": ", common ticks", "": ""}[ticks]
        if not ticks:
            axes.axhline(lines[share].iloc[0], linestyle=":", color=colour, linewidth=1.4, label=label)
            continue
        # Side by side, so that intervals can be told apart.
        at = lines["interval_ms"].astype(float) * 1.025 ** (number - 4)
        spread = None
        if share == "decided":
            spread = [lines[share] - lines[f"{share}_low"], lines[f"{share}_high"] - lines[share]]
        axes.errorbar(
            at,
            lines[share],
            yerr=spread,
            fmt=_LINES[ticks],
            markersize=3,
            linewidth=1,
            elinewidth=0.6,
            color=colour,
            label=label,
        )


def by_interval(table: pd.DataFrame) -> Figure:
    """Draw the share right where decided, and the share decided, against the interval.

    There is one row for each dataset. Kinds without an interval are dotted lines.

    Parameters
    ----------
    table : DataFrame
        Rows of accuracy.csv, with ``ticks`` empty where there are none.
    """
    datasets = list(dict.fromkeys(table["dataset"])) if len(table) else []
    figure = Figure(figsize=(9, 2.1 * max(1, len(datasets)) + 0.8), layout="constrained")
    panels = figure.subplots(max(1, len(datasets)), len(_SHARES), squeeze=False, sharex=True, sharey=True)
    for row, dataset in zip(panels, datasets, strict=False):
        own = table[table["dataset"] == dataset]
        for axes, (share, what) in zip(row, _SHARES.items(), strict=True):
            _draw(axes, own, share)
            axes.set_xscale("log")
            intervals_ms = sorted(set(own["interval_ms"].dropna().tolist()))
            axes.set_xticks(intervals_ms, [str(one) for one in intervals_ms], fontsize=7)
            axes.minorticks_off()
            axes.set_ylim(-0.03, 1.03)
            axes.grid(axis="y", alpha=0.3)
            axes.set_title(f"{dataset}, {own['pairs'].iloc[0]} pairs: {what}", fontsize=8)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", fontsize=7, ncols=5, frameon=False)
    figure.supxlabel("ms from one sample to the next; left with 95 % intervals by connection", fontsize=8)
    return figure
