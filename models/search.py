"""Grid search: a family's hyperparameters times nested feature subsets, by relevance.

Relevance is ranked on the training rows of each split only; the paper ranks on all data, which leaks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.model_selection import ParameterGrid

from features.relevance import mutual_information_nats, ranking
from models.families import Family
from models.split import Split, folds
from models.windows import LabelledWindows
from traces.fault import UsageFault


class GridError(UsageFault):
    """A grid that does not fit its family."""


@dataclass(frozen=True)
class Setting:
    """One point of the grid: hyperparameters, and how many of the most relevant features."""

    top: int
    hyperparameters: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Fitted:
    """An estimator fitted on some features of a table.

    Attributes
    ----------
    estimator : scikit-learn classifier
    feature_names : tuple of str
        Its inputs, in order.
    setting : Setting
    """

    estimator: Any
    feature_names: tuple[str, ...]
    setting: Setting


@dataclass(frozen=True)
class OutOfFold:
    """What a split's model says of its test rows."""

    fold: int
    rows: npt.NDArray[np.int64]
    score: npt.NDArray[np.float64]
    shared_pred: npt.NDArray[np.bool_]
    setting: Setting


def settings(family: Family, grid: Mapping[str, Sequence[Any]], tops: Sequence[int]) -> list[Setting]:
    """Return every point of the grid, in a fixed order.

    Raises
    ------
    GridError
        If the grid's names are not the family's hyperparameters.
    """
    if sorted(grid) != sorted(family.hyperparameters):
        raise GridError(f"grid of {family.name} gives {sorted(grid)}, must give {sorted(family.hyperparameters)}")
    points = [tuple(sorted(point.items())) for point in ParameterGrid({name: list(grid[name]) for name in grid})]
    return [Setting(top, point) for top in tops for point in points]


def by_relevance(windows: LabelledWindows, rows: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.int64]:
    """Return the positions of the features, most relevant first, on the first window of each connection.

    Several windows of a connection would be each other's nearest neighbours and have one label: what is
    constant over a connection would seem to tell it (docs/ambiguities.md).
    """
    _, first = np.unique(windows.connections[rows], return_index=True)
    chosen = rows[np.sort(first)]
    return ranking(mutual_information_nats(windows.x[chosen], windows.shared[chosen], seed=seed))


def _fit(
    windows: LabelledWindows,
    family: Family,
    setting: Setting,
    order: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    seed: int,
) -> Fitted:
    columns = np.sort(order[: setting.top])
    estimator = family.build(dict(setting.hyperparameters), seed)
    estimator.fit(windows.x[np.ix_(rows, columns)], windows.shared[rows])
    return Fitted(estimator, tuple(windows.feature_names[column] for column in columns), setting)


def columns_of(windows: LabelledWindows, fitted: Fitted) -> npt.NDArray[np.int64]:
    """Return the positions of the model's inputs among the windows' features."""
    return np.array([windows.feature_names.index(name) for name in fitted.feature_names])


def _accuracies(
    windows: LabelledWindows, family: Family, grid: Sequence[Setting], split: Split, seed: int
) -> npt.NDArray[np.float64]:
    order = by_relevance(windows, split.train, seed)
    accuracies = np.empty(len(grid))
    for index, setting in enumerate(grid):
        fitted = _fit(windows, family, setting, order, split.train, seed)
        predicted = fitted.estimator.predict(windows.x[np.ix_(split.test, columns_of(windows, fitted))])
        accuracies[index] = np.mean(predicted == windows.shared[split.test])
    return accuracies


def grid_accuracies(
    windows: LabelledWindows,
    family: Family,
    grid: Sequence[Setting],
    splits: Sequence[Split],
    *,
    seed: int,
    workers: int,
) -> npt.NDArray[np.float64]:
    """Return the (splits, settings) test accuracy of every setting on every split.

    The result does not depend on `workers`.
    """
    rows = Parallel(n_jobs=workers)(delayed(_accuracies)(windows, family, grid, split, seed) for split in splits)
    return np.stack(rows)


def best_setting(grid: Sequence[Setting], accuracies: npt.NDArray[np.float64]) -> Setting:
    """Return the setting of the best mean accuracy; of equals the one that stands first."""
    return grid[int(np.argmax(np.round(accuracies.mean(axis=0), 9)))]


def _nested_fold(
    windows: LabelledWindows,
    family: Family,
    grid: Sequence[Setting],
    fold: int,
    split: Split,
    inner_folds: int,
    seed: int,
    block: int,
) -> OutOfFold:
    inner = [
        Split(split.train[part.train], split.train[part.test])
        for part in folds(
            windows.connections[split.train], windows.stratum[split.train], count=inner_folds, seed=seed, block=block
        )
    ]
    accuracies = np.stack([_accuracies(windows, family, grid, part, seed) for part in inner])
    setting = best_setting(grid, accuracies)
    fitted = _fit(windows, family, setting, by_relevance(windows, split.train, seed), split.train, seed)
    score, shared_pred = predict(windows, fitted, split.test)
    return OutOfFold(fold, split.test, score, shared_pred, setting)


def nested_predictions(
    windows: LabelledWindows,
    family: Family,
    grid: Sequence[Setting],
    splits: Sequence[Split],
    *,
    inner_folds: int,
    seed: int,
    workers: int,
    block: int = 1,
) -> list[OutOfFold]:
    """Predict each split's test rows by a model chosen and fitted on its training rows alone.

    Choice is by `inner_folds`-fold cross-validation over the training connections. The result does
    not depend on `workers`.
    """
    return list(
        Parallel(n_jobs=workers)(
            delayed(_nested_fold)(windows, family, grid, fold, split, inner_folds, seed, block)
            for fold, split in enumerate(splits)
        )
    )


def refit(windows: LabelledWindows, family: Family, setting: Setting, *, seed: int) -> Fitted:
    """Fit a setting on all windows: the model that is stored and exported."""
    rows = np.arange(len(windows.shared), dtype=np.int64)
    return _fit(windows, family, setting, by_relevance(windows, rows, seed), rows, seed)


def predict(
    windows: LabelledWindows, fitted: Fitted, rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return (probability of a shared bottleneck, verdict) for some rows."""
    x = windows.x[np.ix_(rows, columns_of(windows, fitted))]
    shared_class = int(np.flatnonzero(fitted.estimator.classes_)[0])
    score: npt.NDArray[np.float64] = fitted.estimator.predict_proba(x)[:, shared_class]
    return score, fitted.estimator.predict(x).astype(bool)


@dataclass(frozen=True)
class Choice:
    """What a search over one family found.

    Attributes
    ----------
    settings : list of Setting
        The grid.
    accuracies : (splits, settings) float64
        Test accuracy of every setting on every split: the paper's way to choose.
    nested : list of OutOfFold
        Predictions by models chosen on each split's training side alone: what is judged.
    fitted : Fitted
        The best setting by `accuracies`, fitted on all windows: what is stored and exported.
    """

    settings: list[Setting]
    accuracies: npt.NDArray[np.float64]
    nested: list[OutOfFold]
    fitted: Fitted


def choose(
    windows: LabelledWindows,
    family: Family,
    grid: Sequence[Setting],
    splits: Sequence[Split],
    *,
    inner_folds: int,
    seed: int,
    workers: int,
    block: int = 1,
) -> Choice:
    """Search a family's grid.

    Parameters
    ----------
    windows : LabelledWindows
    family : Family
    grid : sequence of Setting
        As :func:`settings` returns it.
    splits : sequence of Split
        Outer splits.
    inner_folds : int
        Folds of the nested choice.
    seed, workers : int
        The result does not depend on `workers`.
    block : int
        Of the nested choice's folds, as :func:`~models.split.folds` takes it.

    References
    ----------
    SmartSBD, section 3.4; the nested estimate is ours.
    """
    accuracies = grid_accuracies(windows, family, grid, splits, seed=seed, workers=workers)
    nested = nested_predictions(
        windows, family, grid, splits, inner_folds=inner_folds, seed=seed, workers=workers, block=block
    )
    fitted = refit(windows, family, best_setting(grid, accuracies), seed=seed)
    return Choice(list(grid), accuracies, nested, fitted)
