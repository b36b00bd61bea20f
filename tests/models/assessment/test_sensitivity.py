"""Levels of a factor: which windows and pairs are theirs, and the row of a model that has none to judge."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smartsbd.models.assessment.sensitivity import FactorLevel, SimulatedLevel, simulated, variations
from smartsbd.models.labelled.extraction import AS_TRAINED
from smartsbd.models.stored.stored_model import StoredModel

TRUTH = pd.DataFrame(
    {
        "connection_id": ["a", "b", "c"],
        "scenario": ["base", "loss=0.01", "loss=0.01"],
        "valid": [True, True, False],
    }
)
WINDOWS = pd.DataFrame(
    {
        "connection_id": ["a", "b", "b", "c"],
        "rule": ["tiled", "tiled", "triggered", "tiled"],
        "shared": [True, False, False, None],
    }
)
LEVELS = [
    SimulatedLevel("loss", "0", base=True, scenario="base"),
    SimulatedLevel("loss", "0.01", base=False, scenario="loss=0.01"),
    SimulatedLevel("loss", "0.02", base=False, scenario="loss=0.02"),
]


def levels() -> list[FactorLevel]:
    return list(simulated(LEVELS, TRUTH, WINDOWS, WINDOWS.iloc[:1], "tiled"))


def test_a_level_has_the_labelled_windows_of_its_connections() -> None:
    found = [
        (one.level, one.base, one.pairs, one.valid_pairs, one.windows.index.tolist(), len(one.without_verdict))
        for one in levels()
    ]
    assert found == [("0", True, 1, 1, [0], 1), ("0.01", False, 2, 1, [1], 0), ("0.02", False, 0, 0, [], 0)]


def test_where_there_is_no_window_the_accuracy_is_unknown_and_counts_are_zero() -> None:
    *_, none = levels()
    row = none.row(StoredModel("sites", "tree", "paper"), None)
    assert (row["trained_on"], row["model"], row["feature_set"], row["level"]) == ("sites", "tree", "paper", "0.02")
    assert [row[name] for name in ("pairs", "predictions", "windows", "connections", "none")] == [0] * 5
    assert np.isnan(row["balanced"]) and np.isnan(row["overall_high"]) and np.isnan(row["coverage"])


def test_without_a_missing_sample_no_seed_tells_levels_apart() -> None:
    none, some = (variation for _, _, variation in variations([], [0, 0.25], seed=7))
    assert none == AS_TRAINED
    assert (some.missing_share, some.seed) == (0.25, 7)
