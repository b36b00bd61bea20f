"""A search of one dataset: what it yields and in which order, its summaries, and splits without a common connection."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from smartsbd.features.catalog import feature_names
from smartsbd.models.families import correlation, family_of
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.families.neighbours import POINTS
from smartsbd.models.labelled.trial import Drawing, Trial
from smartsbd.models.labelled.window_verdicts import Verdicts
from smartsbd.models.labelled.windows import LabelledWindows, windows_of_kinds
from smartsbd.models.search import fitting
from smartsbd.models.search.trial_search import ModelSelection, Searched, TrialVerdicts
from smartsbd.models.stored import stored_model
from tests.models.windows_made import pair_window, swapped

RULES = ["tiled", "triggered"]
GRID = fitting.settings(family_of("tree"), {"max_depth": [1, 2]}, [1, 2])
DRAWING = Drawing(splits=3, test_share=0.25, seed=0)


def made() -> ModelSelection:
    tiled = pair_window(24, per_connection=2)
    triggered = pair_window(24, per_connection=1, seed=1).assign(rule="triggered")
    rows = pd.concat([tiled, triggered], ignore_index=True)
    partners = swapped([("c000", "c002")])

    def windows(names: tuple[str, ...]) -> LabelledWindows:
        return windows_of_kinds(rows, RULES, partners, names)

    own = windows(feature_names("paper"))
    return ModelSelection.draw(
        "made",
        {"paper": own, "both": windows(feature_names("both"))},
        windows((correlation.FEATURE,)),
        np.random.default_rng(0).uniform(10_000, 20_000, (len(own.shared), POINTS, 2)),
        rules=RULES,
        grids={"tree": GRID},
        neighbors=[1, 3],
        drawing=DRAWING,
        method=fitting.Method(inner_folds=3, seed=0),
    )


@pytest.fixture(scope="module")
def asked() -> ModelSelection:
    return made()


@pytest.fixture(scope="module")
def every(asked: ModelSelection) -> list[Searched]:
    return list(asked.searched(task() for task in asked.tasks()))


def test_each_family_and_set_then_the_series_then_plain_correlation(every: list[Searched]) -> None:
    found = [(one.name, one.feature_set) for one in every]
    assert found[:2] == [("tree", "paper"), ("tree", "both")]
    named = [(one.family, one.feature_set) for one in stored_model.searched("made", ["tree"], ["paper", "both"])]
    assert sorted(found) == sorted(named)


def test_the_telling_feature_is_found_and_nothing_in_the_noise(asked: ModelSelection, every: list[Searched]) -> None:
    accuracy = {(one.name, one.feature_set): one.nested_accuracy(asked.any_windows, "made/tiled") for one in every}
    assert accuracy["tree", "paper"] > 0.95
    # One value for every window.
    assert accuracy["correlation", "plain"] <= 0.5
    assert accuracy["knn_dtw", "rtt_series"] < 0.8


def test_a_row_of_the_grid_for_each_setting(every: list[Searched]) -> None:
    (tree, *_) = every
    assert tree.grid is not None
    assert tree.grid[["top", "max_depth"]].to_numpy().tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]
    assert tree.papers_setting == GRID[int(tree.grid["mean_accuracy"].argmax())]
    assert all(one.grid is None for one in every[2:])


def test_no_connection_that_is_tested_is_learnt_from(asked: ModelSelection) -> None:
    connections = asked.any_windows.connections
    assert len(asked.splits) == DRAWING.splits
    for split in asked.splits:
        assert set(connections[split.train]).isdisjoint(connections[split.test])
        assert set(asked.any_windows.kind[np.concatenate([split.train, split.test])]) == {"tiled"}


def test_a_summary_by_hand(asked: ModelSelection) -> None:
    windows = asked.any_windows
    shared = windows.shared[:4]
    one, two = (
        TrialVerdicts(
            Trial("made/tiled", fold, np.arange(4, 8), {"made/tiled": np.arange(4)}),
            Setting(fold + 1, (("max_depth", 2),)),
            {"made/tiled": Verdicts(said.astype(float), said)},
        )
        for fold, said in enumerate((shared, ~shared))
    )
    elsewhere = TrialVerdicts(Trial("made/triggered", 0, one.trial.train, {}), one.setting, {})
    searched = Searched("tree", "paper", [one, two, elsewhere], Fitted(None, ("rtt_ed_4us",), two.setting))
    assert searched.summary(windows, "made", "tiled") == {
        "family": "tree",
        "feature_set": "paper",
        "setting": {"top": 2, "max_depth": 2},
        "features": ["rtt_ed_4us"],
        "nested_accuracy": 0.5,
        "nested_settings": [{"top": 1, "max_depth": 2}, {"top": 2, "max_depth": 2}],
        "windows": 48,
        "connections": 24,
    }
    rows = list(searched.predictions(windows))
    assert [len(own) for own in rows] == [4, 4]
    assert [set(own["fold"]) for own in rows] == [{0}, {1}]
