"""TON20-R: hand-made losses and marks, and a plain re-computation over the whole list of events."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartsbd.detectors import detector_of, replayed
from smartsbd.detectors.event import Event, Kind
from smartsbd.detectors.partition import Partition
from smartsbd.detectors.ton20 import Judging, Ton20

MS = 1_000_000
OPEN, DISORDER, CWR, RECOVERY, LOSS = range(5)
NOTHING, APART, SHARED = (None, None), (0, 1), (0, 0)


def rtt(time_ms: float, subflow_id: int, value_ms: float) -> Event:
    return Event(round(time_ms * MS), subflow_id, Kind.RTT, round(value_ms * 1000))


def losses(*moments: tuple[float, int]) -> list[Event]:
    """Episodes of a millisecond, at (ms, subflow)."""
    return [
        Event(round((time_ms + late) * MS), subflow_id, Kind.CA, state)
        for time_ms, subflow_id in moments
        for late, state in ((0, RECOVERY), (1, OPEN))
    ]


def marks(*moments: tuple[float, int]) -> list[Event]:
    return [Event(round(time_ms * MS), subflow_id, Kind.MARK, 1448) for time_ms, subflow_id in moments]


#: Smoothed RTTs of 100 and 60 ms: rounds of 100 ms.
RTTS = [rtt(0, 0, 100), rtt(0, 1, 60)]


def said(
    judging: Judging, events: list[Event], end_ms: float = 100_000, subflows: int = 2
) -> list[tuple[float, Partition]]:
    """What is said from when (ms) on."""
    ordered = sorted(events, key=lambda event: (event.time_ns, event.kind, event.subflow_id))
    opinions = replayed(Ton20(judging), range(subflows), ordered, round(end_ms * MS))
    return [(opinion.time_ns / MS, opinion.partition) for opinion in opinions]


def rounds(verdicts: str) -> list[Event]:
    """A round each second from 1 s on: of both subflows (s, for the same), of subflow 0 (d) or of subflow 1 (e)."""
    moments = []
    for number, verdict in enumerate(verdicts, 1):
        moments += [(1000 * number, 0)] if verdict in "sd" else []
        moments += [(1000 * number + 50, 1)] if verdict in "se" else []
    return losses(*moments)


def test_k_equal_verdicts_in_a_row_are_final_at_the_end_of_their_round() -> None:
    assert said(Judging(), RTTS + rounds("ss")) == []
    assert said(Judging(), RTTS + rounds("sss")) == [(3100, SHARED)]
    # Rounds of subflow 1 alone begin at its loss, 50 ms later.
    assert said(Judging(), RTTS + rounds("dee")) == [(3150, APART)]
    assert said(Judging(), RTTS + rounds("ssdss")) == []
    assert said(Judging(), RTTS + rounds("ssdsss")) == [(6100, SHARED)]
    for k in range(1, 6):
        assert said(Judging(k=k), RTTS + rounds("sssss")) == [(1000 * k + 100, SHARED)]


def test_a_sticky_final_verdict_lasts_until_k_contrary_ones_in_a_row() -> None:
    assert said(Judging(), RTTS + rounds("sssddsddd")) == [(3100, SHARED), (9100, APART)]
    assert said(Judging(), RTTS + rounds("sssddsdd")) == [(3100, SHARED)]


def test_one_that_is_not_sticky_ends_with_the_first_contrary_one() -> None:
    expected = [(3100, SHARED), (4100, NOTHING), (7100, SHARED), (8100, NOTHING), (10_100, APART)]
    assert said(Judging(sticky=False), RTTS + rounds("sssdsssddd")) == expected
    # With K = 1 every verdict is final.
    assert said(Judging(k=1, sticky=False), RTTS + rounds("sds")) == [(1100, SHARED), (2100, APART), (3100, SHARED)]


@pytest.mark.parametrize(("gap_ms", "partition"), [(100, SHARED), (100.000001, APART)])
def test_a_round_lasts_the_largest_smoothed_rtt_and_has_its_end(gap_ms: float, partition: Partition) -> None:
    # One ns after the end, the other's loss opens a round of its own.
    assert said(Judging(k=1), RTTS + losses((500, 1), (500 + gap_ms, 0))) == [(600, partition)]


def test_rounds_of_two_rtts() -> None:
    events = RTTS + losses((500, 0), (650, 1))
    assert said(Judging(k=1), events) == [(600, APART)]
    assert said(Judging(k=1, round_srtts=2), events) == [(700, SHARED)]


def test_the_length_is_that_of_the_opening() -> None:
    # Smoothed 100 ms at 500 ms; the sample of 900 ms makes it 200 ms, from the next round on.
    events = [*RTTS, *losses((500, 0), (650, 1)), rtt(550, 0, 900)]
    assert said(Judging(k=1), events) == [(600, APART)]
    assert said(Judging(k=1), [*events, *losses((900, 0), (1090, 1))]) == [(600, APART), (1100, SHARED)]


def test_no_round_opens_while_one_is_open() -> None:
    # 500 to 600 ms: both. The loss of subflow 1 at 590 ms does not open one, and that at 640 ms does.
    events = RTTS + losses((500, 0), (590, 1), (640, 0))
    assert said(Judging(k=1), events) == [(600, SHARED), (740, APART)]


def test_a_round_that_the_connection_does_not_see_the_end_of_has_no_verdict() -> None:
    events = RTTS + losses((500, 0))
    assert said(Judging(k=1), events, end_ms=599) == []
    assert said(Judging(k=1), events, end_ms=600) == [(600, APART)]


def test_groups_and_rtt_samples_end_a_round() -> None:
    detector = Ton20(Judging(k=1))
    detector.reset([0, 1])
    for event in RTTS + losses((500, 0)):
        detector.on_event(*event)
    assert [detector.groups(time_ms * MS) for time_ms in (599, 600)] == [NOTHING, APART]
    for event in [*losses((900, 0), (950, 1)), rtt(1001, 0, 100)]:
        detector.on_event(*event)
    assert [(opinion.time_ns, opinion.partition) for opinion in detector.opinions()] == [
        (600 * MS, APART),
        (1000 * MS, SHARED),
    ]


def test_only_marks_count_under_ecn_and_only_losses_otherwise() -> None:
    assert [detector_of(name)[1] for name in ("ton20-r", "ton20-r/ecn")] == ["default", "ecn"]
    kind, _ = detector_of("ton20-r")
    assert kind.presets["default"] == Judging(signal="loss") and kind.presets["ecn"] == Judging(signal="ecn")
    assert Ton20(Judging()).kinds == {Kind.RTT, Kind.CA}
    assert Ton20(Judging(signal="ecn")).kinds == {Kind.RTT, Kind.MARK}
    events = RTTS + marks((500, 0), (520, 0), (600, 1), (601, 1))
    # 500 to 600 ms: both; from 601 ms on: subflow 1.
    assert said(Judging(signal="ecn", k=1), events) == [(600, SHARED), (701, APART)]


def test_recovery_that_becomes_loss_is_one_signal() -> None:
    changes = ((500, DISORDER), (510, RECOVERY), (700, LOSS), (900, OPEN), (1000, CWR), (1200, LOSS))
    events = RTTS + [Event(round(ms * MS), 0, Kind.CA, state) for ms, state in changes]
    # Signals at 510 and 1,200 ms: the second of two equal verdicts comes at 1,300 ms.
    assert said(Judging(k=2), events) == [(1300, APART)]


def test_subflows_without_an_rtt_sample_are_not_judged() -> None:
    assert said(Judging(k=1), losses((500, 0))) == []
    assert said(Judging(k=1), [rtt(0, 0, 100), *losses((500, 0))]) == []
    # It has one when the second round opens.
    events = [rtt(0, 0, 100), *losses((500, 0)), rtt(550, 1, 60), *losses((900, 0))]
    assert said(Judging(k=1), events) == [(1000, APART)]


def test_three_subflows_are_in_groups_of_final_pairs() -> None:
    rtts = [*RTTS, rtt(0, 2, 80)]
    # Two rounds of 0 and 1: they are the same, and 2 differs from both.
    pair = losses((1000, 0), (1050, 1), (2000, 0), (2050, 1))
    assert said(Judging(k=2), rtts + pair, subflows=3) == [(2100, (0, 0, 1))]
    # Two rounds of 2 alone: 2 differs from both, and of 0 and 1 there is no verdict; each pair apart.
    alone = losses((1000, 2), (2000, 2))
    assert said(Judging(k=2), rtts + alone, subflows=3) == [(2100, (0, 1, 2))]
    # A round of 0 and 1, then one of 1 and 2; with K = 1 the second makes 0 differ from both.
    chain = losses((1000, 0), (1050, 1), (2000, 1), (2050, 2))
    assert said(Judging(k=1), rtts + chain, subflows=3) == [(1100, (0, 0, 1)), (2100, (0, 1, 1))]
    # Verdicts of 0 and 1: s s s d d; of 1 and 2: d d s s s; of 0 and 2: d d s d d, never three in a row.
    slow = losses(
        *(
            (1000 * n + late, one)
            for n, members in enumerate(("01", "01", "012", "12", "12"), 1)
            for one, late in ((int(member), 10 * int(member)) for member in members)
        )
    )
    assert said(Judging(k=3), rtts + slow, subflows=3) == [(3100, (0, 0, None)), (5110, (0, 0, 0))]


def test_traces_of_known_answer() -> None:
    # A loss each 2 s on each subflow, 30 ms apart or 1 s apart.
    for late_ms, partition, first_ms in ((30, SHARED, 6100), (1000, APART, 4100)):
        events = RTTS + losses(*((2000 * n + late_ms * one, one) for n in range(1, 10) for one in (0, 1)))
        assert said(Judging(), events) == [(first_ms, partition)]


@pytest.mark.parametrize("bad", [{"round_srtts": 0}, {"k": 0}])
def test_parameters_out_of_range(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Judging(**bad)  # type: ignore[arg-type]


def naive_signals(judging: Judging, events: list[Event]) -> list[tuple[int, int, int]]:
    """Place in the list, time and subflow of each signal."""
    found = []
    for place, event in enumerate(events):
        own = [one.value for one in events[:place] if one[1:3] == (event.subflow_id, Kind.CA)]
        loses = event.kind == Kind.CA and event.value in (3, 4) and (own or [0])[-1] not in (3, 4)
        if loses if judging.signal == "loss" else event.kind == Kind.MARK:
            found.append((place, event.time_ns, event.subflow_id))
    return found


def naive_srtt(events: list[Event], subflow_id: int) -> int:
    """The kernel's, in eighths of a microsecond: m = rtt - srtt / 8, srtt += m."""
    srtt = 0
    for event in events:
        if event[1:3] == (subflow_id, Kind.RTT):
            srtt = srtt + (event.value - srtt // 8) if srtt else 8 * event.value
    return srtt


def naive_groups(subflows: range, finals: dict[tuple[int, int], bool]) -> Partition:
    """Each subflow's group is the lowest number that a chain of pairs that share leads to."""
    reached = {one: {one} for one in subflows}
    for _ in subflows:
        for (one, other), same in finals.items():
            if same:
                reached[one] = reached[other] = reached[one] | reached[other]
    judged = {one for pair in finals for one in pair}
    lowest = [min(set().union(*(reached[two] for two in reached[one]))) for one in subflows]
    in_order = sorted({lowest[one] for one in subflows if one in judged})
    return tuple(in_order.index(lowest[one]) if one in judged else None for one in subflows)


def naive(judging: Judging, events: list[Event], subflows: range, end_ns: int) -> list[tuple[int, Partition]]:
    """The states as they are written: None, Temporary of a kind with a count, Final of a kind with a count against."""
    states: dict[tuple[int, int], tuple[str, bool, int] | None] = dict.fromkeys(itertools.combinations(subflows, 2))
    signals = naive_signals(judging, events)
    said: list[tuple[int, Partition]] = [(-1, (None,) * len(subflows))]
    until_ns = -1
    for place, time_ns, _ in signals:
        srtts = [naive_srtt(events[:place], one) for one in subflows]
        if time_ns <= until_ns or not any(srtts):
            continue
        until_ns = time_ns + int(judging.round_srtts * max(srtts) * 125)
        if until_ns > end_ns:
            break
        members = {one for later, at_ns, one in signals if later >= place and at_ns <= until_ns}
        for pair, state in states.items():
            if not all(srtts[one] for one in pair) or not members & set(pair):
                continue
            same = members >= set(pair)
            after: tuple[str, bool, int]
            if state is None or (state[0] == "temporary" and state[1] != same):
                after = ("temporary", same, 1)
            elif state[0] == "temporary":
                after = ("temporary", same, state[2] + 1)
            elif state[1] == same:
                after = ("final", same, 0)
            elif judging.sticky and state[2] + 1 < judging.k:
                after = ("final", state[1], state[2] + 1)
            else:
                after = ("temporary", same, state[2] + 1)
            if after[0] == "temporary" and after[2] >= judging.k:
                after = ("final", same, 0)
            states[pair] = after
        finals = {pair: state[1] for pair, state in states.items() if state is not None and state[0] == "final"}
        partition = naive_groups(subflows, finals)
        if partition != said[-1][1]:
            said.append((until_ns, partition))
    return said[1:]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Judging, list[Event], range, int]:
    judging = Judging(
        round_srtts=draw(st.sampled_from([1.0, 2.0])),
        k=draw(st.integers(1, 3)),
        sticky=draw(st.booleans()),
        signal=draw(st.sampled_from(["loss", "ecn"])),
    )
    subflows = range(draw(st.integers(2, 4)))
    half_s = st.integers(1, 60).map(lambda halves: halves * 500 * MS)
    one = st.sampled_from(subflows)
    rtts = st.builds(Event, half_s, one, st.just(int(Kind.RTT)), st.sampled_from([500_000, 1_000_000, 1_500_000]))
    changes = st.builds(Event, half_s, one, st.just(int(Kind.CA)), st.sampled_from([0, 0, 0, 1, 3, 3, 3, 4]))
    marked = st.builds(Event, half_s, one, st.just(int(Kind.MARK)), st.just(1448))
    first = [
        Event(0, subflow_id, Kind.RTT, draw(st.sampled_from([500_000, 1_000_000])))
        for subflow_id in subflows
        if draw(st.integers(0, 9)) > 0
    ]
    drawn = draw(st.lists(rtts, max_size=15))
    drawn += draw(st.lists(changes if judging.signal == "loss" else marked, min_size=1, max_size=40))
    events = sorted([*first, *drawn], key=lambda event: (event.time_ns, event.kind, event.subflow_id))
    return judging, events, subflows, events[-1].time_ns + draw(st.integers(0, 4)) * 500 * MS


@settings(max_examples=300, deadline=None, derandomize=True)
@given(cases())
def test_equals_a_plain_recomputation(case: tuple[Judging, list[Event], range, int]) -> None:
    judging, events, subflows, end_ns = case
    found = [(one.time_ns, one.partition) for one in replayed(Ton20(judging), subflows, events, end_ns)]
    assert found == naive(judging, events, subflows, end_ns)
