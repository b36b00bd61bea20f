"""Candidates beside each other: accuracies and paired differences by hand, and what is said of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from smartsbd.models.automl.candidate import Candidate, of_engine, of_family, table
from smartsbd.models.automl.distillation import TRUTH, Taught
from smartsbd.models.automl.ground import Ground, rows_tested
from smartsbd.models.automl.search import EngineSearched, NotRun
from smartsbd.models.labelled.trial import Drawing, random_trials
from tests.models.windows_made import of_kinds, pair_window

#: Of two splits: connection, site, label. The first connection is tested in both.
ROWS = [
    [("a0", "a", True), ("a1", "a", False), ("b0", "b", True), ("b1", "b", False)],
    [("a0", "a", True), ("a2", "a", False), ("b3", "b", False), *((f"b{place}", "b", True) for place in range(4, 9))],
]
PAIRED = ("less_tree", "less_tree_low", "less_tree_high")
RIGHT = [[1] * 4, [1] * 8]
WRONG = [[0] * 4, [0] * 8]


def predictions(right: Sequence[Sequence[int]], test_set: str = "made/tiled") -> pd.DataFrame:
    rows = [
        {
            "connection_id": connection,
            "subflow_a": 0,
            "subflow_b": 1,
            "rule": test_set.removeprefix("made/"),
            "window_start_ns": 0,
            "test_set": test_set,
            "fold": fold,
            "shared": shared,
            "shared_pred": shared == bool(hit),
            "site": site,
        }
        for fold, (own, hits) in enumerate(zip(ROWS, right, strict=True))
        for (connection, site, shared), hit in zip(own, hits, strict=True)
    ]
    return pd.DataFrame(rows)


def candidate(model: str, said: pd.DataFrame | None, **others: Any) -> Candidate:
    return Candidate(**{"model": model, "learnt_from": TRUTH, "feature_set": "paper", "predictions": said} | others)


TREE = candidate("tree", predictions([[1, 1, 1, 1], [0, 1, 0, 1, 1, 1, 1, 1]]))
#: Better than the tree on site a, worse on site b; rows in another order.
OTHER = candidate(
    "other", predictions([[1, 1, 1, 0], [1, 1, 0, 1, 1, 1, 1, 1]]).iloc[::-1], cpu_s=3.0, kinds="svc 1.00"
)


def found(*candidates: Candidate) -> pd.DataFrame:
    return table(candidates, "tree", resamples=200, seed=0)


def values(rows: pd.DataFrame, *names: str) -> dict[str, list[float]]:
    return {row["site"]: [row[name] for name in names] for _, row in rows.iterrows()}


def test_accuracies_and_differences_are_those_by_hand() -> None:
    rows = found(OTHER, TREE)
    tree, other = (rows[rows["model"] == name] for name in ("tree", "other"))
    names = ("recall_shared", "recall_not_shared", "balanced", "overall", "less_tree")
    assert values(tree, *names) == {
        "a": [0.5, 1, 0.75, 0.75, 0],
        "b": [1, 0.5, 0.75, 7 / 8, 0],
        "all": [7 / 8, 0.75, 0.8125, 10 / 12, 0],
    }
    assert values(other, *names) == {
        "a": [1, 1, 1, 1, 0.25],
        "b": [1, 0, 0.5, 6 / 8, -0.25],
        "all": [1, 0.5, 0.75, 10 / 12, -0.0625],
    }
    assert values(other, "connections", "windows", "predictions")["all"] == [11, 11, 12]
    assert set(other["cpu_s"]) == {3.0}
    assert set(other["kinds"]) == {"svc 1.00"}


def test_differences_are_paired() -> None:
    """Where two are right on the same rows there is nothing between them, however few rows there are."""
    (paired,) = values(
        found(TREE, replace(TREE, model="twin")).query("model == 'twin' and site == 'all'"), *PAIRED
    ).values()
    assert paired == [0, 0, 0]
    less, low, high = values(found(TREE, OTHER).query("model == 'other'"), *PAIRED)["all"]
    assert low < less < high


def test_the_reference_is_of_the_truth_and_of_the_same_features() -> None:
    rows = found(
        TREE,
        candidate("tree", predictions(WRONG), learnt_from="teacher"),
        candidate("tree", predictions(RIGHT), feature_set="invariant"),
        candidate("other", predictions(RIGHT), feature_set="invariant"),
    )
    less = rows[rows["site"] == "all"].set_index(["model", "learnt_from", "feature_set"])["less_tree"]
    assert less.to_dict() == {
        ("tree", "teacher", "paper"): -0.8125,
        ("tree", TRUTH, "invariant"): 0,
        ("other", TRUTH, "invariant"): 0,
        ("tree", TRUTH, "paper"): 0,
    }


def test_kinds_of_windows_are_judged_apart() -> None:
    def both(tiled: pd.DataFrame | None, triggered: list[list[int]]) -> pd.DataFrame:
        assert tiled is not None
        return pd.concat([tiled, predictions(triggered, "made/triggered")], ignore_index=True)

    rows = found(
        replace(TREE, predictions=both(TREE.predictions, WRONG)),
        replace(OTHER, predictions=both(OTHER.predictions, RIGHT)),
    )
    of_all = rows[rows["site"] == "all"].set_index(["model", "test_set"])
    assert of_all["less_tree"].to_dict() == {
        ("tree", "made/tiled"): 0,
        ("tree", "made/triggered"): 0,
        ("other", "made/tiled"): -0.0625,
        ("other", "made/triggered"): 1,
    }


def test_what_was_not_run_has_its_note_and_no_accuracy() -> None:
    rows = found(candidate("flaml", None, note="not run: no memory"), TREE)
    (row,) = rows[rows["model"] == "flaml"].to_dict("records")
    assert (row["site"], row["note"]) == ("all", "not run: no memory")
    assert pd.isna(row["test_set"])
    assert all(np.isnan(row[name]) for name in ("recall_shared", "recall_not_shared", "balanced", "overall", *PAIRED))


WINDOWS = of_kinds()
GROUND = Ground(
    "paper",
    WINDOWS,
    random_trials(WINDOWS, "made", "tiled", Drawing(splits=2, test_share=0.3, seed=1)),
    pair_window(2, 2, seed=9),
)


def evaluations(*members: tuple[str, float, bool]) -> pd.DataFrame:
    return pd.DataFrame(members, columns=["kind", "weight", "only_trees"])


def searched(fold: int, members: pd.DataFrame, *, right: bool = True, **others: Any) -> EngineSearched:
    trial = GROUND.trials[fold]
    rows = np.concatenate([*rows_tested(trial).values(), trial.train])
    shared = np.append(WINDOWS.shared[rows] == right, np.zeros(len(GROUND.more), dtype=bool))
    known: dict[str, Any] = {"model_bytes": 100, "versions": {}, "cpu_s": 1.0, "wall_s": 9.0, "limits_acted": ()}
    return EngineSearched(probability=shared.astype(float), evaluations=members, **known | others)


FOREST, SVC = ("forest", 1.0, True), ("svc", 1.0, False)


def test_an_engine_is_what_its_searches_found() -> None:
    first = evaluations(("mlp", 0.2, False), ("tree", 0.5, True), ("tree", 0.3, True), ("adaboost", 0.0, False))
    second = evaluations(("tree", 0.6, True), ("mlp", 0.4, False))
    outcomes = {
        1: searched(1, second, right=False, cpu_s=3.0, model_bytes=300, limits_acted=("time", "memory")),
        0: searched(0, first),
    }
    one = of_engine("flaml", GROUND, outcomes)
    assert (one.model, one.learnt_from, one.feature_set) == ("flaml", TRUTH, "paper")
    assert one.kinds == "tree 0.70, mlp 0.30"
    assert (one.cpu_s, one.model_bytes, one.evaluations) == (2, 200, 3)
    assert one.note == "split 1: time; split 1: memory"
    assert one.predictions is not None
    right = one.predictions["shared_pred"] == one.predictions["shared"]
    assert right.groupby(one.predictions["fold"]).agg(["min", "max"]).to_numpy().tolist() == [
        [True, True],
        [False, False],
    ]


@pytest.mark.parametrize(
    ("members", "kernel"),
    [
        ([[FOREST], [FOREST]], True),
        ([[FOREST, ("svc", 0.0, False)], [FOREST]], True),
        ([[FOREST], [SVC]], False),
        ([[("forest", 0.9, True), ("svc", 0.1, False)], [FOREST]], False),
    ],
)
def test_a_kernel_takes_trees_alone(members: list[list[tuple[str, float, bool]]], *, kernel: bool) -> None:
    outcomes = {fold: searched(fold, evaluations(*own)) for fold, own in enumerate(members)}
    assert of_engine("flaml", GROUND, outcomes).kernel is kernel


def test_an_engine_that_failed_once_is_not_run() -> None:
    one = of_engine("flaml", GROUND, {0: searched(0, evaluations(FOREST)), 1: NotRun("it ran out of memory")})
    assert one == Candidate("flaml", TRUTH, "paper", None, note="not run (1 of 2 searches): it ran out of memory")


@pytest.mark.parametrize(
    ("family", "leaves", "kinds", "kernel"),
    [
        ("tree", 3, "tree, 4 leaves", True),
        ("forest", 3, "forest, 4 leaves", True),
        ("logistic", None, "logistic", False),
    ],
)
def test_a_family_is_its_students(family: str, leaves: int | None, kinds: str, *, kernel: bool) -> None:
    students = [
        Taught(predictions(RIGHT), cpu_s=1.0, model_bytes=100, leaves=leaves),
        Taught(predictions(WRONG), cpu_s=2.0, model_bytes=200, leaves=None if leaves is None else leaves + 2),
    ]
    one = of_family(family, "teacher", "paper", students)
    assert (one.model, one.learnt_from, one.feature_set) == (family, "teacher", "paper")
    assert (one.kinds, one.kernel, one.cpu_s, one.model_bytes) == (kinds, kernel, 1.5, 150)
    assert one.predictions is not None
    assert len(one.predictions) == 24
