"""Features: relevance and distributions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from smartsbd.features.catalog import Feature
from smartsbd.pipelines.reporting.figures.style import BLUE, COLOURS, GREY, ORANGE, label_legend

_GROUPS = {"paper": "the paper's nine", "throughput": "the paper's, with throughput", "invariant": "ours"}


def relevance(ranking: pd.DataFrame, title: str) -> Figure:
    """Draw the mutual information of each feature, most relevant on top, beside the paper's and chance.

    Parameters
    ----------
    ranking : DataFrame
        Columns ``feature``, ``group``, ``mutual_information_nats``, ``null_95_nats``, ``paper_nats``.
    title : str

    Returns
    -------
    Figure
    """
    figure = Figure(figsize=(6.5, 0.24 * len(ranking) + 1.4), layout="constrained")
    axes = figure.add_subplot()
    colours = {"paper": BLUE, "throughput": GREY, "invariant": ORANGE}
    for group, colour in colours.items():
        values = ranking["mutual_information_nats"].where(ranking["group"] == group)
        axes.barh(ranking["feature"], values, color=colour, label=_GROUPS[group])
    axes.plot(ranking["paper_nats"], ranking["feature"], "D", color="black", markersize=3, label="SmartSBD, Table 3")
    axes.plot(ranking["null_95_nats"], ranking["feature"], "|", color="red", label="95 % of shuffled labels")
    axes.invert_yaxis()
    axes.margins(y=0.01)
    axes.set_xlabel("mutual information with the label (nats)")
    axes.set_title(title)
    axes.legend(fontsize=7, frameon=False, loc="lower right")
    return figure


def distributions(labelled: pd.DataFrame, features: Sequence[Feature], title: str) -> Figure:
    """Draw every feature's distribution for each site and label, as boxes without outliers.

    Parameters
    ----------
    labelled : DataFrame
        Labelled rows of ``pair_window``.
    features : sequence of Feature
    title : str

    Returns
    -------
    Figure
    """
    columns = 4
    rows = -(-len(features) // columns)
    site = labelled["site"].fillna(labelled["dataset"])
    sites = sorted(site.unique())
    figure = Figure(figsize=(2.6 * columns, 1.5 * rows + 0.5), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, feature in zip(panels, features, strict=False):
        for shared, offset in ((True, -0.18), (False, 0.18)):
            by_site = [labelled.loc[(site == name) & (labelled["shared"] == shared), feature.name] for name in sites]
            axes.boxplot(
                [values.to_numpy(dtype=np.float64) for values in by_site],
                positions=np.arange(len(sites)) + offset,
                widths=0.3,
                showfliers=False,
                patch_artist=True,
                boxprops={"facecolor": COLOURS["shared" if shared else "not shared"], "linewidth": 0.6},
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
    label_legend(figure)
    return figure
