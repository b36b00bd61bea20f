"""Accuracy per case, by hand and by other means."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from smartsbd.models.assessment import trend
from smartsbd.models.assessment.cases import CaseError, by_case, case_of, described, over_cases

JUDGED = pd.DataFrame(
    {
        "case": ["one", "one", "one", "two", "two", "two", "two"],
        "connection_id": ["a", "a", "b", "c", "c", "c", "c"],
        "shared": [True, True, True, False, False, False, False],
        "shared_pred": [True, True, False, False, True, True, True],
        "ramp": [True, False, True, False, True, True, False],
    }
)
NONE = pd.DataFrame({"case": ["one"], "connection_id": ["d"]})


def test_cases_by_hand() -> None:
    found = by_case(JUDGED, NONE, ["one", "two", "void"]).set_index("case")
    # Two right of three, and one without a verdict; one right of four; nothing.
    assert found["accuracy"].tolist()[:2] == [2 / 4, 1 / 4]
    assert math.isnan(found["accuracy"].tolist()[2])
    assert found["connections"].tolist() == [3, 1, 0]
    assert found["windows"].tolist() == [3, 4, 0]
    assert found["none"].tolist() == [1, 0, 0]
    assert found["right"].tolist() == [2, 1, 0]
    assert found["ramps"].tolist() == [2, 2, 0]
    assert found["right_ramps"].tolist() == [1, 0, 0]
    over = over_cases(found.reset_index(), resamples=1000, seed=0)
    assert (over.cases, over.lowest, over.lowest_case) == (2, 1 / 4, "two")
    # Of two cases a resample holds one twice with probability one quarter each.
    assert (over.mean.low, over.mean.value, over.mean.high) == (1 / 4, 3 / 8, 2 / 4)


def test_right_everywhere_is_one() -> None:
    right = JUDGED.assign(shared_pred=JUDGED["shared"])
    found = by_case(right, NONE.iloc[:0], ["one", "two"])
    assert found["accuracy"].tolist() == [1.0, 1.0]
    over = over_cases(found, resamples=200, seed=0)
    assert (over.mean.value, over.mean.low, over.mean.high, over.lowest) == (1.0, 1.0, 1.0, 1.0)


def exact_quantile(tenths: list[int], level: float) -> float:
    """Quantile of the mean of as many draws with replacement as there are cases: its distribution by convolution."""
    once: npt.NDArray[np.float64] = np.bincount(tenths, minlength=11) / len(tenths)
    total = np.ones(1)
    for _ in tenths:
        total = np.convolve(total, once)
    return float(np.searchsorted(np.cumsum(total), level)) / 10 / len(tenths)


def test_the_interval_is_that_of_cases_drawn_anew() -> None:
    """Ten cases with accuracies in tenths, whatever the windows of each: those of a hundred weigh as those of ten."""
    tenths = [10, 10, 9, 10, 10, 4, 6, 9, 7, 2]
    parts = []
    for number, right in enumerate(tenths):
        windows = 10 if number % 2 else 100
        pred = np.arange(windows) < right * windows // 10
        parts.append(pd.DataFrame({"case": f"{number:02d}", "shared_pred": pred}))
    judged = pd.concat(parts).assign(shared=True, ramp=False, connection_id="a")
    found = by_case(judged, NONE.iloc[:0], sorted(judged["case"].unique()))
    over = over_cases(found, resamples=40_000, seed=0)
    assert over.mean.value == pytest.approx(0.77)
    assert (over.lowest, over.lowest_case) == (0.2, "09")
    # The mean moves in steps of 0.01.
    assert over.mean.low == pytest.approx(exact_quantile(tenths, 0.025), abs=0.011)
    assert over.mean.high == pytest.approx(exact_quantile(tenths, 0.975), abs=0.011)


def truth(*rows: tuple[str, int, str, bool, bool]) -> pd.DataFrame:
    found = pd.DataFrame(rows, columns=["connection_id", "from_ns", "scenario", "shared", "valid"])
    settings = dict.fromkeys(("utilisation_a", "utilisation_b", "drop_share_a", "drop_share_b"), 0.95)
    return found.assign(subflow_a=0, subflow_b=1, **settings)


def test_a_case_is_the_scenario_of_the_pair() -> None:
    rows = pd.DataFrame({"connection_id": ["b", "a", "b"], "subflow_a": 0, "subflow_b": 1})
    known = truth(("a", 0, "one", True, True), ("a", 5, "one", False, True), ("b", 0, "two", True, True))
    assert case_of(rows, known).tolist() == ["two", "one", "two"]
    with pytest.raises(CaseError, match="not in the truth"):
        case_of(rows.assign(subflow_b=2), known)
    with pytest.raises(CaseError, match="several cases"):
        case_of(rows, truth(("a", 0, "one", True, True), ("a", 5, "two", True, True), ("b", 0, "two", True, True)))


def test_nothing_to_judge_is_no_accuracy() -> None:
    with pytest.raises(CaseError, match="no case"):
        over_cases(by_case(JUDGED.iloc[:0], NONE.iloc[:0], ["one"]), resamples=100, seed=0)


def series() -> npt.NDArray[np.float64]:
    """Two ramps with independent ripples; two independent sawtooths; one sawtooth twice."""
    points = np.arange(50)
    ripple = np.where(points % 2, 1.0, -1.0), np.where(points // 2 % 2, 1.0, -1.0)
    teeth = points % 5 * 10.0, points % 7 * 10.0
    pairs = [(points * 10 + ripple[0], points * 20 + ripple[1]), teeth, (teeth[0], teeth[0])]
    return np.stack([np.stack(pair, axis=1) for pair in pairs])


def test_ramps_that_share_nothing_are_correlated_by_their_line_alone() -> None:
    rtt_us = series()
    assert trend.ramps(rtt_us).tolist() == [True, False, False]
    first, second = rtt_us[:, :, 0], rtt_us[:, :, 1]
    plain = trend.correlation(first, second)
    for row in range(3):
        assert plain[row] == pytest.approx(np.corrcoef(first[row], second[row])[0, 1])
        line = np.polyval(np.polyfit(np.arange(50), first[row], 1), np.arange(50))
        assert trend.without_line(first)[row] == pytest.approx(first[row] - line)
        assert trend.line_share(first)[row] == pytest.approx(1 - np.var(first[row] - line) / np.var(first[row]))
    rest = trend.correlation(trend.without_line(first), trend.without_line(second))
    assert plain[0] > 0.99 and abs(rest[0]) < 0.1
    assert rest[2] == pytest.approx(1)


def test_what_there_is_of_each_case() -> None:
    known = truth(
        ("a", 0, "one", False, True),
        ("b", 0, "one", False, False),
        ("c", 0, "two", True, True),
        ("d", 0, "void", True, False),
    )
    known.loc[0, ["utilisation_b", "drop_share_a"]] = (0.91, 0.6)
    # Of a connection that is not valid nothing is told.
    known.loc[1, "utilisation_a"] = 0.1
    windows = pd.DataFrame({"case": ["one", "one", "two"], "window_ns": [2e9, 4e9, 5e9]})
    found = described(windows, series(), pd.DataFrame({"case": ["two"]}), known, ["one", "two", "void"])
    assert found["shared"].tolist() == [False, True, True]
    assert found["connections"].tolist() == [2, 1, 1]
    assert found["not_valid"].tolist() == [1, 0, 1]
    assert found["utilisation"].tolist()[:2] == [0.91, 0.95]
    assert found["drop_share"].tolist()[:2] == [0.6, 0.95]
    assert found["windows"].tolist() == [2, 1, 0]
    assert found["none"].tolist() == [0, 1, 0]
    assert found["window_s"].tolist()[:2] == [3.0, 5.0]
    assert found["ramps"].tolist()[:2] == [0.5, 0.0]
    assert found["correlation"].tolist()[1] == pytest.approx(1)
    assert found.loc[2, ["utilisation", "window_s", "ramps"]].isna().all()
