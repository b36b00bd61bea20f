"""Accuracy in the form of SmartSBD's Table 5: shared and not shared, for each site and overall."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.contracts.tables import WINDOW_KEY

Float64Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_INTERVAL = (0.025, 0.975)
#: Stands for every site in the column ``site`` of tables of accuracy.
ALL_SITES = "all"


@dataclass(frozen=True)
class Accuracy:
    """How often something is right; every interval is a 95 % bootstrap interval by connection.

    Attributes
    ----------
    connections : int
    recall_shared, recall_not_shared : float
        Share of the shared rows, and of the non-shared rows, that is right; nan where there are none.
    balanced : float
        Mean of `recall_shared` and `recall_not_shared`.
    overall : float
        Mean over all rows.
    recall_shared_low, recall_shared_high, recall_not_shared_low, recall_not_shared_high : float
        Their intervals.
    balanced_low, balanced_high, overall_low, overall_high : float
        Their intervals.
    """

    connections: int
    recall_shared: float
    recall_shared_low: float
    recall_shared_high: float
    recall_not_shared: float
    recall_not_shared_low: float
    recall_not_shared_high: float
    balanced: float
    balanced_low: float
    balanced_high: float
    overall: float
    overall_low: float
    overall_high: float


@dataclass(frozen=True)
class WindowAccuracy(Accuracy):
    """Accuracy over some predictions.

    Attributes
    ----------
    predictions, windows : int
        How many predictions, of how many different windows: splits overlap. Connections include those that have no
        window.
    none : int
        How many more windows have no verdict; they count as wrong.
    coverage : float
        Share of windows that have a verdict; nan where those without one are not known.
    """

    predictions: int
    windows: int
    none: int
    coverage: float


@dataclass(frozen=True)
class Hits:
    """Which of some windows are hits.

    Attributes
    ----------
    hit : (rows,) bool
    connections : (rows, members) str
        Connection of each window; two for a window made from two connections.
    weight : (rows,) float64
        Weight of each window.
    """

    hit: BoolArray
    connections: npt.NDArray[np.str_]
    weight: Float64Array


@dataclass(frozen=True)
class Share:
    """A share of windows with its 95 % interval; all three are nan where there are no windows."""

    value: float
    low: float
    high: float


@functools.lru_cache(maxsize=64)
def _occurrences(connections: int, resamples: int, seed: int) -> Float64Array:
    """Return how often each connection is in each resample, (resamples, connections)."""
    if not connections:
        return np.empty((resamples, 0))
    rng = np.random.default_rng(seed)
    return rng.multinomial(connections, np.full(connections, 1 / connections), size=resamples).astype(np.float64)


def _quotient(hits: Float64Array, weights: Float64Array) -> Float64Array:
    shares: Float64Array = np.divide(hits, weights, out=np.full(len(hits), np.nan), where=weights > 0)
    return shares


def _resampled(
    hit: npt.NDArray[Any], weight: Float64Array, codes: npt.NDArray[np.int64], occurrences: Float64Array
) -> Float64Array:
    """Return the weighted mean of hits in each resample; nan where nothing in it has weight."""
    size = occurrences.shape[1]
    hits = occurrences @ np.bincount(codes, weights=hit * weight, minlength=size)
    return _quotient(hits, occurrences @ np.bincount(codes, weights=weight, minlength=size))


def _mean(hit: npt.NDArray[Any], weight: Float64Array) -> float:
    return float((hit * weight).sum() / weight.sum()) if weight.sum() > 0 else float("nan")


def _interval(resampled: Float64Array) -> tuple[float, float]:
    known = resampled[~np.isnan(resampled)]
    if not len(known):
        return float("nan"), float("nan")
    low, high = np.quantile(known, _INTERVAL)
    return float(low), float(high)


def _codes(connections: npt.NDArray[np.str_]) -> tuple[int, npt.NDArray[np.int64]]:
    names, codes = np.unique(connections, return_inverse=True)
    return len(names), codes


def accuracy(
    right: npt.NDArray[Any], shared: BoolArray, connections: npt.NDArray[np.str_], *, resamples: int, seed: int
) -> Accuracy:
    """Return the share that is right, for each label and overall.

    If `right` is the difference of two such arrays over the same rows, the result is the paired difference.

    Parameters
    ----------
    right : (rows,) bool or float64
        Whether a row is right, or which share of it.
    shared : (rows,) bool
        Label.
    connections : (rows,) str
    resamples : int
        Bootstrap resamples, drawn over connections because rows of one are alike.
    seed : int

    Returns
    -------
    Accuracy
        All nan where there are no rows.

    Examples
    --------
    >>> import numpy as np
    >>> shared, names = np.array([True, True, False]), np.array(["a", "b", "c"])
    >>> half_right = accuracy(np.array([1.0, 0.5, 0.25]), shared, names, resamples=100, seed=0)
    >>> half_right.recall_shared, half_right.recall_not_shared, half_right.balanced, round(half_right.overall, 3)
    (0.75, 0.25, 0.5, 0.583)
    """
    count, codes = _codes(connections)
    occurrences = _occurrences(count, resamples, seed)
    weights = {
        "recall_shared": shared.astype(np.float64),
        "recall_not_shared": (~shared).astype(np.float64),
        "overall": np.ones(len(right)),
    }
    value = {name: _mean(right, weight) for name, weight in weights.items()}
    spread = {name: _resampled(right, weight, codes, occurrences) for name, weight in weights.items()}
    value["balanced"] = (value["recall_shared"] + value["recall_not_shared"]) / 2
    spread["balanced"] = (spread["recall_shared"] + spread["recall_not_shared"]) / 2
    bounds = {name: _interval(resampled) for name, resampled in spread.items()}
    return Accuracy(
        connections=count,
        **value,
        **{f"{name}_low": low for name, (low, _) in bounds.items()},
        **{f"{name}_high": high for name, (_, high) in bounds.items()},
    )


def accuracy_of_windows(
    predictions: pd.DataFrame, *, resamples: int, seed: int, none: pd.DataFrame | None = None
) -> WindowAccuracy:
    """Judge predictions.

    Parameters
    ----------
    predictions : DataFrame of the ``prediction`` table
        A window may be in several folds; at least one row, or one without a verdict.
    resamples, seed : int
        As :func:`accuracy` takes them.
    none : DataFrame of the ``rejected`` table, optional
        Labelled windows of the same set without a verdict: each is wrong.

    Returns
    -------
    WindowAccuracy
        Shares in [0, 1] with their intervals; the balanced and label figures are nan where a label does not occur.
    """
    missing = 0 if none is None else len(none)
    rows = predictions if none is None else pd.concat([predictions, none])[["connection_id", "shared"]]
    right = np.zeros(len(rows), dtype=np.bool_)
    right[: len(predictions)] = (predictions["shared_pred"] == predictions["shared"]).to_numpy(dtype=bool)
    measured = accuracy(
        right,
        rows["shared"].to_numpy(dtype=bool),
        rows["connection_id"].to_numpy(dtype=str),
        resamples=resamples,
        seed=seed,
    )
    return WindowAccuracy(
        **vars(measured),
        predictions=len(predictions),
        windows=len(predictions[list(WINDOW_KEY)].drop_duplicates()),
        none=missing,
        coverage=float("nan") if none is None else len(predictions) / len(rows),
    )


def _shares(hits: Hits, resamples: int, seed: int) -> Float64Array:
    if not len(hits.hit):
        return np.empty(0)
    count, codes = _codes(hits.connections.ravel())
    # A window of two connections is in a resample as often as the product of their counts.
    times = _occurrences(count, resamples, seed)[:, codes.reshape(hits.connections.shape)].prod(axis=2)
    return _quotient(times @ (hits.hit * hits.weight), times @ hits.weight)


def share(hits: Hits, *, resamples: int, seed: int) -> Share:
    """Return a share of windows with its interval by connection.

    Parameters
    ----------
    hits : Hits
    resamples, seed : int
        As :func:`accuracy_of_windows` takes them.

    Returns
    -------
    Share
        In [0, 1]; nan where no window has weight.
    """
    return Share(_mean(hits.hit, hits.weight), *_interval(_shares(hits, resamples, seed)))


def mean_share(shares: Float64Array, *, resamples: int, seed: int) -> Share:
    """Return the mean of some shares, all of the same weight, with its bootstrap interval over them.

    Parameters
    ----------
    shares : (shares,) float64
        At least one.
    resamples, seed : int
        As :func:`accuracy_of_windows` takes them; the resamples are drawn over the shares.

    Returns
    -------
    Share
        In [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> mean_share(np.array([1.0, 1.0]), resamples=100, seed=0)
    Share(value=1.0, low=1.0, high=1.0)
    """
    occurrences = _occurrences(len(shares), resamples, seed)
    return Share(float(shares.mean()), *_interval(occurrences @ shares / len(shares)))


def share_difference(first: Hits, second: Hits, *, resamples: int, seed: int) -> Share:
    """Return the first share less the second; their connections are resampled independently.

    Parameters
    ----------
    first, second : Hits
        No connection is in both.
    resamples, seed : int
        As :func:`accuracy_of_windows` takes them.

    Returns
    -------
    Share
        In [-1, 1]; nan where either has no window.
    """
    spread = [_shares(hits, resamples, seed + offset) for offset, hits in enumerate((first, second))]
    if not all(len(each) for each in spread):
        return Share(float("nan"), float("nan"), float("nan"))
    value = _mean(first.hit, first.weight) - _mean(second.hit, second.weight)
    return Share(value, *_interval(spread[0] - spread[1]))
