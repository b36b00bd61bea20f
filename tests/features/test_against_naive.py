"""Every feature of the pipeline equals the definition written as plain loops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from features import catalog
from features.fixed import FEATURE_LIMIT, POINTS_LIMIT, RTT_LIMIT_US
from features.pair import pair_windows
from features.resample import congested_at, grid_ns, interpolate, pair_grid
from features.series import PairGrid, SubflowSignals
from features.window import Rejected, Window, geometry, tiled, triggered
from tests import naive

Events = list[tuple[int, int]]


def signals(rtt: Events, changes: Events) -> SubflowSignals:
    rtt_time_ns, rtt_us = np.array(rtt, dtype=np.int64).reshape(-1, 2).T
    state_time_ns, ca_state = np.array(changes, dtype=np.int64).reshape(-1, 2).T
    return SubflowSignals(rtt_time_ns, rtt_us, state_time_ns, ca_state)


def random_events(rng: np.random.Generator, base_us: int, length_ns: int) -> tuple[Events, Events]:
    times = np.sort(rng.integers(0, length_ns, size=rng.integers(20, 200)))
    rtts = base_us + rng.integers(0, base_us, size=times.size)
    moments = np.sort(rng.integers(0, length_ns, size=rng.integers(1, 30)))
    states = rng.integers(0, 5, size=moments.size)
    return (
        [(int(t), int(v)) for t, v in zip(times, rtts, strict=True)],
        [(int(t), int(v)) for t, v in zip(moments, states, strict=True)],
    )


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 20))])
def test_windows_and_features_of_random_connections(seed: int) -> None:
    rng = np.random.default_rng(seed)
    length_ns = int(rng.integers(2, 20)) * 100_000_000
    events = [random_events(rng, int(rng.integers(200, 5_000)), length_ns) for _ in range(2)]
    x, y = (signals(*one) for one in events)
    found, rejected = pair_windows(x, y, length_ns, ["triggered", "tiled"])
    start_ns = naive.triggered_start_ns((events[0][0], events[1][0]), (events[0][1], events[1][1]))
    placed = [one.window for one in found if one.window.rule == "triggered"]
    if placed:
        assert placed[0].start_ns == start_ns
    else:
        assert any(one.rule == "triggered" for one in rejected)
    for one in found:
        window = one.window
        expected, clamped = naive.features((events[0][0], events[1][0]), (events[0][1], events[1][1]), window.start_ns)
        assert one.features == expected
        assert one.saturated == clamped
        assert (window.window_ns, window.step_ns, window.n) == naive.geometry(window.min_rtt_x_us, window.min_rtt_y_us)


def test_random_connections_do_have_windows() -> None:
    rng = np.random.default_rng(0)
    events = [random_events(rng, 2_000, 2_000_000_000) for _ in range(2)]
    found, _ = pair_windows(signals(*events[0]), signals(*events[1]), 2_000_000_000, ["triggered", "tiled"])
    assert {one.window.rule for one in found} == {"triggered", "tiled"}
    assert len(found) > 10


Shape = Callable[[int], int]
SHAPES: dict[str, tuple[Shape, Shape]] = {
    "constant": (lambda k: 50_000, lambda k: 80_000),
    "beyond the clamp": (lambda k: 50_000, lambda k: 50_000 + 3_000_000 * (k % 2)),
    "steps": (lambda k: 50_000 + 1_000 * (k % 7), lambda k: 60_000 + 20_000 * (k // 30)),
}


CONGESTION: dict[str, tuple[Events, Events]] = {
    "never": ([], []),
    "always": ([(0, 3)], [(0, 4)]),
    "one only": ([(0, 3)], [(0, 2)]),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("congestion", CONGESTION)
def test_degenerate_series(shape: str, congestion: str) -> None:
    first, second = SHAPES[shape]
    rtt_x = [(k * 20_000_000, first(k)) for k in range(300)]
    rtt_y = [(k * 20_000_000, second(k)) for k in range(300)]
    states: tuple[Events, Events] = CONGESTION[congestion]
    x, y = signals(rtt_x, states[0]), signals(rtt_y, states[1])
    window = geometry("tiled", 0, first(0), second(0))
    expected, clamped = naive.features((rtt_x, rtt_y), states, 0)
    grid, saturated = pair_grid(x, y, window)
    assert catalog.compute(grid) == expected
    assert saturated == clamped
    assert (saturated > 0) == (shape == "beyond the clamp")


def test_features_stay_below_2_24_at_the_bounds() -> None:
    alternating = np.where(np.arange(POINTS_LIMIT) % 2 == 0, RTT_LIMIT_US, 0).astype(np.int64)
    congested = np.arange(POINTS_LIMIT) % 2 == 0
    grid = PairGrid(
        rtt_a_us=np.full(POINTS_LIMIT, RTT_LIMIT_US, dtype=np.int64),
        rtt_b_us=np.zeros(POINTS_LIMIT, dtype=np.int64),
        congested_a=np.ones(POINTS_LIMIT, dtype=np.bool_),
        congested_b=np.zeros(POINTS_LIMIT, dtype=np.bool_),
        min_rtt_a_us=2**31,
        min_rtt_b_us=1,
    )
    other = PairGrid(alternating, alternating[::-1].copy(), congested, ~congested, 1, 1)
    for one in (grid, other):
        values = catalog.compute(one)
        assert all(0 <= value <= FEATURE_LIMIT for value in values.values()), values
    assert catalog.compute(grid)["min_rtt_ratio_q10"] == FEATURE_LIMIT
    # By hand: sqrt(682 * (2097151^2 + 10^12)) = 60675076.1..., a quarter of it 15168769.0...
    assert catalog.compute(grid)["rtt_cstate_ed_4us"] == 15_168_769


@given(
    st.lists(st.tuples(st.integers(0, 10**12), st.integers(1, 2**31 - 1)), min_size=1, max_size=20),
    st.lists(st.integers(-(10**12), 2 * 10**12), min_size=1, max_size=20),
)
@settings(deadline=None)
def test_interpolation_equals_plain_integers(samples: Events, at: list[int]) -> None:
    ordered = sorted(samples, key=lambda sample: sample[0])
    time_ns, values = np.array(ordered, dtype=np.int64).T
    ours = interpolate(time_ns, values, np.array(at, dtype=np.int64)).tolist()
    assert ours == [naive.rtt_at(ordered, moment) for moment in at]


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 4)), max_size=20))
@settings(deadline=None)
def test_congestion_is_the_last_state(changes: Events) -> None:
    ordered = sorted(changes, key=lambda change: change[0])
    one = signals([(0, 1)], ordered)
    at = np.arange(-1, 1002, 7, dtype=np.int64)
    assert congested_at(one, at).astype(int).tolist() == [naive.congested_at(ordered, int(t)) for t in at]


@given(st.integers(1, 2**31 - 1), st.integers(1, 2**31 - 1))
@settings(deadline=None)
def test_geometry_keeps_the_bounds(min_x_us: int, min_y_us: int) -> None:
    window = geometry("tiled", 0, min_x_us, min_y_us)
    assert 51 <= window.n <= POINTS_LIMIT
    last_ns = grid_ns(window.start_ns, window.step_ns, window.n)[-1]
    assert last_ns <= window.end_ns < last_ns + window.step_ns
    assert window.coarsened == (window.step_ns > min(min_x_us, min_y_us) * 1000)


RTT_X = [(t * 10_000_000, 10_000) for t in range(400)]
RTT_Y = [(t * 10_000_000, 20_000) for t in range(400)]


@pytest.mark.parametrize(
    ("states_x", "states_y", "end_ns", "reason"),
    [
        ([], [(5, 3)], 4_000_000_000, "a subflow was never congested"),
        ([(5, 3)], [(2_000_000_000, 3)], 4_000_000_000, "the subflows were never congested within T of each other"),
        ([(0, 3)], [(5, 4)], 900_000_000, "the trace ends before the window does"),
    ],
)
def test_rejections_say_why(states_x: Events, states_y: Events, end_ns: int, reason: str) -> None:
    assert triggered(signals(RTT_X, states_x), signals(RTT_Y, states_y), end_ns) == [Rejected("triggered", reason)]


def test_window_without_samples_is_rejected() -> None:
    x = signals([(0, 10_000)], [(5, 3)])
    y = signals(RTT_Y, [(5, 3)])
    assert triggered(x, y, 4_000_000_000) == [Rejected("triggered", "no RTT sample of a subflow within the window")]


def test_no_sample_before_the_window() -> None:
    x = signals([(3_000_000_000, 10_000)], [(5, 3)])
    y = signals(RTT_Y, [(5, 3)])
    assert triggered(x, y, 4_000_000_000) == [Rejected("triggered", "no RTT sample before the window")]


def test_tiles_are_back_to_back_and_begin_with_the_later_congestion() -> None:
    tiles = tiled(signals(RTT_X, [(100, 3)]), signals(RTT_Y, [(700, 4)]), 3_999_999_999)
    windows = [tile for tile in tiles if isinstance(tile, Window)]
    assert [tile.start_ns for tile in windows] == [700, 1_000_000_700, 2_000_000_700]
    assert {tile.window_ns for tile in windows} == {1_000_000_000}


def test_denominator_is_the_faster_path_and_the_lower_number_on_a_tie() -> None:
    slow, fast = signals(RTT_Y, []), signals(RTT_X, [])
    grid, _ = pair_grid(slow, fast, geometry("tiled", 0, 20_000, 10_000))
    assert (grid.min_rtt_a_us, grid.min_rtt_b_us) == (20_000, 10_000)
    rising = signals([(t * 10_000_000, 10_000 + t) for t in range(400)], [])
    tied, _ = pair_grid(fast, rising, geometry("tiled", 0, 10_000, 10_000))
    assert tied.rtt_b_us.max() == 0
    assert tied.rtt_a_us.max() > 0
