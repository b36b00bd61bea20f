"""Trials over several datasets: no connection on both sides, and what is tested on what."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from models import search
from models.families import family_of
from models.generalisation import judged, pooled, trials
from models.trial import Drawing, Trial
from models.windows import LabelledWindows, labelled_windows, windows_of_kinds
from tests.models.windows_made import NAMES, pair_window, swapped

DRAWING = Drawing(splits=4, test_share=0.3, seed=1)
METHOD = search.Method(inner_folds=2, seed=0)
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
    side = search.training_side(POOLED, trial.train, METHOD)
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
    grids = {"tree": search.settings(tree, {"max_depth": [1, 2]}, [1, 3])}
    for trial in (BOTH[0], BOTH[-1]):
        found = judged(POOLED, trial, grids, METHOD)
        assert list(found) == ["tree"] and list(found["tree"]) == list(trial.tests)
        for name, verdicts in found["tree"].items():
            assert verdicts.shared_pred.tolist() == POOLED.shared[trial.tests[name]].tolist()
