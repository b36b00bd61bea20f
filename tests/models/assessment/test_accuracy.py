"""Accuracy and its intervals, by hand and by other means."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from smartsbd.models.assessment.accuracy import Hits, accuracy_of_windows, share, share_difference

ROWS = pd.DataFrame(
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


def test_accuracy_by_hand() -> None:
    found = accuracy_of_windows(ROWS, resamples=500, seed=0)
    assert (found.predictions, found.windows, found.connections) == (6, 5, 3)
    assert found.recall_shared == pytest.approx(2 / 3)
    assert found.recall_not_shared == pytest.approx(2 / 3)
    assert found.balanced == pytest.approx(2 / 3)
    assert found.overall == pytest.approx(4 / 6)
    # Resamples hold a (1/2), b (2/3) and c (1) only.
    assert (found.overall_low, found.overall_high) == (0.5, 1.0)
    assert (found.recall_shared_low, found.recall_shared_high) == (0.5, 1.0)
    assert found.recall_not_shared_low == found.recall_not_shared_high == pytest.approx(2 / 3)


def test_windows_without_a_verdict_are_wrong() -> None:
    none = pd.DataFrame({"connection_id": ["c", "d"], "shared": [True, False]})
    found = accuracy_of_windows(ROWS, resamples=500, seed=0, none=none)
    assert (found.predictions, found.none, found.connections) == (6, 2, 4)
    assert found.coverage == 6 / 8
    assert (found.recall_shared, found.recall_not_shared, found.overall) == (2 / 4, 2 / 4, 4 / 8)
    # Only non-shared windows of d: none right. Only those of b: two of three.
    assert found.recall_not_shared_low == 0.0
    assert found.recall_not_shared_high == pytest.approx(2 / 3)
    without = accuracy_of_windows(ROWS, resamples=500, seed=0)
    assert without.none == 0 and math.isnan(without.coverage)


def test_a_label_that_is_missing_has_no_accuracy() -> None:
    found = accuracy_of_windows(ROWS[ROWS["shared"]], resamples=500, seed=0)
    assert found.recall_shared == found.overall == pytest.approx(2 / 3)
    assert all(
        math.isnan(value)
        for value in (
            found.recall_not_shared,
            found.recall_not_shared_low,
            found.recall_not_shared_high,
            found.balanced,
        )
    )


def hits(rate: float, connections: int, windows: int, seed: int) -> Hits:
    """Windows of a connection are all hits or none."""
    rng = np.random.default_rng(seed)
    hit = np.repeat(rng.random(connections) < rate, windows)
    names = np.repeat([f"{seed}/{number}" for number in range(connections)], windows)[:, None]
    return Hits(hit, names, np.ones(len(hit)))


def test_the_interval_is_that_of_independent_connections() -> None:
    """Against the normal interval of as many coins as there are connections, however many windows each has."""
    found = share(hits(0.3, 400, 5, seed=1), resamples=4000, seed=0)
    half = 1.96 * math.sqrt(found.value * (1 - found.value) / 400)
    assert found.low == pytest.approx(found.value - half, abs=0.006)
    assert found.high == pytest.approx(found.value + half, abs=0.006)


def test_a_difference_has_the_spread_of_both() -> None:
    first, second = hits(0.5, 400, 3, seed=1), hits(0.2, 300, 2, seed=2)
    found = share_difference(first, second, resamples=4000, seed=0)
    shares = [own.hit.mean() for own in (first, second)]
    half = 1.96 * math.sqrt(sum(p * (1 - p) / n for p, n in zip(shares, (400, 300), strict=True)))
    assert found.value == pytest.approx(shares[0] - shares[1])
    assert found.low == pytest.approx(found.value - half, abs=0.01)
    assert found.high == pytest.approx(found.value + half, abs=0.01)


def test_weights_count() -> None:
    names = np.array([["a"], ["b"], ["c"]])
    found = share(Hits(np.array([True, False, False]), names, np.array([3.0, 1.0, 0.0])), resamples=200, seed=0)
    assert found.value == 0.75
    nothing = share(Hits(np.zeros(0, dtype=bool), names[:0], np.zeros(0)), resamples=200, seed=0)
    assert math.isnan(nothing.value) and math.isnan(nothing.low)
    against = share_difference(
        hits(0.5, 9, 1, seed=1), Hits(np.zeros(0, dtype=bool), names[:0], np.zeros(0)), resamples=9, seed=0
    )
    assert math.isnan(against.value)


def test_a_window_of_two_connections_is_drawn_with_both() -> None:
    """Every pair of few connections: windows that share a connection are alike, and the interval must be wider."""
    rng = np.random.default_rng(3)
    names = np.array([[f"x{one}", f"x{other}"] for one in range(20) for other in range(20) if one != other])
    liked = {f"x{number}": bool(rng.random() < 0.5) for number in range(20)}
    hit = np.array([liked[one] for one, _ in names])
    ones = np.ones(len(hit))
    together = share(Hits(hit, names, ones), resamples=2000, seed=0)
    apart = share(Hits(hit, np.arange(len(hit)).astype(str)[:, None], ones), resamples=2000, seed=0)
    half = 1.96 * math.sqrt(together.value * (1 - together.value) / 20)
    assert together.value == apart.value
    assert together.high - together.low == pytest.approx(2 * half, rel=0.1)
    assert apart.high - apart.low < half
