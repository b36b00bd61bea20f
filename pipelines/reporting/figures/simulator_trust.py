"""The simulator beside theory: for each topology a panel with expected and measured values.

::

    python -m smartsbd.pipelines.reporting.figures.simulator_trust    # draw reports/full/simulator-trust.csv anew
"""

from __future__ import annotations

import csv
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from smartsbd.pipelines.reporting.figures.style import BLUE, GREY, ORANGE, save
from smartsbd.scenarios.closed_forms import BANDS, CONTROLLERS, TOPOLOGIES

_ROOT = Path(__file__).resolve().parents[3]
_TABLE = _ROOT / "reports/full/simulator-trust.csv"
_FIGURE = _ROOT / "docs/images/simulator_trust.png"
_COLOURS = {"share": BLUE, "jain": ORANGE, "utilisation": GREY}
_NAMES = {"share": "share", "jain": "Jain's index", "utilisation": "utilisation"}
_COLUMNS = 4
#: Half the width of a band, and the distance between measures of one controller.
_HALF, _APART = 0.11, 0.26


def _panel(axes: Axes, rows: list[dict[str, str]]) -> None:
    """Draw a topology's cells: a band around what theory says, a dot where the simulator came to."""
    for row in rows:
        measure, expected = row["measure"], float(row["expected"])
        place = CONTROLLERS.index(row["controller"]) + (list(_NAMES).index(measure) - 1) * _APART
        band = BANDS[measure]
        axes.fill_between(
            [place - _HALF, place + _HALF],
            expected - band,
            expected + band,
            color=_COLOURS[measure],
            alpha=0.25,
            linewidth=0,
        )
        axes.hlines(expected, place - _HALF, place + _HALF, color=_COLOURS[measure], linewidth=1.5)
        within = row["within"] == "yes"
        axes.plot(place, float(row["measured"]), "o" if within else "X", color="black", markersize=4 if within else 6)
    axes.set(title=rows[0]["topology"], ylim=(-0.12, 1.12), xticks=range(len(CONTROLLERS)))
    axes.set_xticklabels(CONTROLLERS)


def draw(rows: list[dict[str, str]]) -> Figure:
    """Return a figure with a panel for each topology.

    Parameters
    ----------
    rows : list of dict
        Those of :func:`smartsbd.scenarios.closed_forms.rows`.

    Returns
    -------
    Figure

    Raises
    ------
    KeyError
        If a topology or a measure is not known.
    """
    lines = -(-len(TOPOLOGIES) // _COLUMNS)
    figure, panels = plt.subplots(
        lines, _COLUMNS, figsize=(11, 2.6 * lines), sharex=True, sharey=True, layout="constrained"
    )
    by_topology: dict[str, list[dict[str, str]]] = {name: [] for name in TOPOLOGIES}
    for row in rows:
        by_topology[row["topology"]].append(row)
    for axes, topology_rows in zip(panels.flat, by_topology.values(), strict=True):
        _panel(axes, topology_rows)
    figure.legend(
        handles=[
            *(
                Patch(color=_COLOURS[name], alpha=0.5, label=f"{text}: theory and its band")
                for name, text in _NAMES.items()
            ),
            Line2D([], [], color="black", marker="o", linestyle="", markersize=4, label="measured"),
            Line2D([], [], color="black", marker="X", linestyle="", markersize=6, label="measured, outside"),
        ],
        loc="outside lower center",
        fontsize=8,
        ncols=5,
        frameon=False,
    )
    return figure


def publish(table: Path = _TABLE, out: Path = _FIGURE) -> None:
    """Draw a published table.

    Parameters
    ----------
    table : Path
        CSV of the closed forms.
    out : Path
        The figure, PNG.
    """
    with table.open() as stream:
        save(draw(list(csv.DictReader(stream))), out)


if __name__ == "__main__":
    publish()
