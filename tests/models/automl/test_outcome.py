"""Which searches an engine is to do, and what its outcomes hold, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from smartsbd.models.automl import engine_of
from smartsbd.models.automl.ground import grounds
from smartsbd.models.automl.outcome import (
    Outcomes,
    finished,
    history,
    leaderboard,
    members,
    planned,
    without_environment,
)
from smartsbd.models.automl.search import EngineSearched, NotRun
from smartsbd.models.labelled.trial import Drawing
from smartsbd.models.search import fitting
from tests.models.automl.asked_made import PREFIX, limits
from tests.models.windows_made import pair_window

SETS, RULES = ("paper", "both"), ("tiled",)
GROUNDS = grounds(
    "made",
    pair_window(30, 2),
    pair_window(2, 2, seed=9),
    feature_sets=SETS,
    rules=RULES,
    drawing=Drawing(splits=3, test_share=0.3, seed=1),
    splits=2,
)
METHOD = fitting.Method(inner_folds=3, seed=0)


def searched(*settings: tuple[float | None, float]) -> EngineSearched:
    rows = [
        {"kind": "tree", "setting": {"b": 1, "a": place}, "accuracy": accuracy, "weight": weight}
        for place, (accuracy, weight) in enumerate(settings)
    ]
    known: dict[str, Any] = {"model_bytes": 1, "versions": {}, "cpu_s": 1.0, "wall_s": 1.0, "limits_acted": ()}
    return EngineSearched(probability=np.empty(0), evaluations=pd.DataFrame(rows), **known)


OUTCOMES: Outcomes = {
    ("flaml", "paper"): {1: searched((0.5, 0), (None, 0), (0.9, 1)), 0: searched((0.7, 1))},
    ("flaml", "both"): {0: NotRun("killed"), 1: searched((0.6, 0.5), (0.6, 0.5))},
}


def test_the_first_splits_of_every_set_of_features() -> None:
    assert [(ground.feature_set, [one.fold for one in ground.trials]) for ground in GROUNDS] == [
        ("paper", [0, 1]),
        ("both", [0, 1]),
    ]
    every = list(planned(engine_of("flaml"), GROUNDS, PREFIX, limits(5), METHOD, seed=3))
    assert [(*one.key, one.fold) for one in every] == [("flaml", own, fold) for own in SETS for fold in (0, 1)]
    assert len({one.digest for one in every}) == len(every)
    again = planned(engine_of("flaml"), GROUNDS, PREFIX, limits(5), METHOD, seed=3)
    assert [one.digest for one in again] == [one.digest for one in every]
    ground, asked = GROUNDS[0], every[0].asked
    assert asked.x.tolist() == ground.windows.x[ground.trials[0].train].tolist()
    assert set(asked.fold) == set(range(METHOD.inner_folds))


def test_without_an_environment_nothing_runs() -> None:
    found = without_environment(engine_of("auto-sklearn"), GROUNDS)
    assert list(found) == [("auto-sklearn", "paper"), ("auto-sklearn", "both")]
    assert all(isinstance(one, NotRun) for by_fold in found.values() for one in by_fold.values())
    assert history(found).empty
    assert leaderboard(history(found)).empty and members(history(found)).empty


def test_every_evaluation_stands_in_the_history_in_order() -> None:
    rows = history(OUTCOMES)
    assert rows[["feature_set", "fold", "number"]].to_numpy().tolist() == [
        ["paper", 0, 0],
        ["paper", 1, 0],
        ["paper", 1, 1],
        ["paper", 1, 2],
        ["both", 1, 0],
        ["both", 1, 1],
    ]
    assert rows["setting"].iloc[3] == '{"a": 2, "b": 1}'
    assert leaderboard(rows)[["feature_set", "fold", "number"]].to_numpy().tolist() == [
        ["both", 1, 0],
        ["both", 1, 1],
        ["paper", 0, 0],
        ["paper", 1, 2],
        ["paper", 1, 0],
    ]
    assert members(rows)["number"].tolist() == [0, 2, 0, 1]
    assert finished(OUTCOMES) == {"flaml paper": 2, "flaml both": 1}
