"""Figures that compare the accuracy of models and detectors."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.pipelines.reporting.figures.style import BLUE, COLOURS, ORANGE, SETS, label_legend
from smartsbd.pipelines.reporting.published import UNSEEN_MEAN_OF_ABSTRACT

#: Factors that differ from training, in the dataset ``sensitivity`` and in its variations.
_FACTORS = {
    "loss": "random loss per packet",
    "jitter_ms": "mean jitter (ms)",
    "queue_rtts": "queue (round trips)",
    "congestion_control": "controller at the sender",
    "window_rtts": "window (larger minimum RTTs)",
    "missing_share": "share of RTT samples missing",
}
_MARKERS = "osD^vP*X"


def _how(train_set: str, test_set: str) -> str:
    if train_set == test_set:
        return "random splits"
    trained = WindowSet.parse(train_set)
    return "leaving one site out" if trained.but_a_site else f"trained on {trained.dataset}"


def accuracy(table: pd.DataFrame) -> Figure:
    """Draw overall accuracy with its interval.

    There is one panel for each training and test set, and one colour for each set of features.

    Parameters
    ----------
    table : DataFrame
        Rows of reports/accuracy.csv over all sites.

    Returns
    -------
    Figure
    """
    set_pairs = set(zip(table["train_set"], table["test_set"], strict=True))
    pairs = sorted(set_pairs, key=lambda pair: (pair[0] != pair[1], pair[0].split(" ")[0] != pair[1], pair))
    models = list(dict.fromkeys(table["model"]))
    rows = -(-len(pairs) // 2)
    figure = Figure(figsize=(8, (0.3 * len(models) + 0.8) * rows + 0.6), layout="constrained")
    panels = figure.subplots(rows, 2, squeeze=False, sharex=True, sharey=True).ravel()
    for axes, (train_set, test_set) in zip(panels, pairs, strict=False):
        of_sets = table[(table["train_set"] == train_set) & (table["test_set"] == test_set)]
        for number, (label, (feature_sets, colour)) in enumerate(SETS.items()):
            of_features = of_sets[of_sets["feature_set"].isin(feature_sets)]
            places = [models.index(model) + 0.2 * (number - 1) for model in of_features["model"]]
            spread = [
                of_features["overall"] - of_features["overall_low"],
                of_features["overall_high"] - of_features["overall"],
            ]
            axes.errorbar(of_features["overall"], places, xerr=spread, fmt="o", markersize=3, color=colour, label=label)
        axes.axvline(0.5, color="black", linewidth=0.8, linestyle=":")
        axes.set_yticks(range(len(models)), models)
        axes.tick_params(labelbottom=True, labelsize=8)
        axes.grid(axis="x", alpha=0.3)
        axes.set_title(f"{test_set}, {_how(train_set, test_set)}", fontsize=8)
    panels[0].invert_yaxis()
    for axes in panels[len(pairs) :]:
        axes.set_axis_off()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", fontsize=7, ncols=3, frameon=False)
    figure.supxlabel("accuracy, 95 % interval by connection", fontsize=8)
    return figure


def sensitivity(table: pd.DataFrame) -> Figure:
    """Draw balanced accuracy against the levels of each factor.

    There is one row for each factor, and one column for each dataset trained on.

    Parameters
    ----------
    table : DataFrame
        Rows of reports/sensitivity.csv: ``factor``, ``level``, ``base``, ``trained_on``, ``model``, ``feature_set``,
        and ``balanced`` with its interval.

    Returns
    -------
    Figure
    """
    factors, trained = (list(dict.fromkeys(table[name])) for name in ("factor", "trained_on"))
    figure = Figure(figsize=(8, 1.75 * len(factors) + 0.7), layout="constrained")
    panels = figure.subplots(len(factors), len(trained), squeeze=False, sharey=True)
    colours = {name: colour for names, colour in SETS.values() for name in names} | {"plain": "black"}
    for row, factor in zip(panels, factors, strict=True):
        for axes, dataset in zip(row, trained, strict=True):
            panel_rows = table[(table["factor"] == factor) & (table["trained_on"] == dataset)]
            levels = panel_rows.drop_duplicates("level")
            groups = panel_rows.groupby(["model", "feature_set"], sort=False)
            # Models are side by side at each level, so that their intervals can be told apart.
            offsets = 0.09 * (np.arange(len(groups)) - (len(groups) - 1) / 2)
            styles: dict[object, str] = dict(zip(dict.fromkeys(panel_rows["model"]), ("-", "--", ":"), strict=False))
            for ((model, feature_set), lines), offset in zip(groups, offsets, strict=True):
                spread = [lines["balanced"] - lines["balanced_low"], lines["balanced_high"] - lines["balanced"]]
                axes.errorbar(
                    np.arange(len(lines)) + offset,
                    lines["balanced"],
                    yerr=spread,
                    fmt=f"o{styles[model]}",
                    markersize=3,
                    linewidth=1,
                    elinewidth=0.8,
                    color=colours[feature_set],
                    label=f"{model}, {feature_set}",
                )
            axes.axhline(0.5, color="black", linewidth=0.8, linestyle=":")
            names = [
                f"{level}\n(base)" if base else level
                for level, base in zip(levels["level"], levels["base"], strict=True)
            ]
            axes.set_xticks(range(len(levels)), names, fontsize=7)
            axes.tick_params(axis="y", labelsize=7)
            axes.grid(axis="y", alpha=0.3)
            axes.set_title(f"{_FACTORS[factor]}, trained on {dataset}", fontsize=8)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", fontsize=7, ncols=len(labels), frameon=False)
    figure.supylabel("balanced accuracy, 95 % interval by connection", fontsize=8)
    return figure


def swapped(table: pd.DataFrame, title: str) -> Figure:
    """Draw how often swapped partners, and the dataset's own non-shared windows, are called shared.

    Parameters
    ----------
    table : DataFrame
        Rows of a ``swapped.csv``: ``model``, ``feature_set``, and with intervals ``swapped`` and ``non_shared``.
    title : str

    Returns
    -------
    Figure
    """
    figure = Figure(figsize=(7, 0.26 * len(table) + 1.1), layout="constrained")
    axes = figure.add_subplot()
    for name, label, colour, offset in (
        ("non_shared", "non-shared windows", BLUE, -0.15),
        ("swapped", "swapped partners", ORANGE, 0.15),
    ):
        spread = [table[name] - table[f"{name}_low"], table[f"{name}_high"] - table[name]]
        axes.errorbar(
            table[name], np.arange(len(table)) + offset, xerr=spread, fmt="o", markersize=3, color=colour, label=label
        )
    labels = [
        f"{model}, {feature_set}" for model, feature_set in zip(table["model"], table["feature_set"], strict=True)
    ]
    axes.set_yticks(range(len(table)), labels, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlim(-0.02, 1)
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("share called shared, 95 % interval by connection", fontsize=8)
    axes.set_title(title, fontsize=9)
    axes.legend(fontsize=7, frameon=False)
    return figure


def baselines(same: pd.DataFrame, time: pd.DataFrame, dataset: str) -> Figure:
    """Draw the recalls of models and detectors, shared and not shared (SmartSBD, Fig. 7).

    Parameters
    ----------
    same, time : DataFrame
        Accuracy on the same windows, and share of time that is right: columns ``detector``, ``parameters``, ``site``,
        ``recall_shared`` and ``recall_not_shared`` with ``_low`` and ``_high``.
    dataset : str

    Returns
    -------
    Figure
    """
    panels = (("share of the same windows", same), ("share of time", time))
    wholes = [table[table["site"] == ALL_SITES].reset_index(drop=True) for _, table in panels]
    figure = Figure(figsize=(9.5, 1.2 + 0.19 * max(len(whole) for whole in wholes)), layout="constrained")
    for axes, (what, _), whole in zip(figure.subplots(1, 2), panels, wholes, strict=True):
        at = np.arange(len(whole))
        for offset, label in ((-0.2, "shared"), (0.2, "not shared")):
            name = f"recall_{label.replace(' ', '_')}"
            value = whole[name].to_numpy()
            bounds = np.abs(np.stack([value - whole[f"{name}_low"], whole[f"{name}_high"] - value]))
            axes.barh(at + offset, value, 0.38, color=COLOURS[label], label=label)
            axes.errorbar(value, at + offset, xerr=bounds, fmt="none", ecolor="black", elinewidth=0.6)
        axes.set_yticks(at, [f"{row.detector}, {row.parameters}" for row in whole.itertuples()], fontsize=6)
        axes.invert_yaxis()
        axes.margins(y=0.01)
        axes.set_xlim(0, 1)
        axes.axvline(0.5, color="black", linewidth=0.5, linestyle=":")
        axes.set_xlabel(f"right: {what}")
        axes.set_title(dataset)
    label_legend(figure)
    return figure


def unseen(table: pd.DataFrame, cases: pd.DataFrame, mean: str) -> Figure:
    """Draw the accuracy of each case; the mean with its interval is at the end.

    There is one panel for each set of features, and one line for each model.

    Parameters
    ----------
    table : DataFrame
        Rows of reports/unseen.csv.
    cases : DataFrame
        Rows of reports/unseen_cases.csv.
    mean : str
        Case of the rows over all cases.

    Returns
    -------
    Figure
    """
    models = list(dict.fromkeys(table["model"]))
    panels = {label: sets for label, (sets, _) in SETS.items() if table["feature_set"].isin(sets).any()}
    figure = Figure(figsize=(9, 2.7 * len(panels) + 0.6), layout="constrained")
    own_axes = figure.subplots(len(panels), 1, squeeze=False, sharex=True).ravel()
    names = list(cases["case"])
    for axes, (label, sets) in zip(own_axes, panels.items(), strict=True):
        for number, model in enumerate(models):
            model_rows = table[table["feature_set"].isin(sets) & (table["model"] == model)].set_index("case")
            if model_rows.empty:
                continue
            style = {"color": f"C{number}", "marker": _MARKERS[number % len(_MARKERS)], "markersize": 4}
            axes.plot(range(len(names)), model_rows["accuracy"].loc[names], linewidth=0.7, label=model, **style)
            over = model_rows.loc[mean]
            spread = [[over["accuracy"] - over["low"]], [over["high"] - over["accuracy"]]]
            place = len(names) + 0.12 * (number - (len(models) - 1) / 2)
            axes.errorbar([place], [over["accuracy"]], yerr=spread, elinewidth=0.7, **style)
        axes.axhline(UNSEEN_MEAN_OF_ABSTRACT, color="black", linewidth=0.8, linestyle=":")
        axes.set_ylim(-0.03, 1.03)
        axes.grid(axis="y", alpha=0.3)
        axes.set_ylabel("accuracy")
        axes.set_title(label, fontsize=8)
    labels = {True: "shared", False: "not shared"}
    ticks = [f"{row['case']}\n{labels.get(row['shared'], 'both')}" for row in cases.to_dict("records")]
    own_axes[-1].set_xticks(range(len(ticks) + 1), [*ticks, f"{mean}, 95 %\nover cases"], fontsize=7)
    handles = {
        label: handle for axes in own_axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", fontsize=7, ncols=8, frameon=False)
    figure.supxlabel(
        f"dotted: {UNSEEN_MEAN_OF_ABSTRACT}, the paper's mean over its ten cases under its own labels", fontsize=7
    )
    return figure


def generalisation(table: pd.DataFrame) -> Figure:
    """Draw balanced accuracy, one panel for each family.

    Rows are the datasets trained on and the sets of features, columns are the datasets tested on.

    Parameters
    ----------
    table : DataFrame
        Rows of reports/generalisation.csv.

    Returns
    -------
    Figure
    """
    models = list(dict.fromkeys(table["model"]))
    sets = {name: WindowSet.parse(name) for name in (*table["train_set"], *table["test_set"])}
    rows = list(dict.fromkeys((row.feature_set, sets[row.train_set].dataset) for row in table.itertuples()))
    columns = list(dict.fromkeys(sets[name].dataset for name in table["test_set"]))
    figure = Figure(
        figsize=(1.8 + (0.9 * len(columns) + 0.3) * len(models), 0.36 * len(rows) + 1.6), layout="constrained"
    )
    for axes, model in zip(figure.subplots(1, len(models), squeeze=False, sharey=True).ravel(), models, strict=True):
        model_rows = table[table["model"] == model]
        shares = np.full((len(rows), len(columns)), np.nan)
        for row in model_rows.to_dict("records"):
            trained, tested = sets[row["train_set"]], sets[row["test_set"]]
            place = rows.index((row["feature_set"], trained.dataset)), columns.index(tested.dataset)
            shares[place] = row["balanced"]
            held_out = tested.overlaps(trained)
            axes.text(
                place[1],
                place[0],
                f"{row['balanced']:.2f}" + ("*" if held_out else ""),
                ha="center",
                va="center",
                fontsize=8,
            )
        # One half is chance; below it a model tends to say the opposite.
        axes.imshow(shares, cmap="RdYlGn", vmin=0, vmax=1, alpha=0.75, aspect="auto")
        axes.set_xticks(range(len(columns)), columns)
        axes.set_yticks(range(len(rows)), [f"{feature_set}, {trained}" for feature_set, trained in rows])
        axes.tick_params(length=0, labelsize=8)
        axes.set_title(model, fontsize=9)
    figure.supxlabel("tested on; * connections held out by random splits", fontsize=8)
    figure.supylabel("features, trained on", fontsize=8)
    return figure
