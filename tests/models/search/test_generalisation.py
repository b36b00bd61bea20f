"""Trials over several datasets: no connection on both sides, and what is tested on what."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from smartsbd.models.families import family_of
from smartsbd.models.labelled.trial import Drawing, Trial, random_trials
from smartsbd.models.labelled.window_verdicts import prediction_rows
from smartsbd.models.labelled.windows import LabelledWindows, labelled_windows, windows_of_kinds
from smartsbd.models.search import fitting
from smartsbd.models.search.generalisation import (
    SearchError,
    SearchResult,
    by_search,
    judged,
    labelled_parts,
    learns_from_one,
    pooled,
    predictions,
    tasks,
    trials,
)
from tests.models.windows_made import NAMES, pair_window, swapped

DRAWING = Drawing(splits=4, test_share=0.3, seed=1)
METHOD = fitting.Method(inner_folds=2, seed=0)
TESTED = ["one", "two", "other"]


def rows(dataset: str, connections: int, seed: int, rule: str = "tiled") -> pd.DataFrame:
    made = pair_window(connections, 2, seed).assign(rule=rule)
    # Far from any threshold between the two.
    made["rtt_sd_ratio_q10"] = np.where(made["shared"].to_numpy(dtype=bool), 100, 1900) + seed
    return made.assign(connection_id=f"{dataset}/" + made["connection_id"])


def learnt(dataset: str, connections: int, seed: int) -> LabelledWindows:
    both = pd.concat([rows(dataset, connections, seed), rows(dataset, connections, seed + 1, "triggered")])
    partners = swapped([(f"{dataset}/c000", f"{dataset}/c006")])
    return windows_of_kinds(both, ["tiled", "triggered"], partners, NAMES)


PARTS = {
    "one": learnt("one", 36, 10),
    "two": learnt("two", 48, 20),
    "other": labelled_windows(rows("other", 10, 30), "tiled", NAMES),
}
POOLED = pooled(PARTS)
BOTH = trials(PARTS, ["one", "two"], TESTED, "tiled", DRAWING)
ONE = trials(PARTS, ["one"], TESTED, "tiled", DRAWING)


def dataset_of(positions: np.ndarray) -> set[str]:
    return {name.split("/")[0] for name in POOLED.connections[positions].tolist()}


@pytest.mark.parametrize("trial", [*BOTH, *ONE], ids=lambda trial: f"{trial.train_set}-{trial.fold}-{len(trial.tests)}")
def test_no_connection_stands_on_both_sides(trial: Trial) -> None:
    trained = set(POOLED.connections[trial.train].tolist())
    assert trained
    for positions in trial.tests.values():
        assert len(positions)
        assert not trained & set(POOLED.connections[positions].tolist())
    assert set(POOLED.kind[trial.train]) == {"tiled"}
    # Nor on both sides of a fold of the choice, nor from outside the training side.
    side = fitting.training_side(POOLED, trial.train, METHOD)
    for ranked in side.inner:
        fitted, chosen_on = (set(POOLED.connections[own].tolist()) for own in (ranked.split.train, ranked.split.test))
        assert not fitted & chosen_on
        assert fitted | chosen_on == trained


def test_what_is_trained_and_tested_on() -> None:
    *held_out, whole = BOTH
    assert [trial.fold for trial in held_out] == [0, 1, 2, 3]
    for trial in held_out:
        assert trial.train_set == "one+two/tiled"
        assert dataset_of(trial.train) == {"one", "two"}
        assert sorted(trial.tests) == ["one/tiled", "two/tiled"]
        for dataset, connections in (("one", 36), ("two", 48)):
            tested = trial.tests[f"{dataset}/tiled"]
            assert dataset_of(tested) == {dataset}
            # Three tenths of the connections, rounded up; two windows each.
            assert len(tested) == 2 * -(-connections * 3 // 10)
        # With the windows trained on, all there are.
        assert len(trial.train) + sum(map(len, trial.tests.values())) == 2 * (36 + 48)
    assert whole.fold == 0 and list(whole.tests) == ["other/tiled"]
    assert len(whole.train) == 2 * (36 + 48)
    assert len(whole.tests["other/tiled"]) == 2 * 10
    *held_out, whole = ONE
    assert {name for trial in held_out for name in trial.tests} == {"one/tiled"}
    assert sorted(whole.tests) == ["other/tiled", "two/tiled"]
    assert dataset_of(whole.train) == {"one"} and len(whole.tests["two/tiled"]) == 2 * 48


def test_a_dataset_has_the_same_test_sides_whatever_is_learnt_beside_it() -> None:
    for alone, beside in zip(ONE[:-1], BOTH[:-1], strict=True):
        assert alone.tests["one/tiled"].tolist() == beside.tests["one/tiled"].tolist()


def test_what_is_tested_on_alone_takes_no_split() -> None:
    found = trials(PARTS, ["one", "two"], ["other"], "tiled", DRAWING)
    assert [(trial.fold, list(trial.tests)) for trial in found] == [(0, ["other/tiled"])]


def test_a_model_that_is_right_everywhere() -> None:
    """One feature tells the label in each dataset; the tree finds it."""
    tree = family_of("tree")
    grids = {"tree": fitting.settings(tree, {"max_depth": [1, 2]}, [1, 3])}
    for trial in (BOTH[0], BOTH[-1]):
        found = judged(POOLED, trial, grids, METHOD)
        assert list(found) == ["tree"] and list(found["tree"]) == list(trial.tests)
        for name, verdicts in found["tree"].items():
            assert verdicts.shared_pred.tolist() == POOLED.shared[trial.tests[name]].tolist()


@pytest.mark.parametrize("dataset", ["one", "two"])
def test_what_learns_from_one_dataset_is_what_its_search_tries(dataset: str) -> None:
    found = trials(PARTS, [dataset], TESTED, "tiled", DRAWING)
    assert all(map(learns_from_one, found)) and not any(map(learns_from_one, BOTH))
    start = int(np.flatnonzero(np.char.startswith(POOLED.connections, f"{dataset}/"))[0])
    name = f"{dataset}/tiled"
    *held_out, whole = found
    for here, there in zip(held_out, random_trials(PARTS[dataset], dataset, "tiled", DRAWING), strict=True):
        assert (here.train_set, here.fold, list(here.tests)) == (there.train_set, there.fold, [name])
        assert (here.train - start).tolist() == there.train.tolist()
        assert (here.tests[name] - start).tolist() == there.tests[name].tolist()
    assert (whole.train - start).tolist() == PARTS[dataset].rows("tiled").tolist()


def test_what_the_search_found_is_what_would_be_found_here() -> None:
    families = {name: family_of(name) for name in ("tree", "forest")}
    grids = {name: fitting.settings(family, {"max_depth": [1, 2]}, [1, 3]) for name, family in families.items()}
    own = PARTS["two"]
    side = fitting.training_side(own, own.rows("tiled"), METHOD)
    models = {name: fitting.chosen(own, families[name], grid, side, METHOD) for name, grid in grids.items()}
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in families}
    for trial in random_trials(own, "two", "tiled", DRAWING):
        side = fitting.training_side(own, trial.train, METHOD)
        for name, grid in grids.items():
            fitted = fitting.chosen(own, families[name], grid, side, METHOD)
            for test_set, rows in trial.tests.items():
                known: dict[str, str | int]
                known = {"train_set": trial.train_set, "test_set": test_set, "fold": trial.fold}
                parts[name].append(prediction_rows(own, rows, fitting.predict(own, fitted, rows), **known))
    searched = {name: pd.concat(own, ignore_index=True) for name, own in parts.items()}
    found = trials(PARTS, ["two"], TESTED, "tiled", DRAWING)
    for trial in (found[1], found[-1]):
        expected, said = judged(POOLED, trial, grids, METHOD), by_search(POOLED, trial, searched, models)
        assert list(said) == list(expected)
        for name in families:
            assert list(said[name]) == list(expected[name]) == list(trial.tests)
            for test_set in trial.tests:
                one, other = said[name][test_set], expected[name][test_set]
                np.testing.assert_array_equal(np.round(one.score, 6), np.round(other.score, 6))
                np.testing.assert_array_equal(one.shared_pred, other.shared_pred)
    shorter = {name: own.iloc[1:] for name, own in searched.items()}
    with pytest.raises(SearchError, match="fold 0 of two/tiled has other windows"):
        by_search(POOLED, found[0], shorter, models)


def test_what_is_learnt_from_has_all_kinds_of_windows_and_the_rest_one() -> None:
    both = pd.concat([rows("one", 12, 1), rows("one", 12, 2, "triggered")])
    partners = {"one": swapped([("one/c000", "one/c006")])}
    found = labelled_parts({"one": both, "two": both}, partners, ["tiled", "triggered"], NAMES)
    assert {name: list(dict.fromkeys(own.kind.tolist())) for name, own in found.items()} == {
        "one": ["tiled", "triggered", "swapped"],
        "two": ["tiled"],
    }


def test_verdicts_of_one_dataset_are_its_searchs_and_of_several_are_made() -> None:
    pools, grids = {"paper": POOLED}, {"tree": fitting.settings(family_of("tree"), {"max_depth": [1]}, [1])}
    one, several = ONE[-1], BOTH[-1]
    (task,) = tasks(pools, [one, several], grids, METHOD)
    said = task()
    assert list(said["tree"]) == ["other/tiled"]
    side = fitting.training_side(POOLED, one.train, METHOD)
    model = fitting.chosen(POOLED, family_of("tree"), grids["tree"], side, METHOD)
    of_one = {("one", "paper"): SearchResult({"tree": pd.DataFrame()}, {"tree": model})}
    found = predictions(pools, [one, several], of_one, [said])
    assert list(dict.fromkeys(zip(found["train_set"], found["test_set"], strict=True))) == [
        *(("one/tiled", name) for name in one.tests),
        ("one+two/tiled", "other/tiled"),
    ]
    assert set(found["model"]) == {"tree"} and set(found["feature_set"]) == {"paper"}
    assert (found["shared_pred"] == found["shared"]).all()
