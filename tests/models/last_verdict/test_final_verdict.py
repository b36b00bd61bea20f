"""Last verdicts: shares whose answer is known by counting."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from smartsbd.models.last_verdict.final_verdict import judged, summaries, summary


def rows(said: list[bool | None], shared: list[bool], detector: str = "one") -> pd.DataFrame:
    return judged(
        pd.DataFrame(
            {
                "connection_id": [f"c{number}" for number in range(len(said))],
                "subflow_a": 0,
                "subflow_b": 1,
                "shared": shared,
                "detector": detector,
                "preset": "default",
                "said": pd.Series(said, dtype=object),
                "first_s": [np.nan if one is None else 4.0 + number for number, one in enumerate(said)],
            }
        )
    )


SHARED = [True, True, True, True, False, False]


def test_no_verdict_is_wrong_of_all_and_left_out_where_decided() -> None:
    own = rows([True, True, None, False, False, None], SHARED)
    found = summary(own, own, resamples=200, seed=0)
    assert found["pairs"] == 6 and found["shared"] == 4
    assert found["right"] == pytest.approx(3 / 6)
    assert (found["decided_recall_shared"], found["decided_recall_not_shared"]) == (pytest.approx(2 / 3), 1.0)
    assert found["decided"] == pytest.approx((2 / 3 + 1) / 2)
    assert (found["coverage_shared"], found["coverage_not_shared"]) == (0.75, 0.5)
    assert (found["wrong"], found["none"]) == (1, 2)
    assert found["first_s"] == 6.0
    assert found["less"] == found["less_low"] == found["less_high"] == 0
    assert found["right_low"] < found["right"] < found["right_high"]


def test_a_difference_is_paired() -> None:
    """Both are right of three of six; they differ on two pairs, one each way."""
    one = rows([True, True, None, False, False, None], SHARED)
    other = rows([True, None, True, False, False, None], SHARED, "other")
    found = summaries(pd.concat([one, other]), ("one", "default"), resamples=500, seed=0)
    assert [(row["detector"], row["right"], row["less"]) for row in found] == [("one", 0.5, 0.0), ("other", 0.5, 0.0)]
    assert found[1]["less_low"] < 0 < found[1]["less_high"]


def test_a_label_that_nobody_has_is_no_number() -> None:
    own = rows([True, None], [True, True])
    found = summary(own, own, resamples=50, seed=0)
    assert found["right"] == 0.5
    assert np.isnan(found["decided"]) and np.isnan(found["coverage_not_shared"])


def test_who_decides_nothing_is_right_of_nothing() -> None:
    own = rows([None, None], [True, False])
    found = summary(own, own, resamples=50, seed=0)
    assert (found["right"], found["wrong"], found["none"]) == (0.0, 0, 2)
    assert (found["coverage_shared"], found["coverage_not_shared"]) == (0.0, 0.0)
    assert all(
        np.isnan(found[name]) for name in ("decided", "decided_low", "decided_high", "decided_recall_shared", "first_s")
    )
