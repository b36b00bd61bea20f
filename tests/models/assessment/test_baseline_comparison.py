"""Models and detectors on the same rows, by hand: two connections of each label, one window of each."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from smartsbd.models.assessment.baseline_comparison import (
    ALL_CONNECTIONS,
    BOUND,
    TEST_SIDES,
    TUNED,
    BaselineComparison,
    Opinions,
    Resampling,
)

#: Connections a and b are shared, c and d not; the first of each is on site s, the second on t.
SHARED = {"a": True, "b": True, "c": False, "d": False}
SITE = {"a": "s", "b": "t", "c": "s", "d": "t"}
#: Test side of each split.
TESTS = {0: "ac", 1: "bd"}
RULES = ("tiled", "triggered")


def window(connection: str, rule: str) -> dict[str, object]:
    key = {"connection_id": connection, "subflow_a": 0, "subflow_b": 1, "rule": rule, "window_start_ns": 0}
    return key | {"shared": SHARED[connection], "site": SITE[connection]}


def predictions(right: Mapping[str, str]) -> pd.DataFrame:
    """Of each model the connections it is right on; the tree judges swapped partners of others too."""
    rows = [
        window(connection, rule)
        | {"shared_pred": SHARED[connection] == (connection in own), "fold": fold}
        | {"model": model, "feature_set": "paper" if model == "tree" else "plain"}
        | {"train_set": f"made/{rule}", "test_set": f"made/{rule}"}
        for rule in RULES
        for model, own in right.items()
        for fold, connections in TESTS.items()
        for connection in connections
    ]
    swapped = {**rows[0], "test_set": "made/swapped", "connection_id": "b+c"}
    return pd.DataFrame([*rows, swapped])


def opinions(right: Mapping[str, str], only: str = "abcd") -> Opinions:
    """Of each parameter set of svd the connections it is right on, half of their time."""
    named = [{"detector": "svd-r", "preset": preset, "connection": one} for preset in right for one in only]
    said = [(row, row["connection"] in right[row["preset"]]) for row in named]
    windows = [
        window(row["connection"], rule) | row | {"shared_pred": SHARED[row["connection"]] == hit}
        for row, hit in said
        for rule in RULES
    ]
    times = [
        window(row["connection"], "tiled")
        | row
        | {"together_ns": 2 if SHARED[row["connection"]] == hit else 1, "scored_ns": 4}
        | {"apart_ns": 1 if SHARED[row["connection"]] == hit else 2, "last_pred": SHARED[row["connection"]] == hit}
        for row, hit in said
    ]
    return Opinions.of(pd.DataFrame(windows), pd.DataFrame(times))


def compared(only: str = "abcd") -> BaselineComparison:
    return BaselineComparison(
        dataset="made",
        rule="tiled",
        predictions=predictions({"correlation": "ab", "tree": "abc"}),
        detectors=["svd-r"],
        grids=["svd-r"],
        presets=opinions({"default": "abcd", "of another dataset": "a"}, only),
        points=opinions({"x": "ac", "y": "bd", "z": ""}, only),
        resampling=Resampling(100, 0),
    )


def by_name(table: pd.DataFrame, site: str, *names: str) -> dict[tuple[str, ...], list[float]]:
    own = table[table["site"] == site]
    key = ["detector", "parameters", *(["on"] if "on" in table else [])]
    return {tuple(row[name] for name in key): [row[name] for name in names] for row in own.to_dict("records")}


def test_the_same_rows_with_paired_differences() -> None:
    table, chosen = compared().same()
    assert by_name(table, "all", "rows", "recall_shared", "recall_not_shared", "less_correlation") == {
        ("correlation", "plain"): [4, 1, 0, 0],
        ("tree", "paper"): [4, 1, 0.5, 0.25],
        ("svd-r", "default"): [4, 1, 1, 0.5],
        # On a and c, y is best on the other side and wrong; on b and d, x.
        ("svd-r", TUNED): [4, 0, 0, -0.5],
    }
    assert by_name(table, "s", "recall_not_shared")["tree", "paper"] == [1]
    assert chosen == {"svd-r": {"x": 1, "y": 1}}
    assert set(table.loc[table["detector"] != "svd-r", "evidence"]) == {"learned"}


def test_the_papers_way_takes_triggered_windows_and_last_opinions() -> None:
    assert by_name(compared().all(), "all", "rows", "balanced") == {
        ("correlation", "plain"): [4, 0.5],
        ("tree", "paper"): [4, 0.75],
        ("svd-r", "default"): [4, 1],
        # x and y are equally good on all: the first.
        ("svd-r", BOUND): [4, 0.5],
    }


def test_shares_of_time_are_of_test_sides_and_of_all_connections() -> None:
    assert by_name(compared().time(), "all", "rows", "balanced") == {
        ("svd-r", "default", TEST_SIDES): [4, 0.5],
        ("svd-r", TUNED, TEST_SIDES): [4, 0.25],
        ("svd-r", "default", ALL_CONNECTIONS): [4, 0.5],
        ("svd-r", BOUND, ALL_CONNECTIONS): [4, 0.375],
    }


def test_a_detector_that_some_connections_give_no_signal_is_compared_on_the_others() -> None:
    table, _ = compared(only="abc").same()
    assert by_name(table, "all", "rows", "less_correlation")["svd-r", "default"] == [3, 0.5]
