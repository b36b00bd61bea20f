"""Every figure, drawn here and nowhere else; the same data gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from features.catalog import Feature

_DPI = 120
_BLUE, _GREY, _ORANGE = "#2b6cb0", "#a0aec0", "#dd8833"
_COLOURS = {"shared": _ORANGE, "not shared": _BLUE}
_GROUPS = {"paper": "the paper's nine", "throughput": "the paper's, with throughput", "invariant": "ours"}
#: Sets of features, and the views of the series that are their counterparts.
_SETS = {
    "paper, RTT series": (("paper", "rtt_series"), _BLUE),
    "invariant, queue series, plain correlation": (("invariant", "queue_series", "plain"), _ORANGE),
    "both": (("both",), _GREY),
}
#: What is moved in the dataset ``sensitivity`` and after it.
_FACTORS = {
    "loss": "random loss per packet",
    "jitter_ms": "mean jitter (ms)",
    "queue_rtts": "queue (round trips)",
    "congestion_control": "controller at the sender",
    "window_rtts": "window (larger minimum RTTs)",
    "missing_share": "share of RTT samples missing",
}


_MARKERS = "osD^vP*X"
#: The paper's mean over the ten cases of Table 6, of its abstract; 0.858 in its section 5.2.
_TABLE6 = 0.861
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


def inference(differences_us: Mapping[str, npt.NDArray[np.int64]], features: pd.DataFrame) -> Figure:
    """Draw how far RTT and features inferred from captures are from the sender's own.

    Parameters
    ----------
    differences_us : mapping of str to (n,) int64, microseconds
        Inferred less logged RTT at every grid point, by set.
    features : DataFrame
        Columns ``set``, ``feature``, ``change_95``, ``interquartile_range``.
    """
    figure = Figure(figsize=(10, 6.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    # Without samples there is nothing to draw.
    differences_us = {name: values for name, values in differences_us.items() if len(values)}
    for (name, values), colour in zip(differences_us.items(), (_ORANGE, _BLUE, _GREY), strict=False):
        # A difference below one microsecond has no place on a logarithmic axis.
        sizes = np.sort(np.maximum(np.abs(values), 1))
        left.plot(sizes / 1e3, np.arange(1, len(sizes) + 1) / len(sizes), color=colour, label=name)
    left.set_xscale("log")
    left.set_xlabel("RTT inferred less RTT logged, size (ms)")
    left.set_ylabel("share of points of a 10 ms grid")
    left.legend(frameon=False, fontsize=7)
    names = list(dict.fromkeys(features["feature"]))
    height = 0.8 / max(1, len(differences_us))
    for place, (name, colour) in enumerate(zip(differences_us, (_ORANGE, _BLUE, _GREY), strict=False)):
        own = features[features["set"] == name].set_index("feature").loc[names]
        spread = own["interquartile_range"].where(own["interquartile_range"] > 0)
        right.barh(np.arange(len(names)) + place * height, own["change_95"] / spread, height, color=colour, label=name)
    right.set_yticks(np.arange(len(names)) + height, names, fontsize=6)
    right.invert_yaxis()
    right.set_xscale("symlog", linthresh=1e-3)
    right.set_xlabel("change in 95 % of windows at most, in interquartile ranges")
    return figure


def grid(accuracies: pd.DataFrame, axis_of: Mapping[str, str], title: str) -> Figure:
    """Draw mean accuracy against each family's first hyperparameter, a panel a family and set (SmartSBD, Fig. 6).

    Parameters
    ----------
    accuracies : DataFrame
        Rows of a grid table: ``family``, ``feature_set``, ``top``, the hyperparameters, ``mean_accuracy``.
    axis_of : mapping of str to str
        Hyperparameter on the horizontal axis, by family.
    title : str

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
            own = accuracies[(accuracies["family"] == family) & (accuracies["feature_set"] == feature_set)]
            axis = axis_of[family]
            for top, shade in zip(tops, np.linspace(0.25, 1.0, len(tops)), strict=True):
                best = own[own["top"] == top].groupby(axis)["mean_accuracy"].max()
                colour = mpl.colormaps["viridis"](1 - shade)
                axes.plot(
                    best.index.to_numpy(dtype=np.float64), best.to_numpy(), color=colour, marker=".", label=f"top {top}"
                )
            values = np.unique(own[axis].to_numpy(dtype=np.float64))
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


def _how(train_set: str, test_set: str) -> str:
    if train_set == test_set:
        return "random splits"
    trained_on, _, _ = train_set.partition("/")
    return "leaving one site out" if trained_on.endswith(" but the site") else f"trained on {trained_on}"


def accuracy(table: pd.DataFrame) -> Figure:
    """Draw overall accuracy with its interval, a panel a training and test set, a colour a set of features.

    Parameters
    ----------
    table : DataFrame
        Rows of reports/accuracy.csv over all sites.
    """
    found = set(zip(table["train_set"], table["test_set"], strict=True))
    pairs = sorted(found, key=lambda pair: (pair[0] != pair[1], pair[0].split(" ")[0] != pair[1], pair))
    models = list(dict.fromkeys(table["model"]))
    rows = -(-len(pairs) // 2)
    figure = Figure(figsize=(8, (0.3 * len(models) + 0.8) * rows + 0.6), layout="constrained")
    panels = figure.subplots(rows, 2, squeeze=False, sharex=True, sharey=True).ravel()
    for axes, (train_set, test_set) in zip(panels, pairs, strict=False):
        own = table[(table["train_set"] == train_set) & (table["test_set"] == test_set)]
        for number, (label, (feature_sets, colour)) in enumerate(_SETS.items()):
            drawn = own[own["feature_set"].isin(feature_sets)]
            places = [models.index(model) + 0.2 * (number - 1) for model in drawn["model"]]
            spread = [drawn["overall"] - drawn["overall_low"], drawn["overall_high"] - drawn["overall"]]
            axes.errorbar(drawn["overall"], places, xerr=spread, fmt="o", markersize=3, color=colour, label=label)
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
    """Draw balanced accuracy against the levels of each factor, a row a factor, a column a dataset trained on.

    Parameters
    ----------
    table : DataFrame
        Rows of reports/sensitivity.csv: ``factor``, ``level``, ``base``, ``trained_on``, ``model``, ``feature_set``,
        and ``balanced`` with its interval.
    """
    factors, trained = (list(dict.fromkeys(table[name])) for name in ("factor", "trained_on"))
    figure = Figure(figsize=(8, 1.75 * len(factors) + 0.7), layout="constrained")
    panels = figure.subplots(len(factors), len(trained), squeeze=False, sharey=True)
    colours = {name: colour for names, colour in _SETS.values() for name in names} | {"plain": "black"}
    for row, factor in zip(panels, factors, strict=True):
        for axes, dataset in zip(row, trained, strict=True):
            own = table[(table["factor"] == factor) & (table["trained_on"] == dataset)]
            levels = own.drop_duplicates("level")
            drawn = own.groupby(["model", "feature_set"], sort=False)
            # Models stand side by side at each level, so that their intervals can be told apart.
            offsets = 0.09 * (np.arange(len(drawn)) - (len(drawn) - 1) / 2)
            styles: dict[object, str] = dict(zip(dict.fromkeys(own["model"]), ("-", "--", ":"), strict=False))
            for ((model, feature_set), lines), offset in zip(drawn, offsets, strict=True):
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
                f"{one}\n(base)" if base else one for one, base in zip(levels["level"], levels["base"], strict=True)
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
    """
    figure = Figure(figsize=(7, 0.26 * len(table) + 1.1), layout="constrained")
    axes = figure.add_subplot()
    for name, label, colour, offset in (
        ("non_shared", "non-shared windows", _BLUE, -0.15),
        ("swapped", "swapped partners", _ORANGE, 0.15),
    ):
        spread = [table[name] - table[f"{name}_low"], table[f"{name}_high"] - table[name]]
        axes.errorbar(
            table[name], np.arange(len(table)) + offset, xerr=spread, fmt="o", markersize=3, color=colour, label=label
        )
    labels = [f"{model}, {own}" for model, own in zip(table["model"], table["feature_set"], strict=True)]
    axes.set_yticks(range(len(table)), labels, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlim(-0.02, 1)
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("share called shared, 95 % interval by connection", fontsize=8)
    axes.set_title(title, fontsize=9)
    axes.legend(fontsize=7, frameon=False)
    return figure


def baselines(same: pd.DataFrame, time: pd.DataFrame, dataset: str) -> Figure:
    """Draw how right models and detectors are, shared and not shared apart (SmartSBD, Fig. 7).

    Parameters
    ----------
    same, time : DataFrame
        Accuracy on the same windows, and share of time that is right: columns ``detector``, ``parameters``, ``site``,
        ``sb`` and ``nsb`` with ``_low`` and ``_high``.
    dataset : str
    """
    panels = (("share of the same windows", same), ("share of time", time))
    wholes = [table[table["site"] == "all"].reset_index(drop=True) for _, table in panels]
    figure = Figure(figsize=(9.5, 1.2 + 0.19 * max(len(whole) for whole in wholes)), layout="constrained")
    for axes, (what, _), whole in zip(figure.subplots(1, 2), panels, wholes, strict=True):
        at = np.arange(len(whole))
        for offset, (name, label) in zip((-0.2, 0.2), (("sb", "shared"), ("nsb", "not shared")), strict=True):
            value = whole[name].to_numpy()
            bounds = np.abs(np.stack([value - whole[f"{name}_low"], whole[f"{name}_high"] - value]))
            axes.barh(at + offset, value, 0.38, color=_COLOURS[label], label=label)
            axes.errorbar(value, at + offset, xerr=bounds, fmt="none", ecolor="black", elinewidth=0.6)
        axes.set_yticks(at, [f"{row.detector}, {row.parameters}" for row in whole.itertuples()], fontsize=6)
        axes.invert_yaxis()
        axes.margins(y=0.01)
        axes.set_xlim(0, 1)
        axes.axvline(0.5, color="black", linewidth=0.5, linestyle=":")
        axes.set_xlabel(f"right: {what}")
        axes.set_title(dataset)
    _label_legend(figure)
    return figure


def unseen(table: pd.DataFrame, cases: pd.DataFrame, mean: str) -> Figure:
    """Draw accuracy per case, a panel a set of features, a line a model; the mean with its interval at the end.

    Parameters
    ----------
    table : DataFrame
        Rows of reports/unseen.csv.
    cases : DataFrame
        Rows of reports/unseen_cases.csv.
    mean : str
        Case of the rows over all cases.
    """
    models = list(dict.fromkeys(table["model"]))
    panels = {label: sets for label, (sets, _) in _SETS.items() if table["feature_set"].isin(sets).any()}
    figure = Figure(figsize=(9, 2.7 * len(panels) + 0.6), layout="constrained")
    own_axes = figure.subplots(len(panels), 1, squeeze=False, sharex=True).ravel()
    names = list(cases["case"])
    for axes, (label, sets) in zip(own_axes, panels.items(), strict=True):
        for number, model in enumerate(models):
            own = table[table["feature_set"].isin(sets) & (table["model"] == model)].set_index("case")
            if own.empty:
                continue
            style = {"color": f"C{number}", "marker": _MARKERS[number % len(_MARKERS)], "markersize": 4}
            axes.plot(range(len(names)), own["accuracy"].loc[names], linewidth=0.7, label=model, **style)
            over = own.loc[mean]
            spread = [[over["accuracy"] - over["low"]], [over["high"] - over["accuracy"]]]
            place = len(names) + 0.12 * (number - (len(models) - 1) / 2)
            axes.errorbar([place], [over["accuracy"]], yerr=spread, elinewidth=0.7, **style)
        axes.axhline(_TABLE6, color="black", linewidth=0.8, linestyle=":")
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
    figure.supxlabel(f"dotted: {_TABLE6}, the paper's mean over its ten cases under its own labels", fontsize=7)
    return figure


def generalisation(table: pd.DataFrame) -> Figure:
    """Draw balanced accuracy, a panel a family: what is trained on and features down, what is tested on across.

    Parameters
    ----------
    table : DataFrame
        Rows of reports/generalisation.csv.
    """
    models = list(dict.fromkeys(table["model"]))
    table = table.assign(
        trained=table["train_set"].str.partition("/")[0], tested=table["test_set"].str.partition("/")[0]
    )
    rows = list(dict.fromkeys(zip(table["feature_set"], table["trained"], strict=True)))
    columns = list(dict.fromkeys(table["tested"]))
    figure = Figure(
        figsize=(1.8 + (0.9 * len(columns) + 0.3) * len(models), 0.36 * len(rows) + 1.6), layout="constrained"
    )
    for axes, model in zip(figure.subplots(1, len(models), squeeze=False, sharey=True).ravel(), models, strict=True):
        own = table[table["model"] == model]
        shares = np.full((len(rows), len(columns)), np.nan)
        for row in own.to_dict("records"):
            place = rows.index((row["feature_set"], row["trained"])), columns.index(row["tested"])
            shares[place] = row["balanced"]
            held_out = row["tested"] in row["trained"].split("+")
            axes.text(
                place[1],
                place[0],
                f"{row['balanced']:.2f}" + ("*" if held_out else ""),
                ha="center",
                va="center",
                fontsize=8,
            )
        # One half is what says nothing; below it a model says the opposite.
        axes.imshow(shares, cmap="RdYlGn", vmin=0, vmax=1, alpha=0.75, aspect="auto")
        axes.set_xticks(range(len(columns)), columns)
        axes.set_yticks(range(len(rows)), [f"{feature_set}, {trained}" for feature_set, trained in rows])
        axes.tick_params(length=0, labelsize=8)
        axes.set_title(model, fontsize=9)
    figure.supxlabel("tested on; * connections held out by random splits", fontsize=8)
    figure.supylabel("features, trained on", fontsize=8)
    return figure
