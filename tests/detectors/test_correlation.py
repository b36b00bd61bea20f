"""Correlation over a window that moves: against numpy over the whole series, and answers known by construction."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from smartsbd.detectors import replayed
from smartsbd.detectors.correlation import Correlating, Correlation
from smartsbd.detectors.event import Event, Kind
from smartsbd.detectors.pairwise import DelayPair
from tests.detectors.traces_made import BASES_US, NS_PER_MS, delays, queue_us


@pytest.mark.parametrize("of", ["pearson", "spearman"])
def test_verdicts_are_those_of_the_whole_series(of: str) -> None:
    rng = np.random.default_rng(5)
    common, own = queue_us(1, 3000), queue_us(2, 3000)
    # Common and own queue in turns: verdicts change.
    mixed = np.where(np.arange(3000) // 600 % 2 == 0, common, own) + rng.integers(0, 500, 3000)
    events = delays([common, mixed])
    correlating = Correlating(of=of, window_ms=4000, step_ms=500, points=101, threshold=0.6)  # type: ignore[arg-type]
    opinions = {one.time_ns: one.partition for one in replayed(Correlation(correlating), [0, 1], events, 10**11)}

    time_ns, value = ([np.array([getattr(e, n) for e in events if e.subflow_id == i]) for i in (0, 1)] for n in
                      ("time_ns", "value"))  # fmt: skip
    expected: dict[int, tuple[int, int]] = {}
    partition = None
    for step in range(1, 200):
        end_ns = events[0].time_ns + step * 500 * NS_PER_MS
        start_ns = end_ns - 4000 * NS_PER_MS
        if start_ns < time_ns[1][0]:
            continue
        grid = np.linspace(start_ns, end_ns, 101).astype(np.int64)
        within = [(t >= start_ns) & (t <= end_ns) for t in time_ns]
        if min(w.sum() for w in within) < 2:
            break
        series = [np.interp(grid, t[w], v[w]) for t, v, w in zip(time_ns, value, within, strict=True)]
        r = np.corrcoef(*series)[0, 1] if of == "pearson" else spearmanr(*series).statistic
        if not np.isnan(r):
            now = (0, 0) if r >= 0.6 else (0, 1)
            if now != partition:
                expected[end_ns] = partition = now
    assert opinions == expected
    assert len(expected) > 3


@pytest.mark.parametrize("seed", range(3))
def test_answers_known_by_construction(seed: int) -> None:
    common, other = queue_us(seed, 3000), queue_us(100 + seed, 3000)
    events = delays([common, other, 3 * common])
    opinions = replayed(Correlation(Correlating(window_ms=10_000)), [0, 1, 2], events, events[-1].time_ns)
    assert opinions[-1].partition == (0, 1, 0)


def test_the_window_is_so_many_of_the_largest_minimum_and_must_be_full() -> None:
    common = queue_us(1, 3000)
    events = delays([common, common])
    opinions = replayed(Correlation(Correlating(window_rtts=50)), [0, 1], events, events[-1].time_ns)
    # 50 of at least the larger base; the first step of 500 ms after it.
    least_ns = 50 * BASES_US[1] * 1000
    assert least_ns <= opinions[0].time_ns - events[1].time_ns < 50 * (BASES_US[1] + 60_000) * 1000


def test_a_constant_delay_tells_nothing() -> None:
    events = delays([queue_us(1, 3000), np.zeros(3000, dtype=np.int64)])
    assert replayed(Correlation(Correlating()), [0, 1], events, events[-1].time_ns) == []


def test_a_pause_leaves_the_last_verdict() -> None:
    common = queue_us(1, 3000)
    events = delays([common, common])
    late = Event(events[-1].time_ns + 60_000 * NS_PER_MS, 0, Kind.RTT, 50_000)
    opinions = replayed(Correlation(Correlating(window_ms=4000)), [0, 1], [*events, late], late.time_ns)
    assert [one.partition for one in opinions] == [(0, 0)]


def test_a_window_that_grows_or_follows_a_silence_is_waited_for() -> None:
    common = queue_us(1, 3000)
    three = delays([common, common, common])
    # Subflow 2 joins at 15 s with the largest base: the window, 50 of its smallest RTT, grows by half at least.
    late = [event for event in three if event.subflow_id != 1 and (event.subflow_id == 0 or event.time_ns > 15 * 10**9)]
    seen: list[tuple[int, int]] = []

    class Watched(Correlation):
        def judge(self, first: DelayPair, second: DelayPair, start_ns: int, end_ns: int) -> bool | None:
            seen.append((start_ns, end_ns))
            for own in (first, second):
                assert own.time_ns[0] - start_ns < 50 * NS_PER_MS, "the window begins with delays"
            return super().judge(first, second, start_ns, end_ns)

    renumbered = [event._replace(subflow_id=min(event.subflow_id, 1)) for event in late]
    silent = [event for event in renumbered if not 22 * 10**9 < event.time_ns < 25 * 10**9]
    replayed(Watched(Correlating(window_ms=2000)), [0, 1], silent, silent[-1].time_ns)
    ends = [end_ns for _, end_ns in seen]
    assert min(ends) > 17 * 10**9
    assert not [end_ns for end_ns in ends if 25 * 10**9 < end_ns < 27 * 10**9]
    assert [end_ns for end_ns in ends if end_ns > 27 * 10**9]
    seen.clear()
    grown = [event for event in three if event.subflow_id < 2 or event.time_ns > 15 * 10**9]
    replayed(Watched(Correlating(window_rtts=50)), [0, 1, 2], grown, 30 * 10**9)
    assert seen
