"""Gains over a scheduler are of the same network; how soon a learner finds what is best is counted for all its runs."""

from __future__ import annotations

from math import nan

import pandas as pd
import pytest

from studies.transfers.gains import SchedulerResults, gains, relearning
from studies.transfers.repetitions import NotRunError

_COLUMNS = ["experiment", "group", "setting", "controller", "run", "goodput_mbit_s"]


def runs() -> pd.DataFrame:
    """Two networks of a group: in the first min_rtt has twice redundant's goodput, in the second half of it."""
    rows = [
        ("factors", "small", "small 000", "redundant", 0, 4.0),
        ("factors", "small", "small 000", "min_rtt", 0, 8.0),
        ("factors", "small", "small 001", "redundant", 0, 2.0),
        ("factors", "small", "small 001", "min_rtt", 0, 1.0),
        ("factors", "small", "small 002", "redundant", 0, 0.0),
        ("factors", "small", "small 002", "min_rtt", 0, 1.0),
        ("alone", "x", "x", "min_rtt", 0, 1.0),
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def test_gains_are_means_of_ratios_not_ratios_of_means() -> None:
    table = gains(runs(), "redundant", resamples=200, seed=0)
    row = table[table["controller"] == "min_rtt"].iloc[0]
    # Without the network in which nothing came of redundant, and without the experiment that lacks it.
    assert (len(table), row["networks"], row["goodput_mbit_s"]) == (2, 2, 4.5)
    assert (row["mean"], row["low"], row["high"]) == (1.25, 0.5, 2.0)
    assert (row["below_1"], row["below_075"], row["least"], row["most"]) == (0.5, 0.5, 0.5, 2.0)
    own = table[table["controller"] == "redundant"].iloc[0]
    assert (own["mean"], own["below_1"]) == (1, 0)


def learnt() -> pd.DataFrame:
    """After the change copies of all are best; of three runs one does not find it."""
    rows = [("after", "x", "x", f"copies {share:g}", 0, rate) for share, rate in ((0.0, 2.0), (0.5, 3.0), (1.0, 4.0))]
    found = [("changes", "x", "x", "olaps ucb1", run, 4.0) for run in range(3)]
    table = pd.DataFrame([*rows, *found], columns=_COLUMNS)
    times = {"until_none_s": [nan] * 6, "until_half_s": [nan] * 3 + [0.0] * 3, "until_all_s": [nan] * 3 + [9, 5, nan]}
    return table.assign(**times)


def test_runs_that_find_nothing_count_with_all_their_time() -> None:
    table = relearning(learnt(), "changes", "after", 70.0)
    (row,) = table.to_dict("records")
    assert (row["best_share"], row["runs"], row["found"]) == (1.0, 3, 2)
    assert (row["median_s"], row["least_s"], row["most_s"]) == (9.0, 5.0, 70.0)
    assert relearning(learnt(), "changes", "other", 70.0).empty


def test_what_was_not_run_is_named() -> None:
    found = SchedulerResults(
        gains(runs(), "redundant", resamples=10, seed=0), relearning(learnt(), "changes", "after", 1.0)
    )
    assert found.value("factors", "small", "min_rtt", "mean") == 1.25
    assert found.text("factors", "small", ["redundant"]) == "redundant 1.00 (1.00 to 1.00)"
    assert (found.groups("factors"), found.changed_settings()) == (["small"], ["x"])
    assert found.found_s("x", "olaps ucb1") == 5.0
    for ask, said in (
        (lambda: found.value("factors", "large", "min_rtt", "mean"), "factors: large, min_rtt: no gain"),
        (lambda: found.groups("grid"), "grid: no run"),
        (lambda: found.found_s("x", "olaps exp3"), "x, olaps exp3: no time"),
    ):
        with pytest.raises(NotRunError, match=said):
            ask()
    nothing = SchedulerResults(gains(runs().iloc[:0], "redundant", resamples=10, seed=0), learnt().iloc[:0])
    with pytest.raises(NotRunError, match="changes: no run"):
        nothing.changed_settings()
