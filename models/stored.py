"""The models a search has stored, on the labelled windows of another dataset."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from models import correlation, neighbours, search, store
from models.verdict import Verdicts
from models.windows import LabelledWindows, labelled_windows


@dataclass(frozen=True)
class StoredModel:
    """Where one model stands.

    Attributes
    ----------
    model, feature_set : str
        Its names in tables.
    path : Path
        Its file.
    """

    model: str
    feature_set: str
    path: Path


@dataclass(frozen=True)
class Tested:
    """The labelled windows of one rule of a dataset, as features and as series.

    Attributes
    ----------
    pair_window : DataFrame of the ``pair_window`` table
    rule : str
    windows : LabelledWindows
        Without features: key and label.
    rtt_us : (rows, points, 2) float64, microseconds
        RTTs of both subflows over each (:func:`models.neighbours.rtt_us_of`).
    """

    pair_window: pd.DataFrame
    rule: str
    windows: LabelledWindows
    rtt_us: npt.NDArray[np.float64]


def tested_windows(pair_window: pd.DataFrame, series: pd.DataFrame, rule: str) -> Tested:
    """Select the labelled windows of one rule, with their series.

    Parameters
    ----------
    pair_window : DataFrame of the ``pair_window`` table
    series : DataFrame of the ``series`` table
        Its columns :data:`models.neighbours.COLUMNS`.
    rule : str

    Raises
    ------
    LearnError
        If there is none, or only one label.
    SeriesError
        If a window has no series.
    """
    windows = labelled_windows(pair_window, rule, ())
    return Tested(pair_window, rule, windows, neighbours.rtt_us_of(series, windows.key))


def stored_models(folder: Path, families: Sequence[str], feature_sets: Sequence[str]) -> list[StoredModel]:
    """Return the models of a dataset: neighbours, every family on every set of features, plain correlation.

    Parameters
    ----------
    folder : Path
        With the dataset's models.
    families, feature_sets : sequence of str
        What was searched.
    """
    named = [
        *((neighbours.NAME, view) for view in neighbours.VIEWS),
        *itertools.product(families, feature_sets),
        (correlation.NAME, correlation.FEATURE_SET),
    ]
    return [StoredModel(model, own, folder / f"{model}_{own}.skops") for model, own in named]


def judge(stored: StoredModel, tests: Sequence[Tested]) -> list[Verdicts]:
    """Return a model's verdict on each window of each test, in the order of its ``windows``.

    Raises
    ------
    ModelError
        If its file cannot be used.
    """
    fitted = store.load(stored.path)
    if stored.model == neighbours.NAME:
        view = neighbours.VIEWS[stored.feature_set]
        return [neighbours.predict(view(tested.rtt_us), fitted) for tested in tests]
    found = []
    for tested in tests:
        windows = labelled_windows(tested.pair_window, tested.rule, fitted.feature_names)
        found.append(search.predict(windows, fitted, np.arange(len(windows.shared))))
    return found
