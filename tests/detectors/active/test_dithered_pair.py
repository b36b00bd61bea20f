"""The active check: signs that a queue carries over are found, others are not, and the C is the Python."""

from __future__ import annotations

import itertools
import math
import shutil
import subprocess
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from smartsbd.detectors.active.dithered_pair import (
    HALF_STEPS,
    KEPT_STEPS,
    MOST_SYMBOLS,
    SHARED_Q8,
    STEPS_PER_RTT,
    WAITING,
    ActiveVerdict,
    DitheredPair,
    deviations_q8,
)
from smartsbd.detectors.active.step_samples import LIMIT_US, STEP_SAMPLES, StepSamples
from smartsbd.export import compilers
from smartsbd.export.compilers import Compiler
from smartsbd.features import connection_pairs
from smartsbd.features.reading import DEFAULT
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from tests.detectors.active.dithered_signals import M_US, MS, Network, Sample, Sign, Told
from tests.export import made

ROOT = Path(__file__).parents[3]
INCLUDED = ["-I", str(ROOT / "detectors" / "active")]
RECORDED = sorted((ROOT / "data/samples/idle_linux/inputs").iterdir())[:6]
SHARED, APART, UNKNOWN = ActiveVerdict.SHARED, ActiveVerdict.APART, ActiveVerdict.UNKNOWN

#: Each pair begins with `m`; after each judgement a line with the evidence.
PROGRAM = r"""
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "sbd_active.h"

_Static_assert(sizeof(struct sbd_active_pair) <= 4096, "2 KB a subflow");

int main(void)
{
	static struct sbd_active_pair pair;
	struct sbd_active_evidence e;
	uint64_t time, begin, middle;
	uint32_t which, us;
	int amplitude;
	char what;

	while (scanf(" %c %" SCNu32, &what, &which) == 2) {
		if (what == 'm') {
			memset(&pair, 0, sizeof(pair));
			sbd_active_init(&pair, which);
			puts("m");
		} else if (what == 's') {
			if (scanf("%" SCNu64 "%" SCNu64 "%" SCNu64 "%d", &begin, &middle, &time,
					&amplitude) != 4)
				return 1;
			sbd_active_on_symbol(&pair, which, begin, middle, time, amplitude);
		} else {
			if (scanf("%" SCNu64 "%" SCNu32, &time, &us) != 2)
				return 1;
			if (!sbd_active_on_rtt(&pair, which, time, us))
				continue;
			sbd_active_weigh(&pair, &e);
			printf("%" PRIu64 " %u %u %" PRIu64 " %" PRIu64 " %" PRId64 " %u\n", time, pair.said,
				e.symbols, e.shared_q8, e.own_q8, e.llr, pair.left_out);
		}
	}
	return 0;
}
"""


class Judged(NamedTuple):
    """A judgement, and what it was made of."""

    time_ns: int
    verdict: ActiveVerdict
    symbols: int
    shared_q8: int
    own_q8: int
    llr: int
    left_out: int


def judged(told: Iterable[Told], m_us: int = M_US) -> list[Judged]:
    """Return all judgements on a pair, by Python."""
    pair, found = DitheredPair(m_us), []
    for one in told:
        if isinstance(one, Sign):
            pair.on_symbol(one.which, one.begin_ns, one.middle_ns, one.time_ns, one.amplitude)
        elif pair.on_rtt(one.which, one.time_ns, one.rtt_us):
            found.append(Judged(one.time_ns, pair.verdict, *pair.evidence(), pair.left_out))
    return found


@cache
def program(compiler: Compiler, folder: Path) -> Path:
    """Return the program that judges by the C."""
    source, built = folder / "active.c", folder / compiler.name
    source.write_text(PROGRAM)
    compilers.compiled(compiler, source, built, [*INCLUDED, *made.SANITIZERS])
    return built


@pytest.fixture(scope="module")
def by_c(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[list[Judged]]]:
    """Judge many pairs by the C, built by one compiler, the first by default."""
    folder = tmp_path_factory.mktemp("active")

    def judge(pairs: Iterable[list[Told]], m_us: int = M_US, compiler: Compiler | None = None) -> list[list[Judged]]:
        lines = []
        for told in pairs:
            lines.append(f"m {m_us}")
            lines += [
                f"s {one.which} {one.begin_ns} {one.middle_ns} {one.time_ns} {one.amplitude}"
                if isinstance(one, Sign)
                else f"r {one.which} {one.time_ns} {one.rtt_us}"
                for one in told
            ]
        used = program(compiler or compilers.installed()[0], folder)
        done = subprocess.run([used], input="\n".join(lines), capture_output=True, text=True, check=True)
        found: list[list[Judged]] = []
        for line in done.stdout.splitlines():
            if line == "m":
                found.append([])
                continue
            time_ns, said, *rest = (int(word) for word in line.split())
            found[-1].append(Judged(time_ns, ActiveVerdict(said), *rest))
        return found

    return judge


def test_a_shared_queue_is_found(by_c: Callable[..., list[list[Judged]]]) -> None:
    """Also where the subflows meet it at different times, before or after."""
    for lag_ms in (-30, 0, 15, 35):
        pairs = by_c(Network(shared=True, lag_ms=lag_ms).told(seed) for seed in range(10))
        assert [pair[-1].verdict for pair in pairs] == [SHARED] * 10


def test_queues_that_move_together_are_told_apart(by_c: Callable[..., list[list[Judged]]]) -> None:
    """Nothing but the signs differs between the two networks."""
    apart = by_c(Network(shared=False, together=True).told(seed) for seed in range(20))
    assert [pair[-1].verdict for pair in apart] == [APART] * 20
    assert not any(one.verdict is SHARED for pair in apart for one in pair)
    shared = by_c(Network(shared=True, together=True).told(seed) for seed in range(20))
    assert [pair[-1].verdict for pair in shared] == [SHARED] * 20


def test_nothing_is_said_where_windows_do_not_move_queues(by_c: Callable[..., list[list[Judged]]]) -> None:
    """Without an answer to their own symbols there is no yardstick."""
    pairs = by_c(Network(shared=True, gain_us=0).told(seed) for seed in range(20))
    assert {one.verdict for pair in pairs for one in pair} == {UNKNOWN}


@pytest.mark.slow
def test_independent_signs_pass_thresholds_no_oftener_than_chance_allows(
    by_c: Callable[..., list[list[Judged]]],
) -> None:
    """At one time, of 17 lags, as P(S >= z sqrt(V)) <= exp(-z^2 / 2) allows; counts within four deviations."""
    count = 600
    network = Network(shared=False, gain_us=0, symbols=40)
    pairs = by_c(network.told(seed) for seed in range(count))
    last = np.sqrt([pair[-1].shared_q8 / 256 for pair in pairs])
    assert min(pair[-1].symbols for pair in pairs) > 70
    for z in (3.0, 3.5, 3.75, 4.2):
        expected = count * 17 * math.exp(-z * z / 2)
        assert (last >= z).sum() <= expected + 4 * math.sqrt(expected), z
    ever = sum(any(one.verdict is SHARED for one in pair) for pair in pairs)
    assert ever <= 0.01 * count


@pytest.mark.slow
@pytest.mark.parametrize("together", [False, True])
def test_answers_to_their_own_signs_are_not_taken_for_those_of_the_other(
    together: bool, by_c: Callable[..., list[list[Judged]]]
) -> None:
    """Both directions have products of the same two signs: without a wider spread, 7 of these 300 were wrong."""
    pairs = by_c(Network(shared=False, together=together).told(seed) for seed in range(150))
    assert not any(one.verdict is SHARED for pair in pairs for one in pair)


def test_deviations_of_random_signs_are_of_size_one() -> None:
    """The mean square of a sum of random signs over its variance."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(2_000):
        terms = [int(term) for term in rng.integers(1 << 10, 1 << 30, 30)]
        agreement = sum(int(sign) * term for sign, term in zip(rng.choice([-1, 1], 30), terms, strict=True))
        found.append(deviations_q8(abs(agreement), sum((term**2 >> 12) + 1 for term in terms)) / 256)
    assert 0.93 < float(np.mean(found)) < 1.07


def random_told(seed: int) -> list[Told]:
    """Samples and symbols of any kind, in order of time: bursts, silences, impossible RTTs, long halves."""
    rng = np.random.default_rng(seed)
    told: list[Told] = []
    time_ns, begins = 3_000 * MS, [0, 0]
    for _ in range(3_000):
        time_ns += int(rng.choice([0, 1, 1, 2, 3, 5, 40, 900], p=[0.2, 0.2, 0.2, 0.2, 0.1, 0.08, 0.015, 0.005]) * MS)
        which = int(rng.integers(2))
        if rng.random() < 0.06:
            begin = max(begins[which], time_ns - int(rng.integers(1, 300)) * MS)
            middle = begin + int((time_ns - begin) * rng.random())
            amplitude = int(rng.choice([-16, -5, -1, 1, 2, 16]))
            told.append(Sign(time_ns, which, begin, middle, amplitude))
            begins[which] = time_ns
        rtt_us = int(
            rng.choice([30_000, LIMIT_US, 4 * LIMIT_US]) if rng.random() < 0.01 else rng.integers(10_000, 90_000)
        )
        told.append(Sample(time_ns, which, rtt_us))
    return told


def recorded(place: Path) -> tuple[list[Told], int]:
    """Return the RTTs of a recording, with symbols that nobody sent, and its larger minimum RTT."""
    signals = list(connection_pairs.signals(recording.only_connection([place], Dialect()), DEFAULT).values())[:2]
    rng = np.random.default_rng(0)
    m_us = max(int(one.rtt_us.min()) for one in signals)
    told: list[Told] = []
    for which, one in enumerate(signals):
        told += [Sample(int(at), which, int(us)) for at, us in zip(one.rtt_time_ns, one.rtt_us, strict=True)]
        time_ns = int(one.rtt_time_ns[0])
        while time_ns < one.rtt_time_ns[-1]:
            middle_ns, end_ns = (int(at) for at in time_ns + np.cumsum(rng.integers(500, 900, 2)) * m_us)
            told.append(Sign(end_ns, which, time_ns, middle_ns, int(rng.choice([-2, -1, 1, 2]))))
            time_ns = end_ns
    return sorted(told, key=lambda one: (one.time_ns, isinstance(one, Sign))), m_us


@pytest.mark.parametrize("compiler", compilers.installed(), ids=lambda compiler: compiler.name)
def test_the_c_is_the_python(compiler: Compiler, by_c: Callable[..., list[list[Judged]]]) -> None:
    """Every number of every judgement, on made networks and on samples and symbols of any kind."""
    pairs = [random_told(seed) for seed in range(12)]
    pairs += [Network(shared=seed % 2 == 0, gain_us=gain).told(seed) for seed, gain in enumerate((300, 300, 20_000))]
    found = by_c(pairs, compiler=compiler)
    assert found == [judged(told) for told in pairs]
    assert all(found)
    assert {one.verdict for pair in found for one in pair} == set(ActiveVerdict)
    assert any(pair[-1].left_out for pair in found)


@pytest.mark.parametrize("compiler", compilers.installed(), ids=lambda compiler: compiler.name)
def test_the_c_is_the_python_on_recordings(compiler: Compiler, by_c: Callable[..., list[list[Judged]]]) -> None:
    """And what nobody sent is not found in them."""
    for place in RECORDED:
        told, m_us = recorded(place)
        (found,) = by_c([told], m_us, compiler)
        assert found == judged(told, m_us)
        assert len(found) > 50
        assert SHARED not in {one.verdict for one in found}


def test_older_symbols_count_half_after_many(by_c: Callable[..., list[list[Judged]]]) -> None:
    """Deviations do not fall apart when the weights of one direction are halved."""
    told = Network(shared=True, symbols=MOST_SYMBOLS + 20).told(0)
    (found,) = by_c([told])
    assert found == judged(told)
    halved = [(before, after) for before, after in itertools.pairwise(found) if after.symbols < before.symbols]
    assert len(halved) == 2
    for before, after in halved:
        assert MOST_SYMBOLS // 2 - 2 <= before.symbols - after.symbols <= MOST_SYMBOLS // 2
        assert after.shared_q8 == pytest.approx(before.shared_q8, rel=0.4)


@pytest.mark.parametrize("extreme_us", [1, LIMIT_US])
def test_the_strongest_answers_stay_within_their_bits(extreme_us: int, by_c: Callable[..., list[list[Judged]]]) -> None:
    """With the largest amplitude, the smallest and the largest differences, until weights are halved."""
    told: list[Told] = []
    step_ns = M_US * 1000 // STEPS_PER_RTT
    for symbol in range(MOST_SYMBOLS + 5):
        begin_ns = (symbol + 1) * 2 * STEPS_PER_RTT * step_ns
        middle_ns, end_ns = begin_ns + STEPS_PER_RTT * step_ns, begin_ns + 2 * STEPS_PER_RTT * step_ns
        for which in (0, 1):
            for half_ns, rtt_us in ((begin_ns, extreme_us), (middle_ns, 0)):
                # Times of ACKs rise all the same: the RTT is what is told, not what passed.
                told += [Sample(half_ns + rtt_us * 1000 + k * step_ns, which, rtt_us) for k in range(STEPS_PER_RTT)]
            told.append(Sign(end_ns, which, begin_ns, middle_ns, 16))
    told.sort(key=lambda one: one.time_ns)
    assert by_c([told]) == [judged(told)]


def test_symbols_that_cannot_be_judged_are_counted() -> None:
    pair = DitheredPair(M_US)
    step_ns = pair.step_ns

    def tell(begin: int, first: int, second: int) -> None:
        pair.on_symbol(0, begin * step_ns, (begin + first) * step_ns, (begin + first + second) * step_ns, 1)

    tell(0, 8, 8)  # its earliest lag is before the start
    tell(100, 0, 8)
    tell(100, 8, HALF_STEPS + 1)
    assert pair.left_out == 3
    for place in range(WAITING + 1):
        tell(100 + 16 * place, 8, 8)
    assert pair.left_out == 4
    # One subflow is silent for so long that the other's samples are gone.
    last = 100 + 16 * WAITING + STEPS_PER_RTT
    assert not pair.on_rtt(0, (last + KEPT_STEPS) * step_ns, 0)
    pair.on_rtt(1, last * step_ns, 0)
    assert pair.left_out > 4
    assert not pair.directions[0].waiting


def test_a_step_holds_a_bounded_number_of_samples() -> None:
    samples = StepSamples()
    for rtt_us in range(2 * STEP_SAMPLES):
        samples.add(5, rtt_us)
    samples.add(4, 10**9)
    assert samples.mean_us(5, 6) == (STEP_SAMPLES - 1) // 2
    samples.add(6, 10**9)
    assert samples.mean_us(6, 7) == LIMIT_US


def test_the_threshold_is_that_of_the_definition() -> None:
    assert round(4.2**2 * 256) == SHARED_Q8


SENDER = """
#include "sbd_active.h"
uint8_t sender(struct sbd_active_pair *pair, uint32_t which, uint64_t time_ns, uint32_t rtt_us);
uint8_t sender(struct sbd_active_pair *pair, uint32_t which, uint64_t time_ns, uint32_t rtt_us)
{
	which &= 1;
	sbd_active_on_symbol(pair, which, time_ns - 2 * rtt_us, time_ns - rtt_us, time_ns, 1);
	sbd_active_on_rtt(pair, which, time_ns, rtt_us);
	return pair->said;
}
"""


@pytest.mark.parametrize("compiler", compilers.installed(), ids=lambda compiler: compiler.name)
def test_the_header_compiles_with_integers_alone(compiler: Compiler, tmp_path: Path) -> None:
    source = tmp_path / "sender.c"
    source.write_text(SENDER)
    options = [*INCLUDED, "-mgeneral-regs-only", "-Wconversion", "-c"]
    compilers.compiled(compiler, source, tmp_path / "sender.o", options)
    assert (tmp_path / "sender.o").exists()


@pytest.mark.skipif(shutil.which("clang") is None, reason="clang is not installed")
def test_the_header_compiles_for_bpf_with_little_stack(tmp_path: Path) -> None:
    clang = next(compiler for compiler in compilers.installed() if compiler.name == "clang")
    source = tmp_path / "sender.c"
    source.write_text(SENDER)
    options = ["-target", "bpf", "-mcpu=v3", "-ffreestanding", *INCLUDED, "-Wframe-larger-than=256", "-c"]
    compilers.compiled(clang, source, tmp_path / "sender.o", options)
    assert (tmp_path / "sender.o").exists()
