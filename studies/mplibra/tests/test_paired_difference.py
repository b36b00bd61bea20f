"""Differences of two controllers on the same networks, and what is said where one of them was not run."""

from __future__ import annotations

from collections.abc import Hashable
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest

from studies.mplibra.paired_difference import COMPARED, NOTHING_IN_COMMON, differences
from studies.transfers.repetitions import NOT_RUN, RUN

METRICS = ("goodput_mbit_s", "jain", "completion_s")


def runs(*rows: tuple[str, int, str, float, float]) -> pd.DataFrame:
    columns = ["controller", "run", "state", "goodput_mbit_s", "completion_s"]
    return pd.DataFrame(rows, columns=columns).assign(experiment="a", setting="x", jain=nan)


def of(table: pd.DataFrame) -> dict[str, dict[Hashable, Any]]:
    found = differences(table, [("learnt", "classic")], METRICS, resamples=500, seed=0)
    return {str(row["metric"]): row for row in found.to_dict("records")}


def test_networks_are_paired() -> None:
    """Networks differ by 100, controllers by 1: unpaired, no interval could leave 0 out."""
    base = np.random.default_rng(0).normal(0, 100, 20)
    extra = np.random.default_rng(1).normal(1, 0.2, 20)
    rows = [("classic", place, RUN, value, nan) for place, value in enumerate(base)]
    rows += [("learnt", place, RUN, base[place] + extra[place], nan) for place in reversed(range(20))]
    (row,) = of(runs(*rows)).values()
    assert (row["metric"], row["state"], row["networks"]) == ("goodput_mbit_s", COMPARED, 20)
    assert row["difference"] == pytest.approx(extra.mean())
    assert 0.8 < row["low"] < row["difference"] < row["high"] < 1.2


def test_a_network_that_one_lacks_is_left_out() -> None:
    found = of(
        runs(
            ("learnt", 0, RUN, 3.0, nan),
            ("learnt", 1, RUN, nan, nan),
            ("classic", 0, RUN, 1.0, 9),
            ("classic", 1, RUN, 7, 9),
        )
    )
    row = found["goodput_mbit_s"]
    assert (row["networks"], row["mean"], row["other_mean"], row["difference"]) == (1, 3, 1, 2)
    assert (found["completion_s"]["state"], found["completion_s"]["networks"]) == (NOTHING_IN_COMMON, 0)


def test_what_was_not_run_has_a_row_without_numbers() -> None:
    found = of(runs(("learnt", 0, NOT_RUN, nan, nan), ("classic", 0, RUN, 1.0, nan)))
    assert set(found) == {"goodput_mbit_s"}
    row = found["goodput_mbit_s"]
    assert (row["state"], row["networks"]) == (NOT_RUN, 0)
    assert all(isnan(row[name]) for name in ("mean", "other_mean", "difference", "low", "high"))
    both = of(runs(("learnt", 0, NOT_RUN, nan, nan), ("classic", 0, NOT_RUN, nan, nan)))
    assert {row["state"] for row in both.values()} == {NOT_RUN} and set(both) == set(METRICS)


def test_a_pair_that_a_setting_does_not_have_is_left_out() -> None:
    assert of(runs(("classic", 0, RUN, 1.0, nan))) == {}
