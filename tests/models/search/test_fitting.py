"""The search finds what is there, nothing where nothing is, and the same on any number of cores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from smartsbd.features.catalog import feature_names
from smartsbd.models.assessment.control import with_shuffled_labels
from smartsbd.models.families import FAMILIES
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.families.random_forest import LATTICE
from smartsbd.models.labelled.split import Split, shuffle_splits
from smartsbd.models.labelled.windows import LabelledWindows, LearnError, Positions, labelled_windows
from smartsbd.models.search import fitting
from smartsbd.models.search.relevance import mutual_information_nats, ranking
from tests.models.windows_made import of_kinds, pair_window, windows

TREE = FAMILIES["tree"]
GRID = fitting.settings(TREE, {"max_depth": [1, 2, 4]}, [1, 3])


METHOD = fitting.Method(inner_folds=3, seed=0)


def splits_of(made: LabelledWindows) -> list[Split]:
    return shuffle_splits(made.connections, made.stratum, splits=6, test_share=0.2, seed=0)


def nested_accuracy(made: LabelledWindows) -> float:
    right = []
    for split in splits_of(made):
        fitted = fitting.chosen(made, TREE, GRID, fitting.training_side(made, split.train, METHOD), METHOD)
        right.append(fitting.predict(made, fitted, split.test).shared_pred == made.shared[split.test])
    return float(np.concatenate(right).mean())


def choose(made: LabelledWindows, name: str, grid: list[Setting], rows: Positions | None = None) -> Fitted:
    chosen_from = np.arange(len(made.shared)) if rows is None else rows
    return fitting.chosen(made, FAMILIES[name], grid, fitting.training_side(made, chosen_from, METHOD), METHOD)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_telling_feature_is_found(name: str) -> None:
    made = windows(connections=90)
    family = FAMILIES[name]
    point: dict[str, list[Any]] = {"max_depth": [2], "c": [100], "gamma": [1], "solver": ["lbfgs"]}
    grid = fitting.settings(family, {axis: point[axis] for axis in family.hyperparameters}, [1, 3])
    fitted = choose(made, name, grid)
    assert "rtt_sd_ratio_q10" in fitted.feature_names
    verdicts = fitting.predict(made, fitted, np.arange(len(made.shared)))
    score = verdicts.score
    assert (verdicts.shared_pred == made.shared).mean() > 0.97
    assert ((score >= 0) & (score <= 1)).all()
    assert score[made.shared].mean() > 0.6
    assert score[~made.shared].mean() < 0.4


def test_the_better_setting_is_chosen() -> None:
    fitted = choose(windows(), "tree", GRID)
    assert fitted.feature_names == ("rtt_sd_ratio_q10",)
    assert fitted.setting == Setting(1, (("max_depth", 1),))
    assert nested_accuracy(windows()) > 0.98


def test_shuffled_labels_give_chance() -> None:
    made = [with_shuffled_labels(windows(connections=100, per_connection=3), seed) for seed in range(5)]
    assert 0.4 < np.mean([nested_accuracy(one) for one in made]) < 0.6


def test_the_papers_way_ranks_on_what_it_is_judged_on() -> None:
    """With the test rows' labels turned round its order of features may change; the nested one's may not."""
    made = windows(seed=1)
    (split, *_) = splits_of(made)
    rows = np.arange(len(made.shared))
    turned = np.where(np.isin(rows, split.test), ~made.shared, made.shared)
    spoiled = replace(made, shared=turned)
    assert fitting.by_relevance(made, rows, 0).tolist() != fitting.by_relevance(spoiled, rows, 0).tolist()
    assert fitting.by_relevance(made, split.train, 0).tolist() == fitting.by_relevance(spoiled, split.train, 0).tolist()
    (papers,) = fitting.papers_splits(made, [split], METHOD)
    assert papers.order.tolist() == fitting.by_relevance(made, rows, 0).tolist()
    accuracies = fitting.accuracies(made, TREE, GRID, papers, METHOD)
    assert accuracies.shape == (len(GRID),)
    assert fitting.best_setting(GRID, accuracies[None, :]).top == 1


def test_scaling_is_fitted_on_the_training_rows() -> None:
    made = windows(seed=2)
    (split, *_) = splits_of(made)
    setting = Setting(9, (("c", 1.0),))
    every = np.arange(9)
    fitted = fitting.fit(made, FAMILIES["svm_linear"], setting, every, split.train, METHOD)
    scaler = fitted.estimator[0]
    columns = fitting.columns_of(made, fitted)
    np.testing.assert_allclose(scaler.mean_, made.x[np.ix_(split.train, columns)].mean(axis=0))
    method = fitting.Method(3, 0, scaling="none")
    unscaled = fitting.fit(made, FAMILIES["svm_linear"], setting, every, split.train, method)
    assert type(unscaled.estimator).__name__ == "LinearSVC"


def test_leaves_of_a_forest_lie_on_the_lattice() -> None:
    made = windows(seed=2)
    setting = Setting(9, (("max_depth", 5),))
    fitted = fitting.fit(made, FAMILIES["forest"], setting, np.arange(9), np.arange(180), METHOD)
    for member in fitted.estimator.estimators_:
        assert (np.rint(member.tree_.value / LATTICE) * LATTICE == member.tree_.value).all()
        assert (member.tree_.value.sum(axis=2) == 1).all()


@pytest.mark.parametrize("name", ["svm_linear", "logistic"])
def test_linear_coefficients_have_16_bits(name: str) -> None:
    family = FAMILIES[name]
    point = {"c": 10, "solver": "lbfgs"}
    setting = Setting(9, tuple((axis, point[axis]) for axis in family.hyperparameters))
    linear = fitting.fit(windows(seed=2), family, setting, np.arange(9), np.arange(180), METHOD).estimator[-1]
    mantissa, _ = np.frexp(np.concatenate([linear.coef_.ravel(), linear.intercept_]))
    assert (mantissa * 2**16 == np.rint(mantissa * 2**16)).all()
    assert len(np.unique(np.abs(mantissa))) > 5


def test_the_nested_choice_never_sees_test_rows() -> None:
    """With the test rows' labels turned round, and their features scrambled, the choice stays the same."""
    made = windows(seed=2)
    splits = shuffle_splits(made.connections, made.stratum, splits=2, test_share=0.2, seed=0)
    for split in splits:
        turned, x = made.shared.copy(), made.x.copy()
        turned[split.test] = ~turned[split.test]
        x[split.test] = x[split.test][:, ::-1]
        clean = choose(made, "tree", GRID, split.train)
        dirty = choose(replace(made, shared=turned, x=x), "tree", GRID, split.train)
        assert clean.setting == dirty.setting
        assert clean.feature_names == dirty.feature_names
        before, after = (fitting.predict(made, fitted, split.test).score for fitted in (clean, dirty))
        np.testing.assert_array_equal(before, after)


def test_every_order_is_that_of_what_is_trained_on() -> None:
    made = windows(connections=40, per_connection=1, seed=4)
    rows = np.arange(30)
    side = fitting.training_side(made, rows, METHOD)
    assert side.order.tolist() == fitting.by_relevance(made, rows, 0).tolist()
    assert side.rows.tolist() == rows.tolist()
    orders = [ranked.order.tolist() for ranked in side.inner]
    assert orders == [fitting.by_relevance(made, ranked.split.train, 0).tolist() for ranked in side.inner]
    assert all(order != side.order.tolist() for order in orders)
    fitted = fitting.chosen(made, TREE, fitting.settings(TREE, {"max_depth": [2]}, [2]), side, METHOD)
    assert fitted.feature_names == tuple(made.feature_names[column] for column in sorted(side.order[:2]))


def test_accuracies_are_those_of_the_test_rows() -> None:
    """Labels that mean nothing: a deep tree knows its training rows by heart, and nothing of the others."""
    made = with_shuffled_labels(windows(connections=90, per_connection=1, seed=5), 0)
    (split, *_) = splits_of(made)
    grid = fitting.settings(TREE, {"max_depth": [15]}, [9])
    (found,) = fitting.accuracies(made, TREE, grid, fitting.RankedSplit(split, np.arange(9)), METHOD)
    fitted = fitting.fit(made, TREE, grid[0], np.arange(9), split.train, METHOD)
    right = fitting.predict(made, fitted, split.test).shared_pred == made.shared[split.test]
    assert found == right.mean() < 0.9
    assert (fitting.predict(made, fitted, split.train).shared_pred == made.shared[split.train]).all()


def test_partners_are_learnt_from_only_if_asked_for() -> None:
    made = of_kinds(pairs=[("c000", "c006"), ("c006", "c012"), ("c012", "c000")])
    rows = made.rows("tiled")[made.connections[made.rows("tiled")] != "c012"]
    plain = fitting.training_side(made, rows, METHOD)
    assert plain.rows.tolist() == rows.tolist()
    split = Split(rows, made.rows("triggered"))
    for method, added in ((METHOD, []), (fitting.Method(3, 0, learn_partners=True), ["c000+c006"])):
        (papers,) = fitting.papers_splits(made, [split], method)
        assert made.connections[papers.split.train[len(rows) :]].tolist() == added
    asked = fitting.training_side(made, rows, fitting.Method(3, 0, learn_partners=True))
    partners = asked.rows[len(rows) :]
    assert made.connections[partners].tolist() == ["c000+c006"]
    assert not made.shared[partners].any()
    for ranked in asked.inner:
        trained = made.connections[ranked.split.train]
        assert set(made.kind[ranked.split.test]) == {"tiled"}
        assert ("c000+c006" in trained) == ({"c000", "c006"} <= set(trained))


def test_the_grid_must_be_the_familys() -> None:
    with pytest.raises(fitting.GridError, match=r"grid of tree gives \['c'\], must give \['max_depth'\]"):
        fitting.settings(TREE, {"c": [1]}, [1])


def test_unlabelled_windows_and_other_rules_are_left_out() -> None:
    rows = pair_window(6, 2).astype({"shared": object})
    rows.loc[rows["connection_id"] == "c000", "shared"] = None
    rows.loc[rows["connection_id"] == "c001", "rule"] = "triggered"
    made = labelled_windows(rows, "tiled", feature_names("paper"))
    assert sorted(set(made.connections)) == ["c002", "c003", "c004", "c005"]
    with pytest.raises(LearnError, match="a model needs both"):
        labelled_windows(rows[rows["shared"].isna()], "tiled", feature_names("paper"))


def test_a_model_sees_neither_names_nor_places() -> None:
    made = windows(4, 2)
    assert made.feature_names == feature_names("paper")
    assert made.x.shape == (8, 9)


def test_what_names_a_connection_is_not_relevant() -> None:
    """A feature that is constant over each connection, and says nothing of the label, ranks below one that does."""
    made = windows(connections=120, per_connection=6, seed=3)
    rng = np.random.default_rng(0)
    names = np.unique(made.connections, return_inverse=True)[1]
    weak = made.shared + rng.normal(0, 1.0, size=len(names))
    x = np.stack([rng.normal(size=120)[names] + rng.normal(0, 1e-6, size=len(names)), weak], axis=1)
    spoiled = replace(made, x=x, feature_names=("constant", "weak"))
    rows = np.arange(len(names))
    assert fitting.by_relevance(spoiled, rows, seed=0).tolist() == [1, 0]
    everything = ranking(mutual_information_nats(x, made.shared))
    assert everything.tolist() == [0, 1]
