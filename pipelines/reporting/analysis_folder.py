"""The folder that `sbd inspect --plot` writes: a page of analysed connections, and the figures that are in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from smartsbd.contracts.fault import InputFault, UsageFault
from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.reporting import analysis_page
from smartsbd.pipelines.reporting.analysis_numbers import AnalysedConnection
from smartsbd.pipelines.reporting.analysis_page import ShownConnection

PAGE = "index.html"
NOT_SHOWN = f"connections beyond the {analysis_page.MOST_SHOWN} that a page has"
_OUR_FIGURE = re.compile(r"connection-\d+\.png")


class PlotFolderError(UsageFault):
    """The folder for a page holds something else."""


class NothingToPlotError(InputFault):
    """No input is a capture with an MPTCP connection."""


class AnalysisFolder:
    """Draws connections as they come; the page follows in the end.

    Parameters
    ----------
    folder : Path
        What an earlier page left there is replaced.

    Raises
    ------
    PlotFolderError
        If something else is in the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._figures = folder / analysis_page.FIGURES
        foreign = _others(folder, {PAGE, analysis_page.FIGURES})
        if self._figures.exists():
            foreign += [name for name in _others(self._figures, set()) if not _OUR_FIGURE.fullmatch(name)]
        if foreign:
            raise PlotFolderError(f"{folder} holds {foreign[0]}, which is none of ours: name another folder")
        self._shown: list[ShownConnection] = []
        self._left_out: Counter[str] = Counter()

    def add(self, connections: Sequence[AnalysedConnection], left_out: Counter[str]) -> None:
        """Take the connections of an input, and the number of those that were not analysed, by the reason."""
        self._left_out += left_out
        if not connections:
            return
        if not self._shown:
            self._clear()
        for connection in connections:
            if len(self._shown) == analysis_page.MOST_SHOWN:
                self._left_out[NOT_SHOWN] += 1
                continue
            self._shown.append(analysis_page.shown(connection, len(self._shown) + 1, self._folder))

    def _clear(self) -> None:
        """Delete what an earlier page left."""
        self._figures.mkdir(parents=True, exist_ok=True)
        (self._folder / PAGE).unlink(missing_ok=True)
        for path in self._figures.iterdir():
            if _OUR_FIGURE.fullmatch(path.name):
                path.unlink()

    def write(self, inputs: Sequence[str]) -> None:
        """Write the page.

        Parameters
        ----------
        inputs : sequence of str
            Names of the inputs.

        Raises
        ------
        NothingToPlotError
            If there was no connection.
        """
        if not self._shown:
            raise NothingToPlotError("no input is a capture with an MPTCP connection: there is nothing to plot")
        page = analysis_page.render(self._shown, inputs, self._left_out, self._folder)
        write_whole(page.encode(), self._folder / PAGE)


def _others(folder: Path, ours: set[str]) -> list[str]:
    return sorted({path.name for path in folder.iterdir()} - ours) if folder.exists() else []
