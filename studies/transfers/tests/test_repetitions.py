"""Means over repeated runs, and what is said where there are none."""

from __future__ import annotations

from math import nan

import numpy as np
import pandas as pd
import pytest

from studies.transfers.repetitions import Means, NotRunError, mean_interval, summary


def runs() -> pd.DataFrame:
    rows = [
        ("a", "x", "mpol", run, rate, share) for run, (rate, share) in enumerate([(1.0, nan), (3.0, nan), (nan, nan)])
    ]
    rows.append(("a", "x", "mpcc", 0, 5.0, 0.5))
    return pd.DataFrame(rows, columns=["experiment", "setting", "controller", "run", "goodput_mbit_s", "jain"])


def test_what_no_run_has_is_left_out_and_what_some_lack_is_counted() -> None:
    found = summary(runs(), ["goodput_mbit_s", "jain"], resamples=200, seed=0)
    assert list(zip(found["controller"], found["metric"], strict=True)) == [
        ("mpol", "goodput_mbit_s"),
        ("mpcc", "goodput_mbit_s"),
        ("mpcc", "jain"),
    ]
    first, second, _ = found[["runs", "known", "mean", "low", "high"]].itertuples(index=False, name=None)
    assert first == (3, 2, 2.0, 1.0, 3.0)
    assert second == (1, 1, 5.0, 5.0, 5.0)


def test_what_was_not_run_has_a_row_that_says_so() -> None:
    """Of a setting with one run that was made, those that were not are no runs without a value."""
    made = runs().assign(state=["not run", "not run", "not run", "run"])
    found = summary(made, ["goodput_mbit_s", "jain"], resamples=200, seed=0)
    waits = found[found["controller"] == "mpol"]
    assert list(waits["metric"]) == ["not run"]
    assert (waits["runs"].item(), waits["known"].item()) == (0, 0)
    assert waits[["mean", "low", "high"]].isna().all(axis=None)
    assert list(found.loc[found["controller"] == "mpcc", "metric"]) == ["goodput_mbit_s", "jain"]
    with pytest.raises(NotRunError, match="a: x, mpol: no jain"):
        Means(found).mean("a", "x", "mpol", "jain")


def test_an_interval_is_as_wide_as_the_spread_of_means() -> None:
    """Of 100 values with a deviation of 1, it is some 1.96 tenths to each side."""
    values = np.random.default_rng(1).normal(size=100)
    mean, low, high = mean_interval(values, resamples=4000, seed=0)
    assert mean == values.mean()
    assert (high - low) / 2 == pytest.approx(1.96 * values.std() / 10, rel=0.06)


def test_what_was_not_run_is_named() -> None:
    means = Means(summary(runs(), ["goodput_mbit_s"], resamples=50, seed=0))
    assert means.mean("a", "x", "mpol", "goodput_mbit_s") == 2.0
    assert means.text("a", "x", "mpcc", "goodput_mbit_s") == "5 (5 to 5)"
    assert list(means.settings("a")) == [("x", "mpol"), ("x", "mpcc")] and list(means.settings("b")) == []
    with pytest.raises(NotRunError, match="a: y, mpol: no jain"):
        means.mean("a", "y", "mpol", "jain")
