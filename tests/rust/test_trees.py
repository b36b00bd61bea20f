"""Exported trees in Rust: every window, its features and its verdict are those of the header in C."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from smartsbd.export import compilers, emit_rust, header_program, verify
from smartsbd.export.emit_c import EXPORTABLE
from smartsbd.export.probe import probing_rows
from smartsbd.features import connection_pairs
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.recording import Recording
from tests.export import streams
from tests.export.streams import Event
from tests.night import few_now
from tests.rust.test_judgements import DATASETS, inputs_of

#: Headers by the name that the crate's program takes.
HEADERS = {name.removeprefix("sbd_tree_"): name for name in emit_rust.TREES}
#: Datasets all of which take too long by day.
LARGE = {"testbed_2"}
PROBING_ROWS = 20_000


@dataclass(frozen=True)
class Windows:
    """What a program says of each window, in any order, and its counts of them."""

    lines: list[str]
    counts: str

    @classmethod
    def of(cls, command: list[str | Path], events: bytes) -> Windows:
        """Run a program on events."""
        done = subprocess.run(command, input=events, capture_output=True, check=True)
        lines = sorted(line for line in done.stdout.decode().splitlines() if " GROUPS" not in line)
        counts = done.stderr.decode().strip()
        return cls(lines, counts[counts.index("decided") :])


@pytest.fixture(scope="module")
def replays(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The headers in C, as programs."""
    place, compiler = tmp_path_factory.mktemp("replays"), compilers.installed()[0]
    return {tree: header_program.build(place, emit_rust.HEADERS, name, compiler) for tree, name in HEADERS.items()}


def events_of(inputs: list[Path]) -> bytes:
    """Return the connections of recordings as lines of events."""
    connections = [
        connection
        for read in recording.read_all(inputs, Dialect())
        if isinstance(read, Recording)
        for connection in read.trace.connections
    ]
    lines = []
    for token, connection in enumerate(connections):
        acks, states, _ = connection_pairs.rows(connection)
        lines.append(header_program.event_lines(token, acks, states, connection.span_ns()[1]))
    return b"".join(lines)


def assert_equals_headers(programs: Path, replays: dict[str, Path], events: bytes) -> int:
    """Compare every window by both trees; return how many there are."""
    for tree, replay in replays.items():
        by_header = Windows.of([replay, "-f"], events)
        assert Windows.of([programs / "windows", tree], events) == by_header
    return len(by_header.lines)


@pytest.mark.parametrize("dataset", few_now(DATASETS, now=set(DATASETS) - LARGE))
def test_every_window_of_a_dataset_is_the_headers(programs: Path, replays: dict[str, Path], dataset: str) -> None:
    assert assert_equals_headers(programs, replays, events_of(inputs_of(dataset)))


@pytest.mark.parametrize("dataset", sorted(LARGE))
def test_windows_of_a_large_datasets_first_inputs_are_the_headers(
    programs: Path, replays: dict[str, Path], dataset: str
) -> None:
    assert assert_equals_headers(programs, replays, events_of(inputs_of(dataset)[:40])) > 100


@pytest.mark.parametrize("kind", streams.KINDS)
def test_windows_of_made_connections_are_the_headers(programs: Path, replays: dict[str, Path], kind: str) -> None:
    """Silences up to hours, signals of one time, coarse grids, the largest RTTs, up to five subflows."""
    made = (streams.made(np.random.default_rng(seed), streams.KINDS[kind]) for seed in range(streams.KINDS[kind].seeds))
    events = b"".join(stream.lines(token) for token, stream in enumerate(made))
    assert assert_equals_headers(programs, replays, events) >= 20


@pytest.mark.parametrize("tree", HEADERS)
def test_verdicts_on_rows_beside_every_threshold_are_the_headers(
    programs: Path, replays: dict[str, Path], tree: str
) -> None:
    forest, _ = emit_rust.read_header((emit_rust.HEADERS / f"{HEADERS[tree]}.h").read_text(), HEADERS[tree])
    rows: pd.DataFrame = probing_rows(forest, rows=PROBING_ROWS, seed=1)
    values = verify.row_values(rows)
    taken = [place for place, feature in enumerate(EXPORTABLE) if feature.name in emit_rust.features_of_trees()]
    done = subprocess.run(
        [programs / "windows", tree, "-x"],
        input=values[:, taken].astype("<i4").tobytes(),
        capture_output=True,
        check=True,
    )
    by_header = header_program.verdicts(replays[tree], values)
    assert np.array_equal(np.frombuffer(done.stdout, dtype=np.uint8).astype(bool), by_header)
    assert by_header.any() and not by_header.all()


def _of_both(at_ms: int, kind: str, value: int) -> list[Event]:
    return [Event(at_ms * 1_000_000, subflow, kind, value) for subflow in range(2)]


#: Two subflows of 1 ms that are congested at 1 ms: their first window ends at 51 ms.
BEGIN = [*_of_both(1, "RTT", 1_000), *_of_both(1, "CA", 3), *_of_both(1, "ACK", 100)]


def test_a_silence_that_ends_with_a_window_leaves_the_samples_to_it(programs: Path, replays: dict[str, Path]) -> None:
    later = [event for at_ms in (201, 230, 260) for event in _of_both(at_ms, "RTT", 1_000)]
    stream = streams.Stream([*BEGIN, *_of_both(2, "ACK", 200), *later], 260_000_000)
    by_crate = Windows.of([programs / "windows", "invariant"], stream.lines(0))
    assert [line.split()[2] for line in by_crate.lines] == ["1000000", "151000000", "201000000"]
    assert by_crate.counts == "decided 3, rejected 2, missed 0"
    assert assert_equals_headers(programs, replays, stream.lines(0)) == 3


def test_acknowledgements_of_nothing_new_make_no_rate(programs: Path, replays: dict[str, Path]) -> None:
    rtts = [event for at_ms in range(2, 120) for event in _of_both(at_ms, "RTT", 1_000)]
    acks = [*_of_both(2, "ACK", 100), *_of_both(30, "ACK", 100), *_of_both(60, "ACK", 200)]
    stream = streams.Stream([*BEGIN, *sorted([*rtts, *acks], key=lambda event: event.time_ns)], 120_000_000)
    by_crate = Windows.of([programs / "windows", "paper"], stream.lines(0))
    assert [line.split()[2] for line in by_crate.lines] == ["51000000"]
    assert by_crate.counts == "decided 1, rejected 1, missed 0"
    assert assert_equals_headers(programs, replays, stream.lines(0)) == 1
