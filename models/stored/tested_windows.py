"""The labelled windows of a dataset that stored models are tested on: as rows of features and as series."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.models.families import neighbours
from smartsbd.models.labelled.windows import LabelledWindows, labelled_windows


@dataclass(frozen=True)
class TestedWindows:
    """The labelled windows of one rule of a dataset.

    Attributes
    ----------
    pair_window : DataFrame of the ``pair_window`` table
    rule : str
    windows : LabelledWindows
        Without features: key and label.
    rtt_us : (rows, points, 2) float64, microseconds
        RTTs of both subflows over each (:func:`smartsbd.models.families.neighbours.rtt_us_of`).
    """

    pair_window: pd.DataFrame
    rule: str
    windows: LabelledWindows
    rtt_us: npt.NDArray[np.float64]

    def features(self, names: tuple[str, ...]) -> npt.NDArray[np.float64]:
        """Return some features of each window, (rows, features), in the order of :attr:`windows`."""
        return labelled_windows(self.pair_window, self.rule, names).x


def tested_windows(pair_window: pd.DataFrame, series: pd.DataFrame, rule: str) -> TestedWindows:
    """Select the labelled windows of one rule, with their series.

    Parameters
    ----------
    pair_window : DataFrame of the ``pair_window`` table
    series : DataFrame of the ``series`` table
        Its columns :data:`smartsbd.models.families.neighbours.COLUMNS`.
    rule : str

    Returns
    -------
    TestedWindows
        In the order of the table.

    Raises
    ------
    LearnError
        If there is none, or only one label.
    SeriesError
        If a window has no series.
    """
    windows = labelled_windows(pair_window, rule, ())
    return TestedWindows(pair_window, rule, windows, neighbours.rtt_us_of(series, windows.key))
