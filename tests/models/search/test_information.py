"""The estimates are scikit-learn's, to the last bit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.feature_selection import mutual_info_classif

from smartsbd.models.search.information import Estimator


def columns(rng: np.random.Generator, rows: int) -> npt.NDArray[np.float64]:
    """Values all apart, few that are equal, many, all; of one scale and of several."""
    return np.stack(
        [
            rng.normal(size=rows),
            rng.integers(0, 5, size=rows).astype(float),
            np.full(rows, 7.0),
            np.zeros(rows),
            np.exp(5 * rng.normal(size=rows)),
            np.where(rng.random(rows) < 0.9, 0, rng.integers(0, 10**9, size=rows)).astype(float),
            1e12 * rng.integers(0, 2, size=rows) + rng.integers(0, 3, size=rows),
            np.repeat(rng.normal(size=rows), 3)[:rows],
            1e100 * rng.random(rows),
        ],
        axis=1,
    )


def assert_twins(x: npt.NDArray[np.float64], shared: npt.NDArray[np.bool_], neighbors: int, seed: int) -> None:
    theirs = mutual_info_classif(x, shared, discrete_features=False, n_neighbors=neighbors, random_state=seed)
    np.testing.assert_array_equal(Estimator(x, neighbors=neighbors, seed=seed).nats(shared), theirs)


# Classes of a row, of as many as there are neighbours, of as many as scikit-learn builds a tree of, and of more.
@pytest.mark.parametrize("of_class", [0, 1, 2, 3, 4, 7, 8, 9, 40, 300])
@pytest.mark.parametrize("neighbors", [1, 3, 5])
def test_equals_scikit_learn(of_class: int, neighbors: int) -> None:
    rng = np.random.default_rng(10 * of_class + neighbors)
    shared = rng.permutation(np.arange(of_class + 60) < of_class)
    assert_twins(columns(rng, len(shared)), shared, neighbors, seed=of_class)


@pytest.mark.parametrize("seed", range(10))
def test_equals_scikit_learn_however_it_lies_in_memory(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = columns(rng, 150)
    shared = rng.random(150) < 0.3
    for laid in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2], x[::-1]):
        assert_twins(laid, shared, 3, seed)


def test_an_estimator_serves_any_labels() -> None:
    rng = np.random.default_rng(1)
    x = columns(rng, 120)
    estimator = Estimator(x, seed=3, repeats=2)
    for share in (0.5, 0.02, 0.5, 0.1):
        shared = rng.permutation(np.arange(120) < 120 * share)
        theirs = [mutual_info_classif(x, shared, discrete_features=False, random_state=seed) for seed in (3, 4)]
        np.testing.assert_array_equal(estimator.nats(shared), np.mean(theirs, axis=0))


@pytest.mark.parametrize("value", [np.nan, np.inf, -1e150])
def test_values_that_have_no_distance_are_refused(value: float) -> None:
    x = np.arange(40.0)[:, None]
    x[3] = value
    with pytest.raises(ValueError, match="1e\\+150"):
        Estimator(x)
