"""C-MPBBR's rule: made rates, its count by the module's cases, and every number against a plain recomputation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartsbd.contracts.tables import CWR, DISORDER, LOSS_STATE, OPEN, RECOVERY
from smartsbd.detectors import replayed
from smartsbd.detectors.c_mpbbr import C_MPBBR, Bandwidth, CMpbbr, CountBefore, EqualRates, of_one_rate
from smartsbd.detectors.correlation import CORRELATION
from smartsbd.detectors.detector import DetectorKind, Opinion
from smartsbd.detectors.event import Event, Kind
from smartsbd.detectors.partition import Partition
from tests.detectors.queues_made import ONE_QUEUE, OTHER_QUEUE, sawtooth_us

pytestmark = pytest.mark.slow

MS = 1_000_000
APART, SHARED = (0, 1), (0, 0)
EVERY_MS = 10
#: Cycles of 800 ms where the longer RTT is 100 ms.
RTTS_MS = (50, 100)
CYCLE_MS = 800
#: A bandwidth forgets within a cycle what was before it.
SHORT = EqualRates(bandwidth_rounds=1)


def in_order(events: Sequence[Event]) -> list[Event]:
    return sorted(events, key=lambda event: (event.time_ns, event.kind, event.subflow_id))


def flow(subflow_id: int, rtt_ms: int, rates: Mapping[int, int], end_ms: int) -> list[Event]:
    """A subflow that is told an ACK and an RTT sample every 10 ms, at rates (bytes/ms) from times (ms) on."""
    acked_bytes, rate, events = 0, 0, []
    for time_ms in range(0, end_ms + 1, EVERY_MS):
        acked_bytes += EVERY_MS * rate
        rate = rates.get(time_ms, rate)
        events.append(Event(time_ms * MS, subflow_id, Kind.ACK, acked_bytes))
        events.append(Event(time_ms * MS, subflow_id, Kind.RTT, rtt_ms * 1000))
    return events


def steady(rates: Sequence[int], end_ms: int, rtts_ms: Sequence[int] = RTTS_MS) -> list[Event]:
    """Subflows of one rate each (bytes/ms)."""
    flows = zip(rtts_ms, rates, strict=True)
    return [event for one, (rtt_ms, rate) in enumerate(flows) for event in flow(one, rtt_ms, {0: rate}, end_ms)]


def queued(subflow_id: int, base_us: int, queue: tuple[int, int], bytes_per_ms: int, end_ms: int) -> list[Event]:
    """A subflow of one rate whose RTTs are those of a queue."""
    times_ns = np.arange(0, end_ms * MS, EVERY_MS * MS)
    rtts_us = base_us + sawtooth_us(times_ns, *queue)
    told = zip(times_ns.tolist(), rtts_us.tolist(), strict=True)
    return [
        event
        for time_ns, rtt_us in told
        for event in (
            Event(time_ns, subflow_id, Kind.ACK, time_ns // MS * bytes_per_ms),
            Event(time_ns, subflow_id, Kind.RTT, rtt_us),
        )
    ]


def last_of(kind: DetectorKind, events: Sequence[Event], end_ms: int) -> Partition:
    """What a detector with its default parameters says at the end."""
    detector = kind.build(kind.presets[kind.default])
    wanted = [event for event in in_order(events) if event.kind in detector.kinds]
    return replayed(detector, [0, 1], wanted, end_ms * MS)[-1].partition


def opinions(rates: EqualRates, events: Sequence[Event], end_ms: int = 100_000, subflows: int = 2) -> list[Opinion]:
    return replayed(CMpbbr(rates), range(subflows), in_order(events), end_ms * MS)


def said(rates: EqualRates, events: Sequence[Event], subflows: int = 2) -> list[tuple[float, Partition]]:
    """What is said from when (ms) on."""
    return [(one.time_ns / MS, one.partition) for one in opinions(rates, events, subflows=subflows)]


def test_equal_rates_on_separate_paths_are_taken_to_share() -> None:
    """That is the control: what sees queues is not taken in."""
    events = [*queued(0, 40_000, ONE_QUEUE, 500, 40_000), *queued(1, 90_000, OTHER_QUEUE, 500, 40_000)]
    assert last_of(C_MPBBR, events, 40_000) == SHARED
    assert last_of(CORRELATION, events, 40_000) == APART


def test_rates_that_differ_twofold_are_taken_apart_even_in_one_queue() -> None:
    events = [*queued(0, 40_000, ONE_QUEUE, 500, 40_000), *queued(1, 90_000, ONE_QUEUE, 1000, 40_000)]
    assert last_of(C_MPBBR, events, 40_000) == APART
    assert last_of(CORRELATION, events, 40_000) == SHARED


@pytest.mark.parametrize(("lower", "partition"), [(100, SHARED), (80, SHARED), (79, APART), (50, APART)])
@pytest.mark.parametrize("turned", [False, True])
def test_the_lower_rate_may_be_a_fifth_below(lower: int, partition: Partition, turned: bool) -> None:
    rates = (100, lower) if turned else (lower, 100)
    assert said(EqualRates(), steady(rates, 8000)) == [(2 * CYCLE_MS, partition)]


def test_a_narrower_tolerance() -> None:
    events = steady((90, 100), 8000)
    assert said(EqualRates(tolerance=0.1), events) == [(2 * CYCLE_MS, SHARED)]
    assert said(EqualRates(tolerance=0.09), events) == [(2 * CYCLE_MS, APART)]


def in_cycles(of_one: Sequence[bool]) -> list[Event]:
    """Two subflows whose rates are one or not, cycle by cycle."""
    rates = {number * CYCLE_MS: 100 if one else 200 for number, one in enumerate(of_one)}
    end_ms = len(of_one) * CYCLE_MS
    return [*flow(0, RTTS_MS[0], {0: 100}, end_ms), *flow(1, RTTS_MS[1], rates, end_ms)]


def test_two_cycles_of_one_rate_in_a_row_are_taken_to_share() -> None:
    assert said(SHORT, in_cycles([False, False, True, True])) == [(1600, APART), (3200, SHARED)]
    assert said(SHORT, in_cycles([False, False, True])) == [(1600, APART)]


def test_one_miss_is_survived_two_are_not() -> None:
    assert said(SHORT, in_cycles([True, True, True, False])) == [(1600, SHARED)]
    assert said(SHORT, in_cycles([True, True, True, False, False])) == [(1600, SHARED), (4000, APART)]


def test_after_a_miss_one_rate_must_be_found_twice_again() -> None:
    again = [(1600, SHARED), (4000, APART), (4800, SHARED)]
    assert said(SHORT, in_cycles([True, True, True, False, True, True])) == again


def counted(of_one: Sequence[bool]) -> list[bool]:
    """The module's cases, of the count of two subflows."""
    finals, last = [], 1
    for one in of_one:
        count = 2 if one else 1
        if count > 1 and last > 1:
            final = count
        elif count == 1 and last > 1:
            final = last
        else:
            final = 1
        last = count
        finals.append(final > 1)
    return finals


@settings(deadline=None, derandomize=True)
@given(st.lists(st.booleans(), min_size=1))
def test_the_count_is_the_modules(of_one: list[bool]) -> None:
    count = CountBefore()
    found = [count.take(one) for one in of_one]
    # Before the second cycle the module takes them apart; here nothing is said.
    assert found[0] is None
    assert found[1:] == counted(of_one)[1:]


@given(st.floats(0, 1e12), st.floats(0, 1e12), st.floats(0, 0.99))
def test_rates_are_one_in_either_order(one: float, other: float, tolerance: float) -> None:
    assert of_one_rate(one, other, tolerance) == of_one_rate(other, one, tolerance)
    assert of_one_rate(one, one, tolerance)


def test_nothing_is_said_before_two_cycles() -> None:
    assert said(EqualRates(), steady((100, 100), 2 * CYCLE_MS - EVERY_MS)) == []
    assert said(EqualRates(), steady((100, 100), 2 * CYCLE_MS)) == [(2 * CYCLE_MS, SHARED)]


def test_cycles_begin_with_the_later_subflow_and_are_as_long_as_the_longer_rtt() -> None:
    late = [event._replace(time_ns=event.time_ns + 300 * MS) for event in flow(1, 50, {0: 100}, 8000)]
    assert said(EqualRates(), [*flow(0, 100, {0: 100}, 8000), *late]) == [(300 + 2 * 800, SHARED)]
    assert said(EqualRates(cycle_rtts=5), [*flow(0, 100, {0: 100}, 8000), *late]) == [(300 + 2 * 500, SHARED)]


def test_a_cycle_does_not_end_in_silence() -> None:
    """After 1 s nobody says anything for 50 s: the second cycle ends after it, the third a cycle later."""
    long = [
        event._replace(time_ns=event.time_ns + 50_000 * MS * (event.time_ns > 1000 * MS))
        for event in in_cycles([True, True, False, False])
    ]
    # The second begins at 800 ms and ends at 51,010 ms; the next are of two rates.
    assert said(SHORT, long) == [(51_010, SHARED), (51_010 + 2 * CYCLE_MS, APART)]


def test_without_acks_or_samples_there_is_no_opinion() -> None:
    events = steady((100, 100), 8000)
    assert said(EqualRates(), [event for event in events if event.kind == Kind.RTT]) == []
    assert said(EqualRates(), [event for event in events if event.kind == Kind.ACK]) == []
    assert said(EqualRates(), [event for event in events if event.subflow_id == 0]) == []
    # One that acknowledges nothing has no bandwidth.
    assert said(EqualRates(), steady((100, 0), 8000)) == []
    detector = CMpbbr(EqualRates())
    detector.reset([0, 1])
    assert detector.groups(10_000 * MS) == (None, None)


def test_a_cycle_without_a_bandwidth_is_passed_over() -> None:
    """Subflow 1 acknowledges nothing for long enough to have no bandwidth; what was said before it stays."""
    events = [*flow(0, 100, {0: 100}, 20_000), *flow(1, 100, {0: 100, 4000: 0, 16_000: 300}, 20_000)]
    found = said(SHORT, events)
    assert found[0] == (1600, SHARED)
    # Of one rate before the gap, of two after it: apart from the second cycle after it on.
    assert [partition for _, partition in found] == [SHARED, APART]
    assert found[1][0] > 16_000 + CYCLE_MS


def test_three_subflows() -> None:
    events = steady((100, 200, 110), 8000, (50, 100, 80))
    # The pair of 50 and 80 ms has the shorter cycle.
    assert said(EqualRates(), events, subflows=3) == [(1280, (0, None, 0)), (1600, (0, 1, 0))]


def test_what_it_wants() -> None:
    assert CMpbbr(EqualRates()).kinds == {Kind.CA, Kind.ACK, Kind.RTT}


@pytest.mark.parametrize("bad", [{"tolerance": -0.1}, {"tolerance": 1}, {"bandwidth_rounds": 0}, {"cycle_rtts": 0}])
def test_parameters_out_of_range(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        EqualRates(**bad)  # type: ignore[arg-type]


def told(bandwidth: Bandwidth, events: Sequence[Event]) -> list[float]:
    """The bandwidth (bytes/s) after each RTT sample."""
    found = []
    for event in in_order(events):
        if event.kind == Kind.CA:
            bandwidth.state(event.value)
        elif event.kind == Kind.ACK:
            bandwidth.ack(event.time_ns, event.value)
        else:
            bandwidth.rtt(event.time_ns, event.value)
            found.append(bandwidth.bytes_per_s())
    return found


def test_a_bandwidth_is_the_largest_of_ten_round_trips() -> None:
    """At 200 bytes/ms up to 1 s, then at 100: the round trip that begins at 1 s is the tenth before up to 2.1 s."""
    found = told(Bandwidth(rounds=10), flow(0, 100, {0: 200, 1000: 100}, 4000))
    at = dict(zip(range(0, 4001, EVERY_MS), found, strict=True))
    assert at[90] == 0
    assert at[100] == at[1000] == at[2090] == 200_000
    assert at[2100] == at[4000] == 100_000


def test_a_hole_that_is_filled_is_no_high_rate() -> None:
    """Two holes are filled an RTT after another; with the second, all that SACK reported is acknowledged at once."""
    lost = {200: 20_000, 310: 20_500, 410: 41_000}
    events = [Event(200 * MS, 0, Kind.CA, RECOVERY), Event(410 * MS, 0, Kind.CA, OPEN)]
    acked_bytes = 0
    for time_ms in range(0, 1001, EVERY_MS):
        acked_bytes = lost.get(time_ms, acked_bytes if 200 < time_ms < 410 else 100 * time_ms)
        events += [
            Event(time_ms * MS, 0, kind, value) for kind, value in ((Kind.ACK, acked_bytes), (Kind.RTT, 100_000))
        ]
    assert max(told(Bandwidth(rounds=10), events)) == 100_000
    # Without the state, the last ACK before the segment was that of the first hole.
    without = [event for event in events if event.kind != Kind.CA]
    assert max(told(Bandwidth(rounds=10), without)) > 190_000


def naive_bandwidths(events: Sequence[Event], rounds: int) -> list[float]:
    """The bandwidth after each RTT sample of one subflow, from all that came before it."""
    numbers: list[tuple[int, int]] = []  # of round trips, and when each began
    rates: list[tuple[int, float]] = []
    found, latest_ns = [], -1
    for place, event in enumerate(events):
        if event.kind != Kind.RTT:
            continue
        known, sent_ns = events[:place], event.time_ns - event.value * 1000
        if not numbers:
            numbers.append((0, event.time_ns))
        if sent_ns >= numbers[-1][1]:
            numbers.append((numbers[-1][0] + 1, event.time_ns))
        states = [OPEN]
        acks: list[tuple[int, int]] = []
        first_ns = next(one.time_ns for one in events if one.kind == Kind.RTT)
        highest = -1
        for one in known:
            if one.kind == Kind.CA:
                states.append(one.value)
            elif one.kind == Kind.ACK and one.value > highest:
                highest = one.value
                if states[-1] not in (RECOVERY, LOSS_STATE):
                    acks.append((one.time_ns, one.value))
        before = [ack for ack in acks if ack[0] <= first_ns]
        acks = acks[max(0, len(before) - 1) :]
        # A segment sent before the ACK that an earlier rate was taken from gives none.
        latest_ns = max(latest_ns, sent_ns)
        taken = [ack for ack in acks if ack[0] <= latest_ns]
        if taken and taken[-1][0] <= sent_ns:
            rates.append((numbers[-1][0], (highest - taken[-1][1]) * 10**9 / (event.time_ns - taken[-1][0])))
        kept = [rate for number, rate in rates if number >= numbers[-1][0] - rounds]
        found.append(max(kept, default=0.0))
    return found


def naive(rates: EqualRates, events: Sequence[Event]) -> list[tuple[int, Partition]]:
    """Moment after moment, of two subflows."""
    own = [[event for event in events if event.subflow_id == one] for one in (0, 1)]
    end_ns: int | None = None
    of_one: list[bool] = []
    changes: list[tuple[int, Partition]] = []
    for time_ns in sorted({event.time_ns for event in events if event.kind == Kind.RTT}):
        known = [[event for event in each if event.time_ns <= time_ns] for each in own]
        rtts_us = [[event.value for event in each if event.kind == Kind.RTT] for each in known]
        if not all(rtts_us) or (end_ns is not None and time_ns < end_ns):
            continue
        if end_ns is not None:
            one, other = (naive_bandwidths(each, rates.bandwidth_rounds)[-1] for each in known)
            if one and other:
                # Either sees the other within its own tolerance.
                of_one.append(any(abs(one - other) <= rates.tolerance * each for each in (one, other)))
                partition = SHARED if counted(of_one)[-1] else APART
                if len(of_one) > 1 and (not changes or changes[-1][1] != partition):
                    changes.append((time_ns, partition))
        end_ns = time_ns + rates.cycle_rtts * max(map(min, rtts_us)) * 1000
    return changes


@st.composite
def cases(draw: st.DrawFn) -> tuple[EqualRates, list[Event]]:
    rates = EqualRates(
        tolerance=draw(st.sampled_from([0.2, 0.5, 0.8])),
        bandwidth_rounds=draw(st.sampled_from([1, 3, 10])),
        cycle_rtts=draw(st.sampled_from([1, 2, 4])),
    )
    signals = st.tuples(
        st.sampled_from([1000, 1000, 1000, 2000, 8000, 0, -1000]),
        st.sampled_from([100, 100, 100, 200, 300, None]),
        st.sampled_from([None] * 12 + [OPEN] * 4 + [DISORDER, CWR, RECOVERY, LOSS_STATE]),
    )
    # Moments are 100 ms apart, but for silences; a subflow may say nothing.
    moments = st.tuples(st.sampled_from([100] * 8 + [0, 1000]), *[st.one_of(signals, signals, signals, st.none())] * 2)
    events, acked, time_ns = [], [0, 0], 0
    for after_ms, *both in draw(st.lists(moments, min_size=25, max_size=60)):
        time_ns += after_ms * MS
        for one, signal in enumerate(both):
            if signal is None:
                continue
            more_bytes, rtt_ms, state = signal
            acked[one] += more_bytes
            events.append(Event(time_ns, one, Kind.ACK, acked[one]))
            events += [] if rtt_ms is None else [Event(time_ns, one, Kind.RTT, rtt_ms * 1000)]
            events += [] if state is None else [Event(time_ns, one, Kind.CA, state)]
    return rates, in_order(events)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(cases())
def test_equals_a_plain_recomputation(case: tuple[EqualRates, list[Event]]) -> None:
    rates, events = case
    assert [(one.time_ns, one.partition) for one in opinions(rates, events)] == naive(rates, events)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(cases())
def test_bandwidths_equal_a_plain_recomputation(case: tuple[EqualRates, list[Event]]) -> None:
    rates, events = case
    own = [event for event in events if event.subflow_id == 0]
    assert told(Bandwidth(rates.bandwidth_rounds), own) == naive_bandwidths(own, rates.bandwidth_rounds)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(cases())
def test_it_is_symmetric_in_the_two_subflows(case: tuple[EqualRates, list[Event]]) -> None:
    rates, events = case
    turned = [event._replace(subflow_id=1 - event.subflow_id) for event in events]
    assert opinions(rates, turned) == opinions(rates, events)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(cases(), st.integers(1, 10**18))
def test_later_and_with_larger_segments_it_says_the_same(case: tuple[EqualRates, list[Event]], later_ns: int) -> None:
    rates, events = case
    later = [
        event._replace(
            time_ns=event.time_ns + later_ns, value=event.value << 3 if event.kind == Kind.ACK else event.value
        )
        for event in events
    ]
    expected = [Opinion(one.time_ns + later_ns, one.partition) for one in opinions(rates, events)]
    assert replayed(CMpbbr(rates), [0, 1], later, later_ns + 100_000 * MS) == expected


def test_drawn_cases_have_both_verdicts_and_changes() -> None:
    """What the tests above compare is something."""
    seen: set[Partition] = set()
    changed = 0

    @settings(max_examples=300, deadline=None, derandomize=True, database=None)
    @given(cases())
    def look(case: tuple[EqualRates, list[Event]]) -> None:
        nonlocal changed
        found = opinions(*case)
        seen.update(one.partition for one in found)
        changed += len(found) > 1

    look()
    assert seen == {SHARED, APART}
    assert changed > 100
