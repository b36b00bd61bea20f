"""What is computed at once beside each feature's own function, digit for digit, and beside pandas."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from smartsbd.contributions.generated_grids import drawn_grid, edge_grids
from smartsbd.features import catalog
from smartsbd.features.at_once import features_at_once
from smartsbd.features.fixed import POINTS_LIMIT, Float64Array, Int64Array
from smartsbd.features.reading import Reading, alternatives
from smartsbd.features.series import PairGrid
from smartsbd.native import window_features

NAMES = [one.name for one in catalog.FEATURES]


def one_by_one(grid: PairGrid) -> dict[str, float]:
    return {one.name: one.compute(grid) for one in catalog.FEATURES}


def assert_same(grid: PairGrid) -> None:
    found, expected = features_at_once(grid), one_by_one(grid)
    assert list(found.items()) == list(expected.items())
    assert [type(value) for value in found.values()] == [type(value) for value in expected.values()]


def small_grid(rng: np.random.Generator) -> PairGrid:
    """Two to sixty points of few values, or one; throughputs of unlike size."""
    n = int(rng.integers(2, 60))
    few = int(rng.integers(1, 5))
    rates = [rng.integers(0, few, size=n) * 10.0 ** rng.integers(-9, 9, size=n) for _ in range(2)]
    grid = PairGrid.of(
        rtt_a_us=(50_000 + rng.integers(0, few, size=n)).tolist(),
        rtt_b_us=(50_000 + 1_000_000 * rng.integers(0, few, size=n)).tolist(),
        congested_a=(rng.integers(0, few, size=n) > 0).tolist(),
        congested_b=(rng.integers(0, few, size=n) > 1).tolist(),
        acked_a_bytes=np.cumsum(rng.integers(0, few, size=n)).tolist(),
        acked_b_bytes=np.cumsum(1_000_000 * rng.integers(0, few, size=n)).tolist(),
    )
    steps = int(rng.integers(1, n // 2 + 1))
    longest_us = max(grid.min_rtt_a_us, grid.min_rtt_b_us)
    return replace(grid, rate_a_mbit_s=rates[0], rate_b_mbit_s=rates[1], step_ns=-(-longest_us * 1000 // steps))


@pytest.mark.parametrize("name", edge_grids())
def test_edges(name: str) -> None:
    assert_same(edge_grids()[name])


@pytest.mark.parametrize("seed", range(10))
def test_drawn_grids(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(30):
        assert_same(drawn_grid(rng))


@pytest.mark.parametrize("seed", range(10))
def test_short_and_constant_series(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        assert_same(small_grid(rng))


def test_the_squares_of_a_deviation_are_those_of_python() -> None:
    # One in a thousand differs from a product in its last digit; of so few that shows in the sum.
    rng = np.random.default_rng(0)
    values = (rng.random(1_000_000) * 1_000).tolist()
    unlike = [value for value in values if value**2 != value * value]
    assert unlike
    for value in unlike[:200]:
        assert_same(PairGrid.of(rate_a_mbit_s=[0.0, 2 * value], rate_b_mbit_s=[0.0, 3.0]))


OTHERS = alternatives(rate_weights=[0.5], rate_taus_s=[1.0])


@pytest.mark.parametrize(("field", "value"), OTHERS)
def test_other_readings(field: str, value: Any) -> None:
    grid = replace(drawn_grid(np.random.default_rng(3)), reading=OTHERS[field, value])
    by_function = field in ("distance", "dtw", "units", "zero_deviation") and value != "rejected"
    assert (features_at_once(grid) == {}) == by_function
    assert catalog.compute(grid) == one_by_one(grid)


def test_what_might_leave_64_bits_is_left_to_the_functions() -> None:
    grid = drawn_grid(np.random.default_rng(5))
    taken_back = grid.acked_a_bytes.copy()
    taken_back[-1] = 0
    more = PairGrid.of(rtt_a_us=list(range(50_000, 50_001 + POINTS_LIMIT)))
    for odd in (replace(grid, acked_a_bytes=taken_back), more):
        assert features_at_once(odd) == {}
        assert catalog.compute(odd) == one_by_one(odd)


def test_a_set_is_part_of_all() -> None:
    grid = drawn_grid(np.random.default_rng(7))
    for feature_set in ("paper", "invariant", "both", "table3"):
        assert tuple(catalog.compute(grid, feature_set)) == catalog.feature_names(feature_set)
    assert list(catalog.compute(grid)) == NAMES


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_no_number_is_refused(wrong: float) -> None:
    grid = drawn_grid(np.random.default_rng(9))
    rate_mbit_s = grid.rate_a_mbit_s.copy()
    rate_mbit_s[3] = wrong
    with pytest.raises(ValueError, match="a value is not a finite number"):
        features_at_once(replace(grid, rate_a_mbit_s=rate_mbit_s))
    with pytest.raises(ValueError, match="a value is not a finite number"):
        window_features.smoothed(rate_mbit_s, 0.5)


def test_series_of_other_sizes_are_refused() -> None:
    grid = drawn_grid(np.random.default_rng(11))
    with pytest.raises(ValueError, match="the series differ in length"):
        features_at_once(replace(grid, congested_b=grid.congested_b[1:]))
    with pytest.raises(ValueError, match="the series are empty"):
        features_at_once(replace(grid, rtt_a_us=grid.rtt_a_us[:0]))
    with pytest.raises(ValueError, match="the series differ in length"):
        window_features.interpolated(grid.rtt_a_us, grid.rtt_b_us[1:], grid.rtt_a_us)


@pytest.mark.parametrize("weight", [0.05, 0.125, 0.3, 0.37, 0.5, 1.0])
def test_smoothing_is_that_of_pandas(weight: float) -> None:
    rng = np.random.default_rng(13)
    for size in (0, 1, 2, 500):
        values = np.repeat(rng.random(size) * 10.0 ** rng.integers(-3, 4, size=size), 2)
        expected = pd.Series(values).ewm(alpha=weight, adjust=False).mean().to_numpy()
        np.testing.assert_array_equal(window_features.smoothed(values, weight), expected)


@pytest.mark.parametrize("weight", [0.0, -1.0, 1.5, np.nan])
def test_a_weight_that_is_none_is_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="weight"):
        window_features.smoothed(np.ones(3), weight)


def test_readings_are_the_reason_for_functions() -> None:
    grid = drawn_grid(np.random.default_rng(15))
    assert features_at_once(grid) != {} == features_at_once(replace(grid, reading=Reading(units="ms")))


def rates_by_columns(time_ns: Int64Array, acked_bytes: Int64Array) -> tuple[Int64Array, Float64Array]:
    last_of_time = np.append(np.diff(time_ns) > 0, True)[: time_ns.size]
    time_ns, acked_bytes = time_ns[last_of_time], acked_bytes[last_of_time]
    advances = np.diff(np.maximum.accumulate(acked_bytes), prepend=-1) > 0
    time_ns, acked_bytes = time_ns[advances], acked_bytes[advances]
    return time_ns, np.diff(acked_bytes) * 8_000 / np.diff(time_ns)


def interpolated_by_columns(time_ns: Int64Array, values: Int64Array, at_ns: Int64Array) -> Int64Array:
    last_of_time = np.append(np.diff(time_ns) > 0, True)
    time_ns, values = time_ns[last_of_time], values[last_of_time]
    right = np.searchsorted(time_ns, at_ns, side="right")
    left = np.maximum(right - 1, 0)
    right = np.minimum(right, time_ns.size - 1)
    rise, elapsed_ns = values[right] - values[left], np.maximum(at_ns - time_ns[left], 0)
    step = np.abs(rise).astype(object) * elapsed_ns // np.where(left == right, 1, time_ns[right] - time_ns[left])
    found: Int64Array = values[left] + np.where(left == right, 0, np.sign(rise) * step).astype(np.int64)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_rates_and_interpolation_equal_those_by_columns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for size in (1, 2, 3, 200):
        longest = int(10 ** rng.integers(1, 15))
        time_ns = np.sort(rng.integers(0, longest, size=size))
        acked_bytes = np.sort(rng.integers(0, 10 ** rng.integers(1, 12), size=size))
        # Some come late, and some are seen again.
        acked_bytes[rng.random(size) < rng.choice([0, 0.3])] = acked_bytes[0]
        for found, expected in zip(
            window_features.rates(time_ns, acked_bytes), rates_by_columns(time_ns, acked_bytes), strict=True
        ):
            np.testing.assert_array_equal(found, expected)
        rtt_us = rng.integers(1, 10 ** rng.integers(1, 9), size=size)
        at_ns = rng.integers(-longest // 4, longest + longest // 4, size=100)
        at_ns = np.concatenate((at_ns, time_ns))
        np.testing.assert_array_equal(
            window_features.interpolated(time_ns, rtt_us, at_ns), interpolated_by_columns(time_ns, rtt_us, at_ns)
        )


def test_no_ack_has_no_rate() -> None:
    none = np.empty(0, dtype=np.int64)
    assert [own.size for own in window_features.rates(none, none)] == [0, 0]
    with pytest.raises(ValueError, match="time_ns is empty"):
        window_features.interpolated(none, none, none)
    with pytest.raises(ValueError, match="the series differ in length"):
        window_features.rates(none, np.zeros(1, dtype=np.int64))
