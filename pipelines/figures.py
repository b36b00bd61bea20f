"""Every figure, drawn here and nowhere else; the same data gives the same bytes."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

_DPI = 120
_BLUE, _GREY = "#2b6cb0", "#a0aec0"
mpl.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG without dates or versions."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=_DPI, metadata={"Software": None})


def rtt_boxes(boxes: pd.DataFrame) -> Figure:
    """Draw the RTT samples of each place and path as Tukey boxes, means as diamonds (SmartSBD, Fig. 3).

    Parameters
    ----------
    boxes : DataFrame
        Columns ``group``, ``path``, ``low``, ``q1``, ``median``, ``q3``, ``high``, ``mean``, in ms.
    """
    figure = Figure(figsize=(1.5 + 0.55 * len(boxes), 3.4), layout="constrained")
    axes = figure.add_subplot()
    statistics = [
        {"label": f"{row.group}\n{row.path}", "whislo": row.low, "q1": row.q1, "med": row.median, "q3": row.q3}
        | {"whishi": row.high, "mean": row.mean}
        for row in boxes.itertuples()
    ]
    axes.bxp(
        statistics,
        showfliers=False,
        showmeans=True,
        widths=0.6,
        meanprops={"marker": "D", "markerfacecolor": _BLUE, "markeredgecolor": _BLUE, "markersize": 4},
        medianprops={"color": "black"},
    )
    axes.set_ylabel("RTT (ms)")
    axes.set_ylim(bottom=0)
    axes.tick_params(axis="x", labelrotation=45, labelsize=7)
    return figure


def relevance(ranking: pd.DataFrame) -> Figure:
    """Draw the mutual information of each feature, most relevant on top.

    Parameters
    ----------
    ranking : DataFrame
        Columns ``feature``, ``mutual_information_nats``, most relevant first.
    """
    figure = Figure(figsize=(6, 0.3 * len(ranking) + 1), layout="constrained")
    axes = figure.add_subplot()
    axes.barh(ranking["feature"], ranking["mutual_information_nats"], color=_BLUE)
    axes.invert_yaxis()
    axes.set_xlabel("mutual information with the label (nats)")
    return figure


def grid(accuracies: pd.DataFrame, hyperparameter: str, title: str) -> Figure:
    """Draw mean accuracy against a hyperparameter, a line per feature subset (SmartSBD, Fig. 6).

    Parameters
    ----------
    accuracies : DataFrame
        Columns ``top``, `hyperparameter`, ``mean_accuracy``.
    hyperparameter : str
        Column for the horizontal axis.
    title : str
    """
    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.add_subplot()
    tops = sorted(accuracies["top"].unique())
    for top, shade in zip(tops, np.linspace(0.25, 1.0, len(tops)), strict=True):
        rows = accuracies[accuracies["top"] == top].sort_values(hyperparameter)
        axes.plot(
            rows[hyperparameter],
            rows["mean_accuracy"],
            color=mpl.colormaps["viridis"](1 - shade),
            marker=".",
            label=f"top {top}",
        )
    axes.set_xlabel(hyperparameter.replace("_", " "))
    axes.set_ylabel("mean accuracy")
    axes.set_title(title)
    axes.legend(fontsize=7, ncols=3, frameon=False)
    return figure


def accuracy(table: pd.DataFrame) -> Figure:
    """Draw accuracy per model and site, shared and non-shared beside the overall with its interval.

    Parameters
    ----------
    table : DataFrame
        Rows of reports/accuracy.csv.
    """
    figure = Figure(figsize=(6, 0.6 * len(table) + 1.2), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(len(table))
    spread = [table["overall"] - table["overall_low"], table["overall_high"] - table["overall"]]
    axes.errorbar(
        table["overall"], places - 0.12, xerr=spread, fmt="o", color=_BLUE, capsize=3, label="overall, 95 % interval"
    )
    axes.plot(table["sb"], places + 0.12, "^", color="white", markeredgecolor="black", label="shared")
    axes.plot(table["nsb"], places + 0.12, "v", color=_GREY, markeredgecolor="black", label="non-shared")
    axes.axvline(0.5, color="black", linewidth=0.8, linestyle=":")
    axes.set_yticks(places, [f"{row.model}, {row.feature_set}\n{row.site}" for row in table.itertuples()])
    axes.set_ylim(len(table) - 0.5, -0.5)
    lowest = float(table[["overall_low", "sb", "nsb"]].min().min())
    axes.set_xlim(min(0.45, lowest - 0.05), 1.01)
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("accuracy on connections not seen in training")
    figure.legend(loc="outside lower center", fontsize=7, ncols=3, frameon=False)
    return figure
