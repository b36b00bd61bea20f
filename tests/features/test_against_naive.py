"""Every feature of the pipeline equals the definition written as plain loops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartsbd.contributions.generated_grids import edge_grids
from smartsbd.features import catalog
from smartsbd.features.fixed import FEATURE_LIMIT, POINTS_LIMIT
from smartsbd.features.pair import PairWindow, pair_windows
from smartsbd.features.resample import interpolate, last_known, pair_grid
from smartsbd.features.series import SubflowSignals, congested_at
from smartsbd.features.throughput import achieved_mbit_s
from smartsbd.features.window import Rejected, Window, geometry, tiled, triggered
from tests import naive

Events = list[tuple[int, int]]
#: How far the reals may lie apart: the two add in different orders.
RELATIVE = 1e-9


def signals(rtt: Events, changes: Events, acks: Events | None = None) -> SubflowSignals:
    """Signals of (time, RTT), (time, ca_state) and (time, acked bytes)."""
    rtt_time_ns, rtt_us = np.array(rtt, dtype=np.int64).reshape(-1, 2).T
    state_time_ns, ca_state = np.array(changes, dtype=np.int64).reshape(-1, 2).T
    ack_time_ns, acked_bytes = np.array(acks or [(0, 0), (1_000, 1_000)], dtype=np.int64).T
    rate_time_ns, rate_mbit_s = achieved_mbit_s(ack_time_ns, acked_bytes, weight=0.125)
    return SubflowSignals(
        rtt_time_ns=rtt_time_ns,
        rtt_us=rtt_us,
        state_time_ns=state_time_ns,
        congested=ca_state >= 3,
        ack_time_ns=ack_time_ns,
        acked_bytes=acked_bytes,
        rate_time_ns=rate_time_ns,
        rate_mbit_s=rate_mbit_s,
    )


def twin(one: SubflowSignals) -> naive.Signals:
    return naive.Signals(
        one.rtt_time_ns, one.rtt_us, one.state_time_ns, one.congested, one.ack_time_ns, one.acked_bytes
    )


def random_signals(rng: np.random.Generator, base_us: int, length_ns: int) -> SubflowSignals:
    times = np.sort(rng.integers(0, length_ns, size=rng.integers(20, 200)))
    rtts = base_us + rng.integers(0, base_us, size=times.size)
    moments = np.sort(rng.integers(0, length_ns, size=rng.integers(1, 30)))
    states = rng.integers(0, 5, size=moments.size)
    acked_at = np.sort(rng.integers(0, length_ns, size=rng.integers(20, 200)))
    acked = np.cumsum(rng.integers(0, 3_000, size=acked_at.size))
    pairs = ((times, rtts), (moments, states), (acked_at, acked))
    return signals(*([(int(t), int(v)) for t, v in zip(*pair, strict=True)] for pair in pairs))


def assert_equals_naive(
    x: SubflowSignals, y: SubflowSignals, one: PairWindow, window_rtts: int = naive.WINDOW_RTTS
) -> None:
    window = one.window
    integers, clamped = naive.features(twin(x), twin(y), window.start_ns, window_rtts)
    reals = naive.real_features(twin(x), twin(y), window.start_ns, window_rtts)
    assert {name: one.features[name] for name in integers} == integers
    assert {name: one.features[name] for name in reals} == pytest.approx(reals, rel=RELATIVE, abs=1e-12)
    assert set(one.features) == set(integers) | set(reals)
    assert one.grid.saturated == clamped
    geometry_of = naive.geometry(window.min_rtt_x_us, window.min_rtt_y_us, window_rtts)
    assert (window.window_ns, window.step_ns, window.n) == geometry_of


@pytest.mark.parametrize("seed", range(20))
def test_windows_and_features_of_random_connections(seed: int) -> None:
    rng = np.random.default_rng(seed)
    length_ns = int(rng.integers(2, 20)) * 100_000_000
    x, y = (random_signals(rng, int(rng.integers(200, 5_000)), length_ns) for _ in range(2))
    found, rejected = pair_windows(x, y, length_ns, ["triggered", "tiled"])
    start_ns = naive.triggered_start_ns(twin(x), twin(y))
    placed = [one.window for one in found if one.window.rule == "triggered"]
    if placed:
        assert placed[0].start_ns == start_ns
    else:
        assert any(one.rule == "triggered" for one in rejected)
    for one in found:
        assert_equals_naive(x, y, one)


@pytest.mark.parametrize("window_rtts", [3, 25, 100, 1000])
def test_windows_and_features_of_another_length(window_rtts: int) -> None:
    windows = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        length_ns = 20_000 * window_rtts * 1_000
        x, y = (random_signals(rng, int(rng.integers(200, 5_000)), length_ns) for _ in range(2))
        found, _ = pair_windows(x, y, length_ns, ["triggered", "tiled"], window_rtts=window_rtts)
        for one in found:
            if one.window.rule == "triggered":
                assert one.window.start_ns == naive.triggered_start_ns(twin(x), twin(y), window_rtts)
            assert one.window.n <= POINTS_LIMIT
            assert all(isinstance(one.features[name], int) for name in naive.INTEGER_NAMES)
            assert_equals_naive(x, y, one, window_rtts)
        windows += len(found)
    assert windows > 10


def test_random_connections_do_have_windows() -> None:
    rng = np.random.default_rng(0)
    x, y = (random_signals(rng, 2_000, 2_000_000_000) for _ in range(2))
    found, _ = pair_windows(x, y, 2_000_000_000, ["triggered", "tiled"])
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
    grid = pair_grid(x, y, window)
    assert_equals_naive(x, y, PairWindow(window, grid, 0, 0, catalog.compute(grid)))
    assert (grid.saturated > 0) == (shape == "beyond the clamp")


def test_the_largest_distance_by_hand() -> None:
    # sqrt(682 * (2097151^2 + 10^12)) = 60675076.1..., a quarter of it 15168769.0...
    grid = edge_grids()["as far apart as can be"]
    values = catalog.compute(grid)
    assert values["rtt_cstate_ed_4us"] == 15_168_769
    assert values["min_rtt_ratio_q10"] == FEATURE_LIMIT


@given(
    st.lists(st.tuples(st.integers(0, 10**12), st.integers(1, 2**31 - 1)), min_size=1, max_size=20),
    st.lists(st.integers(-(10**12), 2 * 10**12), min_size=1, max_size=20),
)
@settings(deadline=None)
def test_interpolation_equals_plain_integers(samples: Events, at: list[int]) -> None:
    ordered = sorted(samples, key=lambda sample: sample[0])
    time_ns, values = np.array(ordered, dtype=np.int64).T
    ours = interpolate(time_ns, values, np.array(at, dtype=np.int64)).tolist()
    times, rtts = [time for time, _ in ordered], [rtt for _, rtt in ordered]
    assert ours == [naive.rtt_at.py_func(times, rtts, moment) for moment in at]


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 4)), max_size=20))
@settings(deadline=None)
def test_congestion_is_the_last_state(changes: Events) -> None:
    ordered = sorted(changes, key=lambda change: change[0])
    one = signals([(0, 1)], ordered)
    at = np.arange(-1, 1002, 7, dtype=np.int64)
    expected = [
        naive.congested_at.py_func(one.state_time_ns.tolist(), one.congested.tolist(), moment) for moment in at.tolist()
    ]
    assert congested_at(one.state_time_ns, one.congested, at).astype(int).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 10**12)), min_size=1, max_size=20))
@settings(deadline=None)
def test_bytes_are_those_of_the_last_ack(acks: Events) -> None:
    times, acked = np.array(sorted(acks), dtype=np.int64).T
    at = np.arange(-1, 1002, 7, dtype=np.int64)
    expected = [naive.acked_at.py_func(times.tolist(), acked.tolist(), moment) for moment in at.tolist()]
    assert last_known(times, acked, at).tolist() == expected


@given(st.integers(1, 2**31 - 1), st.integers(1, 2**31 - 1))
@settings(deadline=None)
def test_geometry_keeps_the_bounds(min_x_us: int, min_y_us: int) -> None:
    window = geometry("tiled", 0, min_x_us, min_y_us)
    assert 51 <= window.n <= POINTS_LIMIT
    last_ns = window.grid_ns()[-1]
    assert last_ns <= window.end_ns < last_ns + window.step_ns
    assert window.coarsened == (window.step_ns > min(min_x_us, min_y_us) * 1000)


RTT_X = [(t * 10_000_000, 10_000) for t in range(400)]
RTT_Y = [(t * 10_000_000, 20_000) for t in range(400)]


@pytest.mark.parametrize(
    ("states_x", "states_y", "end_ns", "reason"),
    [
        ([], [(5, 3)], 4_000_000_000, "no change of congestion state of a subflow is known"),
        ([(0, 0)], [(5, 3)], 4_000_000_000, "a subflow was never congested"),
        ([(5, 3)], [(2_000_000_000, 3)], 4_000_000_000, "the subflows were never congested within T of each other"),
    ],
)
def test_rejections_say_why(states_x: Events, states_y: Events, end_ns: int, reason: str) -> None:
    assert triggered(signals(RTT_X, states_x), signals(RTT_Y, states_y), end_ns) == [Rejected("triggered", reason)]


def test_a_window_that_outlasts_the_trace_is_rejected_with_its_place() -> None:
    x, y = signals(RTT_X, [(0, 3)]), signals(RTT_Y, [(5, 4)])
    reason = "the trace ends before the window does"
    assert triggered(x, y, 900_000_000) == [Rejected("triggered", reason, 5, 1_000_000_000)]
    assert tiled(x, y, 900_000_000) == [Rejected("tiled", reason, 5, 1_000_000_000)]


def test_window_without_samples_is_rejected() -> None:
    x = signals([(0, 10_000)], [(5, 3)])
    y = signals(RTT_Y, [(5, 3)])
    reason = "no RTT sample of a subflow within the window"
    assert triggered(x, y, 4_000_000_000) == [Rejected("triggered", reason, 5, 1_000_000_000)]


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
    grid = pair_grid(slow, fast, geometry("tiled", 0, 20_000, 10_000))
    assert (grid.min_rtt_a_us, grid.min_rtt_b_us) == (20_000, 10_000)
    rising = signals([(t * 10_000_000, 10_000 + t) for t in range(400)], [])
    tied = pair_grid(fast, rising, geometry("tiled", 0, 10_000, 10_000))
    assert tied.above_b_us.max() == 0
    assert tied.above_a_us.max() > 0
