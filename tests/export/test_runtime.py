"""The exported runtime finds, from a sender's signals, the windows that the pipeline finds, and the same features."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smartsbd.detectors.bounded_process import ProcessLimits
from smartsbd.detectors.partition import Partition, numbered
from smartsbd.export import compilers, emit_c, header_program, model_file
from smartsbd.export.compilers import Compiler
from smartsbd.export.layout import LAYOUTS, Layout
from smartsbd.export.tree import NOT_SHARED, SHARED, Branch, Forest, from_fitted
from smartsbd.models.stored.window_opinions import WindowVerdict, opinions_of
from tests.export import made, streams
from tests.export.streams import Event, Found, Stream, in_order, replayed
from tests.night import few_now

US = 1_000
#: What a kind is there for must happen.
HAPPENS: dict[str, Callable[[Stream, Found], bool]] = {
    "on the grid": lambda stream, window: any(
        event.time_ns == window.start_ns + window.window_ns and event.kind == "RTT" for event in stream.events
    ),
    "hours": lambda stream, window: streams.largest_product(stream, window) >= 1 << 63,
    "coarse": lambda _, window: window.source is not None and window.source.window.coarsened,
    "clamped": lambda _, window: window.source is not None and window.source.grid.saturated > 0,
    "many": lambda stream, _: len(stream.subflows()) == 5,
    "late": lambda _, window: window.start_ns > 1 << 61,
}


def made_streams(kind: str) -> list[Stream]:
    return [streams.made(np.random.default_rng(seed), streams.KINDS[kind]) for seed in range(streams.KINDS[kind].seeds)]


@pytest.mark.parametrize("kind", few_now(streams.KINDS, now=["plain", "clamped", "on the edges"]))
def test_windows_and_features_are_the_pipelines(kind: str, loaded: Path, checked: Path, all_features: Path) -> None:
    connections = made_streams(kind)
    lines = b"".join(one.lines(token) for token, one in enumerate(connections))
    found = replayed(loaded, lines, "-f", all_features)
    rejected = 0
    for token, stream in enumerate(connections):
        expected, without = stream.tiled()
        rejected += without
        assert in_order(found.windows.get(token, [])) == in_order(expected), token
        assert sorted(found.groups[token]) == stream.subflows()
    decided = sum(len(windows) for windows in found.windows.values())
    assert found.counts == {
        "lines": lines.count(b"\n"),
        "left out": 0,
        "refused": 0,
        "decided": decided,
        "rejected": rejected,
        "missed": 0,
    }
    assert found.exit_code == 0 and decided >= 20
    assert kind not in ("sparse", "on the edges", "silent") or rejected > 300
    if kind in HAPPENS:
        assert any(HAPPENS[kind](stream, window) for stream in connections for window in stream.tiled()[0])
    assert replayed(checked, lines, "-f", all_features) == found


@pytest.mark.slow
@pytest.mark.parametrize("kind", streams.KINDS)
def test_windows_that_begin_anew(kind: str, loaded: Path, all_features: Path) -> None:
    lines, expected = b"", {}
    for token, stream in enumerate(made_streams(kind)):
        rng = np.random.default_rng(token)
        known = [pair for pair in stream.pairs() if all(own.rtt_us.size for own in map(stream.signals, pair))]
        for x, y in known:
            first_ns = max(int(stream.signals(subflow).rtt_time_ns[0]) for subflow in (x, y))
            times = [event.time_ns for event in stream.events if event.time_ns >= first_ns]
            at_ns = min(int(rng.choice(times)) + int(rng.choice([0, 0, 1])), stream.end_ns)
            # Said first, the samples of that time are not there yet.
            first = bool(rng.random() < 0.5) and at_ns > first_ns
            stream.restarts.append((at_ns, *rng.permutation([x, y]).tolist(), first))
            expected[token, (x, y)] = at_ns, in_order(stream.placed(at_ns, (x, y)))
        lines += stream.lines(token)
    found = replayed(loaded, lines, "-f", all_features)
    assert found.exit_code == 0
    for (token, pair), (at_ns, windows) in expected.items():
        own = [one for one in found.windows.get(token, []) if one.pair == pair and one.start_ns >= at_ns]
        assert in_order(own) == windows, (token, pair)
    assert sum(len(windows) for _, windows in expected.values()) > 5


def partition_of(groups: dict[int, str]) -> Partition:
    return numbered([None if groups[one] == "-" else int(groups[one]) for one in sorted(groups)])


@pytest.mark.parametrize("kind", few_now(["plain", "many", "silent"], now=["many"]))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_header_decides_and_parts_as_its_model_does(
    kind: str, layout: Layout, headers: Path, gcc: Compiler, tmp_path: Path
) -> None:
    connections = made_streams(kind)
    windows = [in_order(stream.tiled()[0]) for stream in connections]
    x = np.array([[one.features[name] for name in made.NAMES] for own in windows for one in own])
    forest = from_fitted(made.forest_of(x, np.random.default_rng(0).random(len(x)) < 0.5, depth=3, trees=13))
    made.write_runtime(tmp_path)
    (tmp_path / "sbd_made.h").write_text(emit_c.render_model(forest, made.header("sbd_made", layout)))
    program = header_program.build(tmp_path, tmp_path, "sbd_made", gcc)
    found = replayed(program, b"".join(one.lines(token) for token, one in enumerate(connections)), "-f")
    assert found.exit_code == 0
    said, partitions = [], set()
    for token, (stream, expected) in enumerate(zip(connections, windows, strict=True)):
        own = found.windows.get(token, [])
        assert [(one.pair, one.start_ns) for one in in_order(own)] == [(one.pair, one.start_ns) for one in expected]
        verdict_of = {(one.pair, one.start_ns): made.shared(forest, one.features) for one in expected}
        for one, verdict in zip(own, found.verdicts.get(token, []), strict=True):
            assert verdict == verdict_of[one.pair, one.start_ns]
            assert list(one.features) == list(forest.features())
        said += list(verdict_of.values())
        verdicts = [
            WindowVerdict(one.start_ns + one.window_ns, one.pair, verdict_of[one.pair, one.start_ns])
            for one in expected
        ]
        opinions = opinions_of(verdicts, stream.subflows())
        last = opinions[-1].partition if opinions else (None,) * len(stream.subflows())
        assert partition_of(found.groups[token]) == last, token
        partitions.add(last)
    assert 0.1 < np.mean(said) < 0.9
    assert len(partitions) > (4 if kind == "many" else 2)


def stream_of(*events: tuple[int, int, str, int], end_us: int) -> Stream:
    """A stream of times in microseconds; both subflows are congested, and have acknowledged twice, from the start."""
    begun = [(0, subflow, kind, value) for subflow in (0, 1) for kind, value in (("CA", 3), ("ACK", 0))]
    begun += [(1, subflow, "ACK", 1) for subflow in (0, 1)]
    rows = sorted([*begun, *events], key=lambda row: row[0])
    return Stream([Event(time_us * US, subflow, kind, value) for time_us, subflow, kind, value in rows], end_us * US)


#: A window of 50 us from 0, one from 50 and one from 100: samples, the end, and the windows there are.
BY_HAND: dict[str, tuple[list[tuple[int, int]], int, list[int]]] = {
    "a sample each": ([(0, 0), (0, 1), (20, 0), (30, 1)], 50, [0]),
    "the trace ends before": ([(0, 0), (0, 1), (20, 0), (30, 1)], 49, []),
    "on the start alone": ([(0, 0), (0, 1)], 100, [0]),
    "on the end counts for both": ([(0, 0), (0, 1), (50, 0), (50, 1)], 100, [0, 50]),
    "on the end, then silence": ([(0, 0), (0, 1), (50, 0), (50, 1), (500, 0), (500, 1)], 500, [0, 50, 450]),
    "on two ends": ([(0, 0), (0, 1), (50, 0), (50, 1), (100, 0), (100, 1)], 150, [0, 50, 100]),
    "one on the end alone": ([(0, 0), (0, 1), (50, 0), (60, 1), (120, 0), (120, 1)], 150, [0, 50, 100]),
    "one falls silent": (
        [(0, 0), (0, 1), (10, 0), (60, 0), (110, 0), (120, 1), (160, 0), (160, 1)],
        200,
        [0, 100, 150],
    ),
    "both begin late": ([(7, 0), (9, 1), (30, 0), (31, 1)], 70, [9]),
}


@pytest.mark.parametrize("case", BY_HAND)
def test_windows_by_hand(case: str, loaded: Path, all_features: Path) -> None:
    samples, end_us, starts_us = BY_HAND[case]
    stream = stream_of(*((time_us, subflow, "RTT", 1) for time_us, subflow in samples), end_us=end_us)
    found = replayed(loaded, stream.lines(0xABC), "-f", all_features)
    assert [window.start_ns for window in found.windows.get(0xABC, [])] == [start_us * US for start_us in starts_us]
    assert found.windows.get(0xABC, []) == stream.tiled()[0]
    assert found.exit_code == 0


@pytest.mark.parametrize(
    ("first_us", "second_us", "points"),
    [(50, 681, 682), (2_043, 150, 682), (1, 681, 682), (6_810, 7, 682), (49, 681, 682), (51, 681, 668), (1, 683, 681)],
)
def test_grids_of_many_points(first_us: int, second_us: int, points: int, loaded: Path, all_features: Path) -> None:
    rng = np.random.default_rng(points)
    end_us = 130 * max(first_us, second_us)
    samples = [(0, subflow, "RTT", own) for subflow, own in enumerate((first_us, second_us))]
    for subflow, own_us in enumerate((first_us, second_us)):
        for time_us in np.sort(rng.integers(1, end_us, size=900)).tolist():
            samples.append((time_us, subflow, "RTT", own_us + int(rng.integers(0, 3_000))))
        acked = np.cumsum(rng.integers(0, 9_000, size=300)).tolist()
        times = np.sort(rng.integers(1, end_us, size=300)).tolist()
        samples += [(time_us, subflow, "ACK", own) for time_us, own in zip(times, acked, strict=True)]
        states = rng.integers(0, 5, size=300).tolist()
        samples += [(time_us, subflow, "CA", own) for time_us, own in zip(times, states, strict=True)]
    stream = stream_of(*samples, end_us=end_us)
    expected = stream.tiled()[0]
    assert replayed(loaded, stream.lines(1), "-f", all_features).windows[1] == expected
    assert [one.source.window.n for one in expected if one.source] == [points] * 2


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_equal_minimum_rtts_the_lower_number_is_the_denominator(
    order: tuple[int, int], loaded: Path, all_features: Path
) -> None:
    """Whichever subflow comes first; the spread of 5 is the numerator's."""
    samples = [(0, subflow, "RTT", 1) for subflow in order]
    wide = [(k, 1, "RTT", 1 + 10_000 * (k % 2)) for k in range(1, 52)]
    narrow = [(k, 0, "RTT", 1 + 2_000 * (k % 2)) for k in range(1, 52)]
    stream = stream_of(*samples, *wide, *narrow, end_us=50)
    (window,) = replayed(loaded, stream.lines(1), "-f", all_features).windows[1]
    assert window.pair == (0, 1)
    assert window.features["rtt_sd_ratio_q10"] == 5 * 1024
    assert window == stream.tiled()[0][0]


def test_the_last_of_several_signals_at_one_time_counts(loaded: Path, all_features: Path) -> None:
    samples = [
        (time_us, subflow, "RTT", rtt) for time_us in (0, 25, 50, 150) for subflow in (0, 1) for rtt in (9, 3, 2)
    ]
    states = [(time_us, 0, "CA", state) for time_us in (10, 60) for state in (3, 0, 4)]
    acks = [(20, 0, "ACK", acked) for acked in (1_000, 1_000_000)]
    stream = stream_of(*samples, *states, *acks, end_us=210)
    found = replayed(loaded, stream.lines(1), "-f", all_features)
    assert found.windows[1] == stream.tiled()[0]
    assert [window.window_ns for window in found.windows[1]] == [100 * US] * 2


@pytest.mark.parametrize(("gap_s", "low_us"), [(4, 20_000), (5, 20_000), (3_600, 20_000), (60_000_000, 60_000_000)])
@pytest.mark.parametrize("high", [False, True], ids=["down", "up"])
def test_a_jump_of_an_hour_over_a_gap_of_hours(
    gap_s: int, low_us: int, high: bool, loaded: Path, all_features: Path
) -> None:
    """The points of the first window lie between a sample on its start and one a gap later."""
    high_us = 4_294_967_295
    first, last = (low_us, high_us) if high else (high_us, low_us)
    samples = [(0, 0, "RTT", low_us), (0, 1, "RTT", low_us), (1_000, 0, "RTT", first), (2_000, 1, "RTT", low_us)]
    samples += [(gap_s * 1_000_000 + 5, 0, "RTT", last), (gap_s * 1_000_000 + 5, 1, "RTT", low_us)]
    stream = stream_of(*samples, end_us=gap_s * 1_000_000 + 10)
    found = replayed(loaded, stream.lines(1), "-f", all_features)
    expected = stream.tiled()[0]
    assert found.windows[1] == expected and found.windows[1][0].start_ns == 0
    source = expected[0].source
    assert source is not None and len(set(source.rtts_us()[0].tolist())) > 40


STEPS = st.tuples(
    st.sampled_from([0, 0, 0, 1, 2, 3, 10, 49, 50, 51, 99, 100, 101, 150, 200, 201, 350]),
    st.sampled_from([0, 0, 1, 1, 2]),
    st.sampled_from(
        [("RTT", 1), ("RTT", 1), ("RTT", 2), ("RTT", 3), ("CA", 0), ("CA", 3), ("CA", 4), ("ACK", 0), ("ACK", 7)]
    ),
)


@given(st.lists(STEPS, min_size=4, max_size=40), st.sampled_from([0, 1, 50, 100, 1_000]))
@settings(max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_whatever_comes_on_a_coarse_clock(
    loaded: Path, all_features: Path, steps: list[tuple[int, int, tuple[str, int]]], later: int
) -> None:
    """Times are halves of the smallest RTT: signals meet each other, the grid, and the ends of windows."""
    events = [Event(0, subflow, kind, value) for subflow in (0, 1) for kind, value in (("CA", 3), ("RTT", 1))]
    acked = {0: 0, 1: 0, 2: 0}
    now = 0
    for step, subflow, (kind, value) in steps:
        now += step
        acked[subflow] += value if kind == "ACK" else 0
        events.append(Event(now * 500, subflow, kind, acked[subflow] if kind == "ACK" else value))
    stream = Stream(events, (now + later) * 500)
    found = replayed(loaded, stream.lines(1), "-f", all_features)
    expected, rejected = stream.tiled()
    assert in_order(found.windows.get(1, [])) == in_order(expected)
    assert (found.counts["rejected"], found.exit_code) == (rejected, 0)


def test_calls_by_hand(headers: Path, gcc: Compiler, tmp_path: Path) -> None:
    """What the runtime's calls promise, said in C; helpers against 128 bits."""
    program = tmp_path / "calls"
    compilers.compiled(gcc, Path(__file__).with_name("calls.c"), program, ["-I", str(headers), "-lm", *made.SANITIZERS])
    # What checks addresses maps more of them than a compiler may.
    compilers.run([str(program)], ProcessLimits(time_s=300, file_bytes=1 << 20))


def test_only_features_that_are_taken_are_told(loaded: Path, tmp_path: Path) -> None:
    file = tmp_path / "made.sbd"
    file.write_bytes(model_file.content(Forest((Branch("min_rtt_ratio_q10", 1024, SHARED, NOT_SHARED),))))
    for second_us, verdict in ((1, True), (2, False)):
        samples = [(0, 0, "RTT", 1), (0, 1, "RTT", second_us), (9, 0, "RTT", 1), (9, 1, "RTT", second_us)]
        found = replayed(loaded, stream_of(*samples, end_us=100).lines(1), "-f", file)
        assert set(found.verdicts[1]) == {verdict}
        assert found.windows[1][0].features == {"min_rtt_ratio_q10": 1024 * second_us}
