"""The classifier is a scikit-learn estimator, and its models are those of the project's families."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from smartsbd import SharedBottleneckClassifier, datasets
from smartsbd.classifier import SETTINGS
from smartsbd.models.families import FAMILIES
from smartsbd.pipelines.benchmark.task_tables import LEARNT
from tests.night import few_now

#: Checks of scikit-learn that are expected to fail, with the reason: none, and never more than five.
EXPECTED_FAILED_CHECKS: dict[str, str] = {}
TASK = datasets.load("kernel-1")


@pytest.mark.parametrize("family", few_now(list(FAMILIES), now=["tree"]))
def test_it_passes_scikit_learns_checks(family: str) -> None:
    done = check_estimator(
        SharedBottleneckClassifier(family), expected_failed_checks=EXPECTED_FAILED_CHECKS, on_skip=None, on_fail=None
    )
    assert [(one["check_name"], one["exception"]) for one in done if one["status"] == "failed"] == []
    assert sum(one["status"] == "passed" for one in done) > 50
    assert len(EXPECTED_FAILED_CHECKS) <= 5


def test_every_family_has_a_setting_and_those_of_the_benchmark_are_the_same() -> None:
    assert set(SETTINGS) == set(FAMILIES)
    assert all(set(SETTINGS[name]) == set(family.hyperparameters) for name, family in FAMILIES.items())
    assert {name: dict(SETTINGS[name]) for name in LEARNT} == {name: dict(one) for name, one in LEARNT.items()}


@pytest.mark.parametrize("family", ["tree", "logistic", "svm_rbf"])
def test_its_model_is_that_of_the_family(family: str) -> None:
    X, y, _ = TASK.train
    model = SharedBottleneckClassifier(family, random_state=3).fit(X, y)
    x = X.to_numpy(dtype=np.float64)
    scaler = FAMILIES[family].scaler("standard")
    inputs = x if scaler is None else scaler.fit_transform(x)
    alone = FAMILIES[family].fitted(dict(SETTINGS[family]), 3, inputs, y.to_numpy())
    judged = TASK.test.X.to_numpy(dtype=np.float64)
    expected = alone.predict(judged if scaler is None else scaler.transform(judged))
    assert np.array_equal(model.predict(TASK.test.X), expected)
    assert np.array_equal(model.predict_proba(TASK.test.X)[:, 1] > 0.5, expected)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - its own bytes
    assert np.array_equal(again.predict_proba(TASK.test.X), model.predict_proba(TASK.test.X))


def test_it_chooses_from_a_grid_by_groups_and_takes_the_first_of_equals() -> None:
    rng = np.random.default_rng(0)
    # A deep tree over a feature that names the group is right on rows of groups that it has seen, and on no others.
    groups = np.tile(np.arange(10), 20)
    y = groups % 2 == 0
    X = np.column_stack([groups, y + rng.normal(0, 0.6, 200)])
    grid = {"max_depth": [1, 12]}
    together = SharedBottleneckClassifier("tree", grid=grid).fit(X, y, groups)
    apart = SharedBottleneckClassifier("tree", grid=grid).fit(X, y)
    assert (together.setting_, apart.setting_) == ({"max_depth": 1}, {"max_depth": 12})
    equal = SharedBottleneckClassifier("tree", grid={"max_depth": [3, 3]}).fit(X, y)
    assert equal.setting_ == {"max_depth": 3}


def test_it_is_searched_and_split_as_any_estimator() -> None:
    X, y, groups = TASK.train
    model = SharedBottleneckClassifier("tree")
    scores = cross_val_score(model, X, y, groups=groups, cv=GroupKFold(4))
    assert scores.mean() > 0.7
    search = GridSearchCV(model, {"family": ["tree", "logistic"]}, cv=GroupKFold(3)).fit(X, y, groups=groups)
    assert search.best_params_["family"] in ("tree", "logistic")
    assert list(search.best_estimator_.feature_names_in_) == list(X)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"family": "knn"}, "family 'knn' is unknown, known are tree, forest"),
        ({"family": "tree", "grid": {"c": [1]}}, r"tree has no hyperparameters \['c'\], only \['max_depth'\]"),
        ({"family": "tree", "grid": {"max_depth": []}}, "leaves nothing to choose"),
    ],
)
def test_what_it_cannot_be_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SharedBottleneckClassifier(**arguments).fit(TASK.train.X, TASK.train.y)


def test_rows_of_one_label_or_of_three_are_refused() -> None:
    X = TASK.train.X
    with pytest.raises(ValueError, match="one class alone"):
        SharedBottleneckClassifier("tree").fit(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        SharedBottleneckClassifier("tree").fit(X, np.arange(len(X)) % 3)
