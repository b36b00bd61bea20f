"""The common lag in C: every judgement is the pipeline's, nothing overflows, and a pair is small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from smartsbd.detectors import replayed
from smartsbd.detectors.compiled_detectors import CompiledDetector, event_array
from smartsbd.detectors.event import Event
from smartsbd.detectors.verdict.common_lag import COMMON_LAG, CommonLagRule
from smartsbd.export import compilers
from smartsbd.export.common_lag_judgements import CommonLagSaid, build_common, by_pipeline, by_program
from smartsbd.export.compilers import Compiler
from smartsbd.features import connection_pairs
from smartsbd.features.reading import DEFAULT
from smartsbd.features.series import SubflowSignals
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from tests.export import made
from tests.features.delays_made import pair, stopped

ROOT = Path(__file__).parents[2]
HEADERS = ROOT / "detectors/verdict"
KERNEL = sorted((ROOT / "data/samples/kernel/inputs").iterdir())
#: Bytes that a pair may take in a kernel.
PAIR_BYTES = 16 << 10


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile what a sender includes, such that what is undefined ends the process."""
    gcc = next(own for own in compilers.installed() if own.name == "gcc")
    return build_common(tmp_path_factory.mktemp("common_lag"), gcc, made.SANITIZERS)


def assert_equals(program: Path, x: SubflowSignals, y: SubflowSignals) -> list[CommonLagSaid]:
    """Compare every judgement; return them."""
    (judgements,), pair_bytes = by_program(program, [(x, y)])
    assert judgements == by_pipeline(x, y)
    assert pair_bytes <= PAIR_BYTES
    return judgements


@pytest.mark.parametrize("seed", range(25))
def test_every_judgement_on_made_delays_is_the_pipelines(program: Path, seed: int) -> None:
    x, y, _ = pair(seed)
    assert assert_equals(program, x, y) or seed % 5 == 3


def test_every_judgement_around_stalls_is_the_pipelines(program: Path) -> None:
    """Stalls of all lengths, again and again: silences that end together, and some that do not."""
    judged = 0
    for seed in range(12):
        x, y, _ = pair(seed)
        for rtts in (0.6, 1.5, 4.0):
            for_ns = int(rtts * 20_000_000)
            stalled = [stopped(own, 7 * for_ns // 2, for_ns) for own in (x, y)]
            judged += len(assert_equals(program, stalled[0], stalled[1]))
    assert judged > 300


def test_every_judgement_on_paths_that_fall_idle_is_the_pipelines(program: Path) -> None:
    """Idle from the start, after a load, and before one; few samples, many, and bursts of close ones."""
    signs = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        every_ns = int(rng.choice([2, 10, 60]) * 1_000_000)
        count = 40_000_000_000 // every_ns
        queue_us = abs((rng.normal(0, 3_000, count) * every_ns / 1e7).cumsum() % 60_000 - 30_000)
        loaded = np.arange(count) // (count // 4) % 2 == seed % 2
        sides = []
        for which in range(2):
            jitter_us = rng.gamma(0.7, rng.choice([200, 3_000, 15_000]), count)
            rtt_us = 20_000 + 15_000 * which + jitter_us + (queue_us if seed % 3 == which else queue_us * loaded)
            burst_ns = np.arange(count) % 4 * (every_ns - 50_000) if seed % 4 == 0 else 0
            sides.append(
                SubflowSignals.of_rtts(np.arange(1, count + 1) * every_ns - burst_ns + which, rtt_us.astype(int))
            )
        signs |= {judgement.queues for judgement in assert_equals(program, sides[0], sides[1])}
    assert len(signs) == 4


def test_every_judgement_beside_long_silences_is_the_pipelines(program: Path) -> None:
    """Of one subflow, of the other, and of both, up to hours."""
    x, y, _ = pair(4)
    judged = 0
    for silent_ns in (10**9, 30 * 10**9, 7_200 * 10**9):
        for whose in ((True, False), (False, True), (True, True)):
            later = [
                SubflowSignals.of_rtts(
                    own.rtt_time_ns + silent_ns * (moved & (own.rtt_time_ns > own.rtt_time_ns.max() // 2)), own.rtt_us
                )
                for own, moved in zip((x, y), whose, strict=True)
            ]
            judged += len(assert_equals(program, later[0], later[1]))
    assert judged > 100


def test_every_judgement_on_a_kernels_connections_is_the_pipelines(program: Path) -> None:
    said = set()
    for path in KERNEL:
        for connection in recording.read(path, Dialect()).trace.connections:
            found = connection_pairs.signals(connection, DEFAULT)
            said |= {judgement.shared for judgement in assert_equals(program, found[0], found[1])}
    assert said >= {False, True}


def test_the_largest_delays_that_can_be_overflow_nothing(program: Path) -> None:
    rng = np.random.default_rng(1)
    time_ns = np.cumsum(rng.integers(1, 60_000_000, 6_000))
    x, y = (
        SubflowSignals.of_rtts(time_ns + rng.integers(0, 1_000_000), rng.choice([250_000, 2**32 - 1], 6_000))
        for _ in range(2)
    )
    assert len(assert_equals(program, x, y)) > 20


def test_many_samples_at_few_times_overflow_nothing(program: Path) -> None:
    """Ten thousand a round trip, in bursts of one time."""
    rng = np.random.default_rng(2)
    time_ns = np.repeat(np.arange(400) * 10_000_000, 500)
    x, y = (SubflowSignals.of_rtts(time_ns, rng.choice([50_000, 2**24], time_ns.size)) for _ in range(2))
    assert assert_equals(program, x, y)


def test_the_detector_of_three_subflows_is_its_twin() -> None:
    """Two of them may meet one queue; they are judged pair by pair."""
    changes = 0
    for seed in range(4, 34, 10):
        x, y, _ = pair(seed)
        z, _, _ = pair(seed + 100)
        columns = np.concatenate(
            [
                np.stack([own.rtt_time_ns, np.full(own.rtt_us.size, number), np.full(own.rtt_us.size, 4), own.rtt_us])
                for number, own in enumerate((x, y, z))
            ],
            axis=1,
        )
        columns = columns[:, np.lexsort((columns[1], columns[0]))]
        end_ns = int(columns[0].max())
        for rule in (CommonLagRule(), *(CommonLagRule(**{name: False}) for name in vars(CommonLagRule()))):
            expected = replayed(COMMON_LAG.build(rule), [0, 1, 2], map(Event._make, columns.T.tolist()), end_ns)
            found = CompiledDetector("common-lag", vars(rule)).opinions(event_array(columns, [0, 1, 2]), 3, end_ns)
            assert found == expected
            changes += len(found)
    assert changes > 6


@pytest.mark.parametrize("compiler", compilers.installed(), ids=lambda own: own.name)
def test_the_header_compiles_with_integers_alone(compiler: Compiler, tmp_path: Path) -> None:
    source = tmp_path / "sender.c"
    source.write_text(
        '#include "sbd_common_lag.h"\n'
        "static struct sbd_common_scratch scratch;\n"
        "bool sender(struct sbd_common_pair *pair, int which, int64_t now_ns, uint32_t rtt_us);\n"
        "bool sender(struct sbd_common_pair *pair, int which, int64_t now_ns, uint32_t rtt_us)\n"
        "{\n\treturn sbd_common_on_rtt(pair, &scratch, which, now_ns, rtt_us);\n}\n"
    )
    options = ["-I", str(HEADERS), "-mgeneral-regs-only", "-c"]
    compilers.compiled(compiler, source, tmp_path / "sender.o", options)
    assert (tmp_path / "sender.o").exists()


def test_the_subflows_of_one_queue_are_told_from_those_of_two() -> None:
    """Of the made pairs that load their queues; a verdict that is wrong is the exception."""
    said = []
    for seed in range(45):
        x, y, shared = pair(seed)
        if seed % 5 not in (0, 3):
            judgements = by_pipeline(x, y)
            said.append((judgements[-1].shared if judgements else None, shared))
    decided = [verdict == shared for verdict, shared in said if verdict is not None]
    # Impossible RTTs among them hide the queue of some.
    assert len(decided) > 15
    assert np.mean(decided) > 0.9
