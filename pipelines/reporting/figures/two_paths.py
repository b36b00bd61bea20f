"""The figure of a guided test: what came over each path, and how long its echoes took, phase by phase."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smartsbd.doctor.answer import PathsAnswer
from smartsbd.doctor.guided_test import BOTH, FIRST, IDLE, SECOND
from smartsbd.doctor.observed import Observed
from smartsbd.pipelines.reporting.figures.style import BLUE, GREY, ORANGE

_COLOURS = (ORANGE, BLUE)
_STEP_S = 0.5
_TITLE_COLUMNS = 110


def _rates(axes: Axes, observed: Observed, origin_s: float) -> None:
    for phase in observed.phases.values():
        begins_s = np.arange(phase.begin_s, phase.end_s - _STEP_S, _STEP_S)
        below = np.zeros(begins_s.size)
        for number, table in phase.received.items():
            rates = np.array([table.mbit_s(begin_s, begin_s + _STEP_S) for begin_s in begins_s])
            axes.fill_between(
                begins_s - origin_s + _STEP_S / 2, below, below + rates, color=_COLOURS[number], alpha=0.7, linewidth=0
            )
            below += rates
    axes.set_ylabel("Mbit/s, one on the other", fontsize=8)
    axes.set_ylim(bottom=0)


def _echoes(axes: Axes, observed: Observed, origin_s: float) -> None:
    every = [phase.echoes for phase in observed.phases.values()] or [observed.both.echoes]
    for number, colour in enumerate(_COLOURS):
        times_s = np.concatenate([echoes[number].times_s for echoes in every])
        rtts_ms = np.concatenate([echoes[number].rtts_ms for echoes in every])
        axes.plot(times_s - origin_s, rtts_ms, ".", markersize=1.5, color=colour, label=observed.names[number])
    axes.set_ylabel("RTT, ms", fontsize=8)
    axes.set_ylim(bottom=0)


def two_paths(observed: Observed, answer: PathsAnswer) -> Figure:
    """Draw what came over two paths, and the RTTs of their echoes; of recordings the RTTs alone.

    Parameters
    ----------
    observed : Observed
    answer : PathsAnswer
        Its first line is the title.

    Returns
    -------
    Figure
        Times in seconds since the first phase, or since the first echo of recordings.
    """
    rows = 2 if observed.phases else 1
    figure = Figure(figsize=(9, 2.4 * rows + 0.9), layout="constrained")
    panels = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    starts_s = [phase.begin_s for phase in observed.phases.values()] or [
        float(echoes.times_s[0]) for echoes in observed.both.echoes if echoes.times_s.size
    ]
    origin_s = min(starts_s, default=0.0)
    if observed.phases:
        _rates(panels[0], observed, origin_s)
        first, second = observed.names
        words = {IDLE: "no load", FIRST: f"{first} alone", SECOND: f"{second} alone", BOTH: "both"}
        for name, phase in observed.phases.items():
            for axes in panels:
                axes.axvspan(phase.begin_s - origin_s, phase.end_s - origin_s, color=GREY, alpha=0.12, linewidth=0)
            middle_s = (phase.begin_s + phase.end_s) / 2 - origin_s
            panels[0].annotate(
                words[name], (middle_s, 1.0), xycoords=("data", "axes fraction"), ha="center", va="bottom", fontsize=8
            )
    _echoes(panels[-1], observed, origin_s)
    panels[-1].set_xlabel("s", fontsize=8)
    panels[-1].legend(fontsize=8, markerscale=6, frameon=False, loc="upper left")
    title = answer.lines()[0]
    figure.suptitle(title if len(title) <= _TITLE_COLUMNS else f"{title[:_TITLE_COLUMNS]} ...", fontsize=10)
    return figure
