"""Trend lines: made queues, and every number against a plain recomputation of the whole series."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from smartsbd.detectors.detector import replayed
from smartsbd.detectors.event import Event, Kind
from smartsbd.detectors.trend_line import TREND_LINE, Rises, Trend, Trending, TrendLine, slope_error, slope_per_s
from tests.detectors.queues_made import MS, ONE_QUEUE, Trace, delays, opinions

SHARED, APART = (0, 0), (0, 1)
END_MS = 20_000


def smoothed_plainly(values: list[int], mean: str) -> list[float]:
    """Take the mean of twenty delays at each, from the definition."""
    found: list[float] = []
    for place, value in enumerate(values):
        last = values[place - 19 : place + 1] if place >= 19 else []
        if not last:
            found.append(float(value))
        elif mean == "harmonic":
            found.append(20 / sum(1 / one for one in last))
        else:
            found.append(sum(last) / 20)
    return found


def slopes_plainly(trace: Trace, origin_ns: int, groups: int, mean: str) -> list[float | None]:
    """Fit a line to each group of 100 ms, in microseconds per second; groups hold what is at their end."""
    times_ns, values = trace
    smoothed = np.array(smoothed_plainly(values.tolist(), mean))
    group = np.maximum(-((origin_ns - times_ns) // (100 * MS)) - 1, 0)
    found: list[float | None] = []
    for number in range(groups):
        inside = group == number
        if inside.sum() < 2:
            found.append(None)
        else:
            found.append(float(np.polyfit((times_ns[inside] - origin_ns) / 1e9, smoothed[inside], 1)[0]))
    return found


def verdicts_plainly(one: list[float | None], other: list[float | None]) -> list[bool | None]:
    """Judge two subflows' slopes by the rules in the public code, and by ours of the window."""
    run: list[float] = []
    yes: list[bool] = []
    found: list[bool | None] = []
    for number, (k1, k2) in enumerate(zip(one, other, strict=True)):
        yes.append(False)
        if number > 10:
            error = -1.0
            if k1 is not None and k2 is not None and k1 > 0 and k2 > 0:
                error = abs(k1 - k2) * 100 / max(k1, k2)
            if error < 0 or len(run) > 50:
                yes[-1] = len(run) >= 10 or len([each for each in run if each < 15]) >= 3
                run = []
            if k1 is not None and k2 is not None and k1 > 10_000 and k2 > 10_000:
                run.append(error)
        found.append(any(yes[-100:]) if number >= 110 else None)
    return found


@pytest.mark.parametrize("base_us", [45_000, 400_000])
def test_base_delay_does_not_matter(base_us: int) -> None:
    one, other = delays(ONE_QUEUE, 40_000, 5, END_MS), delays(ONE_QUEUE, 60_000, 7, END_MS)
    raised = other[0], other[1] - 60_000 + base_us
    assert opinions(TREND_LINE, "owd", {0: one, 1: raised}, END_MS) == opinions(
        TREND_LINE, "owd", {0: one, 1: other}, END_MS
    )
    assert opinions(TREND_LINE, "default", {0: one, 1: raised}, END_MS)[-1].partition == SHARED


def test_one_way_delays_may_be_negative() -> None:
    traces = {0: delays(ONE_QUEUE, -3_000_000, 5, END_MS), 1: delays(ONE_QUEUE, 0, 7, END_MS)}
    assert opinions(TREND_LINE, "owd", traces, END_MS)[-1].partition == SHARED


def test_a_queue_of_other_rate_is_another() -> None:
    """Slopes are compared as they are: half the slope is not close, and seven groups are no long run."""
    short = (700, 30_000)
    traces = {0: delays(short, 40_000, 5, END_MS), 1: delays(short, 90_000, 7, END_MS, scale=0.5)}
    assert opinions(TREND_LINE, "owd", traces, END_MS)[-1].partition == APART
    traces[1] = delays(short, 90_000, 7, END_MS)
    assert opinions(TREND_LINE, "owd", traces, END_MS)[-1].partition == SHARED


def test_nothing_is_said_before_a_window() -> None:
    """Eleven groups are left out, a hundred are a window; they are counted from the later subflow's first."""
    traces = {0: delays(ONE_QUEUE, 40_000, 5, END_MS), 1: delays(ONE_QUEUE, 90_000, 7, END_MS, start_ms=2_030)}
    origin_ns = int(traces[0][0][0])
    assert opinions(TREND_LINE, "default", traces, END_MS)[0].time_ns == origin_ns + (20 + 111) * 100 * MS
    short = {
        one: (times_ns[times_ns < 13_000 * MS], values[times_ns < 13_000 * MS])
        for one, (times_ns, values) in traces.items()
    }
    assert opinions(TREND_LINE, "default", short, 13_000) == []


def test_a_constant_delay_is_no_queue() -> None:
    flat = np.arange(0, END_MS * MS, 5 * MS), np.full(END_MS // 5, 50_000)
    for other in (flat, delays(ONE_QUEUE, 40_000, 7, END_MS)):
        found = opinions(TREND_LINE, "default", {0: flat, 1: other}, END_MS)
        assert [opinion.partition for opinion in found] == [APART]


def test_a_silent_subflow_is_not_shared_after_a_window() -> None:
    """Its last run ends when it falls silent; a window of 100 groups later that no longer holds."""
    traces = {0: delays(ONE_QUEUE, 40_000, 5, 40_000), 1: delays(ONE_QUEUE, 90_000, 7, 15_000)}
    found = opinions(TREND_LINE, "default", traces, 40_000)
    assert [opinion.partition for opinion in found] == [SHARED, APART]
    assert 24_000 * MS < found[1].time_ns < 25_200 * MS


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("preset", "mean"), [("default", "harmonic"), ("owd", "arithmetic")])
def test_against_a_plain_recomputation(seed: int, preset: str, mean: str) -> None:
    """Whole connections of random queues, some with gaps: the same opinions at the same times."""
    rng = np.random.default_rng(seed)
    queue = int(rng.integers(300, 3000)), int(rng.integers(5_000, 200_000))
    traces = {}
    for subflow_id in (0, 1):
        own = queue if rng.random() < 0.5 else (int(rng.integers(300, 3000)), int(rng.integers(5_000, 200_000)))
        times_ns, values = delays(own, int(rng.integers(20_000, 200_000)), int(rng.integers(2, 15)), END_MS)
        kept = (times_ns < 14_000 * MS) | (times_ns > int(rng.integers(14_000, 16_000)) * MS)
        traces[subflow_id] = times_ns[kept], values[kept]
    origin_ns = int(min(times_ns[0] for times_ns, _ in traces.values()))
    groups = (END_MS * MS - origin_ns) // (100 * MS)
    slopes = [slopes_plainly(trace, origin_ns, groups, mean) for trace in traces.values()]
    expected: list[tuple[int, tuple[int, int]]] = []
    for number, verdict in enumerate(verdicts_plainly(*slopes)):
        partition = SHARED if verdict else APART
        if verdict is not None and (not expected or expected[-1][1] != partition):
            expected.append((origin_ns + (number + 1) * 100 * MS, partition))
    found = opinions(TREND_LINE, preset, traces, END_MS)
    assert [(opinion.time_ns, opinion.partition) for opinion in found] == expected


@pytest.mark.parametrize("mean", ["harmonic", "arithmetic"])
def test_smoothing_and_slope_go_on_over_groups(mean: str) -> None:
    rng = np.random.default_rng(7)
    times_ns = np.cumsum(rng.integers(1, 10, 90)) * MS + 1_700_000_000_000_000_000
    values = rng.integers(20_000, 300_000, 90).tolist()
    trend = Trend(Trending(mean="harmonic" if mean == "harmonic" else "arithmetic"))
    expected = smoothed_plainly(values, mean)
    for part in (slice(0, 12), slice(12, 50), slice(50, 90)):
        for time_ns, value in zip(times_ns[part].tolist(), values[part], strict=True):
            trend.delay(time_ns, value)
        assert trend.smoothed_us == pytest.approx(expected[part], rel=1e-12)
        line = np.polyfit((times_ns[part] - times_ns[part][0]) / 1e9, expected[part], 1)
        assert trend.close() == pytest.approx(line[0], rel=1e-9)


@pytest.mark.parametrize(("value_at_end", "partition"), [(51_000, SHARED), (49_000, APART)])
def test_a_delay_at_the_end_of_a_group_is_in_it(value_at_end: int, partition: tuple[int, int]) -> None:
    """Delays in the middle and at the end of each group alone say whether it rises or falls."""
    events = [
        Event(half * 50 * MS, subflow_id, Kind.RTT, value_at_end if half % 2 == 0 else 50_000)
        for half in range(260)
        for subflow_id in (0, 1)
    ]
    found = replayed(TrendLine(Trending(smoothed_over=1)), [0, 1], events, 13_000 * MS)
    assert [opinion.partition for opinion in found] == [partition]


def test_no_line_without_two_times() -> None:
    assert slope_per_s([], []) is None
    assert slope_per_s([5], [1.0]) is None
    assert slope_per_s([5, 5], [1.0, 2.0]) is None


def test_error_of_slopes_by_hand() -> None:
    assert slope_error(20.0, 15.0) == 0.25
    assert slope_error(7.0, 7.0) == 0.0
    assert slope_error(0.0, 7.0) is None
    assert slope_error(7.0, -1.0) is None
    assert slope_error(None, 7.0) is None


def said(pairs: Sequence[tuple[float | None, float | None]]) -> list[bool | None]:
    """Return the verdicts on groups of given slopes, without any left out and with a window of 60."""
    rises = Rises(Trending(skipped_groups=0, window_groups=60))
    return [rises.close(*pair) for pair in pairs]


def test_a_run_by_hand() -> None:
    """Three close slopes in a run are one queue, two are not; slow rises neither count nor end it."""
    close, apart, slow, end = (20e3, 19e3), (20e3, 15e3), (20e3, 9e3), (-1.0, 20e3)
    before = [end] * 59
    assert said([*before, close, close, close])[-1] is False  # not over yet
    assert said([*before, close, close, close, end])[-1] is True
    assert said([*before, close, slow, close, slow, apart, close, end])[-1] is True
    assert said([*before, close, close, apart, end])[-1] is False
    assert said([*before, close, close, end, close, end])[-1] is False
    assert said([*before, *[apart] * 9, end])[-1] is False
    assert said([*before, *[apart] * 10, end])[-1] is True
    assert said([*before, close, close, close, (None, 20e3)])[-1] is True


@pytest.mark.parametrize(("skipped", "verdict"), [(2, True), (3, False)])
def test_first_groups_are_left_out(skipped: int, verdict: bool) -> None:
    """Of five groups with close slopes, three are left with two skipped, and two with three."""
    rises = Rises(Trending(skipped_groups=skipped, window_groups=4))
    verdicts = [rises.close(20e3, 20e3) for _ in range(5)] + [rises.close(None, None) for _ in range(3)]
    assert verdicts[: skipped + 3] == [None] * (skipped + 3)
    assert verdicts[-1] is verdict


def test_a_run_without_end_is_judged_after_51_groups() -> None:
    close = (20e3, 19e3)
    verdicts = said([close] * 120)
    assert verdicts[:59] == [None] * 59
    assert (
        verdicts[59:] == [True] * 61
    )  # judged at the 52nd group, which a window of 60 holds up to the next, the 103rd
    assert said([*[(-1.0, 1.0)] * 59, *[close] * 51])[-1] is False
    assert said([*[(-1.0, 1.0)] * 59, *[close] * 52])[-1] is True


def test_what_is_said_holds_for_the_window() -> None:
    end = (-1.0, 20e3)
    verdicts = said([end] * 59 + [(20e3, 20e3)] * 3 + [end] * 80)
    assert verdicts[62:] == [True] * 60 + [False] * 20
