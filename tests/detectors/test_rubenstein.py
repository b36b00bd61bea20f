"""The comparison test: made queues, and both measures against plain loops over the packets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from smartsbd.detectors.pairwise import DelayPair
from smartsbd.detectors.rubenstein import RUBENSTEIN, Comparing, Rubenstein, compared, measures, probes
from tests.detectors.queues_made import MS, ONE_QUEUE, OTHER_QUEUE, delays, opinions

SHARED, APART = (0, 0), (0, 1)
END_MS = 16_000


def random_delays(rng: np.random.Generator, packets: int, unit_ns: int = 1) -> DelayPair:
    """Return delays in bursts and gaps, several at one time among them."""
    time_ns = np.cumsum(rng.integers(0, 40, packets) * rng.integers(0, 5, packets)) * unit_ns
    delay_us = rng.integers(500, 1500, packets)
    return DelayPair(time_ns, delay_us, int(delay_us.min()))


def compared_plainly(own: DelayPair, other: DelayPair, start_ns: int, slot_ns: int) -> list[tuple[int, int, int]]:
    """Go through the packets one by one."""
    probe_of: dict[int, int] = {}
    for place, time_ns in enumerate(own.time_ns.tolist()):
        probe_of.setdefault((time_ns - start_ns) // slot_ns, place)
    chosen = list(probe_of.values())
    found = []
    for probe, following in itertools.pairwise(chosen):
        later = [place for place, time_ns in enumerate(other.time_ns.tolist()) if time_ns > own.time_ns[probe]]
        if later and other.time_ns[later[0]] < own.time_ns[following]:
            found.append((int(own.delay_us[probe]), int(other.delay_us[later[0]]), int(own.delay_us[following])))
    return found


@pytest.mark.parametrize("base_us", [45_000, 90_000, 150_000])
@pytest.mark.parametrize("scale", [0.2, 3.0])
def test_base_delay_and_scale_do_not_matter(base_us: int, scale: float) -> None:
    one = delays(ONE_QUEUE, 40_000, 5, END_MS)
    for queue, partition in ((ONE_QUEUE, SHARED), (OTHER_QUEUE, APART)):
        traces = {0: one, 1: delays(queue, base_us, 7, END_MS, scale=scale)}
        assert {opinion.partition for opinion in opinions(RUBENSTEIN, "default", traces, END_MS)} == {partition}


def test_nothing_is_said_before_a_window() -> None:
    """Of 10 s, counted from the later subflow's first delay; steps are of half a second from the earlier's."""
    traces = {0: delays(ONE_QUEUE, 40_000, 5, END_MS), 1: delays(ONE_QUEUE, 90_000, 7, END_MS, start_ms=2_030)}
    assert opinions(RUBENSTEIN, "default", traces, END_MS)[0].time_ns == traces[0][0][0] + 12_500 * MS
    early = {one: (times_ns[times_ns < 12_400 * MS], values) for one, (times_ns, values) in traces.items()}
    early = {one: (times_ns, values[: len(times_ns)]) for one, (times_ns, values) in early.items()}
    assert opinions(RUBENSTEIN, "default", early, 12_400) == []


def test_of_a_constant_delay_nothing_is_said() -> None:
    flat = np.arange(0, END_MS * MS, 5 * MS), np.full(END_MS // 5, 50_000)
    for other in (flat, delays(ONE_QUEUE, 40_000, 7, END_MS)):
        assert opinions(RUBENSTEIN, "default", {0: flat, 1: other}, END_MS) == []


def test_probes_by_hand() -> None:
    """Slots of 10 from 5 on: 5 to 14, 15 to 24, 25 to 34, 35 to 44."""
    assert probes(np.array([5, 14, 15, 36, 44]), start_ns=5, slot_ns=10).tolist() == [0, 2, 3]
    assert probes(np.array([20, 21]), start_ns=5, slot_ns=10).tolist() == [0]


def test_what_is_compared_by_hand() -> None:
    """Of probes at 0, 10, 20 and 30, the other flow follows the first and the third before the next probe does."""
    own = DelayPair(np.array([0, 3, 10, 20, 30]), np.array([50, 51, 52, 53, 54]), 50)
    other = DelayPair(np.array([0, 4, 5, 20, 29]), np.array([60, 61, 62, 63, 64]), 60)
    found = compared(own, other, np.array([0, 2, 3, 4]))
    assert found.T.tolist() == [[50, 61, 52], [53, 64, 54]]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_compared_against_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    own, other = random_delays(rng, 80), random_delays(rng, 120)
    slot_ns = int(rng.integers(20, 200))
    found = compared(own, other, probes(own.time_ns, 0, slot_ns))
    expected = compared_plainly(own, other, 0, slot_ns)
    assert expected
    assert [tuple(triple) for triple in found.T.tolist()] == expected


@pytest.mark.parametrize("seed", range(5))
def test_measures_against_their_definition(seed: int) -> None:
    delays_us = np.random.default_rng(seed).integers(1, 10**6, (3, 40))
    probe, crossing, following = (own.tolist() for own in delays_us)
    for found, partner in zip(measures(delays_us) or (), (crossing, following), strict=True):
        mean, other = sum(probe) / 40, sum(partner) / 40
        covariance = sum((x - mean) * (y - other) for x, y in zip(probe, partner, strict=True))
        sizes = sum((x - mean) ** 2 for x in probe) * sum((y - other) ** 2 for y in partner)
        assert found == pytest.approx(covariance / sizes**0.5, abs=1e-12)


@pytest.mark.parametrize("constant", range(3))
def test_measures_of_constant_delays(constant: int) -> None:
    delays_us = np.array([[1, 2, 4], [3, 5, 1], [8, 2, 2]])
    delays_us[constant] = 7
    assert measures(delays_us) is None


@pytest.mark.parametrize("slot_rtts", [1, 2])
@pytest.mark.parametrize("seed", range(20))
def test_verdicts_against_loops(seed: int, slot_rtts: int) -> None:
    """Cross above auto, over both directions; the same whichever flow is the first; none of few probes."""
    rng = np.random.default_rng(seed)
    one, other = random_delays(rng, 100, unit_ns=10_000), random_delays(rng, 100, unit_ns=10_000)
    slot_ns = slot_rtts * max(one.min_us, other.min_us) * 1000
    triples = [compared_plainly(one, other, 0, slot_ns), compared_plainly(other, one, 0, slot_ns)]
    lead = sum(
        np.corrcoef(probe, crossing)[0, 1] - np.corrcoef(probe, following)[0, 1]
        for probe, crossing, following in (np.array(own).T for own in triples)
    )
    fewest = min(len(own) for own in triples)
    for least, expected in ((fewest, bool(lead > 0)), (fewest + 1, None)):
        judge = Rubenstein(Comparing(slot_rtts=slot_rtts, least_probes=least)).judge
        assert judge(one, other, 0, 10**12) is judge(other, one, 0, 10**12) is expected
