"""Figures of the OLAPS paper's schedulers: what goodput is of that of another one."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_MARKERS = "osD^vP*X<>d"
#: Above what two equal paths can give.
_MOST_GAIN = 2.1


def _line(name: str) -> str:
    """Return the style of a scheduler's line: those that lie on another one's are broken."""
    return "--" if name == "ecf" or ", no monitor" in name else ":" if ", code" in name else "-"


def _bare(figure: Figure, text: str) -> Figure:
    """Return a figure that says why it is empty."""
    figure.text(0.5, 0.5, text, ha="center", va="center", fontsize=9)
    return figure


def by_delay(gained: pd.DataFrame) -> Figure:
    """Draw the gain of each scheduler by the second path's extra delay, a panel for each receive buffer.

    Parameters
    ----------
    gained : DataFrame
        Rows of gains.csv.
    """
    own = gained[gained["experiment"] == "delays"]
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    if own.empty:
        return _bare(figure, "no run")
    parts = own["group"].str.extract(r"([\d.]+) ms, ([\d.]+) kB").astype(float)
    own = own.assign(delay_ms=parts[0], buffer_kb=parts[1])
    own = own[own["controller"] != "redundant"]
    buffers = sorted(set(own["buffer_kb"]))
    panels: list[Axes] = list(np.atleast_1d(figure.subplots(1, len(buffers), sharey=True)))
    for axes, buffer_kb in zip(panels, buffers, strict=True):
        for number, (name, lines) in enumerate(own[own["buffer_kb"] == buffer_kb].groupby("controller", sort=False)):
            axes.errorbar(
                lines["delay_ms"] + 0.25 * (number - 5),
                lines["mean"],
                yerr=[lines["mean"] - lines["low"], lines["high"] - lines["mean"]],
                fmt=f"{_MARKERS[number % len(_MARKERS)]}{_line(str(name))}",
                markersize=4,
                linewidth=0.9,
                elinewidth=0.7,
                color=f"C{number}",
                label=str(name) if axes is panels[0] else None,
            )
        axes.axhline(1, color="black", linewidth=0.7, linestyle=":")
        axes.set_ylim(0, _MOST_GAIN)
        axes.grid(axis="y", alpha=0.3)
        axes.set_title(f"receive buffer {buffer_kb:g} kB", fontsize=8)
        axes.set_xlabel("extra delay of the second path (ms)", fontsize=8)
        axes.tick_params(labelsize=7)
    panels[0].set_ylabel("goodput over that of ReMP", fontsize=8)
    figure.legend(loc="outside upper center", fontsize=7, ncols=5, frameon=False)
    return figure


def by_sample(runs: pd.DataFrame, base: str) -> Figure:
    """Draw the share of sampled networks in which each scheduler's gain is at most so much, a panel for each space.

    Parameters
    ----------
    runs : DataFrame
        Rows of runs.csv.
    base : str
        The scheduler that others are compared with.
    """
    own = runs[runs["experiment"] == "factors"]
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    if own.empty:
        return _bare(figure, "no run")
    spaces = list(dict.fromkeys(own["group"]))
    panels: list[Axes] = list(np.atleast_1d(figure.subplots(1, len(spaces), sharey=True)))
    for axes, space in zip(panels, spaces, strict=True):
        table = own[own["group"] == space].pivot_table(
            index=["setting", "run"], columns="controller", values="goodput_mbit_s", sort=False
        )
        names = [name for name in table.columns if name != base]
        for number, name in enumerate(names):
            gain = np.sort((table[name] / table[base]).dropna().to_numpy(dtype=np.float64))
            axes.step(
                [0, *gain, _MOST_GAIN],
                [0, *np.arange(1, len(gain) + 1) / len(gain), 1],
                where="post",
                color=f"C{number}",
                linestyle=_line(str(name)),
                linewidth=1.2,
                label=str(name) if axes is panels[0] else None,
            )
        for gain_of_note in (0.75, 1):
            axes.axvline(gain_of_note, color="black", linewidth=0.7, linestyle=":")
        axes.set_xlim(0, _MOST_GAIN)
        axes.set_ylim(0, 1.02)
        axes.grid(alpha=0.3)
        axes.set_title(f"{space} factor space, {len(table)} networks", fontsize=8)
        axes.set_xlabel("goodput over that of ReMP", fontsize=8)
        axes.tick_params(labelsize=7)
    panels[0].set_ylabel("share of networks", fontsize=8)
    figure.legend(loc="outside upper center", fontsize=7, ncols=6, frameon=False)
    return figure
