"""Nearest neighbours under dynamic time warping: a model of the RTT series themselves, not of features.

A window is a series of two values, the RTTs of both subflows. Its neighbours are the training windows of the smallest
multivariate DTW distance. tslearn's classifier is what is stored; its distances, here and in trials, are those of
:mod:`time_warping`, which are the same and take a small part of the time. Trials compute them all once; a fold needs
a part of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.contracts.fault import Fault
from smartsbd.contracts.tables import WINDOW_KEY
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.labelled.window_verdicts import Verdicts
from smartsbd.models.labelled.windows import LabelledWindows, Positions
from smartsbd.models.search.fitting import Method, inner_splits
from smartsbd.models.stored import stored_model
from smartsbd.models.stored.stored_model import SERIES
from smartsbd.native import time_warping

Float64Array = npt.NDArray[np.float64]

#: Points every window is resampled to: one an RTT of the longer path.
POINTS = 51
_US_PER_S = 1e6
_HALF = 0.5
#: Columns of the ``series`` table that are read.
COLUMNS = [*WINDOW_KEY, "k", *SERIES]


class SeriesError(Fault):
    """A window without its series."""


def rtt_series(rtt_us: Float64Array) -> Float64Array:
    """Return the RTTs as they are, in seconds: what the paper's distances see.

    Parameters
    ----------
    rtt_us : (rows, points, 2) float64, microseconds

    Returns
    -------
    (rows, points, 2) float64, seconds
        The same RTTs.
    """
    return rtt_us / _US_PER_S


def queue_series(rtt_us: Float64Array) -> Float64Array:
    """Return the RTTs above each subflow's own minimum, over the larger of the two peaks: in [0, 1].

    Parameters
    ----------
    rtt_us : (rows, points, 2) float64, microseconds

    Returns
    -------
    (rows, points, 2) float64 in [0, 1]
        0 where both RTTs are constant.

    Examples
    --------
    >>> import numpy as np
    >>> queue_series(np.array([[[50.0, 200.0], [60.0, 200.0], [70.0, 210.0]]])).tolist()
    [[[0.0, 0.0], [0.5, 0.0], [1.0, 0.5]]]
    """
    queue = rtt_us - rtt_us.min(axis=1, keepdims=True)
    peak = queue.max(axis=(1, 2), keepdims=True)
    relative: Float64Array = queue / np.where(peak > 0, peak, 1.0)
    return relative


#: What a window's series are made of: the counterparts of the sets ``paper`` and ``invariant``.
VIEWS: dict[str, Callable[[Float64Array], Float64Array]] = dict(
    zip(stored_model.VIEWS, (rtt_series, queue_series), strict=True)
)


def resampled(rtt_us: Float64Array) -> Float64Array:
    """Return both series of a window at :data:`POINTS` points.

    Parameters
    ----------
    rtt_us : (n, 2) float64
        RTTs of the lower and the higher subflow.

    Returns
    -------
    (POINTS, 2) float64
        In the unit of the RTTs; linear between points.
    """
    at = np.linspace(0, len(rtt_us) - 1, POINTS)
    return np.stack([np.interp(at, np.arange(len(rtt_us)), series) for series in rtt_us.T], axis=1)


def rtt_us_of(series: pd.DataFrame, key: pd.DataFrame) -> Float64Array:
    """Return the RTTs of some windows, resampled to :data:`POINTS`.

    Parameters
    ----------
    series : DataFrame of the ``series`` table
        The rows of a window in order of ``k``, one window after another.
    key : DataFrame of the ``pair_window`` key
        The windows wanted.

    Returns
    -------
    (rows, POINTS, 2) float64, microseconds

    Raises
    ------
    SeriesError
        If a window has no series.
    """
    start = np.flatnonzero(series["k"].to_numpy() == 0)
    end = np.append(start[1:], len(series))
    place = pd.Series(np.arange(len(start)), index=pd.MultiIndex.from_frame(series[list(WINDOW_KEY)].iloc[start]))
    wanted = place.reindex(pd.MultiIndex.from_frame(key[list(WINDOW_KEY)]))
    if wanted.isna().any():
        first = wanted.index[wanted.isna()][0]
        raise SeriesError(f"{int(wanted.isna().sum())} windows have no series, the first is {first}")
    rtt_us = series[list(SERIES)].to_numpy(dtype=np.float64)
    resampled_us = np.empty((len(key), POINTS, len(SERIES)))
    for row, window in enumerate(wanted.to_numpy(dtype=np.int64)):
        resampled_us[row] = resampled(rtt_us[start[window] : end[window]])
    return resampled_us


def distances(view: Float64Array) -> Float64Array:
    """Return the DTW distance of every two windows.

    Parameters
    ----------
    view : (rows, points, 2) float64

    Returns
    -------
    (rows, rows) float64
    """
    return time_warping.distances_within(view)


def _voted(distance: Float64Array, shared: npt.NDArray[np.bool_], neighbors: int) -> Verdicts:
    """Let the nearest vote; half and half is not shared.

    Parameters
    ----------
    distance : (tested, training) float64
    shared : (training,) bool
    neighbors : int
    """
    # Of equally distant neighbours, those vote that scikit-learn and tslearn take.
    nearest = np.argpartition(distance, neighbors - 1, axis=1)[:, :neighbors]
    share = np.count_nonzero(shared[nearest], axis=1) / neighbors
    return Verdicts(share, share > _HALF)


def predict_by_distance(
    distance: Float64Array, windows: LabelledWindows, train: Positions, test: Positions, neighbors: int
) -> Verdicts:
    """Judge test rows by the share of their neighbours among the training rows that are shared.

    Parameters
    ----------
    distance : (rows, rows) float64
        Of all windows.
    windows : LabelledWindows
    train, test : (rows,) int64
        Positions.
    neighbors : int
        How many vote.

    Returns
    -------
    Verdicts
        The share is the score; more than half is shared.
    """
    return _voted(distance[np.ix_(test, train)], windows.shared[train], neighbors)


def chosen_neighbors(
    distance: Float64Array, windows: LabelledWindows, rows: Positions, grid: Sequence[int], method: Method
) -> int:
    """Choose how many neighbours vote by cross-validation over the connections of a training side.

    Parameters
    ----------
    distance : (rows, rows) float64
        Of all windows.
    windows : LabelledWindows
    rows : (n,) int64
        Positions of the training side.
    grid : sequence of int
        Numbers to choose from; of equally good ones the first is taken.
    method : Method
        Has the folds of the choice.

    Returns
    -------
    int
        The number of the best mean accuracy.
    """
    splits = inner_splits(windows, rows, method)
    accuracies = np.empty((len(splits), len(grid)))
    for fold, split in enumerate(splits):
        for index, neighbors in enumerate(grid):
            verdicts = predict_by_distance(distance, windows, split.train, split.test, neighbors)
            accuracies[fold, index] = np.mean(verdicts.shared_pred == windows.shared[split.test])
    return grid[int(np.argmax(np.round(accuracies.mean(axis=0), 9)))]


def setting(neighbors: int) -> Setting:
    """Return the setting of a model of both subflows' series."""
    return Setting(len(SERIES), (("n_neighbors", neighbors),))


def fit(view: Float64Array, windows: LabelledWindows, rows: Positions, neighbors: int) -> Fitted:
    """Fit tslearn's classifier on some rows.

    Parameters
    ----------
    view : (rows, points, 2) float64
        Series of all windows, as one of :data:`VIEWS` makes them.
    windows : LabelledWindows
        Have the labels.
    rows : (n,) int64
        Positions to learn from.
    neighbors : int
        How many vote.

    Returns
    -------
    Fitted
        A KNeighborsTimeSeriesClassifier.
    """
    # Takes seconds; only what is stored needs it.
    from tslearn.neighbors import KNeighborsTimeSeriesClassifier

    estimator = KNeighborsTimeSeriesClassifier(n_neighbors=neighbors, metric="dtw")
    estimator.fit(view[rows], windows.shared[rows])
    return Fitted(estimator, SERIES, setting(neighbors))


def predict(view: Float64Array, fitted: Fitted) -> Verdicts:
    """Judge the windows of a view by a stored model, as tslearn's ``predict_proba`` does."""
    stored = fitted.estimator
    distance = time_warping.distances_between(view, stored._ts_fit)
    return _voted(distance, stored.classes_[stored._y], stored.n_neighbors)
