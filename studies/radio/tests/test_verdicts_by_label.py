"""Last verdicts by label: what is counted of which label."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from smartsbd.models.last_verdict.final_verdict import judged
from studies.radio.verdicts_by_label import by_label


def _rows(said: list[bool | None], shared: list[bool], detector: str = "lag-excess") -> pd.DataFrame:
    rows = {
        "connection_id": [f"{detector}{number}" for number in range(len(said))],
        "shared": shared,
        "said": pd.array(said, dtype="object"),
        "detector": detector,
        "preset": "default",
    }
    return judged(pd.DataFrame(rows))


def test_each_label_is_counted_by_itself() -> None:
    rows = _rows([True, True, None, False, False, True], [True, True, True, True, False, False])
    both, shared, apart = by_label(rows, resamples=100, seed=0)
    assert [one["label"] for one in (both, shared, apart)] == ["both", "shared", "not shared"]
    assert (both["pairs"], both["wrong"], both["none"]) == (6, 2, 1)
    assert (both["right"], both["coverage"]) == pytest.approx((3 / 6, 5 / 6))
    # The mean over the labels, as elsewhere.
    assert both["decided"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert (shared["right"], shared["coverage"], shared["decided"]) == pytest.approx((2 / 4, 3 / 4, 2 / 3))
    assert (apart["right"], apart["coverage"], apart["decided"]) == pytest.approx((1 / 2, 1.0, 1 / 2))
    for one in (both, shared, apart):
        for what in ("right", "coverage", "decided"):
            assert 0 <= one[f"{what}_low"] <= one[what] <= one[f"{what}_high"] <= 1


def test_a_detector_that_says_nothing_has_no_share_of_the_decided() -> None:
    both, shared, _ = by_label(_rows([None, None], [True, False]), resamples=100, seed=0)
    assert (both["right"], both["coverage"], both["none"], both["wrong"]) == (0, 0, 2, 0)
    assert math.isnan(both["decided"]) and math.isnan(shared["decided"])


def test_a_label_without_pairs_has_no_shares() -> None:
    _, shared, apart = by_label(_rows([True], [True]), resamples=100, seed=0)
    assert (shared["pairs"], apart["pairs"]) == (1, 0)
    assert math.isnan(apart["right"])


def test_detectors_stay_apart_and_in_order() -> None:
    rows = pd.concat([_rows([True], [True], "wavelet"), _rows([False], [True])])
    found = [(one["detector"], one["right"]) for one in by_label(rows, resamples=100, seed=0) if one["label"] == "both"]
    assert found == [("wavelet", 1.0), ("lag-excess", 0.0)]
