"""Grown trees and forests beside those that scikit-learn's own ``fit`` and ``predict_proba`` give: the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from smartsbd.models.families import growth
from smartsbd.models.families.fitted import Fitted, Setting, predicted
from smartsbd.models.stored import store

Drawn = tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]


def drawn(seed: int) -> Drawn:
    """Rows of few and many values, so that splits tie; labels that two columns tell most of."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(20, 300)), int(rng.integers(1, 12))
    x = np.rint(rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(0, 8, size=columns))
    shared = x[:, 0] + x[:, -1] > 0
    return x, shared ^ (rng.random(rows) < 0.15)


def stored(estimator: Any, path: Path) -> bytes:
    store.save(Fitted(estimator, ("a",), Setting(1, ())), path)
    return path.read_bytes()


def same(ours: Any, theirs: Any, x: npt.NDArray[np.float64], folder: Path) -> None:
    assert vars(ours).keys() == vars(theirs).keys()
    assert stored(ours, folder / "ours") == stored(theirs, folder / "theirs")
    probabilities = growth.probabilities(ours, x)
    np.testing.assert_array_equal(probabilities, theirs.predict_proba(x))
    np.testing.assert_array_equal(predicted(ours, x), theirs.predict(x).astype(bool))
    np.testing.assert_array_equal(ours.predict_proba(x), probabilities)


@pytest.mark.parametrize("depth", [1, 3, 8, None])
@pytest.mark.parametrize("seed", range(12))
def test_a_tree(seed: int, depth: int | None, tmp_path: Path) -> None:
    x, shared = drawn(seed)
    ours, theirs = (DecisionTreeClassifier(max_depth=depth, random_state=seed) for _ in range(2))
    growth.grow_tree(ours, x, shared)
    same(ours, theirs.fit(x, shared), drawn(seed)[0][::-1] + 0.5, tmp_path)


@pytest.mark.parametrize("seed", range(8))
def test_a_forest(seed: int, tmp_path: Path) -> None:
    x, shared = drawn(seed)
    depth = [2, 10, None][seed % 3]
    ours, theirs = (RandomForestClassifier(20, max_depth=depth, random_state=seed, n_jobs=1) for _ in range(2))
    growth.grow_forest(ours, x, shared)
    same(ours, theirs.fit(x, shared), x[::-1] + 0.5, tmp_path)


def test_one_label_alone(tmp_path: Path) -> None:
    x, shared = drawn(1)
    shared[:] = True
    tree, forest = DecisionTreeClassifier(random_state=0), RandomForestClassifier(5, random_state=0)
    growth.grow_tree(tree, x, shared)
    growth.grow_forest(forest, x, shared)
    same(tree, DecisionTreeClassifier(random_state=0).fit(x, shared), x, tmp_path)
    same(forest, RandomForestClassifier(5, random_state=0).fit(x, shared), x, tmp_path)


def test_what_is_not_grown_is_refused() -> None:
    x, shared = drawn(2)
    with pytest.raises(growth.GrowthError, match="with its own class_weight"):
        growth.grow_tree(DecisionTreeClassifier(class_weight="balanced", random_state=0), x, shared)
    with pytest.raises(growth.GrowthError, match="with its own bootstrap, max_features"):
        growth.grow_forest(RandomForestClassifier(bootstrap=False, max_features=None, random_state=0), x, shared)
    for broken in (np.nan, np.inf, 1e300):
        spoiled = x.copy()
        spoiled[3, 0] = broken
        with pytest.raises(growth.GrowthError, match="not a finite number"):
            growth.grow_tree(DecisionTreeClassifier(random_state=0), spoiled, shared)
        with pytest.raises(growth.GrowthError, match="not a finite number"):
            growth.probabilities(DecisionTreeClassifier(random_state=0).fit(x, shared), spoiled)
