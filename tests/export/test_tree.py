"""From fitted models to integer trees: the same decisions, or a reason why not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from smartsbd.export.tree import (
    NOT_SHARED,
    SHARED,
    Branch,
    ExportError,
    Forest,
    Leaf,
    from_fitted,
    merged,
    nodes,
)
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.families.random_forest import LATTICE, to_lattice
from tests.export import made

NAME = "rtt_ed_4us"
LEAST = Branch(NAME, 2, NOT_SHARED, SHARED)


def one(fitted: Fitted) -> Any:
    (tree,) = from_fitted(fitted).trees
    return tree


@pytest.mark.parametrize("depth", [1, 2, 5, None])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_a_walk_decides_as_the_model_does(kind: str, seed: int, depth: int | None) -> None:
    fitted = made.tree(seed, depth) if kind == "tree" else made.forest(seed, depth)
    forest = from_fitted(fitted)
    x = np.concatenate([made.rows_of(seed, 400), made.rows_of(seed + 1, 400)])
    walked = [made.shared(forest, dict(zip(made.NAMES, row, strict=True))) for row in x.tolist()]
    assert walked == fitted.estimator.predict(x).tolist()
    assert set(walked) == {False, True}


def test_a_forest_has_the_votes_of_its_leaves() -> None:
    fitted = made.forest(3, depth=3, trees=4)
    forest = from_fitted(fitted)
    assert len(forest.trees) == 4
    x = made.rows_of(8, 200)
    for row in x.tolist():
        values = dict(zip(made.NAMES, row, strict=True))
        votes = [made.vote(tree, values) for tree in forest.trees]
        own = [member.predict_proba([row])[0, 1] for member in fitted.estimator.estimators_]
        assert votes == [round(probability * made.ALL) for probability in own]
    assert len({leaf.vote for tree in forest.trees for leaf in made.leaves(tree)}) > 4


def test_a_tie_is_not_shared() -> None:
    # The leaf of 3 and more holds one of each.
    tied = made.taught([[1], [1], [3], [3], [2], [2]], [False, False, True, False, True, True], NAME)
    assert one(tied) == Branch(NAME, 1, NOT_SHARED, Branch(NAME, 2, SHARED, NOT_SHARED))
    assert tied.estimator.predict([[3]]).tolist() == [False]


def test_a_tied_forest_is_not_shared() -> None:
    estimator = RandomForestClassifier(2, bootstrap=False, random_state=0)
    estimator.fit([[1], [2], [3], [3]], [False, True, True, False])
    forest = from_fitted(Fitted(estimator, (NAME,), Setting(1, ())))
    assert [made.vote(tree, {NAME: 3}) for tree in forest.trees] == [made.ALL // 2] * 2
    assert not made.shared(forest, {NAME: 3}) and made.shared(forest, {NAME: 2})
    assert estimator.predict([[3], [2]]).tolist() == [False, True]


@pytest.mark.parametrize("shared", [[True, True, False], [True, False, False]], ids=["most", "few"])
def test_a_forest_of_one_tree_is_a_tree_that_stands_alone(shared: list[bool]) -> None:
    estimator = RandomForestClassifier(1, bootstrap=False, random_state=0).fit([[1], [2], [2], [2]], [False, *shared])
    to_lattice(estimator)
    assert 0 < estimator.predict_proba([[2]])[0, 1] < 1
    if sum(shared) == 1:
        with pytest.raises(ExportError, match="the same for every window"):
            from_fitted(Fitted(estimator, (NAME,), Setting(1, ())))
    else:
        assert one(Fitted(estimator, (NAME,), Setting(1, ()))) == Branch(NAME, 1, NOT_SHARED, SHARED)


@pytest.mark.parametrize(
    ("low", "high", "threshold"),
    [(2, 3, 2), (2, 4, 3), (-3, -2, -3), (-4, -2, -3), (-1, 0, -1), (-2, 0, -1), (0, 1, 0), (-1, 2, 0)],
)
def test_thresholds_are_floored(low: int, high: int, threshold: int) -> None:
    fitted = made.taught([[low], [high]], [False, True], "rtt_correlation_q10")
    assert one(fitted) == Branch("rtt_correlation_q10", threshold, NOT_SHARED, SHARED)
    for value in range(-6, 7):
        said = fitted.estimator.predict([[value]])[0]
        assert made.shared(from_fitted(fitted), {"rtt_correlation_q10": value}) == said


def test_the_largest_values_stay_apart() -> None:
    fitted = made.taught([[16_777_214], [16_777_215]], [False, True], NAME)
    assert one(fitted) == Branch(NAME, 16_777_214, NOT_SHARED, SHARED)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_threshold_that_float32_rounds_is_refused(sign: int) -> None:
    fitted = made.taught([[sign * 16_777_216], [sign * 16_777_220]], [False, True], NAME)
    with pytest.raises(ExportError, match=r"node 0: threshold -?16777218 is not within 2\^24"):
        from_fitted(fitted)


def test_subtrees_that_agree_become_one() -> None:
    same = Branch(NAME, 3, SHARED, Branch(NAME, 9, SHARED, SHARED))
    assert merged(Branch("rtt_sd_ratio_q10", 1, same, NOT_SHARED)) == Branch("rtt_sd_ratio_q10", 1, SHARED, NOT_SHARED)
    assert merged(Branch("rtt_sd_ratio_q10", 1, LEAST, Branch(NAME, 2, NOT_SHARED, SHARED))) == LEAST
    assert merged(Branch(NAME, 1, Leaf(5), Leaf(6))) == Branch(NAME, 1, Leaf(5), Leaf(6))


def test_an_exported_tree_has_no_split_whose_sides_agree() -> None:
    fitted = made.tree(0, depth=6)
    inner = fitted.estimator.tree_
    forest = from_fitted(fitted)
    assert forest.size()[0] < inner.node_count - inner.n_leaves
    assert all(node.low != node.high for node in nodes(forest.trees[0]) if isinstance(node, Branch))


def test_size_and_features_are_counted() -> None:
    other = Branch("min_rtt_ratio_q10", 1, Leaf(1), Branch("rtt_sd_ratio_q10", 4, Leaf(2), Leaf(3)))
    forest = Forest((Branch("rtt_sd_ratio_q10", 7, LEAST, Leaf(1)), other, Leaf(9)))
    assert forest.size() == (4, 7, 2)
    assert forest.features() == (NAME, "rtt_sd_ratio_q10", "min_rtt_ratio_q10")


@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(), DecisionTreeRegressor(), DummyClassifier(), AdaBoostClassifier(), ExtraTreesClassifier()],
    ids=lambda one: type(one).__name__,
)
def test_other_estimators_are_refused(estimator: Any) -> None:
    estimator.fit([[1], [2]], [False, True])
    with pytest.raises(ExportError, match=f"{type(estimator).__name__} is no fitted tree or forest of two classes"):
        from_fitted(Fitted(estimator, (NAME,), Setting(1, ())))


@pytest.mark.parametrize("shared", [[0, 1, 2], [True, True, True]], ids=["three classes", "one class"])
@pytest.mark.parametrize("build", [DecisionTreeClassifier, lambda: RandomForestClassifier(2)], ids=["tree", "forest"])
def test_other_classes_are_refused(build: Any, shared: list[int]) -> None:
    estimator = build().fit([[1], [2], [3]], shared)
    with pytest.raises(ExportError, match="of two classes"):
        from_fitted(Fitted(estimator, (NAME,), Setting(1, ())))


def test_what_is_not_fitted_is_refused() -> None:
    with pytest.raises(ExportError, match="DecisionTreeClassifier is no fitted tree"):
        from_fitted(Fitted(DecisionTreeClassifier(), (NAME,), Setting(1, ())))


def test_features_that_are_no_integers_are_refused() -> None:
    with pytest.raises(ExportError, match="rate_ed, rate_sd_ratio: no integers"):
        from_fitted(made.taught([[0, 1, 2], [1, 1, 3]], [False, True], "rate_ed", NAME, "rate_sd_ratio"))


@pytest.mark.parametrize("shared", [[False, True], [True, False]])
def test_a_model_that_says_one_thing_alone_is_refused(shared: list[bool]) -> None:
    fitted = made.taught([[1], [1]], shared, NAME)
    with pytest.raises(ExportError, match="the same for every window"):
        from_fitted(fitted)


def test_a_split_without_a_difference_is_a_constant_too() -> None:
    fitted = made.taught([[1], [1], [1], [2], [2], [2]], [False] * 3 + [False, False, True], NAME)
    assert fitted.estimator.tree_.node_count == 3
    with pytest.raises(ExportError, match="the same for every window"):
        from_fitted(fitted)


def test_votes_that_would_be_rounded_are_refused() -> None:
    estimator = RandomForestClassifier(3, max_depth=2, random_state=0)
    estimator.fit(made.rows_of(0, 300), np.random.default_rng(0).random(300) < 0.5)
    with pytest.raises(ExportError, match=r"no multiples of 2\^-24"):
        from_fitted(Fitted(estimator, made.NAMES, Setting(20, ())))
    value = estimator.estimators_[0].tree_.value
    assert not np.array_equal(value[:, 0, 1] / LATTICE, np.rint(value[:, 0, 1] / LATTICE))
