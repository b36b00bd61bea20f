"""Who is taught what on which split, and which candidates that gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from smartsbd.models.automl import student
from smartsbd.models.automl.distillation import TRUTH
from smartsbd.models.automl.ground import Ground, rows_tested
from smartsbd.models.automl.outcome import Outcomes
from smartsbd.models.automl.search import EngineSearched, NotRun
from smartsbd.models.families import family_of
from smartsbd.models.labelled.trial import Drawing, Trial, random_trials
from smartsbd.models.search import fitting
from tests.models.windows_made import of_kinds, pair_window

WINDOWS = of_kinds(24)
TRIALS = random_trials(WINDOWS, "made", "tiled", Drawing(splits=2, test_share=0.3, seed=1))
GROUND = Ground("paper", WINDOWS, TRIALS, pair_window(2, 2, seed=9).iloc[:0])
GRIDS = {"tree": fitting.settings(family_of("tree"), {"max_depth": [1]}, [1])}
METHOD = fitting.Method(inner_folds=2, seed=0)
Probability = npt.NDArray[np.float64]


def right(trial: Trial) -> Probability:
    rows = np.concatenate([*rows_tested(trial).values(), trial.train])
    return np.asarray(WINDOWS.shared[rows], dtype=np.float64)


def always_shared(trial: Trial) -> Probability:
    return np.ones_like(right(trial))


def says(probability: Probability) -> EngineSearched:
    known: dict[str, Any] = {"model_bytes": 1, "versions": {}, "cpu_s": 1.0, "wall_s": 1.0, "limits_acted": ()}
    return EngineSearched(probability=probability, evaluations=pd.DataFrame(), **known)


def taught(outcomes: Outcomes, students: list[str]) -> dict[str, Any]:
    every = student.teachings([GROUND], outcomes, ["tree"], students, "flaml")
    results = [task() for task in student.tasks(every, GRIDS, METHOD)]
    return {one.learnt_from: one for one in student.candidates(every, results)}


def test_a_teacher_that_is_right_teaches_what_the_truth_does() -> None:
    found = taught({("flaml", "paper"): {one.fold: says(right(one)) for one in TRIALS}}, ["tree"])
    assert list(found) == [TRUTH, "flaml"]
    pd.testing.assert_frame_equal(found[TRUTH].predictions, found["flaml"].predictions)
    assert set(found[TRUTH].predictions["fold"]) == {0, 1}


@pytest.mark.parametrize("students", [[], ["tree"]])
def test_without_a_student_or_a_teacher_the_truth_alone_teaches(students: list[str]) -> None:
    outcomes: Outcomes = {} if students else {("flaml", "paper"): {one.fold: says(right(one)) for one in TRIALS}}
    assert list(taught(outcomes, students)) == [TRUTH]


@pytest.mark.parametrize("second", [says(always_shared(TRIALS[1])), NotRun("killed")])
def test_a_split_without_a_lesson_is_said(second: EngineSearched | NotRun) -> None:
    found = taught({("flaml", "paper"): {0: says(right(TRIALS[0])), 1: second}}, ["tree"])
    assert found["flaml"].predictions is None
    assert found["flaml"].note == "not run (1 of 2 splits): the teacher gave nothing, or one label alone"
    assert found[TRUTH].predictions is not None
