"""The statistics of RFC 8382 against its formulas taken over the whole series, and answers known by construction."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest

from smartsbd.detectors import DETECTORS, detector_of, replayed
from smartsbd.detectors.event import Event, Kind
from smartsbd.detectors.lag_excess import LAG_EXCESS
from smartsbd.detectors.mptcp_sbd import Merging, MptcpSbd, merged
from smartsbd.detectors.partition import Partition
from smartsbd.detectors.rfc8382 import (
    FlowStatistics,
    Rfc8382,
    Summary,
    SummaryStatistics,
    Thresholds,
    grouped,
    weighted,
)
from smartsbd.features.lag_excess.lattice import TILE_STEPS, Lattice, lattice_of
from smartsbd.features.series import SubflowSignals
from tests.detectors.traces_made import NS_PER_MS, delays, queue_us

PACKET = 1448


class Recorder(SummaryStatistics):
    """Keeps the statistics of every interval."""

    def __init__(self, thresholds: Thresholds) -> None:
        super().__init__(thresholds)
        self.observed: list[tuple[int, list[Summary]]] = []

    def _observe(self, end_ns: int, flows: Sequence[Summary]) -> None:
        self.observed.append((end_ns, list(flows)))


def naive_w(x: list[float], m: int, f: int | None) -> float:
    """RFC 8382, section 4.1, as it is printed: x[0] is the newest of at most m."""
    x = x[:m]
    if f is None:
        return sum(x)
    first = (m - f + 1) * sum(x[:f])
    return first + sum((m - k + 1) * x[k - 1] for k in range(f + 1, len(x) + 1))


def naive(
    intervals: list[tuple[list[int], int, float]], t: Thresholds
) -> list[tuple[float, float, float, float, bool] | None]:
    """Statistics after each interval of (delays, packets lost, packets delivered), from the whole past each time.

    Crossings and the state of the bottleneck test depend on their own past, so they are carried along.
    """
    found: list[tuple[float, float, float, float, bool] | None] = []
    means: list[float] = []  # of intervals with a delay, oldest first
    skew: list[tuple[int, int]] = []
    var: list[tuple[float, int]] = []
    crossed: list[bool | None] = []
    deemed, last = False, 0  # the first interval's mean is the long-term mean: on neither side
    for number, (own, _, _) in enumerate(intervals):
        lost = sum(part[1] for part in intervals[max(0, number - t.n + 1) : number + 1])
        total = lost + sum(part[2] for part in intervals[max(0, number - t.n + 1) : number + 1])
        loss = lost / total if total else 0.0
        if not own:
            # Nothing of delays is added; what is held speaks on, and losses and frequency go on.
            crossed.append(None)
            before = next((one for one in reversed(found) if one is not None), None)
            found.append(before and (before[0], before[1], naive_frequency(crossed, t), loss, deemed))
            continue
        if means:
            mean_delay = sum(means[-t.m :]) / len(means[-t.m :])
            skew.append((sum(x < mean_delay for x in own) - sum(x > mean_delay for x in own), len(own)))
        base = sum(abs(x - means[-1]) for x in own) if means else 0.0
        means.append(sum(own) / len(own))
        newest = skew[::-1]
        down = naive_w([float(c) for _, c in newest], t.m, t.f)
        skew_est = naive_w([float(s) for s, _ in newest], t.m, t.f) / down if down else None
        if skew_est is not None:
            deemed = not t.bottleneck_test or skew_est < t.c_s or (skew_est < t.c_h and deemed) or loss > t.p_l
        valid = deemed or t.noise == "kept"
        if len(means) > 1:
            if valid:
                var.append((base, len(own)))
            else:
                var.append((0.0, len(own) if t.noise == "rfc_literal" else 0))
        newest_var = var[::-1]
        below = naive_w([float(c) for _, c in newest_var], t.m, t.f)
        var_est = naive_w([v for v, _ in newest_var], t.m, t.f) / below if below else None
        crossing = False
        if var_est is not None:
            centre = sum(means[-t.m :]) / len(means[-t.m :])
            region = 1 if means[-1] > centre + t.p_v * var_est else -1 if means[-1] < centre - t.p_v * var_est else 0
            if region not in (last, 0):
                crossing, last = True, region
        crossed.append(crossing and valid)
        frequency = naive_frequency(crossed, t)
        found.append(None if skew_est is None else (skew_est, var_est or 0.0, frequency, loss, deemed))
    return found


def naive_frequency(crossed: list[bool | None], t: Thresholds) -> float:
    ring = crossed[-t.n :]
    over = t.n if t.frequency_over == "ring" else sum(one is not None for one in ring)
    return sum(one is True for one in ring) / over if over else 0.0


def made_intervals(seed: int, count: int) -> list[tuple[list[int], int, float]]:
    rng = np.random.default_rng(seed)
    made = []
    level = 50_000.0
    for _ in range(count):
        level = max(20_000.0, level + rng.normal(0, 15_000))
        samples = 0 if rng.random() < 0.1 else int(rng.integers(1, 30))
        own = [int(x) for x in rng.normal(level, 3_000, samples)]
        made.append((own, int(rng.random() < 0.2) * int(rng.integers(1, 5)), float(rng.integers(0, 40))))
    return made


THRESHOLDS = [
    Thresholds(),
    Thresholds(m=50, f=None, noise="kept"),
    Thresholds(n=8, m=5, f=3, noise="rfc_literal"),
    Thresholds(n=8, m=5, f=1, c_s=-0.01, frequency_over="nonempty"),
    Thresholds(n=6, m=6, f=None, bottleneck_test=False, noise="removed", frequency_over="nonempty"),
]


@pytest.mark.parametrize("number", range(len(THRESHOLDS)))
@pytest.mark.parametrize("seed", range(6))
def test_statistics_are_those_of_the_formulas_over_the_whole_series(number: int, seed: int) -> None:
    thresholds = THRESHOLDS[number]
    intervals = made_intervals(seed, 130)
    expected = naive(intervals, thresholds)
    flow = FlowStatistics(thresholds)
    sides = set()
    for (own, lost, delivered), wanted in zip(intervals, expected, strict=True):
        for value in own:
            flow.delay(value)
        flow.lost += lost
        flow.delivered_bytes += int(delivered * PACKET)
        got = flow.close()
        assert (got is None) == (wanted is None)
        if got is not None and wanted is not None:
            assert dataclasses.astuple(got)[:4] == pytest.approx(wanted[:4], rel=1e-12, abs=1e-12)
            assert got.at_bottleneck == wanted[4]
            sides.add(got.at_bottleneck)
    assert sides == ({True, False} if thresholds.bottleneck_test else {True})


def test_weights_are_those_of_the_rfc_by_hand() -> None:
    # M = 5, F = 2: weights 4, 4, 3, 2, 1 of the newest to the oldest.
    assert weighted([10, 20, 30, 40, 50], m=5, f=2) == 4 * 10 + 4 * 20 + 3 * 30 + 2 * 40 + 1 * 50
    assert weighted([10, 20, 30], m=5, f=2) == 4 * 10 + 4 * 20 + 3 * 30
    # Older than M: forgotten. F = M: all count the same.
    assert weighted([1, 1, 1, 1, 1, 9], m=5, f=2) == 14
    assert weighted([1, 2, 3], m=3, f=3) == 6


def test_skewness_variability_and_crossings_by_hand() -> None:
    flow = FlowStatistics(Thresholds(n=4, m=4, f=None, noise="kept", p_v=0.5, frequency_over="nonempty"))
    seen = []
    for own in ([100, 200], [100, 160, 200], [300], [20, 20], [400]):
        for value in own:
            flow.delay(value)
        seen.append(flow.close())
    # The first interval (mean 150) has nothing to be compared with.
    assert seen[0] is None
    # 100 is below 150, 160 and 200 above: -1 of 3. Distances from 150: 50, 10, 50.
    assert seen[1] is not None
    assert seen[1].skew_est == pytest.approx(-1 / 3)
    assert seen[1].var_est == pytest.approx(110 / 3)
    # Mean so far (150 + 153.33) / 2 = 151.67; 300 is above: -2 of 4. Distances: 110 + |300 - 153.33| over 4 delays.
    assert seen[2] is not None
    assert seen[2].skew_est == pytest.approx(-2 / 4)
    assert seen[2].var_est == pytest.approx((110 + 300 - 460 / 3) / 4)
    # 153.33 was within half a MAD of its mean 151.67: side 0, as the first interval; 300 is beyond, one crossing; 20 is
    # beyond on the other side, two; 400 beyond again, three. The ring holds the last four intervals, all with delays.
    assert [one.freq_est for one in seen[1:] if one] == pytest.approx([0 / 2, 1 / 3, 2 / 4, 3 / 4])


def test_a_second_interval_beyond_the_reach_is_a_crossing_by_hand() -> None:
    flow = FlowStatistics(Thresholds(n=4, m=4, f=None, noise="kept", p_v=0.4, frequency_over="nonempty"))
    for own in ([100, 100], [200, 200]):
        for value in own:
            flow.delay(value)
        summary = flow.close()
    # Mean 150, variability 100: 200 is beyond 190.
    assert summary is not None
    assert summary.freq_est == 1 / 2


def test_a_flow_that_pauses_keeps_its_statistics_and_the_others_their_decisions() -> None:
    events = [event for event in delays([queue_us(1, 3000)] * 3) if event.subflow_id != 2 or event.time_ns < 5 * 10**9]
    detector = Recorder(Thresholds())
    replayed(detector, [0, 1, 2], events, events[-1].time_ns)
    assert len(detector.observed) == (events[-1].time_ns - events[2].time_ns) // (350 * NS_PER_MS) - 1
    last = [flows[2] for _, flows in detector.observed[-50:]]
    assert len({(one.skew_est, one.var_est, one.at_bottleneck) for one in last}) == 1
    assert last[-1].freq_est == 0


@pytest.mark.parametrize(("loss_from", "expected"), [("above", (0, 1)), ("p_l", (0, 0))])
def test_loss_of_the_threshold_itself_counts_in_the_code_alone(loss_from: str, expected: Partition) -> None:
    # Skewness would part them, were it not for the loss that takes its place.
    flows = [flow_of(0, 1, -0.4, 0.1), flow_of(0, 1, 0.0, 0.1)]
    assert grouped(flows, Thresholds(loss_step="instead", loss_from=loss_from)) == expected  # type: ignore[arg-type]


def test_loss_is_packets_lost_of_packets_sent_in_the_last_n_intervals() -> None:
    detector = Recorder(Thresholds(n=2, m=2, f=None))
    ms = NS_PER_MS
    events = [
        Event(0, 0, Kind.ACK, 5 * PACKET),  # before both have a delay: not counted, but where counting starts
        Event(0, 1, Kind.RTT, 10),
        Event(0, 0, Kind.RTT, 10),
        Event(1 * ms, 1, Kind.RTT, 10),
        Event(10 * ms, 0, Kind.LOSS, 3),
        Event(20 * ms, 0, Kind.ACK, 14 * PACKET),
        Event(360 * ms, 0, Kind.RTT, 12),
        Event(360 * ms, 1, Kind.RTT, 12),
        Event(710 * ms, 0, Kind.RTT, 12),
        Event(710 * ms, 1, Kind.RTT, 12),
        Event(710 * ms, 0, Kind.LOSS, 1),
        Event(711 * ms, 0, Kind.ACK, 23 * PACKET),
        Event(711 * ms, 0, Kind.ACK, 20 * PACKET),
    ]
    replayed(detector, [0, 1], events, 1050 * ms)
    # Ends of the second and third interval: (3 + 0) of 3 + 9, then, the first forgotten, (0 + 1) of 1 + 9.
    assert [(end_ns // ms, flows[0].pkt_loss) for end_ns, flows in detector.observed] == [(700, 3 / 12), (1050, 1 / 10)]
    assert detector.observed[0][1][1].pkt_loss == 0


def flow_of(freq: float, var: float, skew: float, loss: float = 0.0, *, at_bottleneck: bool = True) -> Summary:
    return Summary(skew, var, freq, loss, at_bottleneck)


@pytest.mark.parametrize(
    ("flows", "thresholds", "expected"),
    [
        # By frequency: neighbours of a chain stay together though its ends are 0.18 apart.
        ([flow_of(0.1, 1, 0), flow_of(0.19, 1, 0), flow_of(0.28, 1, 0), flow_of(0.4, 1, 0)], {}, (0, 0, 0, 1)),
        # The difference must be below the threshold: 0.1 is not.
        ([flow_of(0.25, 1, 0), flow_of(0.125, 1, 0)], {"p_f": 0.125}, (0, 1)),
        # By variability, relative to the larger: 91 is within 10 % of 100, 90 is not.
        ([flow_of(0, 100, 0), flow_of(0, 91, 0)], {}, (0, 0)),
        ([flow_of(0, 100, 0), flow_of(0, 90, 0)], {}, (0, 1)),
        # Equal values stay together where a relative difference would be below zero.
        ([flow_of(0, 0, 0), flow_of(0, 0, 0)], {}, (0, 0)),
        # By skewness.
        ([flow_of(0, 1, -0.4), flow_of(0, 1, -0.2)], {}, (0, 1)),
        # Loss after skewness, only where it is above p_l.
        ([flow_of(0, 1, 0, 0.09), flow_of(0, 1, 0, 0.01)], {}, (0, 0)),
        ([flow_of(0, 1, 0, 0.20), flow_of(0, 1, 0, 0.17)], {}, (0, 1)),
        ([flow_of(0, 1, 0, 0.20), flow_of(0, 1, 0, 0.17)], {"loss_difference": "absolute"}, (0, 0)),
        # Loss in place of skewness.
        ([flow_of(0, 1, -0.4, 0.2), flow_of(0, 1, 0.0, 0.2)], {}, (0, 1)),
        ([flow_of(0, 1, -0.4, 0.2), flow_of(0, 1, 0.0, 0.2)], {"loss_step": "instead"}, (0, 0)),
        # Not at a bottleneck: alone, whatever the statistics.
        ([flow_of(0, 1, 0), flow_of(0, 1, 0, at_bottleneck=False), flow_of(0, 1, 0)], {}, (0, 1, 0)),
        ([flow_of(0, 1, 0, at_bottleneck=False)] * 2, {}, (0, 1)),
        # Order matters: the flow between two others in variability has another frequency, so they are apart.
        ([flow_of(0, 100, 0), flow_of(0.5, 95, 0), flow_of(0, 89, 0)], {}, (0, 1, 2)),
    ],
)
def test_groups_by_hand(flows: list[Summary], thresholds: dict[str, float], expected: Partition) -> None:
    assert grouped(flows, Thresholds(**thresholds)) == expected  # type: ignore[arg-type]


def test_observations_are_merged_by_hand() -> None:
    yes, no = (True, True), (True, False)
    together, apart = (0, 0), (0, 1)
    # Five of ten are enough; four are not.
    assert merged([(together, yes)] * 5 + [(apart, yes)] * 5, [0, 1], 0.5) == (0, 0)
    assert merged([(together, yes)] * 4 + [(apart, yes)] * 6, [0, 1], 0.5) == (0, 1)
    # The second flow is uncongested in five of ten: out of every group.
    assert merged([(together, yes)] * 5 + [(apart, no)] * 5, [0, 1], 0.5) == (0, 1)


def constant_answer(events: list[Event], name: str) -> Partition:
    kind, preset = detector_of(name)
    subflows = sorted({event.subflow_id for event in events})
    opinions = replayed(kind.build(kind.presets[preset]), subflows, events, events[-1].time_ns)
    return opinions[-1].partition


@pytest.mark.parametrize("name", ["rfc8382", "rfc8382/unweighted", "mptcp-sbd", "mptcp-sbd/kernel"])
@pytest.mark.parametrize("seed", range(3))
def test_answers_known_by_construction(name: str, seed: int) -> None:
    common = queue_us(seed, 3000)
    assert constant_answer(delays([common, common]), name) == (0, 0)
    # Another's queue has three times the depth: the variabilities differ.
    other = queue_us(100 + seed, 3000, peak_us=180_000)
    assert constant_answer(delays([common, other, common]), name) == (0, 1, 0)


@pytest.mark.parametrize("name", ["rfc8382/owd", "mptcp-sbd/owd"])
def test_one_way_delays_are_taken_where_they_are_asked_for(name: str) -> None:
    common = queue_us(3, 3000)
    assert constant_answer(delays([common, common], Kind.OWD), name) == (0, 0)
    kind, preset = detector_of(name)
    assert Kind.RTT not in kind.build(kind.presets[preset]).kinds


def test_scale_and_offset_do_not_matter() -> None:
    common = queue_us(1, 3000)
    events = delays([common, queue_us(2, 3000)])
    larger = [event._replace(value=4 * event.value + 7_000_000) for event in events]
    one, other = (replayed(Rfc8382(Thresholds()), [0, 1], own, events[-1].time_ns) for own in (events, larger))
    assert one == other
    assert len(one) > 1


def test_decisions_come_at_the_ends_of_intervals_and_from_the_second_on() -> None:
    events = delays([queue_us(1, 400), queue_us(1, 400)])
    detector = Recorder(Thresholds())
    replayed(detector, [0, 1], events, events[-1].time_ns)
    # Subflow 1's first delay begins them.
    first_ns = events[1].time_ns
    ends = [end_ns for end_ns, _ in detector.observed]
    assert ends == [first_ns + number * 350 * NS_PER_MS for number in range(2, 12)]


def test_a_subflow_without_delays_leaves_no_opinion() -> None:
    events = [event for event in delays([queue_us(1, 400)] * 2) if event.subflow_id == 0]
    assert replayed(Rfc8382(Thresholds()), [0, 1], events, events[-1].time_ns) == []


def test_merging_waits_for_ten_observations_and_the_kernel_decides_every_ten() -> None:
    one, other = queue_us(1, 6000), queue_us(2, 6000)
    events = delays([one, other])
    first_ns = events[1].time_ns
    for every in (1, 10):
        merging = Merging(every=every)
        opinions = replayed(MptcpSbd(merging), [0, 1], events, events[-1].time_ns)
        # The first observation is that of the second interval.
        intervals = [(opinion.time_ns - first_ns) / (350 * NS_PER_MS) for opinion in opinions]
        assert intervals[0] == 11
        assert all((number - 11) % every == 0 for number in intervals)


def test_bad_thresholds_are_refused() -> None:
    for bad in ({"m": 51}, {"f": 31}, {"f": 0}, {"interval_ms": 0}):
        with pytest.raises(ValueError, match="must be at least 1"):
            Thresholds(**bad)  # type: ignore[arg-type]


def of_every_kind(seed: int) -> list[Event]:
    """Delays of one common queue, ACKs, and losses, marks and Recovery where it is full."""
    queue = queue_us(seed, 1500)
    found = [event for kind in (Kind.RTT, Kind.OWD) for event in delays([queue] * 2, kind)]
    for delay in delays([queue] * 2):
        found.append(delay._replace(kind=Kind.ACK, value=delay.time_ns // 1000))
    full = [place for place in range(1, len(queue)) if queue[place] < queue[place - 1]]
    for place in full:
        for delay in delays([queue[: place + 1]] * 2)[-2:]:
            found += [delay._replace(kind=Kind.LOSS, value=2), delay._replace(kind=Kind.MARK, value=3000)]
            found.append(delay._replace(kind=Kind.CA, value=3))
            found.append(delay._replace(kind=Kind.CA, value=0, time_ns=delay.time_ns + 200 * NS_PER_MS))
    return sorted(found, key=lambda event: (event.time_ns, event.kind, event.subflow_id))


def tile_ns(events: Sequence[Event]) -> int:
    """Return how long a tile of the lag excess is."""
    own = [[one for one in events if one.subflow_id == subflow_id] for subflow_id in (0, 1)]
    x, y = (SubflowSignals.of_rtts([one.time_ns for one in rtts], [one.value for one in rtts]) for rtts in own)
    lattice = lattice_of(x, y)
    assert isinstance(lattice, Lattice)
    return TILE_STEPS * lattice.step_ns


@pytest.mark.parametrize(
    "name", sorted(f"{kind.name}/{preset}" for kind in DETECTORS.values() for preset in kind.presets)
)
def test_a_clock_that_jumps_by_years_changes_nothing(name: str) -> None:
    kind, preset = detector_of(name)
    detector = kind.build(kind.presets[preset])
    wanted = [event for event in of_every_kind(1) if event.kind in detector.kinds]
    # 100 s of silence, in whole intervals, groups, steps and tiles, or some 30 years of it.
    whole_ns = tile_ns(wanted) if kind is LAG_EXCESS else 100_800 * NS_PER_MS
    told = {}
    for silent_ns in (100_800 * NS_PER_MS // whole_ns * whole_ns, 10**18 // whole_ns * whole_ns):
        last_ns = wanted[-1].time_ns + silent_ns
        later = [event._replace(time_ns=event.time_ns + last_ns) for event in wanted]
        opinions = replayed(detector, [0, 1], [*wanted, *later], last_ns + 60_000 * NS_PER_MS)
        told[silent_ns] = [
            (one.time_ns if one.time_ns < 60_000 * NS_PER_MS else one.time_ns - last_ns, one.partition)
            for one in opinions
        ]
    assert len(set(map(str, told.values()))) == 1
