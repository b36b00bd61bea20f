"""The common lag in Rust: every judgement, its score and its evidence are the pipeline's, and the C header's."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from smartsbd.export import compilers
from smartsbd.export.common_lag_judgements import build_common, by_pipeline, by_program
from smartsbd.export.connection_signals import pairs_of_connections
from smartsbd.features import connection_pairs
from smartsbd.features.reading import DEFAULT
from smartsbd.features.series import SubflowSignals
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.recording import Recording
from tests.features.delays_made import pair, stopped

ROOT = Path(__file__).parents[2]
#: Every dataset in git, each with its recordings.
DATASETS = sorted(path.parent.name for path in (ROOT / "data/samples").glob("*/inputs"))
#: What the pipeline has made of every dataset, also those that are simulated; none in a fresh clone.
TABLES = ROOT / "data/tables"
SIMULATED = sorted(path.name for path in TABLES.glob("*") if (path / "connection.parquet").exists())
PAIRS_AT_ONCE = 40
#: Recordings in which silences end together when the block that their last samples are of has been judged.
STALLED = ("00009.log.zst", "00104.log.zst")
#: Two subflows each, the lower number first.
Pairs = list[tuple[SubflowSignals, SubflowSignals]]


def inputs_of(dataset: str) -> list[Path]:
    """Return a dataset's recordings, in order of their names."""
    return sorted((ROOT / "data/samples" / dataset / "inputs").iterdir())


def recorded(inputs: list[Path]) -> Iterator[tuple[SubflowSignals, SubflowSignals]]:
    """Yield every two subflows of each connection in recordings."""
    for read in recording.read_all(inputs, Dialect()):
        assert isinstance(read, Recording)
        for connection in read.trace.connections:
            signals = connection_pairs.signals(connection, DEFAULT)
            for a, b in itertools.combinations(sorted(signals), 2):
                yield signals[a], signals[b]


def assert_equals_pipeline(programs: Path, pairs: Pairs) -> int:
    """Compare every judgement; return how many there are."""
    judgements, _ = by_program(programs / "judgements", pairs)
    for (x, y), of_pair in zip(pairs, judgements, strict=True):
        assert of_pair == by_pipeline(x, y)
    return sum(map(len, judgements))


@pytest.fixture(scope="module")
def header(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a sender in C includes, as a program; tests of tests/export compare it with the pipeline."""
    return build_common(tmp_path_factory.mktemp("common_lag"), compilers.installed()[0])


def test_every_dataset_in_git_is_there() -> None:
    assert len(DATASETS) >= 8


@pytest.mark.parametrize("dataset", DATASETS)
def test_judgements_on_a_datasets_first_inputs_are_the_pipelines(programs: Path, dataset: str) -> None:
    assert assert_equals_pipeline(programs, list(recorded(inputs_of(dataset)[:2])))


@pytest.mark.parametrize("name", STALLED)
def test_what_was_judged_stays_where_a_stall_excises_it(programs: Path, header: Path, name: str) -> None:
    """Also by the header in C, which took it away from a later block once."""
    pairs = list(recorded([ROOT / "data/samples/testbed_2/inputs" / name]))
    assert assert_equals_pipeline(programs, pairs)
    assert by_program(header, pairs)[0] == by_program(programs / "judgements", pairs)[0]


@pytest.mark.slow
@pytest.mark.parametrize("dataset", DATASETS)
def test_every_judgement_on_a_dataset_is_the_pipelines(programs: Path, dataset: str) -> None:
    assert assert_equals_pipeline(programs, list(recorded(inputs_of(dataset))))


@pytest.mark.slow
@pytest.mark.skipif(not SIMULATED, reason="the pipeline has not made tables in this folder")
@pytest.mark.parametrize("dataset", SIMULATED)
def test_every_judgement_on_a_datasets_tables_is_the_headers(programs: Path, header: Path, dataset: str) -> None:
    """Of every pair of every connection; the stage prove compares the header with the pipeline on the first ones."""
    pairs, judgements = pairs_of_connections(TABLES / dataset, None), 0
    while some := list(itertools.islice(pairs, PAIRS_AT_ONCE)):
        by_crate, _ = by_program(programs / "judgements", some)
        assert by_crate == by_program(header, some)[0]
        judgements += sum(map(len, by_crate))
    assert judgements


def test_every_judgement_on_made_delays_and_stalls_is_the_headers(programs: Path, header: Path) -> None:
    """Also of stalls again and again: silences that end together, and some that do not."""
    pairs: Pairs = [pair(seed)[:2] for seed in range(15)]
    for seed, rtts in itertools.product(range(6), (0.6, 1.5, 4.0)):
        x, y, _ = pair(seed)
        for_ns = int(rtts * 20_000_000)
        pairs.append((stopped(x, 7 * for_ns // 2, for_ns), stopped(y, 7 * for_ns // 2, for_ns)))
    judgements, _ = by_program(programs / "judgements", pairs)
    assert judgements == by_program(header, pairs)[0]
    assert sum(map(len, judgements)) > 400


def test_every_judgement_beside_long_silences_is_the_headers(programs: Path, header: Path) -> None:
    """Of either subflow and of both, up to hours."""
    x, y, _ = pair(4)
    pairs: Pairs = []
    for silent_ns, moved in itertools.product((10**9, 30 * 10**9, 7_200 * 10**9), ((1, 0), (0, 1), (1, 1))):
        a, b = (
            SubflowSignals.of_rtts(
                side.rtt_time_ns + silent_ns * whose * (side.rtt_time_ns > side.rtt_time_ns.max() // 2), side.rtt_us
            )
            for side, whose in zip((x, y), moved, strict=True)
        )
        pairs.append((a, b))
    judgements, _ = by_program(programs / "judgements", pairs)
    assert judgements == by_program(header, pairs)[0]
    assert sum(map(len, judgements)) > 100


def test_every_judgement_on_random_samples_is_the_headers(programs: Path, header: Path) -> None:
    """Bursts of one time, silences of one or both, RTTs that fall and the largest there are."""
    rng = np.random.default_rng(20261130)
    pairs: Pairs = []
    for _ in range(24):
        sides = []
        base_us, every_ns = int(rng.choice([300, 20_000, 400_000])), int(rng.choice([200_000, 3_000_000, 20_000_000]))
        silent = rng.integers(0, 4_000, 6)
        for _ in range(2):
            count = 4_000
            gaps_ns = rng.integers(0, 2 * every_ns, count) * rng.integers(0, 2, count)
            gaps_ns[silent if rng.random() < 0.7 else rng.integers(0, count, 6)] += (
                int(rng.choice([2, 30, 900])) * every_ns
            )
            queue_us = abs(rng.normal(0, base_us / 20, count).cumsum() % (4 * base_us) - 2 * base_us)
            rtt_us = base_us + queue_us + rng.gamma(0.7, base_us / 30, count)
            rtt_us[rng.integers(0, count, 3)] = rng.choice([1, 2**24, 2**32 - 1])
            sides.append(SubflowSignals.of_rtts(np.cumsum(gaps_ns), np.minimum(rtt_us, 2**32 - 1).astype(np.int64)))
        pairs.append((sides[0], sides[1]))
    judgements, _ = by_program(programs / "judgements", pairs)
    assert judgements == by_program(header, pairs)[0]
    assert {judgement.shared for of_pair in judgements for judgement in of_pair} == {None, False, True}
