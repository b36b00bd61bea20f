"""A student learns what its teacher says, from whichever windows, as a grid search learns the truth."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from smartsbd.models.assessment.control import with_shuffled_labels
from smartsbd.models.automl.distillation import TRUTH, lesson_of_truth, lessons_of, student, taught, without_truth
from smartsbd.models.automl.ground import Ground, JudgedRows
from smartsbd.models.families import FAMILIES
from smartsbd.models.labelled.trial import Drawing, Trial, random_trials
from smartsbd.models.labelled.windows import labelled_windows
from smartsbd.models.search import fitting
from tests.models.windows_made import NAMES, of_kinds, pair_window

TELLS = "rtt_sd_ratio_q10"
METHOD = fitting.Method(inner_folds=3, seed=0)
TREE = FAMILIES["tree"]
GRID = fitting.settings(TREE, {"max_depth": [1, 2, 4]}, [1, 3, 9])
Labels = npt.NDArray[np.bool_]


def with_a_gap(rows: pd.DataFrame) -> pd.DataFrame:
    """What tells the label is at most 1000, or above 2000."""
    return rows.assign(**{TELLS: rows[TELLS] + 1000 * (~rows["shared"]).astype(int)})


WINDOWS = labelled_windows(with_a_gap(pair_window()), "tiled", NAMES)
FURTHER = with_a_gap(pair_window(connections=60, seed=7))
FURTHER_SHARED: Labels = FURTHER["shared"].to_numpy(dtype=bool)
MORE = FURTHER.assign(connection_id="m" + FURTHER["connection_id"], shared=None)
GROUND = Ground("paper", WINDOWS, random_trials(WINDOWS, "made", "tiled", Drawing(2, 0.3, 1)), MORE)
TRIAL = GROUND.trials[1]


def says(train: Labels, more: Labels) -> JudgedRows:
    return JudgedRows({}, train, more)


def right(found: pd.DataFrame) -> Labels:
    return (found["shared_pred"] == found["shared"]).to_numpy()


def test_windows_without_truth_are_of_connections_without_any() -> None:
    rows = pd.DataFrame(
        [
            ("known", "tiled", 0, True),
            ("in part", "tiled", 0, None),
            ("in part", "triggered", 0, False),
            ("unknown", "tiled", 0, None),
            ("unknown", "tiled", 1, None),
            ("unknown", "triggered", 0, None),
        ],
        columns=["connection_id", "rule", "window_start_ns", "shared"],
    )
    found = without_truth(rows, "tiled")
    assert found[["connection_id", "rule", "window_start_ns"]].to_numpy().tolist() == [
        ["unknown", "tiled", 0],
        ["unknown", "tiled", 1],
    ]


@pytest.mark.parametrize("label", [False, True])
def test_a_teacher_of_one_label_teaches_nothing(label: bool) -> None:
    one = says(np.full(len(TRIAL.train), label), np.full(len(FURTHER_SHARED), label))
    assert [lesson.teaches for lesson in lessons_of("teacher", one, GROUND, TRIAL)] == [False, False]
    of_further_windows = says(one.train, FURTHER_SHARED)
    assert [lesson.teaches for lesson in lessons_of("teacher", of_further_windows, GROUND, TRIAL)] == [False, True]
    assert lesson_of_truth(GROUND, TRIAL).teaches


@pytest.mark.parametrize("place", [0, 1], ids=["alone", "with further windows"])
def test_a_student_learns_from_its_teacher_and_not_from_the_truth(place: int) -> None:
    inverted = says(~WINDOWS.shared[TRIAL.train], ~FURTHER_SHARED)
    lesson = lessons_of("teacher", inverted, GROUND, TRIAL)[place]
    assert lesson.learnt_from == ("teacher", f"teacher, {len(lesson.parts[-1].shared)} more windows")[place]
    assert not right(taught(GROUND, TRIAL, lesson, TREE, GRID, METHOD).predictions).any()


def test_further_windows_are_learnt_from() -> None:
    """In the training windows nothing tells the label; in the further ones and the test windows something does."""
    x = WINDOWS.x.copy()
    x[TRIAL.train, NAMES.index(TELLS)] = 1500
    ground = replace(GROUND, windows=replace(WINDOWS, x=x))
    lessons = lessons_of("teacher", says(WINDOWS.shared[TRIAL.train], FURTHER_SHARED), ground, TRIAL)
    alone, more = (right(taught(ground, TRIAL, one, TREE, GRID, METHOD).predictions) for one in lessons)
    assert alone.mean() < 0.8
    assert more.all()


@pytest.mark.parametrize(
    ("family", "grid", "leaves"),
    [
        ("tree", {"max_depth": [1]}, 2),
        ("forest", {"max_depth": [1]}, 200),
        ("logistic", {"c": [1], "solver": ["lbfgs"]}, None),
    ],
)
def test_what_a_student_takes_is_said(family: str, grid: dict[str, list[object]], leaves: int | None) -> None:
    settings = fitting.settings(FAMILIES[family], grid, [1])
    lesson = lesson_of_truth(GROUND, TRIAL)
    found = taught(GROUND, TRIAL, lesson, FAMILIES[family], settings, METHOD)
    assert found.leaves == leaves
    assert found.cpu_s > 0
    assert found.model_bytes == len(pickle.dumps(student(lesson, FAMILIES[family], settings, METHOD).estimator))
    assert set(found.predictions["model"]) == {family}
    assert set(found.predictions["fold"]) == {TRIAL.fold}


SWAPPED = of_kinds(pairs=[(f"c{one:03d}", f"c{one + 6:03d}") for one in range(0, 54, 6)])
SHUFFLED = with_shuffled_labels(SWAPPED, 0)
OF_NOTHING = Ground("paper", SHUFFLED, random_trials(SHUFFLED, "made", "tiled", Drawing(2, 0.3, 1)), MORE)


@pytest.mark.parametrize("trial", OF_NOTHING.trials, ids=lambda trial: f"split {trial.fold}")
@pytest.mark.parametrize("learn_partners", [False, True])
def test_who_learns_the_truth_is_what_a_grid_search_gives(trial: Trial, *, learn_partners: bool) -> None:
    lesson = lesson_of_truth(OF_NOTHING, trial)
    assert lesson.learnt_from == TRUTH
    own = student(lesson, TREE, GRID, replace(METHOD, learn_partners=learn_partners))
    searched = fitting.chosen(SHUFFLED, TREE, GRID, fitting.training_side(SHUFFLED, trial.train, METHOD), METHOD)
    assert (own.setting, own.feature_names) == (searched.setting, searched.feature_names)
    found = taught(OF_NOTHING, trial, lesson, TREE, GRID, METHOD).predictions
    for name in ("made/tiled", "made/triggered"):
        verdicts = fitting.predict(SHUFFLED, searched, trial.tests[name])
        said = found[found["test_set"] == name]
        assert said["shared_pred"].tolist() == verdicts.shared_pred.tolist()
        assert said["score"].tolist() == np.round(verdicts.score, 6).tolist()
