"""The lag excess against its definition in plain loops, and what its memory and its gates do."""

from __future__ import annotations

import itertools
import math
import random
import statistics
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest

from smartsbd.detectors.lag_excess import Criterion, judgements
from smartsbd.features.lag_excess import gate
from smartsbd.features.lag_excess.band import BANDS, LEAD_STEPS, Signs, changes_of, signs_of
from smartsbd.features.lag_excess.delays import LONGEST, Delays, delays_at, since
from smartsbd.features.lag_excess.excess import excesses
from smartsbd.features.lag_excess.lattice import PART_STEPS, TILE_STEPS, TOO_FEW_SAMPLES, Lattice, lattice_of
from smartsbd.features.lag_excess.memory import FORGETTING, Evidence, Memory
from smartsbd.features.lag_excess.tile import Tile, tiles
from smartsbd.features.series import SubflowSignals
from tests.features.delays_made import pair, queue_us, stopped, subflow

SPANS = (2, 4, 8, 16, 32, 64, 128)


class Naive:
    """A subflow's RTTs as the definition has them, one step at a time, in fractions."""

    def __init__(self, own: SubflowSignals, start_ns: int, fixed_ns: int, step_ns: int) -> None:
        samples = list(zip(own.rtt_time_ns.tolist(), own.rtt_us.tolist(), strict=True))
        first = max(place for place, (time_ns, _) in enumerate(samples) if time_ns <= fixed_ns)
        self.samples = [(time_ns, min(rtt_us, 2**24 - 1)) for time_ns, rtt_us in samples[first:]]
        self.start_ns, self.step_ns = start_ns, step_ns

    def at(self, step: int) -> tuple[int, float]:
        """Return the RTT at a step and the length of the silence it lies in, in steps."""
        time_ns = self.start_ns + step * self.step_ns
        before = [one for one in self.samples if one[0] <= time_ns]
        if not before:
            return self.samples[0][1], math.inf
        (t0, v0), (t1, v1) = before[-1], next(one for one in self.samples if one[0] >= time_ns)
        if t0 == time_ns:
            return v0, 0
        if t1 - t0 > 256 * self.step_ns:
            return v0, math.inf
        return v0 + math.trunc(Fraction((v1 - v0) * (time_ns - t0), t1 - t0)), (t1 - t0) / self.step_ns


def naive_band(rtt: Sequence[int], silence: Sequence[float], span: int, lead: int) -> list[int | None]:
    """Return the signs of changes, None where one does not count."""
    points = []
    for at in range(lead, len(rtt), max(1, span // 4)):
        late, early = rtt[at - span // 2 + 1 : at + 1], rtt[at - span + 1 : at - span // 2 + 1]
        silent = sum(one > max(2 * span, 8) for one in silence[at - span + 1 : at + 1])
        points.append(None if silent > span // 2 else Fraction(sum(late) - sum(early), span // 2))
    counting = [one for one in points if one is not None]
    mean = sum(counting) / len(counting) if counting else 0
    return [None if one is None else 1 if one > mean else -1 for one in points]


def naive_excess(a: list[int | None], b: list[int | None], span: int) -> float | None:
    """Return the excess of a band by the definition, in doubles."""
    stride = max(1, span // 4)
    possible = 16 // stride
    first_null = possible + max(2, span // stride) + 1

    def at(lag: int) -> tuple[int, int]:
        met = [(a[place], b[place - lag]) for place in range(len(a)) if 0 <= place - lag < len(b)]
        products = [one * other for one, other in met if one is not None and other is not None]
        return sum(products), len(products)

    found = {lag: at(lag) for lag in range(-first_null - 19, first_null + 20) if not possible < abs(lag) < first_null}
    most = max(count for _, count in found.values())
    best = [total / count for lag, (total, count) in found.items() if abs(lag) <= possible and count >= 0.3 * most > 0]
    null = [
        total / count for lag, (total, count) in found.items() if abs(lag) > possible and count >= max(8, 0.3 * most)
    ]
    if most < 12 or len(null) < 10 or not best:
        return None
    mean = sum(null) / len(null)
    variance = sum((one - mean) ** 2 for one in null) / len(null)
    return (max(best) - mean) / math.sqrt(variance + 1e-4)


@pytest.mark.parametrize(
    "made",
    [lambda: moving(0, shared=True), lambda: moving(1, shared=False), lambda: pair(4)[:2], lambda: pair(14)[:2]],
    ids=["shared", "apart", "odd", "odd too"],
)
def test_every_band_of_every_tile_is_as_defined(made: Callable[[], tuple[SubflowSignals, SubflowSignals]]) -> None:
    """Within what correlations in 15 bits and a root in integers leave: 1/1024 of an excess of 8 or so."""
    x, y = made()
    lattice = lattice_of(x, y)
    assert isinstance(lattice, Lattice)
    compared = 0
    for tile in list(tiles(x, y, lattice))[:4]:
        sides = []
        for own in (x, y):
            naive = Naive(own, lattice.start_ns, lattice.fixed_ns, lattice.step_ns)
            first = tile.number * TILE_STEPS
            sides.append([naive.at(step) for step in range(first - 127, first + tile.steps)])
        found = excesses(tile.correlogram)
        for span, excess in zip(SPANS, found, strict=True):
            signs = [naive_band([rtt for rtt, _ in own], [gap for _, gap in own], span, 127) for own in sides]
            expected = naive_excess(signs[0], signs[1], span)
            assert (excess is None) == (expected is None), span
            if excess is not None and expected is not None:
                assert excess.excess_q10 / 1024 == pytest.approx(min(max(expected, -2), 8), abs=0.01), span
                compared += 1
    assert compared > 5


def test_a_lattice_needs_ten_samples_of_both() -> None:
    few, many = (SubflowSignals.of_rtts(range(0, n * 1000, 1000), [500] * n) for n in (9, 30))
    assert lattice_of(few, many) == TOO_FEW_SAMPLES == lattice_of(many, few)


def test_what_is_said_does_not_depend_on_where_the_recording_ends() -> None:
    x, y, _ = pair(4)
    said = list(judgements(x, y, Criterion()))
    assert len(said) > 6
    for end_ns in (said[2].decided_ns, said[5].decided_ns):
        a, b = (
            SubflowSignals.of_rtts(own.rtt_time_ns[own.rtt_time_ns <= end_ns], own.rtt_us[own.rtt_time_ns <= end_ns])
            for own in (x, y)
        )
        known = [(one.decided_ns, one.shared, one.score_q10) for one in judgements(a, b, Criterion())]
        assert known == [(one.decided_ns, one.shared, one.score_q10) for one in said if one.decided_ns <= end_ns]


def moving(seed: int, *, shared: bool, count: int = 1) -> tuple[SubflowSignals, SubflowSignals]:
    """Return a plain pair of 20 ms, `count` times a hundred round trips long."""
    rng = random.Random(seed)  # noqa: S311 - test data
    queues = [queue_us(rng, 2000 * count, 30_000) for _ in range(2)]
    x = subflow(rng, queues[0], 20_000, 0, MS, odd=False)
    return x, subflow(rng, queues[0 if shared else 1], 15_000, 4, MS, odd=False)


MS = 1_000_000


@pytest.mark.parametrize("shared", [True, False])
def test_one_queue_is_told_from_two(shared: bool) -> None:
    for seed in range(5):
        said = [one.shared for one in judgements(*moving(seed, shared=shared, count=3), Criterion())]
        assert said[-1] is shared
        assert (not shared) not in said


def test_two_ramps_are_no_shared_queue() -> None:
    """Both delays rise alike for all of the time: they correlate, at every lag, and nothing else agrees."""
    rng = np.random.default_rng(0)
    ramp_us = np.arange(6000) * 5
    times = np.arange(6000) * MS
    x, y = (
        SubflowSignals.of_rtts(times, 20_000 + ramp_us + rng.integers(0, 4000, size=ramp_us.size).cumsum() % 3000)
        for _ in range(2)
    )
    assert np.corrcoef(x.rtt_us, y.rtt_us)[0, 1] > 0.95
    assert True not in [one.shared for one in judgements(x, y, Criterion())]


def still(own: SubflowSignals) -> SubflowSignals:
    """Return the same times with a delay that is noise and nothing else."""
    rng = np.random.default_rng(own.rtt_us.size)
    return SubflowSignals.of_rtts(own.rtt_time_ns, 20_000 + rng.integers(0, 100, size=own.rtt_us.size))


def idle(own: SubflowSignals) -> SubflowSignals:
    """Return a burst of samples at either end of each forty round trips, and silence between."""
    kept = own.rtt_time_ns % (800 * MS) < 60 * MS
    return SubflowSignals.of_rtts(own.rtt_time_ns[kept], own.rtt_us[kept])


def sparse(own: SubflowSignals) -> SubflowSignals:
    return SubflowSignals.of_rtts(own.rtt_time_ns[::90], own.rtt_us[::90])


def reasons(x: SubflowSignals, y: SubflowSignals) -> set[str | None]:
    return {one.reason for one in judgements(x, y, Criterion())}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (still, gate.STILL),
        (idle, gate.IDLE),
        (sparse, gate.TOO_SPARSE),
        (lambda own: stopped(own, 100 * MS, 50 * MS), gate.STALLED),
    ],
    ids=["still", "idle", "sparse", "stalled"],
)
def test_a_gate_closes_where_it_should_and_there_alone(
    changed: Callable[[SubflowSignals], SubflowSignals], reason: str
) -> None:
    x, y = moving(1, shared=False, count=3)
    assert reason not in reasons(x, y)
    found = reasons(changed(x), changed(y))
    assert reason in found
    assert found <= {reason, gate.BETWEEN} | ({gate.IDLE} if reason == gate.TOO_SPARSE else set())


def test_a_queue_of_more_than_ten_round_trips_is_too_deep() -> None:
    x, y = moving(1, shared=False, count=2)
    deep = SubflowSignals.of_rtts(x.rtt_time_ns, np.where(x.rtt_time_ns > 250 * MS, x.rtt_us + 250_000, x.rtt_us))
    assert gate.TOO_DEEP in reasons(deep, y)
    assert gate.TOO_DEEP not in reasons(x, y)


def kept(name: str, x: SubflowSignals, y: SubflowSignals) -> list[Evidence | None]:
    lattice = lattice_of(x, y)
    assert isinstance(lattice, Lattice)
    rule = Criterion()
    memory = Memory(FORGETTING[name], lambda evidence: rule.judged(evidence)[0])
    return [memory.add(tile) for tile in tiles(x, y, lattice)]


def counted(of: Evidence | None) -> int:
    return 0 if of is None else int(of.correlogram.counted[0].sum())


def test_a_memory_holds_as_many_tiles_as_it_says() -> None:
    """Halves and whole tiles in turn: of the fifth tile the memory of two holds that and the fourth."""
    x, y = moving(2, shared=True, count=4)
    alone = [counted(one) for one in kept("tile", x, y)]
    whole = alone[1::2]
    assert len(whole) >= 5
    for name, most in (("tiles_2", 2), ("tiles_4", 4), ("all", 100)):
        found = [counted(one) for one in kept(name, x, y)]
        assert found[1::2] == [sum(whole[max(0, n - most + 1) : n + 1]) for n in range(len(whole))]
        assert found[0::2] == [half + sum(whole[max(0, n - most + 1) : n]) for n, half in enumerate(alone[0::2])]
    fading = [counted(one) for one in kept("fading", x, y)]
    # Truncated at each of 73 lags.
    assert fading[3] == pytest.approx(7 / 8 * whole[0] + whole[1], abs=73)


def test_a_memory_forgets_while_nothing_comes() -> None:
    """Four tiles are 4 s here: what was before a pause of 10 s is not held any more."""
    x, y = moving(2, shared=True, count=4)
    apart = [
        SubflowSignals.of_rtts(own.rtt_time_ns + (own.rtt_time_ns > 4000 * MS) * 10_000 * MS, own.rtt_us)
        for own in (x, y)
    ]
    found = [one for one in kept("tiles_4", *apart) if one is not None]
    after = [one for one in found if one.start_ns > 10_000 * MS]
    assert after
    assert counted(found[-1]) < sum(counted(one) for one in kept("tile", *apart)[1::2])


def test_a_memory_that_restarts_follows_a_bottleneck_that_moves() -> None:
    """First two queues, then one: all of the past says apart for long, and a new beginning does not."""
    early, late = moving(3, shared=False, count=8), moving(4, shared=True, count=4)
    x, y = (
        SubflowSignals.of_rtts(
            np.concatenate([one.rtt_time_ns, other.rtt_time_ns + 16_000 * MS]),
            np.concatenate([one.rtt_us, other.rtt_us]),
        )
        for one, other in zip(early, late, strict=True)
    )
    rule = Criterion()
    known = {name: [one for one in kept(name, x, y) if one is not None] for name in ("all", "restarting")}
    said = {name: [rule.judged(one)[0] for one in own] for name, own in known.items()}
    assert said["restarting"].count(True) > said["all"].count(True)
    assert said["restarting"][-1] is True
    with pytest.raises(ValueError, match="restarts"):
        Memory(FORGETTING["restarting"])


def test_a_change_counts_if_half_of_it_was_seen() -> None:
    rtt_us = np.arange(LEAD_STEPS + 8)
    silence = np.zeros(rtt_us.size, dtype=np.int64)
    silence[: LEAD_STEPS + 3] = LONGEST
    changes, counts = changes_of(Delays(rtt_us, silence), BANDS[1], 8)
    assert changes.tolist() == [4] * 8
    assert counts.tolist() == [False] * 4 + [True] * 4
    assert signs_of(changes, counts) == Signs(above=0, counted=0b11110000)


def test_the_last_sample_at_a_time_begins_and_the_first_ends() -> None:
    lattice = Lattice(0, 16_000)
    at_ms = lattice.start_ns // MS
    own = SubflowSignals.of_rtts(
        [time_ms * MS for time_ms in (at_ms, at_ms, at_ms + 2, at_ms + 2, at_ms + 3)],
        [10_000, 20_000, 30_000, 50_000, 60_000],
    )
    assert delays_at(own, lattice, 0, 3).rtt_us.tolist() == [20_000, 25_000, 50_000]
    assert since(own, lattice).rtt_us.size == own.rtt_us.size or own.rtt_time_ns[0] > 0


def test_halves_and_wholes_follow_each_other() -> None:
    x, y, _ = pair(4)
    lattice = lattice_of(x, y)
    assert isinstance(lattice, Lattice)
    found: list[Tile] = list(tiles(x, y, lattice))
    assert {one.steps for one in found} == {PART_STEPS, TILE_STEPS}
    assert [one.decided_ns for one in found] == sorted(one.decided_ns for one in found)
    assert all(one.decided_ns > one.start_ns + (one.steps - 1) * lattice.step_ns for one in found)


def naive_lead(x: SubflowSignals, y: SubflowSignals, first_ns: int, last_ns: int, rtt_ns: int) -> float | None:
    """Return by how much the comparison test leads, in loops and doubles; None if it says nothing."""
    leads = []
    for own, other in ((x, y), (y, x)):
        mine, its = (
            [one for one in zip(of.rtt_time_ns.tolist(), of.rtt_us.tolist(), strict=True) if one[0] <= last_ns]
            for of in (own, other)
        )
        probes: dict[int, tuple[int, int]] = {}
        for time_ns, rtt_us in mine:
            if time_ns >= first_ns:
                probes.setdefault((time_ns - first_ns) // rtt_ns, (time_ns, rtt_us))
        rows = []
        for (begin_ns, probe_us), (end_ns, following_us) in itertools.pairwise(probes.values()):
            between = [rtt_us for time_ns, rtt_us in its if begin_ns < time_ns < end_ns]
            if between:
                rows.append([min(one, 2**23 - 1) for one in (probe_us, between[0], following_us)])
        columns = list(zip(*rows, strict=True))
        if len(rows) < 10 or any(len(set(column)) == 1 for column in columns):
            return None
        probe, crossing, following = columns
        leads.append(statistics.correlation(probe, crossing) - statistics.correlation(probe, following))
    return sum(leads)


def test_what_the_comparison_leads_by_is_as_defined() -> None:
    """Within what correlations in 15 bits leave."""
    found = 0
    moved = [moving(seed, shared=seed % 2 == 0, count=3) for seed in range(6)]
    for x, y in (*moved, *(pair(seed)[:2] for seed in range(10))):
        lattice = lattice_of(x, y)
        assert isinstance(lattice, Lattice)
        for tile in list(tiles(x, y, lattice))[:4]:
            last_ns = tile.start_ns + (tile.steps - 1) * lattice.step_ns
            expected = naive_lead(x, y, tile.start_ns, last_ns, 16 * lattice.step_ns)
            lead_q10 = tile.comparison.lead_q10()
            assert (lead_q10 is None) == (expected is None)
            if lead_q10 is not None and expected is not None:
                assert lead_q10 / 1024 == pytest.approx(expected, abs=0.003)
                found += 1
    assert found > 20


def test_the_witness_counts_one_at_most() -> None:
    """A score is the mean excess and the lead, which is cut; without a witness it is the mean excess."""
    cut = 0
    for seed in range(20):
        x, y, _ = pair(seed)
        alone = judgements(x, y, Criterion(compares=False))
        for one, other in zip(judgements(x, y, Criterion()), alone, strict=True):
            if one.evidence is None or one.score_q10 is None or other.score_q10 is None:
                continue
            lead_q10 = one.evidence.comparison.lead_q10() or 0
            assert one.score_q10 - other.score_q10 == max(-1024, min(lead_q10, 1024))
            cut += abs(lead_q10) > 1024
    assert cut > 0


def test_constant_delays_are_compared_with_nothing() -> None:
    x, y = (SubflowSignals.of_rtts(range(0, 4000 * MS, MS), [20_000] * 4000) for _ in range(2))
    found = {one.evidence.comparison.lead_q10() for one in judgements(x, y, Criterion()) if one.evidence is not None}
    assert found == {None}
