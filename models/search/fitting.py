"""Grid search: a family's hyperparameters times nested feature subsets, by relevance.

There are two ways. The paper's ranks the features on all windows and takes the best mean over
the splits, so the choice has seen the windows it is judged on. The nested one ranks, scales and chooses on
the training side of each split alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import UsageFault
from smartsbd.models.families import Family, Scaling
from smartsbd.models.families.fitted import Fitted, Setting, predicted
from smartsbd.models.labelled.partners import rows_of_partners
from smartsbd.models.labelled.split import Split, folds
from smartsbd.models.labelled.window_verdicts import Verdicts
from smartsbd.models.labelled.windows import LabelledWindows, Positions
from smartsbd.models.search.relevance import mutual_information_nats, ranking


class GridError(UsageFault):
    """A grid that does not fit its family."""


@dataclass(frozen=True)
class Method:
    """How a setting is chosen and fitted.

    Attributes
    ----------
    inner_folds : int
        Folds of the choice, over the training connections.
    seed : int
        Of folds, estimators and the noise that breaks ties of relevance.
    scaling : str
        How the inputs of families that want it are scaled.
    block : int
        Connections that stay on one side, as :func:`~smartsbd.models.labelled.split.folds` takes it.
    learn_partners : bool
        Swapped partners of the training side are learnt from too, as not shared
        (:mod:`smartsbd.models.labelled.partners`).
    """

    inner_folds: int
    seed: int
    scaling: Scaling = "standard"
    block: int = 1
    learn_partners: bool = False


@dataclass(frozen=True)
class RankedSplit:
    """A split, and the features in order of relevance on the rows that may be known.

    Attributes
    ----------
    split : Split
    order : (features,) int64
        Positions of the features, most relevant first.
    """

    split: Split
    order: Positions


@dataclass(frozen=True)
class TrainingSide:
    """The rows that a choice may know, and their own splits.

    Attributes
    ----------
    rows : (rows,) int64
        Positions of the rows learnt from.
    order : (features,) int64
        Positions of the features, most relevant on these rows first.
    inner : tuple of RankedSplit
        Folds over their connections; each is ranked on its own training side.
    """

    rows: Positions
    order: Positions
    inner: tuple[RankedSplit, ...]


def settings(family: Family, grid: Mapping[str, Sequence[Any]], tops: Sequence[int]) -> list[Setting]:
    """Return every point of the grid, in a fixed order.

    Parameters
    ----------
    family : Family
    grid : mapping of str to sequence
        What to try of each hyperparameter.
    tops : sequence of int
        How many of the most relevant features to try.

    Returns
    -------
    list of Setting
        By number of features, then by hyperparameters.

    Raises
    ------
    GridError
        If the grid's names are not the family's hyperparameters.
    """
    if sorted(grid) != sorted(family.hyperparameters):
        raise GridError(f"grid of {family.name} gives {sorted(grid)}, must give {sorted(family.hyperparameters)}")
    names = sorted(grid)
    points = [tuple(zip(names, values, strict=True)) for values in itertools.product(*(grid[name] for name in names))]
    return [Setting(top, point) for top in tops for point in points]


def by_relevance(windows: LabelledWindows, rows: Positions, seed: int) -> Positions:
    """Return the positions of the features, most relevant first, on one window of each connection of `rows`.

    Several windows of a connection would be each other's nearest neighbours and have one label: what is constant
    over a connection would seem to tell it (docs/ambiguities.md).

    Parameters
    ----------
    windows : LabelledWindows
    rows : (n,) int64
        Positions of what the ranking may know.
    seed : int
        Of the noise that breaks ties of relevance.

    Returns
    -------
    (features,) int64
        Positions among the windows' features.
    """
    _, first = np.unique(windows.connections[rows], return_index=True)
    chosen = rows[np.sort(first)]
    return ranking(mutual_information_nats(windows.x[chosen], windows.shared[chosen], seed=seed))


def learnt_from(windows: LabelledWindows, rows: Positions, method: Method) -> Positions:
    """Return the rows that are learnt from where some rows are the training side.

    Parameters
    ----------
    windows : LabelledWindows
    rows : (n,) int64
        Positions of the training side.
    method : Method
        Says whether swapped partners of these rows are learnt from too.

    Returns
    -------
    (m,) int64
        Positions: `rows`, then those of their partners.
    """
    return np.concatenate([rows, rows_of_partners(windows, rows)]) if method.learn_partners else rows


def inner_splits(windows: LabelledWindows, rows: Positions, method: Method) -> list[Split]:
    """Cut the connections of some rows into the folds of a choice.

    Parameters
    ----------
    windows : LabelledWindows
    rows : (n,) int64
        Positions that the folds are cut from.
    method : Method
        Has the number of folds, the seed and the block.

    Returns
    -------
    list of Split
        One for each fold; positions among all windows.
    """
    parts = folds(
        windows.connections[rows],
        windows.stratum[rows],
        count=method.inner_folds,
        seed=method.seed,
        block=method.block,
    )
    return [Split(learnt_from(windows, rows[part.train], method), rows[part.test]) for part in parts]


def training_side(windows: LabelledWindows, rows: Positions, method: Method) -> TrainingSide:
    """Rank the features on some rows, and on the training side of each of their folds.

    Parameters
    ----------
    windows : LabelledWindows
    rows : (n,) int64
        Positions of the training side; their swapped partners may be learnt from, but nothing is judged on them.
    method : Method

    Returns
    -------
    TrainingSide
        The rows learnt from, with their ranking and their folds.
    """
    inner = [
        RankedSplit(split, by_relevance(windows, split.train, method.seed))
        for split in inner_splits(windows, rows, method)
    ]
    learnt = learnt_from(windows, rows, method)
    return TrainingSide(learnt, by_relevance(windows, learnt, method.seed), tuple(inner))


def fit(
    windows: LabelledWindows, family: Family, setting: Setting, order: Positions, rows: Positions, method: Method
) -> Fitted:
    """Fit a setting on some rows, with the features that come first in `order`.

    Parameters
    ----------
    windows : LabelledWindows
    family : Family
    setting : Setting
    order : (features,) int64
        Positions of the features, most relevant first.
    rows : (n,) int64
        Positions to learn from.
    method : Method
        Has the scaling and the seed.

    Returns
    -------
    Fitted
        With its scaler, if the family has one.
    """
    from sklearn.pipeline import make_pipeline

    columns = np.sort(order[: setting.top])
    x, scaler = windows.x[np.ix_(rows, columns)], family.scaler(method.scaling)
    inputs = x if scaler is None else scaler.fit_transform(x)
    estimator = family.fitted(dict(setting.hyperparameters), method.seed, inputs, windows.shared[rows])
    return Fitted(
        estimator if scaler is None else make_pipeline(scaler, estimator),
        tuple(windows.feature_names[column] for column in columns),
        setting,
    )


def columns_of(windows: LabelledWindows, fitted: Fitted) -> Positions:
    """Return the positions of the model's inputs among the windows' features."""
    return np.array([windows.feature_names.index(name) for name in fitted.feature_names])


def predict(windows: LabelledWindows, fitted: Fitted, rows: Positions) -> Verdicts:
    """Judge some rows.

    The score is a probability where the estimator has one, else the logistic function of its decision value.

    Parameters
    ----------
    windows : LabelledWindows
    fitted : Fitted
        Its features are among those of the windows.
    rows : (n,) int64
        Positions to judge.

    Returns
    -------
    Verdicts
        Scores in [0, 1] and verdicts, in the order of `rows`.
    """
    return fitted.judge(windows.x[np.ix_(rows, columns_of(windows, fitted))])


def accuracies(
    windows: LabelledWindows, family: Family, grid: Sequence[Setting], ranked: RankedSplit, method: Method
) -> npt.NDArray[np.float64]:
    """Return the (settings,) test accuracies of a split.

    Parameters
    ----------
    windows : LabelledWindows
    family : Family
    grid : sequence of Setting
        Settings; those of equally many features follow each other, as :func:`settings` orders them.
    ranked : RankedSplit
        The split, and the order of its features.
    method : Method
        Has the scaling and the seed.

    Returns
    -------
    (settings,) float64 in [0, 1]
        In the order of the grid.
    """
    train, test = ranked.split.train, ranked.split.test
    shares = []
    for top, same_inputs in itertools.groupby(grid, lambda setting: setting.top):
        columns = np.sort(ranked.order[:top])
        x, tested = (windows.x[np.ix_(rows, columns)] for rows in (train, test))
        scaler = family.scaler(method.scaling)
        if scaler is not None:
            x, tested = scaler.fit_transform(x), scaler.transform(tested)
        for setting in same_inputs:
            estimator = family.fitted(dict(setting.hyperparameters), method.seed, x, windows.shared[train])
            shares.append(np.mean(predicted(estimator, tested) == windows.shared[test]))
    return np.array(shares)


def papers_splits(windows: LabelledWindows, splits: Sequence[Split], method: Method) -> list[RankedSplit]:
    """Return splits with the features ranked on the rows of both sides: the paper's way.

    Parameters
    ----------
    windows : LabelledWindows
    splits : sequence of Split
        Over the same rows.
    method : Method
        Has the seed of the ranking, and says whether swapped partners are learnt from.

    Returns
    -------
    list of RankedSplit
        All with the same order of features.

    References
    ----------
    SmartSBD, section 3.4. The windows that it ranks on include those that it is judged on.
    """
    rows = np.unique(np.concatenate([np.concatenate([split.train, split.test]) for split in splits]))
    order = by_relevance(windows, rows, method.seed)
    return [RankedSplit(Split(learnt_from(windows, split.train, method), split.test), order) for split in splits]


def best_setting(grid: Sequence[Setting], accuracies: npt.NDArray[np.float64]) -> Setting:
    """Return the setting of the best mean of (splits, settings) accuracies, the first one of equals."""
    return grid[int(np.argmax(np.round(accuracies.mean(axis=0), 9)))]


def chosen(
    windows: LabelledWindows, family: Family, grid: Sequence[Setting], side: TrainingSide, method: Method
) -> Fitted:
    """Choose a setting by cross-validation over a training side's connections, and fit it on all of them.

    Ranking, scaling and choice see these rows alone.

    Parameters
    ----------
    windows : LabelledWindows
    family : Family
    grid : sequence of Setting
        Settings to choose from.
    side : TrainingSide
        Of :func:`training_side`.
    method : Method

    Returns
    -------
    Fitted
        On all rows of the side.
    """
    by_fold = np.stack([accuracies(windows, family, grid, ranked, method) for ranked in side.inner])
    return fit(windows, family, best_setting(grid, by_fold), side.order, side.rows, method)
