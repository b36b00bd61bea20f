"""Every figure, drawn here and nowhere else; the same data gives the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from features.catalog import Feature

_DPI = 120
_BLUE, _GREY, _ORANGE = "#2b6cb0", "#a0aec0", "#dd8833"
_COLOURS = {"shared": _ORANGE, "not shared": _BLUE}
_GROUPS = {"paper": "the paper's nine", "throughput": "the paper's, with throughput", "invariant": "ours"}
mpl.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG without dates or versions."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=_DPI, metadata={"Software": None})


def boxes(statistics: pd.DataFrame, quantity: str) -> Figure:
    """Draw Tukey boxes per place, label and path, means as diamonds (SmartSBD, Fig. 3 and Fig. 5).

    Parameters
    ----------
    statistics : DataFrame
        Columns ``place``, ``label``, ``path``, ``low``, ``q1``, ``median``, ``q3``, ``high``, ``mean``.
    quantity : str
        What it is, with its unit.
    """
    figure = Figure(figsize=(2.0 + 0.45 * len(statistics), 3.8), layout="constrained")
    axes = figure.add_subplot()
    if statistics.empty:
        axes.set_title("no valid label")
        return figure
    names = {"low": "whislo", "q1": "q1", "median": "med", "q3": "q3", "high": "whishi", "mean": "mean"}
    rows = statistics.to_dict("records")
    drawn = axes.bxp(
        [{drawn: row[name] for name, drawn in names.items()} for row in rows],
        showfliers=False,
        showmeans=True,
        patch_artist=True,
        widths=0.6,
        meanprops={"marker": "D", "markerfacecolor": "black", "markeredgecolor": "black", "markersize": 3},
        medianprops={"color": "black"},
    )
    for box, row in zip(drawn["boxes"], rows, strict=True):
        box.set_facecolor(_COLOURS[row["label"]])
    axes.set_xticks(range(1, len(rows) + 1), [f"{row['place']}, {row['path']}" for row in rows])
    axes.tick_params(axis="x", labelrotation=60, labelsize=7)
    for text in axes.get_xticklabels():
        text.set_horizontalalignment("right")
        text.set_rotation_mode("anchor")
    axes.set_ylabel(quantity)
    axes.set_ylim(bottom=0)
    _label_legend(figure)
    return figure


def _label_legend(figure: Figure) -> None:
    patches = [Patch(facecolor=colour, edgecolor="black", label=label) for label, colour in _COLOURS.items()]
    figure.legend(handles=patches, loc="outside lower center", fontsize=7, ncols=2, frameon=False)


def relevance(ranking: pd.DataFrame, title: str) -> Figure:
    """Draw the mutual information of each feature, most relevant on top, beside the paper's and chance.

    Parameters
    ----------
    ranking : DataFrame
        Columns ``feature``, ``group``, ``mutual_information_nats``, ``null_95_nats``, ``paper_nats``.
    title : str
    """
    figure = Figure(figsize=(6.5, 0.24 * len(ranking) + 1.4), layout="constrained")
    axes = figure.add_subplot()
    colours = {"paper": _BLUE, "throughput": _GREY, "invariant": _ORANGE}
    for group, colour in colours.items():
        own = ranking["mutual_information_nats"].where(ranking["group"] == group)
        axes.barh(ranking["feature"], own, color=colour, label=_GROUPS[group])
    axes.plot(ranking["paper_nats"], ranking["feature"], "D", color="black", markersize=3, label="SmartSBD, Table 3")
    axes.plot(ranking["null_95_nats"], ranking["feature"], "|", color="red", label="95 % of shuffled labels")
    axes.invert_yaxis()
    axes.margins(y=0.01)
    axes.set_xlabel("mutual information with the label (nats)")
    axes.set_title(title)
    axes.legend(fontsize=7, frameon=False, loc="lower right")
    return figure


def distributions(labelled: pd.DataFrame, features: Sequence[Feature], title: str) -> Figure:
    """Draw every feature's distribution per site and label as boxes without outliers.

    Parameters
    ----------
    labelled : DataFrame
        Labelled rows of ``pair_window``.
    features : sequence of Feature
    title : str
    """
    columns = 4
    rows = -(-len(features) // columns)
    site = labelled["site"].fillna(labelled["dataset"])
    sites = sorted(site.unique())
    figure = Figure(figsize=(2.6 * columns, 1.5 * rows + 0.5), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, feature in zip(panels, features, strict=False):
        for shared, offset in ((True, -0.18), (False, 0.18)):
            own = [labelled.loc[(site == name) & (labelled["shared"] == shared), feature.name] for name in sites]
            axes.boxplot(
                [values.to_numpy(dtype=np.float64) for values in own],
                positions=np.arange(len(sites)) + offset,
                widths=0.3,
                showfliers=False,
                patch_artist=True,
                boxprops={"facecolor": _COLOURS["shared" if shared else "not shared"], "linewidth": 0.6},
                medianprops={"color": "black"},
                whiskerprops={"linewidth": 0.6},
                capprops={"linewidth": 0.6},
            )
        axes.set_title(feature.name, fontsize=7)
        axes.set_xticks(range(len(sites)), [name[:9] for name in sites], fontsize=5)
        axes.tick_params(axis="y", labelsize=5)
        axes.yaxis.get_offset_text().set_fontsize(5)
    for axes in panels[len(features) :]:
        axes.set_axis_off()
    figure.suptitle(title, fontsize=9)
    _label_legend(figure)
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
