"""How a model was chosen."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from smartsbd.models.families.fitted import Fitted
from smartsbd.pipelines.reporting.figures.style import BLUE, COLOURS, GREY, ORANGE


def grid(accuracies: pd.DataFrame, axis_of: Mapping[str, str], title: str) -> Figure:
    """Draw mean accuracy against each family's first hyperparameter (SmartSBD, Fig. 6).

    There is one panel for each family and set of features.

    Parameters
    ----------
    accuracies : DataFrame
        Rows of a grid table: ``family``, ``feature_set``, ``top``, the hyperparameters, ``mean_accuracy``.
    axis_of : mapping of str to str
        Hyperparameter on the horizontal axis, by family.
    title : str

    Returns
    -------
    Figure

    Notes
    -----
    Where a family has a second hyperparameter, each point is the best over it.
    """
    families = list(dict.fromkeys(accuracies["family"]))
    sets = list(dict.fromkeys(accuracies["feature_set"]))
    tops = sorted(accuracies["top"].unique())
    figure = Figure(figsize=(2.1 * len(families) + 0.5, 1.9 * len(sets) + 0.7), layout="constrained")
    panels = figure.subplots(len(sets), len(families), squeeze=False, sharey=True)
    for row, feature_set in zip(panels, sets, strict=True):
        for axes, family in zip(row, families, strict=True):
            family_rows = accuracies[(accuracies["family"] == family) & (accuracies["feature_set"] == feature_set)]
            axis = axis_of[family]
            for top, shade in zip(tops, np.linspace(0.25, 1.0, len(tops)), strict=True):
                best = family_rows[family_rows["top"] == top].groupby(axis)["mean_accuracy"].max()
                colour = mpl.colormaps["viridis"](1 - shade)
                axes.plot(
                    best.index.to_numpy(dtype=np.float64), best.to_numpy(), color=colour, marker=".", label=f"top {top}"
                )
            values = np.unique(family_rows[axis].to_numpy(dtype=np.float64))
            if axis == "c":
                axes.set_xscale("log")
            else:
                axes.set_xticks(values)
                axes.set_xlim(0, values[-1] + 1)
            axes.set_title(f"{family}, {feature_set}", fontsize=8)
            axes.set_xlabel(axis.replace("_", " "), fontsize=7)
            axes.tick_params(labelsize=6)
            axes.grid(alpha=0.3)
    panels[0][0].legend(fontsize=6, frameon=False)
    figure.supylabel("mean accuracy", fontsize=8)
    figure.suptitle(title, fontsize=9)
    return figure


def learning_curves(curves: Mapping[str, pd.DataFrame], title: str) -> Figure:
    """Draw balanced accuracy against the number of connections learnt from: mean, and its range over the splits.

    Parameters
    ----------
    curves : mapping of str to DataFrame
        By name, what :func:`smartsbd.models.search.learning_curve.learning_curve` returns.
    title : str

    Returns
    -------
    Figure
    """
    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axes = figure.add_subplot()
    for (name, curve), colour in zip(curves.items(), (ORANGE, BLUE, GREY, "black"), strict=False):
        summary = curve.groupby("connections")["balanced"].agg(["mean", "min", "max"])
        at = summary.index.to_numpy(dtype=np.float64)
        axes.plot(at, summary["mean"], color=colour, marker="o", markersize=3, label=name)
        axes.fill_between(at, summary["min"], summary["max"], color=colour, alpha=0.15, linewidth=0)
    axes.axhline(0.5, color="black", linewidth=0.8, linestyle=":")
    axes.set_xlabel("connections learnt from")
    axes.set_ylabel("balanced accuracy on the test side")
    axes.set_title(title)
    axes.legend(fontsize=7, frameon=False)
    return figure


def tree(fitted: Fitted, depth: int) -> Figure:
    """Draw the first levels of a decision tree; the colour shows the label that prevails.

    Parameters
    ----------
    fitted : Fitted
        A decision tree.
    depth : int
        Levels to draw below the root.

    Returns
    -------
    Figure
    """
    # Slow to import, and of no use to the other figures.
    from sklearn.tree import plot_tree

    figure = Figure(figsize=(2.3 * 2**depth, 1.15 * (depth + 1.4)), layout="constrained")
    # plot_tree measures its text.
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    names = [{False: "not shared", True: "shared"}[bool(label)] for label in fitted.estimator.classes_]
    boxes = plot_tree(
        fitted.estimator,
        max_depth=depth,
        feature_names=list(fitted.feature_names),
        class_names=names,
        impurity=False,
        proportion=True,
        fontsize=7,
        ax=axes,
    )
    for box in boxes:
        for label, colour in COLOURS.items():
            patch = box.get_bbox_patch()
            if patch is not None and box.get_text().endswith(f"class = {label}"):
                # Opaque: arrows start behind the boxes.
                patch.set_facecolor([0.35 * part + 0.65 for part in mpl.colors.to_rgb(colour)])
    return figure
