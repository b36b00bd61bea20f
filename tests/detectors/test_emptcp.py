"""EMPTCP-R: hand-made marks, and a plain re-computation of every slot from the whole list of events."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartsbd.detectors import replayed
from smartsbd.detectors.emptcp import Emptcp, Slots
from smartsbd.detectors.event import Event, Kind
from smartsbd.detectors.partition import Partition

MS = 1_000_000
APART, SHARED = (0, 1), (0, 0)


def rtt(time_ms: float, subflow_id: int, value_ms: float) -> Event:
    return Event(round(time_ms * MS), subflow_id, Kind.RTT, round(value_ms * 1000))


def marks(*moments: tuple[float, int]) -> list[Event]:
    """Marked ACKs at (ms, subflow)."""
    return [Event(round(ms * MS), one, kind, 1448) for ms, one in moments for kind in (Kind.ACK, Kind.MARK)]


def acks(*moments: tuple[float, int]) -> list[Event]:
    return [Event(round(ms * MS), one, Kind.ACK, 1448) for ms, one in moments]


#: Smoothed RTTs of 100 and 60 ms. Of the slot that the first sample begins, subflow 1 is no part yet.
RTTS = [rtt(0, 0, 100), rtt(0, 1, 60)]
#: Slots of 100 ms: 0 to 100 ms, and so on.
RTT_LONG = Slots(slot_srtts=1)


def in_order(slots: Slots, events: list[Event]) -> list[Event]:
    wanted = Emptcp(slots).kinds
    return sorted(
        (event for event in events if event.kind in wanted),
        key=lambda event: (event.time_ns, event.kind, event.subflow_id),
    )


def said(
    slots: Slots, events: list[Event], end_ms: float = 100_000, subflows: int = 2
) -> list[tuple[float, Partition]]:
    """What is said from when (ms) on."""
    opinions = replayed(Emptcp(slots), range(subflows), in_order(slots, events), round(end_ms * MS))
    return [(opinion.time_ns / MS, opinion.partition) for opinion in opinions]


def test_exactly_half_of_the_slots_with_a_mark_are_enough() -> None:
    # Both in 1 of 1, 1 of 2, 1 of 3, 2 of 4 slots.
    events = RTTS + marks((110, 0), (190, 1), (250, 0), (310, 1), (320, 1), (410, 0), (420, 1))
    assert said(RTT_LONG, events) == [(200, SHARED), (400, APART), (500, SHARED)]
    assert said(Slots(slot_srtts=1, share=0.6), events) == [(200, SHARED), (300, APART)]
    # 1 of 3 and 2 of 4 are at least a third.
    assert said(Slots(slot_srtts=1, share=1 / 3), events) == [(200, SHARED)]


def test_slots_without_a_mark_do_not_count() -> None:
    events = RTTS + marks((110, 0), (190, 1), (50_000, 0), (90_000, 1))
    # 1 of 1, then from 50,100 ms on 1 of 2, from 90,100 ms on 1 of 3.
    assert said(RTT_LONG, events) == [(200, SHARED), (90_100, APART)]


@pytest.mark.parametrize(("second_ms", "partition"), [(199.999999, SHARED), (200, APART)])
def test_a_slot_ends_before_its_end(second_ms: float, partition: Partition) -> None:
    assert said(RTT_LONG, RTTS + marks((110, 0), (second_ms, 1)), end_ms=200) == [(200, partition)]


@pytest.mark.parametrize(("second_ms", "partition"), [(10_099, SHARED), (10_100, APART)])
def test_slots_keep_their_places_while_nothing_happens(second_ms: float, partition: Partition) -> None:
    assert said(RTT_LONG, RTTS + marks((10_050, 0), (second_ms, 1)))[0] == (10_100, partition)


def test_slots_of_more_rtts() -> None:
    # Of 100 ms: 400 to 500 and 700 to 800. Of 400 ms: 400 to 800.
    events = RTTS + marks((410, 0), (790, 1))
    assert said(RTT_LONG, events) == [(500, APART)]
    assert said(Slots(slot_srtts=4), events) == [(800, SHARED)]


def test_a_slot_is_as_long_as_the_rtt_was_when_it_began() -> None:
    # At 150 ms the smoothed RTT becomes (7 * 100 + 900) / 8 = 200 ms: slots from 100 to 200, from 200 to 400 ms.
    events = [*RTTS, rtt(150, 0, 900), *marks((190, 0), (210, 1))]
    assert said(RTT_LONG, events) == [(200, APART)]
    assert said(RTT_LONG, [*RTTS, rtt(150, 0, 900), *marks((210, 0), (390, 1))]) == [(400, SHARED)]


def test_without_marks_there_is_no_opinion() -> None:
    events = RTTS + acks((10, 0), (20, 1), (500, 0), (5000, 1))
    for slots in (Slots(), RTT_LONG):
        assert said(slots, events) == []
        detector = Emptcp(slots)
        detector.reset([0, 1])
        for event in in_order(slots, events):
            detector.on_event(*event)
        assert detector.groups(10_000 * MS) == (None, None)


def test_marks_of_one_subflow_alone_are_apart() -> None:
    assert said(RTT_LONG, RTTS + marks((110, 0), (120, 0))) == [(200, APART)]


def test_a_subflow_without_an_rtt_sample_is_not_compared() -> None:
    assert said(RTT_LONG, [rtt(0, 0, 100), *marks((110, 0), (120, 1))]) == []
    assert said(RTT_LONG, marks((110, 0), (120, 1))) == []


def test_bursts_lengthen_a_slot() -> None:
    # Marks from 10 to 30 ms, and an ACK without one at 40 ms: a burst of 20 ms, so the next slot is from 100 to 220 ms.
    burst = [*RTTS, *marks((10, 0), (20, 0), (30, 0)), *acks((40, 0))]
    later = marks((150, 0), (210, 1))
    assert said(Slots(), burst + later) == [(220, SHARED)]
    assert said(RTT_LONG, burst + later) == [(200, APART)]
    # Without the ACK at 40 ms the burst is not over.
    assert said(Slots(), [event for event in burst if event.time_ns != 40 * MS] + later) == [(200, APART)]
    # ACKs of one moment are one: 30 ms is marked, though only one of its two ACKs is.
    assert said(Slots(), burst + acks((20, 0), (30, 0)) + later) == [(220, SHARED)]
    # An ACK of subflow 1 is no end of subflow 0's burst.
    assert said(Slots(), [*RTTS, *marks((10, 0), (30, 0)), *acks((40, 1)), *later]) == [(200, APART)]


def test_a_single_mark_is_a_burst_of_no_length() -> None:
    events = [*RTTS, *marks((10, 0)), *acks((40, 0)), *marks((150, 0), (210, 1))]
    assert said(Slots(), events) == [(200, APART)]


def test_three_subflows() -> None:
    rtts = [*RTTS, rtt(0, 2, 80)]
    # 0 and 1 in one slot, 2 in another.
    assert said(RTT_LONG, rtts + marks((110, 0), (120, 1), (210, 2)), subflows=3) == [(200, (0, 0, 1))]
    # 2 without a mark, so far, differs from both in the slot that they have; then it is with both in 2 of 3.
    events = rtts + marks((110, 0), (120, 1), *((slot + one, one) for slot in (210, 310) for one in (0, 1, 2)))
    assert said(RTT_LONG, events, subflows=3) == [(200, (0, 0, 1)), (300, (0, 0, 0))]


def test_what_it_wants() -> None:
    assert Emptcp(Slots()).kinds == {Kind.RTT, Kind.ACK, Kind.MARK}
    assert Emptcp(RTT_LONG).kinds == {Kind.RTT, Kind.MARK}


def test_traces_of_known_answer() -> None:
    # Every 500 ms a queue marks ACKs for 40 ms. Both subflows pass it, or each its own, 250 ms apart.
    for late_ms, partition in ((0, SHARED), (250, APART)):
        events = [*RTTS]
        for tick_ms in range(5, 20_000, 10):
            for one, shift_ms in ((0, 0), (1, late_ms)):
                marked = (tick_ms - shift_ms) % 500 < 40
                events += marks((tick_ms, one)) if marked else acks((tick_ms, one))
        for slots in (Slots(), RTT_LONG):
            assert said(slots, events)[-1][1] == partition


@pytest.mark.parametrize("bad", [{"slot_srtts": 0}, {"share": 0}, {"share": 1.1}])
def test_parameters_out_of_range(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Slots(**bad)


def naive_length_ns(slots: Slots, known: list[Event], subflows: range) -> int:
    """D, of what is known."""
    srtts = dict.fromkeys(subflows, 0)
    for event in known:
        if event.kind == Kind.RTT:
            srtt = srtts[event.subflow_id]
            srtts[event.subflow_id] = srtt + (event.value - srtt // 8) if srtt else 8 * event.value
    longest_ns = max(srtts.values()) * 125
    if slots.slot_srtts is not None:
        return math.ceil(slots.slot_srtts * longest_ns)
    bursts = []
    for one in subflows:
        own = [event for event in known if event.subflow_id == one]
        marked_ns = {event.time_ns for event in own if event.kind == Kind.MARK}
        moments = sorted({event.time_ns for event in own if event.kind == Kind.ACK})
        runs = [(marked, [*run]) for marked, run in itertools.groupby(moments, marked_ns.__contains__)]
        bursts += [run[-1] - run[0] for marked, run in runs[:-1] if marked]
    for length_ns in sorted(bursts):
        if sum(burst <= length_ns for burst in bursts) * 100 >= 99 * len(bursts):
            return longest_ns + length_ns
    return longest_ns


def naive(slots: Slots, events: list[Event], subflows: range, end_ns: int) -> list[tuple[int, Partition]]:
    """Slot after slot, empty or not; of two subflows."""
    first = next((place for place, event in enumerate(events) if event.kind == Kind.RTT), None)
    if first is None:
        return []
    start_ns, known = events[first].time_ns, events[: first + 1]
    lowest_ns = -1
    either = both = 0
    said: list[tuple[int, Partition]] = []
    while True:
        until_ns = start_ns + naive_length_ns(slots, known, subflows)
        if until_ns > end_ns:
            return said
        with_rtt = {event.subflow_id for event in known if event.kind == Kind.RTT}
        marked = {
            event.subflow_id for event in events if event.kind == Kind.MARK and lowest_ns <= event.time_ns < until_ns
        }
        if with_rtt == set(subflows):
            either += len(marked) > 0
            both += len(marked) == 2
        if either:
            partition = SHARED if both / either >= slots.share else APART
            if not said or said[-1][1] != partition:
                said.append((until_ns, partition))
        start_ns = lowest_ns = until_ns
        known = [event for event in events if event.time_ns < until_ns]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Slots, list[Event], int]:
    slots = Slots(
        slot_srtts=draw(st.sampled_from([None, None, 1.0, 2.0])), share=draw(st.sampled_from([0.5, 0.25, 1.0]))
    )
    tenth_s = st.integers(0, 100).map(lambda tenths: tenths * 100 * MS)
    moments = st.tuples(tenth_s, st.sampled_from([0, 1]), st.booleans(), st.sampled_from([None, 200, 400, 600]))
    events = []
    for time_ns, one, marked, rtt_ms in draw(st.lists(moments, min_size=1, max_size=60)):
        events.append(Event(time_ns, one, Kind.ACK, 1448))
        events += [Event(time_ns, one, Kind.MARK, 1448)] if marked else []
        events += [] if rtt_ms is None else [Event(time_ns, one, Kind.RTT, rtt_ms * 1000)]
    return slots, in_order(slots, events), 10_000 * MS + draw(st.integers(0, 10)) * 100 * MS


@settings(max_examples=300, deadline=None, derandomize=True)
@given(cases())
def test_equals_a_plain_recomputation(case: tuple[Slots, list[Event], int]) -> None:
    slots, events, end_ns = case
    found = [(one.time_ns, one.partition) for one in replayed(Emptcp(slots), [0, 1], events, end_ns)]
    assert found == naive(slots, events, range(2), end_ns)
