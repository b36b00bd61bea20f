"""Families learnt on one dataset's moments, and their last verdicts on each pair.

Connections of equal settings stay on one side of every split. The unknown band around one half is chosen on the
held-out last verdicts of the dataset that is learnt from.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline

from smartsbd.detectors.bottleneck_moves import Move
from smartsbd.detectors.scoring import OnPair
from smartsbd.features.fixed import SCORE_DIGITS
from smartsbd.models.families import Family
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.labelled.windows import LearnError, Positions
from smartsbd.models.last_verdict.final_verdict import FIRST_S, PAIR, SAID
from smartsbd.models.last_verdict.moments import Moments

Float64Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Grid = Mapping[str, Sequence[Any]]
#: Connection, and the pair's subflows.
Pair = tuple[str, int, int]

HALF = 0.5
_BAND_STEP = 0.01
#: Where no band leaves enough right verdicts outside, each verdict inside costs this share of a right one.
_LEFT_OUT_COSTS = 0.02
#: Configured values of a connection; where they are equal, connections stay on one side.
_SETTINGS = ("bottleneck_a_mbit_s", "queue_a_bytes", "base_rtt_a_us", "loss_a_ratio")
_NS_PER_S = 1e9


@dataclass(frozen=True)
class Learning:
    """How families are chosen and fitted.

    Attributes
    ----------
    moments : int
        Of each pair.
    folds : int
    simpler_within : float
        Of all settings within this distance of the best, the first of the grid is taken.
    seed : int
    """

    moments: int
    folds: int
    simpler_within: float
    seed: int


def balanced(called_shared: BoolArray, shared: BoolArray) -> float:
    """Return the mean over labels of the share that is right.

    Returns
    -------
    float in [0, 1]
        nan where only one label occurs.

    Examples
    --------
    >>> balanced(np.array([True, True, False]), np.array([True, False, False]))
    0.75
    """
    right = called_shared == shared
    return float(np.mean([right[shared == label].mean() for label in (True, False)]))


def settings_of(truth: pd.DataFrame) -> dict[str, int]:
    """Return a number for each connection, the same for those of equal settings of the first subflow's path.

    Parameters
    ----------
    truth : DataFrame of the ``truth`` table

    Returns
    -------
    dict of str to int
        By connection_id.
    """
    first = truth.sort_values("from_ns").drop_duplicates("connection_id")
    numbers = first.groupby(list(_SETTINGS), dropna=False, sort=True).ngroup()
    return dict(zip(first["connection_id"], numbers.tolist(), strict=True))


def _fitted(
    family: Family, setting: Setting, x: Float64Array, shared: BoolArray, names: tuple[str, ...], seed: int
) -> Fitted:
    scaler = family.scaler("standard")
    inputs = x if scaler is None else scaler.fit_transform(x)
    estimator = family.fitted(dict(setting.hyperparameters), seed, inputs, shared)
    return Fitted(estimator if scaler is None else make_pipeline(scaler, estimator), names, setting)


def _splits(groups: npt.NDArray[np.int64], rows: Positions, learning: Learning) -> list[tuple[Positions, Positions]]:
    """Return training and test positions, both of `rows`."""
    row_groups = groups[rows]
    if len(np.unique(row_groups)) < learning.folds:
        raise LearnError(f"{len(np.unique(row_groups))} different settings cannot be cut into {learning.folds} folds")
    folds = GroupKFold(learning.folds, shuffle=True, random_state=learning.seed)
    return [(rows[train], rows[test]) for train, test in folds.split(rows, groups=row_groups)]


@dataclass(frozen=True)
class Task:
    """The moments of a dataset to learn from, their labels, and which of them stay together.

    Attributes
    ----------
    moments : Moments
    shared : (rows,) bool
        Label of each row; not used where a row has none.
    groups : (rows,) int64
        Settings of each row's connection.
    """

    moments: Moments
    shared: BoolArray
    groups: npt.NDArray[np.int64]

    @classmethod
    def of(cls, moments: Moments, settings: Mapping[str, int]) -> Task:
        """Return what the labels of the moments say."""
        groups = np.array([settings[name] for name in moments.key["connection_id"]], dtype=np.int64)
        return cls(moments, moments.shared == 1, groups)

    def shuffled(self, seed: int) -> Task:
        """Return the same with the labels exchanged between pairs."""
        pairs = self.moments.pairs()
        numbers, first = np.unique(pairs[~np.isnan(self.moments.shared)], return_index=True)
        labels = self.shared[~np.isnan(self.moments.shared)][first]
        exchanged = np.zeros(pairs.max() + 1, dtype=np.bool_)
        exchanged[numbers] = np.random.default_rng(seed).permutation(labels)
        return Task(self.moments, exchanged[pairs], self.groups)


@dataclass(frozen=True)
class Learnt:
    """A family learnt from a task.

    Attributes
    ----------
    model : Fitted
        Fitted on all of it.
    held_out : (rows,) float64
        Scores by the models of its folds, each on the rows it has not seen.
    band : float
        Half of the width of the unknown band around one half.
    """

    model: Fitted
    held_out: Float64Array
    band: float


def chosen(task: Task, family: Family, grid: Grid, rows: Positions, learning: Learning) -> Fitted:
    """Choose a setting by folds over some rows, and fit it on all of them.

    Parameters
    ----------
    task : Task
    family : Family
    grid : mapping of str to sequence
        Hyperparameters; a setting that comes first counts as simpler.
    rows : (n,) int64
        Positions to learn from.
    learning : Learning

    Returns
    -------
    Fitted
        It has the first setting of the grid that is good enough (`simpler_within`).
    """
    names = task.moments.feature_names
    points = [
        Setting(len(names), tuple(zip(sorted(grid), values, strict=True)))
        for values in itertools.product(*(grid[name] for name in sorted(grid)))
    ]
    x, shared = task.moments.x, task.shared
    setting = points[0]
    if len(points) > 1:
        splits = _splits(task.groups, rows, learning)
        accuracies = []
        for point in points:
            called_shared = np.zeros(len(shared), dtype=np.bool_)
            for train, test in splits:
                fitted = _fitted(family, point, x[train], shared[train], names, learning.seed)
                called_shared[test] = fitted.judge(x[test]).shared_pred
            accuracies.append(balanced(called_shared[rows], shared[rows]))
        setting = next(
            point
            for point, accuracy in zip(points, accuracies, strict=True)
            if accuracy >= max(accuracies) - learning.simpler_within
        )
    return _fitted(family, setting, x[rows], shared[rows], names, learning.seed)


def held_out_scores(task: Task, family: Family, grid: Grid, learning: Learning) -> Float64Array:
    """Return the scores of models that have not seen a row's settings; nan where a row is in no fold's test side.

    The setting is chosen in each fold anew, on its training side alone.

    Parameters
    ----------
    task : Task
    family : Family
    grid : mapping of str to sequence
        As :func:`chosen` takes it.
    learning : Learning
        Has the folds.

    Returns
    -------
    (rows,) float64 in [0, 1]
        1 for shared.

    Raises
    ------
    LearnError
        If there are fewer different settings than folds.
    """
    rows = task.moments.learnable(learning.moments)
    scores = np.full(len(task.shared), np.nan)
    for train, test in _splits(task.groups, rows, learning):
        fitted = chosen(task, family, grid, train, learning)
        every = np.flatnonzero(np.isin(task.groups, task.groups[test]))
        scores[every] = fitted.judge(task.moments.x[every]).score
    return scores


def _from_half(scores: Float64Array) -> Float64Array:
    """Return how far scores are from one half, in digits that do not depend on the processor."""
    return np.asarray(np.round(np.abs(scores - HALF), SCORE_DIGITS), dtype=np.float64)


def band(scores: Float64Array, shared: BoolArray, least_right: float) -> float:
    """Return the narrowest band around one half outside of which enough scores are right.

    If there is none: the band with the most right scores outside, less a fiftieth for each score inside.

    Parameters
    ----------
    scores : (n,) float64
    shared : (n,) bool
    least_right : float

    Returns
    -------
    float in [0, 0.5)
        Half of the width of the band.

    Examples
    --------
    >>> band(np.array([0.1, 0.45, 0.52, 0.9]), np.array([False, True, True, True]), 1.0)
    0.05
    """
    far, right = _from_half(scores), (scores > HALF) == shared
    best, most = 0.0, -np.inf
    for step in range(int(HALF / _BAND_STEP)):
        width = round(step * _BAND_STEP, 2)
        outside = far > width if step else np.ones(len(far), dtype=np.bool_)
        if outside.any() and right[outside].mean() >= least_right:
            return width
        value = right[outside].sum() - _LEFT_OUT_COSTS * (~outside).sum()
        if value > most:
            best, most = width, value
    return best


def band_of(moments: Moments, scores: Float64Array, labels: Mapping[Pair, bool], least_right: float) -> float:
    """Return the :func:`band` of the last verdict on each pair.

    Parameters
    ----------
    moments : Moments
    scores : (rows,) float64
    labels : mapping of (connection_id, subflow_a, subflow_b) to bool
    least_right : float

    Returns
    -------
    float in [0, 0.5)
        Half of the width of the band.
    """
    last = moments.last()
    pairs = moments.key.iloc[last][list(PAIR)].itertuples(index=False, name=None)
    kept = [
        (scores[row], labels[pair])
        for row, pair in zip(last, pairs, strict=True)
        if pair in labels and moments.open[row] and not np.isnan(scores[row])
    ]
    return band(
        np.array([score for score, _ in kept]), np.array([label for _, label in kept], dtype=np.bool_), least_right
    )


def learnt(
    task: Task, family: Family, grid: Grid, labels: Mapping[Pair, bool], least_right: float, learning: Learning
) -> Learnt:
    """Choose, fit and judge a family.

    Parameters
    ----------
    task : Task
    family : Family
    grid : mapping of str to sequence
    labels : mapping of (connection_id, subflow_a, subflow_b) to bool
        Last valid label of each pair.
    least_right : float
        As :func:`band` takes it.
    learning : Learning

    Returns
    -------
    Learnt
        The model, its held-out scores and its band.
    """
    scores = held_out_scores(task, family, grid, learning)
    model = chosen(task, family, grid, task.moments.learnable(learning.moments), learning)
    return Learnt(model, scores, band_of(task.moments, scores, labels, least_right))


def said_by(scores: Float64Array, is_open: BoolArray, width: float) -> npt.NDArray[np.object_]:
    """Return a verdict on each row; None where a gate is closed or the score is in the band.

    Parameters
    ----------
    scores : (rows,) float64
        From 0, not shared, to 1, shared; nan is no score.
    is_open : (rows,) bool
        Where a verdict is possible.
    width : float
        Half of the band around one half.

    Returns
    -------
    (rows,) object
        True, False or None.
    """
    decided = is_open & ~np.isnan(scores) & ((_from_half(scores) > width) if width else True)
    return np.array(
        [bool(shared) if given else None for shared, given in zip(scores > HALF, decided, strict=True)], dtype=object
    )


def last_verdicts(
    moments: Moments,
    verdicts: npt.NDArray[np.object_],
    labels: Sequence[Mapping[str, Any]],
    starts_ns: Mapping[str, int],
) -> pd.DataFrame:
    """Return the last verdict on each pair, and when the first came; a pair without moments has neither.

    Parameters
    ----------
    moments : Moments
    verdicts : (rows,) object
        Of :func:`said_by`.
    labels : sequence of rows of the ``truth`` table
        The pairs, with their labels.
    starts_ns : mapping of connection_id to its first record, nanoseconds

    Returns
    -------
    DataFrame
        One row for each label: columns of :data:`~smartsbd.models.last_verdict.final_verdict.PAIR`, ``shared``,
        ``said`` and ``first_s``, in seconds.
    """
    rows = moments.key.assign(**{SAID: verdicts})
    last = rows.iloc[moments.last()].set_index(list(PAIR))[SAID].to_dict()
    given = rows[np.array([verdict is not None for verdict in verdicts], dtype=np.bool_)]
    first = given.groupby(list(PAIR))["at_ns"].min().to_dict()
    by_pair = []
    for label in labels:
        pair = tuple(label[name] for name in PAIR)
        start_ns = starts_ns.get(label["connection_id"], 0)
        first_s = (first[pair] - start_ns) / _NS_PER_S if pair in first else np.nan
        by_pair.append(
            {**dict(zip(PAIR, pair, strict=True)), "shared": label["shared"], SAID: last.get(pair), FIRST_S: first_s}
        )
    return pd.DataFrame(by_pair).astype({SAID: object})


def settled_windows(moments: Moments, verdicts: npt.NDArray[np.object_], changes: Sequence[Move]) -> float:
    """Return the median time, in T, until a verdict is right for T after a change; nan where nothing changes.

    A verdict that is right already takes no time and is left out; one that never is right takes infinitely long.

    Parameters
    ----------
    moments : Moments
    verdicts : (rows,) object
        Of :func:`said_by`.
    changes : sequence of Move
        Times after a change of a pair's label.

    Returns
    -------
    float
        In units of T, the window's length; inf where most verdicts never settle.
    """
    rows_of: dict[Pair, list[int]] = defaultdict(list)
    for row, pair in enumerate(moments.key[list(PAIR)].itertuples(index=False, name=None)):
        rows_of[pair].append(row)
    at_ns = moments.key["at_ns"].to_numpy(dtype=np.int64)
    times = []
    for move in changes:
        rows = rows_of[move.connection_id, move.subflow_a, move.subflow_b]
        on_pair = OnPair(tuple(at_ns[rows].tolist()), tuple(verdicts[rows].tolist()))
        if on_pair.at(move.from_ns) is not move.shared:
            after_ns = on_pair.right_after_ns(move.shared, move.from_ns, move.until_ns, move.window_ns)
            times.append(np.inf if after_ns is None else after_ns / move.window_ns)
    return float(np.median(times)) if times else np.nan
