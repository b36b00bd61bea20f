"""DWC-R: hand-made losses, and a plain re-computation over the whole list of events."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartsbd.detectors import replayed
from smartsbd.detectors.dwc import Coupling, Dwc
from smartsbd.detectors.event import Event, Kind
from smartsbd.detectors.partition import Partition, numbered

MS = 1_000_000
S = 1000 * MS
OPEN, DISORDER, CWR, RECOVERY, LOSS = range(5)


def rtt(time_ms: float, subflow_id: int, value_ms: float) -> Event:
    return Event(round(time_ms * MS), subflow_id, Kind.RTT, round(value_ms * 1000))


def losses(*moments: tuple[float, int], ca_state: int = RECOVERY) -> list[Event]:
    """Episodes of a millisecond, at (ms, subflow)."""
    return [
        Event(round((time_ms + late) * MS), subflow_id, Kind.CA, state)
        for time_ms, subflow_id in moments
        for late, state in ((0, ca_state), (1, OPEN))
    ]


#: From 0 ms on: smoothed RTTs of 100 and 60 ms. One sample each is smallest and largest: no delay is high.
LOW = [rtt(0, 0, 100), rtt(0, 1, 60)]
THREE = [*LOW, rtt(0, 2, 80)]
#: At 1 ms subflow 1 has smoothed (7 * 80 + 40) / 8 = 75 ms, above the middle of 40 and 80: it is high. W is 100 ms.
HIGH = [rtt(0, 0, 100), rtt(0, 1, 80), rtt(1, 1, 40)]


def said(
    coupling: Coupling, events: list[Event], end_ms: float = 100_000, subflows: int = 2
) -> list[tuple[float, Partition]]:
    """What is said from when (ms) on."""
    ordered = sorted(events, key=lambda event: (event.time_ns, event.kind, event.subflow_id))
    opinions = replayed(Dwc(coupling), range(subflows), ordered, round(end_ms * MS))
    return [(opinion.time_ns / MS, opinion.partition) for opinion in opinions]


APART, SHARED = (0, 1), (0, 0)


def test_the_sets_are_an_opinion_from_the_first_event_on() -> None:
    assert said(Coupling(), [rtt(7, 1, 60)]) == [(7, APART)]
    assert said(Coupling(init="together"), [rtt(7, 1, 60)]) == [(7, SHARED)]
    assert said(Coupling(init="together"), []) == []


@pytest.mark.parametrize(("gap_ms", "joined"), [(100, True), (100.000001, False)])
def test_a_loss_after_a_recent_one_joins_within_the_larger_rtt(gap_ms: float, joined: bool) -> None:
    # W is the larger smoothed RTT, 100 ms; no delay is high, so the first loss has its answer at once.
    events = LOW + losses((500, 0), (500 + gap_ms, 1))
    assert said(Coupling(), events) == [(0, APART), *([(500 + gap_ms, SHARED)] if joined else [])]


@pytest.mark.parametrize(("kappa", "joined"), [(0.5, True), (0.49, False), (2.0, True)])
def test_kappa_scales_the_window(kappa: float, joined: bool) -> None:
    events = LOW + losses((500, 0), (550, 1))
    assert (said(Coupling(kappa=kappa), events)[-1][1] == SHARED) is joined


def test_a_coming_loss_joins_while_the_delay_is_high() -> None:
    # Waited for from 500 to 600 ms. Meanwhile subflow 0's RTT falls, so that W is subflow 1's 75 ms at 590 ms: then the
    # loss at 500 ms is not recent, and only the answer waited for can join.
    falling = [rtt(510 + tick / 100, 0, 10) for tick in range(200)]
    events = HIGH + losses((500, 0), (590, 1)) + falling
    # Subflow 1's own question, with subflow 0 low, is answered no at once; the yes of that moment is taken after it.
    assert said(Coupling(), events) == [(0, APART), (590, SHARED)]
    # Without the high delay, the first answer is no at once, and at 590 ms nothing is recent.
    low = [rtt(0, 0, 100), rtt(0, 1, 75)]
    assert said(Coupling(), low + losses((500, 0), (590, 1)) + falling) == [(0, APART)]


def test_a_failed_pending_leaves_at_the_end_of_its_window() -> None:
    assert said(Coupling(init="together"), HIGH + losses((500, 0))) == [(0, SHARED), (600, APART)]
    # A connection that ends before says nothing more.
    assert said(Coupling(init="together"), HIGH + losses((500, 0)), end_ms=599) == [(0, SHARED)]
    assert said(Coupling(init="together"), HIGH + losses((500, 0)), end_ms=600) == [(0, SHARED), (600, APART)]


def test_groups_and_taken_know_what_was_due() -> None:
    detector = Dwc(Coupling(init="together"))
    detector.reset([0, 1])
    for event in HIGH + losses((500, 0)):
        detector.on_event(*event)
    assert [detector.groups(time_ms * MS) for time_ms in (599, 600)] == [SHARED, APART]
    assert [(opinion.time_ns, opinion.partition) for opinion in detector.opinions()] == [(0, SHARED), (600 * MS, APART)]
    detector.reset([0, 1])
    assert detector.groups(10 * S) == (None, None)


def test_an_rtt_sample_too_brings_about_what_was_due() -> None:
    detector = Dwc(Coupling(init="together"))
    detector.reset([0, 1])
    for event in [*HIGH, *losses((500, 0)), rtt(601, 1, 60)]:
        detector.on_event(*event)
    assert [opinion.time_ns for opinion in detector.opinions()] == [0, 600 * MS]


def test_an_answer_that_no_loss_can_change_is_acted_on_at_once() -> None:
    assert said(Coupling(init="together"), LOW + losses((500, 0))) == [(0, SHARED), (500, APART)]


def test_a_loss_at_the_very_end_of_the_window_is_in_it() -> None:
    assert said(Coupling(init="together"), HIGH + losses((500, 0), (600, 1))) == [(0, SHARED)]
    # One ns later, 0 has left at 600 ms; subflow 1 is answered no at once, and both are apart already.
    late = HIGH + losses((500, 0), (600.000001, 1))
    assert said(Coupling(init="together"), late) == [(0, SHARED), (600, APART)]


def test_n_leave_counts_failures_in_a_row() -> None:
    # Answers no at 500, 1000 and 1500 ms.
    alone = losses((500, 0), (1000, 0), (1500, 0))
    for n_leave, left_ms in ((1, 500), (2, 1000), (3, 1500)):
        assert said(Coupling(init="together", n_leave=n_leave), LOW + alone) == [(0, SHARED), (left_ms, APART)]
    assert said(Coupling(init="together", n_leave=4), LOW + alone) == [(0, SHARED)]
    # At 1050 ms subflow 1 loses within 100 ms of subflow 0, so that the failures at 500 and 1000 ms are forgotten.
    both = [*LOW, *losses((500, 0), (1000, 0), (1050, 1), (1500, 0), (2000, 0), (2500, 0))]
    assert said(Coupling(init="together", n_leave=3), both) == [(0, SHARED), (2500, APART)]


def test_failures_are_forgotten_when_either_is_with_the_other() -> None:
    # Subflow 0 fails at 1000 ms; at 1550 ms its own loss comes 50 ms after subflow 1's; then it fails twice in a row.
    events = LOW + losses((1000, 0), (1500, 1), (1550, 0), (2500, 0), (3500, 0))
    assert said(Coupling(init="together", n_leave=2), events) == [(0, SHARED), (3500, APART)]


def test_failures_are_forgotten_when_a_subflow_leaves() -> None:
    # 0 leaves at its second failure, comes back with 2 (50 ms after it) to 2 and 1, and must fail with 1 twice again.
    events = THREE + losses((1000, 0), (2000, 0), (3000, 2), (3050, 0), (4000, 0), (5000, 0))
    assert said(Coupling(init="together", n_leave=2), events, subflows=3) == [
        (0, (0, 0, 0)),
        (2000, (0, 1, 1)),
        (3050, (0, 0, 0)),
        (5000, (0, 1, 1)),
    ]


def test_what_is_due_at_the_moment_of_an_event_comes_after_it() -> None:
    # 0 waits for 2 from 500 to 600 ms, 1 for 2 from 510 to 590 ms (W is 80 ms): 1 leaves at 590 ms, and 2 loses at
    # 600 ms, in time for 0. No opinion in between, not even for a moment.
    events = THREE + losses((500, 0), (510, 1), (600, 2))
    ordered = sorted(events, key=lambda event: (event.time_ns, event.kind, event.subflow_id))
    opinions = replayed(Dwc(Coupling(init="together", delay_rule="loss_only")), range(3), ordered, 10 * S)
    assert [(one.time_ns // MS, one.partition) for one in opinions] == [(0, (0, 0, 0)), (590, (0, 1, 0))]


def test_failures_are_each_subflows_own() -> None:
    # In turn, 500 ms apart: with two in a row needed, subflow 0 has its second at 1500 ms.
    events = LOW + losses((500, 0), (1000, 1), (1500, 0), (2000, 1))
    assert said(Coupling(init="together", n_leave=2), events) == [(0, SHARED), (1500, APART)]


@pytest.mark.parametrize(
    ("delay_rule", "alone", "after"),
    [
        # Subflow 0 loses at 500 ms, 1 never: what becomes of two that were together, delay of 1 low and high.
        ("and_recent", [(500, APART)], [(600, APART)]),
        ("and", [(500, APART)], [(600, APART)]),
        ("or", [(600, APART)], []),
        ("loss_only", [(600, APART)], [(600, APART)]),
    ],
)
def test_leaving_under_each_delay_rule(
    delay_rule: str, alone: list[tuple[float, Partition]], after: list[tuple[float, Partition]]
) -> None:
    coupling = Coupling(init="together", delay_rule=delay_rule)  # type: ignore[arg-type]
    assert said(coupling, LOW + losses((500, 0))) == [(0, SHARED), *alone]
    assert said(coupling, HIGH + losses((500, 0))) == [(0, SHARED), *after]


@pytest.mark.parametrize(
    ("delay_rule", "low_ms", "high_ms", "never_ms"),
    [
        # Subflow 0 loses at 500 and 1 at 550 ms: when they are joined, delay of 1 low and high; and when 0 loses alone.
        ("and_recent", 550, 550, None),
        ("and", None, 550, None),
        ("or", 550, 500, 500),
        ("loss_only", 550, 550, None),
    ],
)
def test_joining_under_each_delay_rule(
    delay_rule: str, low_ms: float | None, high_ms: float, never_ms: float | None
) -> None:
    coupling = Coupling(delay_rule=delay_rule)  # type: ignore[arg-type]
    joined = [[] if at is None else [(at, SHARED)] for at in (low_ms, high_ms, never_ms)]
    assert said(coupling, LOW + losses((500, 0), (550, 1))) == [(0, APART), *joined[0]]
    assert said(coupling, HIGH + losses((500, 0), (550, 1))) == [(0, APART), *joined[1]]
    assert said(coupling, HIGH + losses((500, 0))) == [(0, APART), *joined[2]]


def test_theta_is_the_share_of_the_range_above_which_a_delay_is_high() -> None:
    # Subflow 1: smoothed 75 ms, smallest 40, largest 80: 35 of 40 are 0.875, and high is above, not at it.
    for theta, left_ms in ((0.5, 600), (0.874, 600), (0.875, 500), (0.9, 500)):
        coupling = Coupling(init="together", theta=theta)
        assert said(coupling, HIGH + losses((500, 0))) == [(0, SHARED), (left_ms, APART)]


def test_extremes_of_the_last_seconds_only() -> None:
    # Subflow 1 has smoothed 200, 180 and 170 ms. With theta 0.9, high is above 184 ms of all samples (40 to 200), and
    # above 94 ms of those of the last 60 s (40 to 100): low is answered at once, high after W, 170 ms.
    samples = [rtt(0, 0, 100), rtt(0, 1, 200), rtt(30_000, 1, 40), rtt(61_000, 1, 100)]
    events = samples + losses((62_000, 0))
    assert said(Coupling(init="together", theta=0.9), events)[1:] == [(62_000, APART)]
    assert said(Coupling(init="together", theta=0.9, extremes_s=60), events)[1:] == [(62_170, APART)]
    # A look back of 61 s just reaches the first sample.
    assert said(Coupling(init="together", theta=0.9, extremes_s=61), events)[1:] == [(62_000, APART)]


def test_age_takes_out_of_a_set_what_had_no_news() -> None:
    # Joined at 550 ms, when both have news: both leave 10 s later.
    events = LOW + losses((500, 0), (550, 1))
    assert said(Coupling(age_s=10), events) == [(0, APART), (550, SHARED), (10_550, APART)]
    # News of both at 5,050 ms: 10 s from then.
    again = events + losses((5000, 0), (5050, 1))
    # The loss at 5,000 ms is answered no at once (low, none recent), and so leaves; the one at 5,050 ms joins.
    assert said(Coupling(age_s=10), again) == [
        (0, APART),
        (550, SHARED),
        (5000, APART),
        (5050, SHARED),
        (15_050, APART),
    ]
    assert said(Coupling(init="together", age_s=10), [rtt(3, 0, 100)]) == [(3, SHARED), (10_003, APART)]
    assert said(Coupling(init="together"), [rtt(3, 0, 100)]) == [(3, SHARED)]


def test_a_loss_at_the_very_age_is_news() -> None:
    # At 10,000 ms both lose, the moment that both would leave; what happens comes first. n_leave 9: nobody leaves else.
    events = LOW + losses((10_000, 0), (10_000, 1))
    coupling = Coupling(init="together", age_s=10, n_leave=9)
    assert said(coupling, events) == [(0, SHARED), (20_000, APART)]


def test_sets_of_three_merge_and_one_leaves() -> None:
    # 0 with 1 at 550 ms; 2 is nobody's until it loses 60 ms after 1 does (1,060 after 1,000 ms).
    # At 1,000 ms subflow 1 is answered no twice at once and leaves 0; at 1,060 ms it is with 2.
    events = THREE + losses((500, 0), (550, 1), (1000, 1), (1060, 2))
    assert said(Coupling(), events, subflows=3) == [
        (0, (0, 1, 2)),
        (550, (0, 0, 1)),
        (1000, (0, 1, 2)),
        (1060, (0, 1, 1)),
    ]
    # With patience, 1 stays with 0, and 2 comes to both.
    assert said(Coupling(n_leave=9), events, subflows=3) == [(0, (0, 1, 2)), (550, (0, 0, 1)), (1060, (0, 0, 0))]
    # Together at first, the one that loses alone is by itself and the others stay.
    alone = THREE + losses((500, 1))
    assert said(Coupling(init="together"), alone, subflows=3) == [(0, (0, 0, 0)), (500, (0, 1, 0))]


def test_pending_of_one_moment_sees_the_sets_as_they_were() -> None:
    # Smoothed 100, 75 (high) and 400 ms. 0 waits for 2 from 500 to 900 ms (1 is high: yes), 1 for 0 from 800 to 900 ms.
    # At 900 ms both fail; were 0 taken out first, 1 would not be with it any more, and stay with 2.
    events = [*HIGH, rtt(0, 2, 400), *losses((500, 0), (800, 1))]
    coupling = Coupling(init="together", delay_rule="or")
    assert said(coupling, events, subflows=3) == [(0, (0, 0, 0)), (900, (0, 1, 2))]


def test_an_episode_is_one_loss_event_and_triggers_choose() -> None:
    # Recovery that becomes Loss is one event: with two failures needed, the second is at 2,000 ms.
    episode = [
        Event(round(ms * MS), 0, Kind.CA, state)
        for ms, state in ((500, DISORDER), (501, RECOVERY), (700, LOSS), (900, OPEN), (1000, CWR), (1500, OPEN))
    ]
    events = LOW + episode + losses((2000, 0))
    assert said(Coupling(init="together", n_leave=2), events) == [(0, SHARED), (2000, APART)]
    timeout = LOW + losses((500, 0), ca_state=LOSS)
    assert said(Coupling(init="together"), timeout) == [(0, SHARED), (500, APART)]
    assert said(Coupling(init="together", triggers="recovery"), timeout) == [(0, SHARED)]
    assert said(Coupling(init="together", triggers="recovery"), LOW + losses((500, 0))) == [(0, SHARED), (500, APART)]


def test_without_an_rtt_sample_nothing_is_compared() -> None:
    events = [rtt(0, 0, 100), *losses((500, 0))]
    assert said(Coupling(init="together"), events) == [(0, SHARED)]


def test_traces_of_known_answer() -> None:
    # Sawtooths of 2 s, RTT from 50 to 100 ms; the second subflow's in step, 30 ms later, or half a period apart.
    def trace(late_ms: int) -> list[Event]:
        events = []
        for subflow_id, shift_ms in ((0, 0), (1, late_ms)):
            for tick_ms in range(0, 20_000, 20):
                phase = (tick_ms - shift_ms) % 2000
                events.append(rtt(tick_ms, subflow_id, 50 + phase / 40))
            events += losses(*((peak_ms + shift_ms, subflow_id) for peak_ms in range(2000, 18_000, 2000)))
        return events

    for init in ("separate", "together"):
        shared, separate = (said(Coupling(init=init), trace(late_ms)) for late_ms in (30, 1000))
        assert shared[-1] == ((2030, SHARED) if init == "separate" else (0, SHARED))
        # At 2 s, the first loss, subflow 1 is halfway down its range; W is about 90 ms.
        assert separate[-1][1] == APART
        assert separate[-1][0] <= 2100


@pytest.mark.parametrize("bad", [{"theta": 1.5}, {"kappa": 0}, {"n_leave": 0}, {"age_s": 0}, {"extremes_s": -1.0}])
def test_parameters_out_of_range(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Coupling(**bad)  # type: ignore[arg-type]


@dataclass
class Naive:
    """The rules as they are written, over the whole list at every moment at which something may happen."""

    coupling: Coupling
    events: list[Event]
    subflows: range
    end_ns: int

    @functools.cached_property
    def loss_events(self) -> list[tuple[int, int, int]]:
        """Place in the list, time, subflow."""
        found = []
        for place, event in enumerate(self.events):
            if event.kind != Kind.CA:
                continue
            before = [
                other.value
                for other in self.events[:place]
                if other.kind == Kind.CA and other.subflow_id == event.subflow_id
            ]
            wanted = {3} if self.coupling.triggers == "recovery" else {3, 4}
            if (before or [0])[-1] not in {3, 4} and event.value in wanted:
                found.append((place, event.time_ns, event.subflow_id))
        return found

    def samples(self, place: int, subflow_id: int) -> list[Event]:
        return [one for one in self.events[:place] if one.kind == Kind.RTT and one.subflow_id == subflow_id]

    def srtt_eighth_us(self, place: int, subflow_id: int) -> int:
        """The kernel's: m = rtt - srtt / 8, srtt += m."""
        srtt = 0
        for sample in self.samples(place, subflow_id):
            srtt = srtt + (sample.value - srtt // 8) if srtt else 8 * sample.value
        return srtt

    def high(self, place: int, subflow_id: int) -> bool:
        samples = self.samples(place, subflow_id)
        if self.coupling.extremes_s is not None:
            first_ns = samples[-1].time_ns - self.coupling.extremes_s * S
            samples = [sample for sample in samples if sample.time_ns >= first_ns]
        low, high = min(one.value for one in samples), max(one.value for one in samples)
        return self.srtt_eighth_us(place, subflow_id) / 8 > low + self.coupling.theta * (high - low)

    @functools.cached_property
    def answers(self) -> list[tuple[int, int, int, int, bool]]:
        """Time, place of the event after which it is given (the list's length: after all of its time), i, j, answer."""
        found = []
        rule = self.coupling.delay_rule
        for place, time_ns, one in self.loss_events:
            for other in self.subflows:
                srtts = [self.srtt_eighth_us(place, subflow_id) for subflow_id in (one, other)]
                if other == one or not all(srtts):
                    continue
                window_ns = int(self.coupling.kappa * max(srtts) * 125)
                theirs = [loss for loss in self.loss_events if loss[2] == other]
                recent = any(before < place and time_ns - at_ns <= window_ns for before, at_ns, _ in theirs)
                coming = [loss for loss in theirs if loss[0] > place and loss[1] - time_ns <= window_ns]
                high = self.high(place, other)
                at_once = {
                    "and_recent": recent,
                    "and": recent and high,
                    "or": recent or high,
                    "loss_only": recent,
                }[rule]
                may_come = {"and_recent": high, "and": high, "or": True, "loss_only": True}[rule]
                if at_once or not may_come:
                    found.append((time_ns, place, one, other, at_once))
                elif coming:
                    found.append((coming[0][1], coming[0][0], one, other, True))
                else:
                    found.append((time_ns + window_ns, len(self.events), one, other, False))
        return found

    def moments(self, age_ns: int | None) -> list[tuple[int, int]]:
        """When something may change: time, and place of the event after which it does."""
        moments = {(time_ns, place) for time_ns, place, *_ in self.answers}
        moments |= {(time_ns, place) for place, time_ns, _ in self.loss_events}
        if age_ns is not None:
            news_ns = [self.events[0].time_ns, *(time_ns for time_ns, _ in moments)]
            moments |= {(time_ns + age_ns, len(self.events)) for time_ns in news_ns}
        return sorted(moment for moment in moments if moment[0] <= self.end_ns)

    def opinions(self) -> list[tuple[int, Partition]]:
        together = self.coupling.init == "together"
        sets = [set(self.subflows)] if together else [{subflow_id} for subflow_id in self.subflows]
        news = dict.fromkeys(self.subflows, self.events[0].time_ns)
        failures: dict[tuple[int, int], int] = {}
        age_ns = None if self.coupling.age_s is None else round(self.coupling.age_s * S)
        said = [(self.events[0].time_ns, self.partition(sets))]
        for time_ns, place in self.moments(age_ns):
            own = [answer[2:] for answer in self.answers if answer[:2] == (time_ns, place)]
            leaving = set()
            if place < len(self.events):
                news[self.events[place].subflow_id] = time_ns
            elif age_ns is not None:
                leaving = {
                    one for members in sets if len(members) > 1 for one in members if news[one] + age_ns <= time_ns
                }
            for one, other, yes in own:
                if not yes and any({one, other} <= members for members in sets):
                    failures[one, other] = failures.get((one, other), 0) + 1
                    if failures[one, other] >= self.coupling.n_leave:
                        leaving.add(one)
            sets = [members - leaving for members in sets if members - leaving] + [{one} for one in leaving]
            for one, other in itertools.permutations(self.subflows, 2):
                if {one, other} & leaving:
                    failures[one, other] = 0
            for one, other, yes in own:
                if yes:
                    merged = set().union(*(members for members in sets if {one, other} & members))
                    sets = [members for members in sets if not members & merged] + [merged]
                    failures[one, other] = failures[other, one] = 0
                    news[one] = news[other] = time_ns
            if self.partition(sets) != said[-1][1]:
                said.append((time_ns, self.partition(sets)))
        return said

    def partition(self, sets: list[set[int]]) -> Partition:
        return numbered([next(place for place, members in enumerate(sets) if one in members) for one in self.subflows])


@st.composite
def cases(draw: st.DrawFn) -> tuple[Coupling, list[Event], range, int]:
    coupling = Coupling(
        theta=draw(st.sampled_from([0.25, 0.5, 0.75])),
        kappa=draw(st.sampled_from([0.5, 1.0, 2.0, 4.0])),
        delay_rule=draw(st.sampled_from(["and_recent", "and", "or", "loss_only"])),
        n_leave=draw(st.integers(1, 3)),
        init=draw(st.sampled_from(["separate", "together"])),
        age_s=draw(st.sampled_from([None, 3.0, 10.0])),
        triggers=draw(st.sampled_from(["recovery", "recovery_and_loss"])),
        extremes_s=draw(st.sampled_from([None, 2.0])),
    )
    subflows = range(draw(st.integers(2, 4)))
    half_s = st.integers(1, 40).map(lambda halves: halves * S // 2)
    one = st.sampled_from(subflows)
    rtts = st.builds(Event, half_s, one, st.just(int(Kind.RTT)), st.sampled_from([500_000, 1_000_000, 1_500_000]))
    changes = st.builds(Event, half_s, one, st.just(int(Kind.CA)), st.integers(0, 4))
    episodes = st.tuples(half_s, one, st.sampled_from([3, 3, 3, 4]))
    first = [
        Event(0, subflow_id, Kind.RTT, draw(st.sampled_from([500_000, 1_000_000])))
        for subflow_id in subflows
        if draw(st.integers(0, 9)) > 0
    ]
    drawn = draw(st.lists(rtts, max_size=25)) + draw(st.lists(changes, max_size=5))
    for time_ns, subflow_id, state in draw(st.lists(episodes, min_size=1, max_size=25)):
        drawn += [Event(time_ns, subflow_id, Kind.CA, state), Event(time_ns + S // 4, subflow_id, Kind.CA, OPEN)]
    events = sorted([*first, *drawn], key=lambda event: (event.time_ns, event.kind, event.subflow_id))
    return coupling, events, subflows, events[-1].time_ns + draw(st.integers(0, 20)) * S // 2


@settings(max_examples=300, deadline=None, derandomize=True)
@given(cases())
def test_equals_a_plain_recomputation(case: tuple[Coupling, list[Event], range, int]) -> None:
    coupling, events, subflows, end_ns = case
    found = [(one.time_ns, one.partition) for one in replayed(Dwc(coupling), subflows, events, end_ns)]
    assert found == Naive(coupling, events, subflows, end_ns).opinions()
