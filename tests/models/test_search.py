"""The search finds what is there, nothing where nothing is, and the same on any number of cores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from features.catalog import feature_names
from features.relevance import mutual_information_nats, ranking
from models import search
from models.accuracy import accuracy
from models.families import FAMILIES
from models.split import shuffle_splits
from models.windows import LabelledWindows, LearnError, labelled_windows
from tests.models.windows_made import pair_window, shuffled, windows

TREE = FAMILIES["tree"]
GRID = search.settings(TREE, {"max_depth": [1, 2, 4]}, [1, 3])


def choose(made: LabelledWindows, workers: int = 1) -> search.Choice:
    splits = shuffle_splits(made.connections, made.stratum, splits=6, test_share=0.2, seed=0)
    return search.choose(made, TREE, GRID, splits, inner_folds=3, seed=0, workers=workers)


def nested_accuracy(made: LabelledWindows, choice: search.Choice) -> float:
    right = [made.shared[fold.rows] == fold.shared_pred for fold in choice.nested]
    return float(np.concatenate(right).mean())


def test_a_telling_feature_is_found() -> None:
    made = windows()
    choice = choose(made)
    assert choice.fitted.feature_names == ("rtt_sd_ratio_q10",)
    assert choice.fitted.setting == search.Setting(1, (("max_depth", 1),))
    assert nested_accuracy(made, choice) > 0.98


@pytest.mark.slow
def test_shuffled_labels_give_chance() -> None:
    accuracies = []
    for seed in range(5):
        made = shuffled(windows(connections=100, per_connection=3), seed)
        accuracies.append(nested_accuracy(made, choose(made)))
    assert 0.4 < np.mean(accuracies) < 0.6


@pytest.mark.slow
def test_cores_do_not_change_the_result() -> None:
    made = windows(seed=1)
    one, two = choose(made, workers=1), choose(made, workers=2)
    np.testing.assert_array_equal(one.accuracies, two.accuracies)
    for a, b in zip(one.nested, two.nested, strict=True):
        assert (a.fold, a.setting) == (b.fold, b.setting)
        np.testing.assert_array_equal(a.score, b.score)


def test_the_nested_choice_never_sees_test_rows() -> None:
    """With the test rows' labels turned round, choice and predictions on them stay the same."""
    made = windows(seed=2)
    splits = shuffle_splits(made.connections, made.stratum, splits=2, test_share=0.2, seed=0)
    for split in splits:
        turned = made.shared.copy()
        turned[split.test] = ~turned[split.test]
        spoiled = LabelledWindows(made.key, made.x, made.feature_names, turned, made.stratum)
        options = {"inner_folds": 3, "seed": 0, "workers": 1}
        (clean,) = search.nested_predictions(made, TREE, GRID, [split], **options)
        (dirty,) = search.nested_predictions(spoiled, TREE, GRID, [split], **options)
        assert clean.setting == dirty.setting
        np.testing.assert_array_equal(clean.shared_pred, dirty.shared_pred)


def test_the_grid_must_be_the_familys() -> None:
    with pytest.raises(search.GridError, match=r"grid of tree gives \['c'\], must give \['max_depth'\]"):
        search.settings(TREE, {"c": [1]}, [1])


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


def test_accuracy_by_hand() -> None:
    rows = pd.DataFrame(
        {
            "connection_id": ["a", "a", "b", "b", "b", "c"],
            "subflow_a": 0,
            "subflow_b": 1,
            "rule": "tiled",
            "window_start_ns": [0, 1, 0, 1, 1, 0],
            "shared": [True, True, False, False, False, True],
            "shared_pred": [True, False, False, False, True, True],
        }
    )
    found = accuracy(rows, resamples=500, seed=0)
    assert (found.predictions, found.windows, found.connections) == (6, 5, 3)
    assert found.sb == pytest.approx(2 / 3)
    assert found.nsb == pytest.approx(2 / 3)
    assert found.overall == pytest.approx(4 / 6)
    assert 0.5 <= found.overall_low <= found.overall <= found.overall_high <= 1.0
    with pytest.raises(ValueError, match="one label only"):
        accuracy(rows[rows["shared"]], resamples=500, seed=0)


def test_what_names_a_connection_is_not_relevant() -> None:
    """A feature that is constant over each connection, and says nothing of the label, ranks below one that does."""
    made = windows(connections=120, per_connection=6, seed=3)
    rng = np.random.default_rng(0)
    names = np.unique(made.connections, return_inverse=True)[1]
    weak = made.shared + rng.normal(0, 1.0, size=len(names))
    x = np.stack([rng.normal(size=120)[names] + rng.normal(0, 1e-6, size=len(names)), weak], axis=1)
    spoiled = LabelledWindows(made.key, x, ("constant", "weak"), made.shared, made.stratum)
    rows = np.arange(len(names))
    assert search.by_relevance(spoiled, rows, seed=0).tolist() == [1, 0]
    everything = ranking(mutual_information_nats(x, made.shared))
    assert everything.tolist() == [0, 1]
