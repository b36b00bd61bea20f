"""Families learnt on moments: what is held out stays so, what weighs, and verdicts that are known by counting."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from smartsbd.detectors.bottleneck_moves import Move
from smartsbd.features.lag_excess import gate
from smartsbd.features.lag_excess.tile_feature import TILE_FEATURES
from smartsbd.models.families import Family, family_of
from smartsbd.models.labelled.windows import LearnError
from smartsbd.models.last_verdict.learnt_verdict import (
    Learning,
    Task,
    band,
    band_of,
    chosen,
    held_out_scores,
    last_verdicts,
    learnt,
    said_by,
    settings_of,
    settled_windows,
)
from smartsbd.models.last_verdict.moments import Moments, by_fixed_rule, of_tiles, of_windows
from smartsbd.models.last_verdict.one_subflow import NUMBERS, numbers_of

LEARNING = Learning(moments=2, folds=3, simpler_within=0.005, seed=0)
TREE = {"max_depth": [1, 2]}
S = 1_000_000_000


def moments(connections: list[str], values: list[float], shared: list[float], at_s: list[int] | None = None) -> Moments:
    key = pd.DataFrame({"connection_id": connections, "subflow_a": 0, "subflow_b": 1})
    key["at_ns"] = [one * S for one in (at_s or range(len(connections)))]
    x = np.array(values, dtype=np.float64)[:, None]
    return Moments(key, x, ("z",), np.ones(len(x), dtype=np.bool_), np.array(shared, dtype=np.float64))


def task(pairs: int = 24, settings: int = 12) -> Task:
    """Each setting has a connection of either label, three moments each; one number tells the label."""
    names = [f"c{number:02}" for number in range(pairs) for _ in range(3)]
    shared = [float(number % 2) for number in range(pairs) for _ in range(3)]
    values = [label * 10 + place % 7 for place, label in enumerate(shared)]
    return Task.of(
        moments(names, values, shared), {f"c{number:02}": number // (pairs // settings) for number in range(pairs)}
    )


def test_connections_of_equal_settings_have_one_number() -> None:
    """Of two rows of a connection, the first in time counts; a value that is missing equals another that is."""
    truth = pd.DataFrame(
        {
            "connection_id": ["a", "b", "c", "c"],
            "from_ns": [0, 0, 5, 0],
            "bottleneck_a_mbit_s": [1.0, 1.0, 1.0, 2.0],
            "queue_a_bytes": [None, None, None, None],
            "base_rtt_a_us": [10, 10, 10, 10],
            "loss_a_ratio": [0.0, 0.0, 0.0, 0.0],
        }
    )
    found = settings_of(truth)
    assert found["a"] == found["b"] != found["c"]


def test_no_model_has_seen_the_settings_it_is_asked_about() -> None:
    own, seen = task(), []

    class Spy:
        classes_ = np.array([False, True])

        def predict(self, x: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
            return np.asarray(x[:, 0] > 5)

        def decision_function(self, x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
            return np.asarray(x[:, 0] - 5)

    def fit(_: Any, x: npt.NDArray[np.float64], __: npt.NDArray[np.bool_]) -> None:
        seen.append({row for row in range(len(own.shared)) if (own.moments.x[row] == x).any()})

    # The numbers tell the rows apart.
    own = Task(
        Moments(
            own.moments.key,
            np.arange(len(own.shared), dtype=np.float64)[:, None],
            ("z",),
            own.moments.open,
            own.moments.shared,
        ),
        own.shared,
        own.groups,
    )
    spy = Family(name="spy", build=lambda *_: Spy(), hyperparameters=(), fit=fit)
    scores = held_out_scores(own, spy, {}, LEARNING)
    assert not np.isnan(scores).any()
    assert len(seen) == LEARNING.folds
    for rows in seen:
        asked = set(own.groups.tolist()) - {int(own.groups[row]) for row in rows}
        # A third of the settings is held out whole: none of its moments, of neither label, is learnt from.
        assert len(asked) == 4
        assert rows == {row for row in own.moments.learnable(2).tolist() if own.groups[row] not in asked}


def test_a_pair_weighs_as_much_as_another() -> None:
    own = moments(["a"] * 9 + ["b"] * 2 + ["c"], [0] * 12, [1] * 9 + [0, 0, np.nan])
    rows = own.learnable(3)
    assert own.key["connection_id"].to_numpy()[rows].tolist() == ["a"] * 3 + ["b"] * 3
    assert rows[:3].tolist() == [0, 4, 8]


def test_what_can_be_told_is_told_and_shuffled_labels_are_not() -> None:
    own = task()
    tree = family_of("tree")
    scores = held_out_scores(own, tree, TREE, LEARNING)
    assert ((scores > 0.5) == own.shared).all()
    shuffled = own.shuffled(3)
    assert shuffled.shared.sum() == own.shared.sum()
    by_pair = pd.Series(shuffled.shared).groupby(own.moments.key["connection_id"].to_numpy()).nunique()
    assert (by_pair == 1).all()
    wrong = held_out_scores(shuffled, tree, TREE, LEARNING)
    assert ((wrong > 0.5) == shuffled.shared).mean() < 0.75


def test_of_settings_alike_the_simpler_is_chosen() -> None:
    own = task()
    fitted = chosen(own, family_of("tree"), TREE, own.moments.learnable(2), LEARNING)
    assert dict(fitted.setting.hyperparameters) == {"max_depth": 1}


def test_too_few_settings_cannot_be_held_out() -> None:
    with pytest.raises(LearnError, match="2 different settings cannot be cut into 3"):
        held_out_scores(task(settings=2), family_of("tree"), TREE, LEARNING)


def test_a_band_is_as_narrow_as_can_be() -> None:
    scores, shared = np.array([0.05, 0.48, 0.55, 0.7, 0.9]), np.array([False, True, False, True, True])
    assert band(scores, shared, 1.0) == 0.05
    assert band(scores, shared, 0.6) == 0.0


def test_where_no_band_is_enough_the_most_right_are_kept() -> None:
    """One of three is right far out, and no band leaves out the two that are wrong without it."""
    scores, shared = np.array([0.005, 0.4, 0.995]), np.array([True, True, True])
    assert band(scores, shared, 0.98) == 0.0


def test_nothing_is_said_in_the_band_behind_a_gate_or_without_a_score() -> None:
    scores = np.array([0.1, 0.45, 0.9, np.nan, 0.9])
    is_open = np.array([True, True, True, True, False])
    assert said_by(scores, is_open, 0.1).tolist() == [False, None, True, None, None]
    assert said_by(scores, is_open, 0.0).tolist() == [False, False, True, None, None]


def test_the_last_verdict_may_be_taken_back() -> None:
    own = moments(["a", "a", "b"], [0, 0, 0], [1, 1, 0], at_s=[3, 5, 4])
    labels = [{"connection_id": name, "subflow_a": 0, "subflow_b": 1, "shared": True} for name in "abc"]
    said = np.array([True, None, False], dtype=object)
    found = last_verdicts(own, said, labels, {"a": S, "b": S})
    assert found["said"].tolist() == [None, False, None]
    assert found["first_s"].tolist()[:2] == [2.0, 3.0] and np.isnan(found["first_s"][2])


def test_pairs_of_a_dataset_without_a_moment_have_no_verdict() -> None:
    labels = [{"connection_id": "a", "subflow_a": 0, "subflow_b": 1, "shared": True}]
    found = last_verdicts(moments([], [], []), np.array([], dtype=object), labels, {"a": S})
    assert found["said"].tolist() == [None]
    assert np.isnan(found["first_s"][0])


def test_a_band_is_chosen_by_last_verdicts_alone() -> None:
    """The first moment of each pair is wrong, the last right: nothing need be left out."""
    own = moments([name for name in "abcd" for _ in range(2)], [0.0] * 8, [1.0, 1.0, 0.0, 0.0] * 2)
    scores = np.array([0.1, 0.9, 0.9, 0.1] * 2)
    labels = {("a", 0, 1): True, ("b", 0, 1): False, ("c", 0, 1): True, ("d", 0, 1): False}
    assert band_of(own, scores, labels, 1.0) == 0.0
    assert band_of(own, 1 - scores, labels, 1.0) == 0.0
    half = np.where(np.arange(8) < 4, scores, 0.5 + (0.5 - scores) / 10)
    assert band_of(own, half, labels, 1.0) == 0.04


def test_a_family_is_learnt_with_its_band() -> None:
    own = task()
    labels = {(f"c{number:02}", 0, 1): bool(number % 2) for number in range(24)}
    found = learnt(own, family_of("logistic"), {"c": [1.0], "solver": ["lbfgs"]}, labels, 0.98, LEARNING)
    assert (found.model.judge(own.moments.x).shared_pred == own.shared).all()
    assert found.band == 0.0


def test_after_a_change_time_runs_until_a_verdict_stays_right() -> None:
    own = moments(["a"] * 4 + ["b"], [0] * 5, [1] * 5, at_s=[1, 11, 12, 14, 1])
    said = np.array([True, False, True, False, True], dtype=object)
    moves = [
        Move("a", 0, 1, 10 * S, 20 * S, shared=False, window_ns=2 * S),
        Move("b", 0, 1, 10 * S, 20 * S, shared=True, window_ns=2 * S),
    ]
    # Right from 14 s on for T, since 11 s but for a second; the other was right already.
    assert settled_windows(own, said, moves) == 2.0
    assert settled_windows(own, said, [Move("c", 0, 1, 10 * S, 20 * S, shared=True, window_ns=S)]) == np.inf
    assert np.isnan(settled_windows(own, said, []))


def pair_tile(reasons: list[str | None], **given: list[Any]) -> pd.DataFrame:
    values: dict[str, Any] = {one.name: [5] * len(reasons) for one in TILE_FEATURES}
    values |= {"connection_id": "a", "subflow_a": 0, "subflow_b": 1, "memory": "tile", "shared": True, "said": None}
    return pd.DataFrame(values | {"decided_ns": range(len(reasons)), "reason": reasons} | given)


def test_a_band_that_says_nothing_is_nought_and_a_closed_gate_says_nothing() -> None:
    table = pair_tile([None, gate.BETWEEN, gate.STALLED], excess_8_q10=[7, None, 7], said=[True, None, None])
    own = of_tiles(table, "tile")
    assert own.x[:, own.feature_names.index("excess_8_q10")].tolist() == [7, 0, 7]
    assert own.open.tolist() == [True, True, False]
    assert by_fixed_rule(table, "tile").tolist() == [True, None, None]
    assert not len(of_tiles(table, "all").x)


def test_windows_are_known_at_their_end() -> None:
    table = pd.DataFrame(
        {
            "connection_id": "a", "subflow_a": 0, "subflow_b": 1, "rule": ["tiled", "triggered", "tiled"],
            "window_start_ns": [50, 20, 0], "window_ns": [10, 10, 50], "shared": [None, True, True], "z": [1, 2, 3],
        }
    )  # fmt: skip
    own = of_windows(table, ["z"])
    assert own.key["at_ns"].tolist() == [50, 60]
    assert own.x.tolist() == [[3.0], [1.0]]
    assert own.shared[0] == 1 and np.isnan(own.shared[1])


def test_one_subflow_is_described_by_its_own_rows() -> None:
    time_ns = np.arange(20) * 10_000_000
    acks = pd.DataFrame({"time_ns": time_ns, "rtt_us": [20_000, 30_000] * 10, "acked_bytes": np.arange(20) * 1000})
    states = pd.DataFrame({"ca_state": [0, 3, 0, 4]})
    losses = pd.DataFrame({"packets": [1]})
    found = dict(zip(NUMBERS, numbers_of(acks, states, losses, 2.0), strict=True))
    assert found["min_rtt"] == pytest.approx(np.log(20_000))
    assert found["queue_high"] == pytest.approx(0.5) and found["queue_low"] == 0
    assert (found["losses"], found["recovery_states"], found["loss_states"]) == (0.5, 0.5, 0.5)
    assert found["rtt_memory"] == pytest.approx(-1)
    assert found["gap_longest"] == pytest.approx(10)
    assert found["silences"] == 0
    few = acks.iloc[:9]
    assert not numbers_of(few, states, losses, 2.0).any()
