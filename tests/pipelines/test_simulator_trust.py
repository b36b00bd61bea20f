"""The figure of the simulator beside theory: every published cell is drawn where its table has it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from matplotlib import pyplot as plt

from smartsbd.pipelines.reporting.figures import simulator_trust
from smartsbd.scenarios.closed_forms import TOPOLOGIES

TABLE = Path(__file__).parents[2] / "reports/full/simulator-trust.csv"


def published() -> list[dict[str, str]]:
    with TABLE.open() as stream:
        return list(csv.DictReader(stream))


def test_each_topology_has_a_panel_with_each_of_its_cells() -> None:
    """A mark for each cell, as high as it was measured; a cross for one outside of its band."""
    rows = published()
    figure = simulator_trust.draw(rows)
    panels = {axes.get_title(): axes for axes in figure.axes}
    assert list(panels) == list(TOPOLOGIES)
    for name, axes in panels.items():
        drawn = [(float(line.get_ydata()[0]), line.get_marker()) for line in axes.lines]  # type: ignore[index,arg-type]
        own = [row for row in rows if row["topology"] == name]
        assert drawn == [(float(row["measured"]), "o" if row["within"] == "yes" else "X") for row in own]
    plt.close(figure)


def test_an_unknown_topology_is_refused() -> None:
    """Rather than left out."""
    row = {**published()[0], "topology": "elsewhere"}
    with pytest.raises(KeyError, match="elsewhere"):
        simulator_trust.draw([row])


def test_the_figure_of_the_documents_table_is_written(tmp_path: Path) -> None:
    """By default that of the documents, where it is asked for."""
    simulator_trust.publish(out=tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
