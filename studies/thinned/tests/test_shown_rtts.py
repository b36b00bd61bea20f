"""What other tools show of made samples: by counting ticks, and by the kernel's own arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsbd.features.series import SubflowSignals
from studies.thinned.shown_rtts import TOOLS, Ticks, echoes, last_of_each, polled, polled_news, smoothed_signals

MS = 1_000_000
NONE = SubflowSignals.of_rtts([], [])


def rows(signals: SubflowSignals) -> list[tuple[int, int]]:
    return list(zip(signals.rtt_time_ns.tolist(), signals.rtt_us.tolist(), strict=True))


@st.composite
def subflows(draw: st.DrawFn) -> SubflowSignals:
    gaps = draw(st.lists(st.integers(0, 60 * MS), max_size=40))
    rtt_us = draw(st.lists(st.integers(1, 90_000), min_size=len(gaps), max_size=len(gaps)))
    return SubflowSignals.of_rtts(200 * MS + np.cumsum(np.array(gaps, dtype=np.int64)), rtt_us)


every_tick = st.builds(Ticks, st.sampled_from([MS, 10 * MS, 100 * MS]), st.integers(0, MS - 1))


def test_the_smoothed_rtt_is_the_kernels() -> None:
    """By hand, in eighths: 8000; 8000 - 1000 + 2000 = 9000; 9000 - 1125 + 1 = 7876; 7876 - 984 + 900 = 7792."""
    shown = smoothed_signals(SubflowSignals.of_rtts([1, 2, 3, 4], [1000, 2000, 1, 900]))
    assert rows(shown) == [(1, 1000), (2, 1125), (3, 984), (4, 974)]
    assert rows(smoothed_signals(NONE)) == []


@given(subflows())
def test_the_smoothed_rtt_is_within_two_microseconds_of_rfc_6298(signals: SubflowSignals) -> None:
    exact = Fraction(0)
    for place, (sample_us, shown_us) in enumerate(
        zip(signals.rtt_us.tolist(), smoothed_signals(signals).rtt_us.tolist(), strict=True)
    ):
        exact = Fraction(sample_us) if place == 0 else exact * Fraction(7, 8) + Fraction(sample_us, 8)
        assert -1 <= shown_us - exact < 2


def test_an_echo_is_the_first_segment_after_the_tick() -> None:
    """Ticks at 3, 13, 23 ... ms; segments leave at 2, 3, 4, 12, 25 and 26 ms, none between 33 and 43, one at 44."""
    left_ms, rtt_ms = [2, 3, 4, 12, 25, 26, 44], [20, 21, 22, 23, 15, 16, 17]
    signals = SubflowSignals.of_rtts(
        [MS * (left + rtt) for left, rtt in zip(left_ms, rtt_ms, strict=True)], [1000 * rtt for rtt in rtt_ms]
    )
    shown = echoes(signals, Ticks(10 * MS, 3 * MS), 0)
    assert rows(shown) == [(22 * MS, 20_000), (24 * MS, 21_000), (40 * MS, 15_000), (61 * MS, 17_000)]


def test_a_tick_is_answered_once_though_acks_come_out_of_order() -> None:
    """Segments left at 15, 1, 16 and 35 ms, in order of their ACKs: the tick at 10 ms is answered by the first."""
    signals = SubflowSignals.of_rtts([30 * MS, 31 * MS, 45 * MS, 50 * MS], [15_000, 30_000, 29_000, 15_000])
    assert rows(echoes(signals, Ticks(10 * MS, 0), 0)) == [(30 * MS, 15_000), (50 * MS, 15_000)]


def test_the_last_sample_between_two_ticks_stays() -> None:
    signals = SubflowSignals.of_rtts([3, 12, 13, 13, 22, 49], [1, 2, 3, 4, 5, 6])
    assert rows(last_of_each(signals, Ticks(10, 3), 0)) == [(12, 2), (22, 5), (49, 6)]


def test_who_asks_is_told_the_newest_again_and_again() -> None:
    signals = SubflowSignals.of_rtts([3, 12, 13, 13, 42], [1, 2, 3, 4, 5])
    asked = Ticks(10, 3)
    assert rows(polled(signals, asked, 52)) == [(3, 1), (13, 4), (23, 4), (33, 4), (43, 5)]
    assert rows(polled_news(signals, asked, 52)) == [(3, 1), (13, 4), (43, 5)]
    # The first answer comes after the first sample, however often one asks before.
    assert rows(polled(signals, Ticks(10, 1), 20)) == [(11, 1)]
    assert rows(polled(signals, Ticks(10, 1), 3)) == []


def test_news_is_a_sample_though_its_value_is_the_same() -> None:
    signals = SubflowSignals.of_rtts([1, 11, 31], [7, 7, 7])
    assert rows(polled_news(signals, Ticks(10, 0), 60)) == [(10, 7), (20, 7), (40, 7)]


@given(subflows(), every_tick, st.integers(0, 500 * MS))
def test_nothing_is_invented(signals: SubflowSignals, ticks: Ticks, longer_ns: int) -> None:
    """Samples that are shown are the subflow's; what is asked for is what held; no tick is answered twice."""
    end_ns = 200 * MS + longer_ns
    known = set(rows(signals))
    for show in (echoes, last_of_each):
        shown = show(signals, ticks, end_ns)
        assert set(rows(shown)) <= known
    numbers = ticks.numbers(last_of_each(signals, ticks, end_ns).rtt_time_ns).tolist()
    assert numbers == sorted(set(ticks.numbers(signals.rtt_time_ns).tolist()))
    for time_ns, rtt_us in rows(polled(signals, ticks, end_ns)):
        assert (time_ns - ticks.offset_ns) % ticks.interval_ns == 0
        assert time_ns <= end_ns
        assert rtt_us == [value for at_ns, value in rows(signals) if at_ns <= time_ns][-1]
    assert set(rows(polled_news(signals, ticks, end_ns))) <= set(rows(polled(signals, ticks, end_ns)))


@pytest.mark.parametrize("name", [name for name, tool in TOOLS.items() if tool.at_ticks])
def test_of_a_subflow_without_samples_nothing_is_shown(name: str) -> None:
    at_ticks = TOOLS[name].at_ticks
    assert at_ticks is not None
    assert rows(at_ticks(NONE, Ticks(10, 0), 100)) == []


def test_where_ticks_begin_is_drawn() -> None:
    drawn = [Ticks.draw(1000, [seed]).offset_ns for seed in range(50)]
    assert drawn == [Ticks.draw(1000, [seed]).offset_ns for seed in range(50)]
    assert len(set(drawn)) > 40
    assert 0 <= min(drawn) < 200 and 800 < max(drawn) < 1000
