"""Engines stand where a grid search stands: on the same folds; and what they say finds its rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from smartsbd.contracts.tables import PREDICTION, WINDOW_KEY
from smartsbd.models.automl.ground import Ground, judged, rows_tested
from smartsbd.models.labelled.trial import Drawing, Trial, random_trials
from smartsbd.models.search import fitting
from tests.models.windows_made import NAMES, of_kinds, pair_window

DRAWING = Drawing(splits=2, test_share=0.3, seed=1)
METHOD = fitting.Method(inner_folds=3, seed=0)
#: Shared connections of site s0, each with each.
PAIRS = [(f"c{one:03d}", f"c{other:03d}") for one in range(0, 60, 6) for other in range(0, 60, 6) if one != other]


def ground() -> Ground:
    """Every row's first feature is a number of its own in (0, 1)."""
    made = of_kinds(pairs=PAIRS)
    more = pair_window(5, 2, seed=9).assign(shared=None)
    numbers = np.random.default_rng(0).permutation(len(made.shared) + len(more)) + 0.5
    own, further = np.split(numbers / len(numbers), [len(made.shared)])
    x = made.x.copy()
    x[:, 0] = own
    windows = replace(made, x=x)
    return Ground(
        "paper", windows, random_trials(windows, "made", "tiled", DRAWING), more.assign(**{NAMES[0]: further})
    )


GROUND = ground()
every_trial = pytest.mark.parametrize("trial", GROUND.trials, ids=lambda trial: f"split {trial.fold}")


@every_trial
@pytest.mark.parametrize("method", [METHOD, replace(METHOD, learn_partners=True), replace(METHOD, block=2, seed=5)])
def test_folds_are_those_of_a_grid_search(trial: Trial, method: fitting.Method) -> None:
    fold = GROUND.folds(trial, method)
    assert len(fold) == len(trial.train)
    splits = fitting.inner_splits(GROUND.windows, trial.train, method)
    assert [trial.train[fold == number].tolist() for number in range(3)] == [split.test.tolist() for split in splits]
    folds_of = [set(fold[GROUND.windows.connections[trial.train] == name]) for name in GROUND.windows.connections]
    assert max(map(len, folds_of)) == 1


@every_trial
def test_verdicts_find_their_rows(trial: Trial) -> None:
    numbers = GROUND.judged_x(trial)[:, 0]
    said, own = judged(trial, numbers), GROUND.windows.x[:, 0]
    assert list(said.tests) == ["made/tiled", "made/triggered"]
    for name, verdicts in said.tests.items():
        assert verdicts.score.tolist() == own[trial.tests[name]].tolist()
        assert verdicts.shared_pred.tolist() == (own[trial.tests[name]] > 0.5).tolist()
    assert said.train.tolist() == (own[trial.train] > 0.5).tolist()
    assert said.more.tolist() == (GROUND.more[NAMES[0]] > 0.5).tolist()
    parts = [*(trial.tests[name] for name in said.tests), trial.train]
    assert numbers.tolist() == [*np.concatenate([own[rows] for rows in parts]), *GROUND.more[NAMES[0]]]


def test_half_is_not_shared() -> None:
    (trial, *_) = GROUND.trials
    said = judged(trial, np.full(len(GROUND.judged_x(trial)), 0.5))
    assert not any(verdicts.shared_pred.any() for verdicts in said.tests.values())
    assert not said.train.any() and not said.more.any()


@every_trial
def test_swapped_partners_take_no_part(trial: Trial) -> None:
    assert len(trial.tests["made/swapped"])
    assert list(rows_tested(trial)) == ["made/tiled", "made/triggered"]
    partners = GROUND.windows.x[GROUND.windows.kind == "swapped", 0]
    assert not np.isin(GROUND.judged_x(trial)[:, 0], partners).any()


@every_trial
def test_predictions_are_of_the_windows_judged(trial: Trial) -> None:
    said = judged(trial, GROUND.judged_x(trial)[:, 0]).tests
    found = GROUND.predictions(trial, said, "flaml")
    assert set(found.columns) == {column.name for column in PREDICTION.columns}
    rows = np.concatenate(list(rows_tested(trial).values()))
    key = list(WINDOW_KEY)
    assert found[key].to_numpy().tolist() == GROUND.windows.key.iloc[rows][key].to_numpy().tolist()
    assert found["shared"].tolist() == GROUND.windows.shared[rows].tolist()
    assert found["score"].tolist() == pytest.approx(GROUND.windows.x[rows, 0].tolist(), abs=1e-6)
    assert found["test_set"].tolist() == [f"made/{kind}" for kind in GROUND.windows.kind[rows]]
    for name, value in (
        ("model", "flaml"),
        ("feature_set", "paper"),
        ("train_set", "made/tiled"),
        ("fold", trial.fold),
    ):
        assert set(found[name]) == {value}
