"""Nearest neighbours under DTW: the distances, the votes, and what is stored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from dtaidistance import dtw_ndim
from sklearn.neighbors import KNeighborsClassifier
from tslearn.metrics import dtw as tslearn_dtw

from smartsbd.contracts.tables import WINDOW_KEY
from smartsbd.models.families import neighbours
from smartsbd.models.labelled.windows import LabelledWindows
from smartsbd.models.search.fitting import Method
from smartsbd.models.stored import store
from tests.models.windows_made import windows

METHOD = Method(inner_folds=3, seed=0)


def rtts(made: LabelledWindows, seed: int = 0) -> neighbours.Float64Array:
    """Queues that move together where shared, each on its own elsewhere."""
    rng = np.random.default_rng(seed)
    found = np.empty((len(made.shared), neighbours.POINTS, 2))
    for row, shared in enumerate(made.shared):
        phase = rng.uniform(0, 6, size=2)
        period = rng.uniform(6, 9)
        if shared:
            phase[1] = phase[0]
        at = np.arange(neighbours.POINTS)[:, None] / period + phase
        found[row] = rng.uniform(20_000, 90_000, size=2) + 5_000 * (1 + np.sin(at * 2 * np.pi))
    return found


@pytest.mark.slow
def test_distances_are_those_of_both_libraries() -> None:
    view = neighbours.queue_series(rtts(windows(6, 1)))
    matrix = neighbours.distances(view)
    np.testing.assert_array_equal(matrix, dtw_ndim.distance_matrix_fast(view, parallel=False, only_triu=False))
    np.testing.assert_array_equal(matrix, [[tslearn_dtw(one, other) for other in view] for one in view])


@pytest.mark.parametrize("neighbors", [1, 4, 15])
def test_votes_are_scikit_learns(neighbors: int) -> None:
    made = windows(40, 2)
    # Many are as far as each other.
    distance = np.random.default_rng(neighbors).integers(0, 9, size=(80, 80)).astype(np.float64)
    train, test = np.arange(50), np.arange(50, 80)
    model = KNeighborsClassifier(neighbors, metric="precomputed").fit(np.zeros((50, 50)), made.shared[train])
    expected = model.predict_proba(distance[np.ix_(test, train)])[:, 1]
    verdicts = neighbours.predict_by_distance(distance, made, train, test, neighbors)
    np.testing.assert_array_equal(verdicts.score, expected)
    np.testing.assert_array_equal(verdicts.shared_pred, expected > 0.5)
    none = neighbours.predict_by_distance(distance, made, train, test[:0], neighbors)
    assert none.score.shape == none.shared_pred.shape == (0,)


@pytest.mark.parametrize("neighbors", [1, 2, 5])
def test_a_stored_model_says_what_tslearn_says(neighbors: int) -> None:
    made = windows(40, 2)
    # Whole milliseconds, and a training window twice: of equally distant ones some vote.
    view = neighbours.rtt_series(np.rint(rtts(made) / 1_000) * 1_000)
    view[1::2] = view[::2]
    fitted = neighbours.fit(view, made, np.arange(0, 80, 2), neighbors)
    expected = fitted.estimator.predict_proba(view)[:, 1]
    np.testing.assert_array_equal(neighbours.predict(view, fitted).score, expected)


def test_the_stored_model_votes_as_the_trials_do(tmp_path: Path) -> None:
    made = windows(40, 2)
    view = neighbours.queue_series(rtts(made))
    train, test = np.arange(50), np.arange(50, 80)
    by_distance = neighbours.predict_by_distance(neighbours.distances(view), made, train, test, 5)
    fitted = neighbours.fit(view, made, train, 5)
    for number in range(2):
        store.save(neighbours.fit(view, made, train, 5), tmp_path / f"{number}.skops")
    assert (tmp_path / "0.skops").read_bytes() == (tmp_path / "1.skops").read_bytes()
    for model in (fitted, store.load(tmp_path / "0.skops")):
        stored = neighbours.predict(view[test], model)
        np.testing.assert_array_equal(stored.score, by_distance.score)
        np.testing.assert_array_equal(stored.shared_pred, by_distance.shared_pred)
    assert (by_distance.shared_pred == made.shared[test]).mean() > 0.8


def test_half_and_half_is_not_shared() -> None:
    made = windows(4, 1)
    distance = np.array([[0.0, 1, 2, 9], [1, 0, 1, 9], [2, 1, 0, 9], [1, 1, 9, 0]])
    verdicts = neighbours.predict_by_distance(distance, made, np.arange(3), np.array([3]), 2)
    assert made.shared[:2].tolist() == [True, False]
    assert verdicts.score.tolist() == [0.5]
    assert verdicts.shared_pred.tolist() == [False]


def test_how_many_vote_is_chosen_on_the_training_side() -> None:
    made = windows(40, 2)
    distance = neighbours.distances(neighbours.queue_series(rtts(made)))
    rows = np.arange(50)
    chosen = neighbours.chosen_neighbors(distance, made, rows, [1, 25], METHOD)
    spoiled = distance.copy()
    spoiled[50:, :] = spoiled[:, 50:] = 0
    assert neighbours.chosen_neighbors(spoiled, made, rows, [1, 25], METHOD) == chosen == 1


def test_views() -> None:
    assert neighbours.queue_series(np.array([[[0.0, 0.0], [10.0, 5.0]]]))[0, 1].tolist() == [1.0, 0.5]
    rtt_us = rtts(windows(4, 1))
    assert neighbours.rtt_series(rtt_us)[0, 0, 0] == rtt_us[0, 0, 0] / 1e6
    queue = neighbours.queue_series(rtt_us * 3 + 1_000)
    np.testing.assert_allclose(queue, neighbours.queue_series(rtt_us))
    assert queue.min() == 0 and (queue.max(axis=(1, 2)) == 1).all()
    assert (neighbours.queue_series(np.full((1, 51, 2), 7.0)) == 0).all()


def series(key: pd.DataFrame, n: int) -> pd.DataFrame:
    parts = [
        pd.DataFrame([key.iloc[row].to_dict()] * n).assign(
            k=range(n), rtt_a_us=np.arange(n) + 100 * row, rtt_b_us=2 * np.arange(n)
        )
        for row in range(len(key))
    ]
    return pd.concat(parts, ignore_index=True)


def test_series_are_found_by_key_and_resampled() -> None:
    key = windows(3, 2).key
    table = series(key, 201)
    backwards = key.iloc[::-1]
    rtt_us = neighbours.rtt_us_of(table, backwards)
    assert rtt_us.shape == (6, 51, 2)
    np.testing.assert_allclose(rtt_us[0, :, 0], 500 + 4 * np.arange(51))
    np.testing.assert_allclose(rtt_us[5, :, 1], 8 * np.arange(51))
    with pytest.raises(neighbours.SeriesError, match="1 windows have no series, the first is"):
        neighbours.rtt_us_of(table[table[list(WINDOW_KEY)].ne(key.iloc[2]).any(axis=1)].reset_index(drop=True), key)
