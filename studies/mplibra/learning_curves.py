"""Figure of agents' trainings: what a round trip is worth to each, by transitions so far."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

_COLOURS = {"reward": "#2b6cb0", "learning_reward": "#dd8a2b"}
_LABELS = {"reward": "evaluated, without noise", "learning_reward": "in the episodes that are learnt from"}


def curves(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw the learning curve of each agent, in a panel of its own.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        By the name of its controller: rows of simulator/agents/NAME.csv. None: the figure says so.
    """
    figure = Figure(figsize=(4.8 * max(1, len(tables)), 3.2), layout="constrained")
    if not tables:
        figure.text(0.5, 0.5, "no agent was trained", ha="center", fontsize=9)
        return figure
    panels = figure.subplots(1, len(tables), squeeze=False)[0]
    for axes, (name, table) in zip(panels, tables.items(), strict=True):
        thousands = table["steps"].to_numpy() / 1e3
        for column, label in _LABELS.items():
            axes.plot(thousands, table[column], color=_COLOURS[column], linewidth=1.2, label=label)
        best = int(table["reward"].to_numpy().argmax())
        kept = (thousands[best], table["reward"].to_numpy()[best])
        axes.plot(*kept, "o", color=_COLOURS["reward"], markersize=5)
        axes.annotate("kept", kept, xytext=(0, 6), textcoords="offset points", fontsize=8)
        axes.set_title(name, fontsize=9)
        axes.set_xlabel("transitions, thousands", fontsize=8)
        axes.set_ylabel("reward of a round trip", fontsize=8)
        axes.tick_params(labelsize=7)
        axes.grid(alpha=0.3)
    handles = panels[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", fontsize=8, ncols=2, frameon=False)
    return figure
