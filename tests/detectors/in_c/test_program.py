"""The program that replays a baseline detector on an event log: the same opinions as the pipeline's."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from smartsbd.detectors.compiled_detectors import CompiledDetector, default_parameters, event_array
from smartsbd.detectors.event import event_columns
from smartsbd.features import connection_pairs
from smartsbd.traces import recording
from smartsbd.traces.connection import Connection
from smartsbd.traces.dialect import Dialect
from tests.export.made import COMPILED, SANITIZERS

ROOT = Path(__file__).parents[3]
MS = 10**6
REFUSED = [
    b"",
    b"replay: no event",
    b"1 C=ab SF=0 V=RTT",
    b"1 C=ab SF=0 V=RTT 0",
    b"1 C=ab SF=0 V=RTT 2147483648",
    b"1 C=ab SF=0 V=RTT 1 2",
    b"1 C=ab SF=0 V=RTT -1",
    b"1 C=ab SF=0 V=CA 5",
    b"1 C=ab SF=0 V=WINDOW 1",
    b"1 C=ab SF=0 V= 1",
    b"1 C=AB SF=0 V=RTT 1",
    b"1 C=abcdef012 SF=0 V=RTT 1",
    b"1 C=ab SF=10000 V=RTT 1",
    b" 1 C=ab SF=0 V=RTT 1",
    b"4611686018427387905 C=ab SF=0 V=RTT 1",
    b"1 C=ab SF=0 V=RTT 1" + b" " * 1000,
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, that ends at what is undefined."""
    program = tmp_path_factory.mktemp("baselines") / "sbd-baselines"
    sources = sorted((ROOT / "detectors/in_c").glob("*.c"))
    options = ["-std=c11", "-ffp-contract=off", *SANITIZERS, "-I", str(ROOT / "detectors/verdict")]
    subprocess.run(["gcc", *options, *map(str, sources), "-lm", "-o", str(program)], check=True)
    return program


def drawn_log(seed: int, *, losses: bool, samples: int = 300) -> bytes:
    """Draw a log of two connections, with marks, wrapped numbers and samples without an ACK."""
    rng = random.Random(seed)  # noqa: S311 - test data
    lines = []
    for token, subflow_ids in (("7f3a91c2", (0, 3)), ("b", (1, 2, 9))):
        for subflow_id in subflow_ids:
            kind, acked = rng.choice([("ACK", 0), ("ACK", 2**32 - 10**6), ("UNA", 2**32 - 10**6)])
            time_ns, queue_us = rng.randint(0, 1000) * MS, 0
            for _ in range(samples):
                time_ns += rng.choice([0, 5, 20, 20, 20]) * MS
                acked += rng.randint(0, 30_000)
                queue_us = 0 if rng.random() < 0.01 else max(0, queue_us + rng.randint(-3000, 3300))
                told = [(kind, acked % 2**32)] if rng.random() < 0.8 else [("DUP", 1448)]
                others = [("RTT", 20_000 + queue_us), ("SRTT", 20_000), ("OWD", queue_us), ("DACK", acked), ("RTX", 1)]
                told += [other for other in others if rng.random() < 0.8]
                if queue_us > 15_000 and rng.random() < 0.5:
                    told.append(("ECE", 1))
                rng.shuffle(told)
                if rng.random() < 0.06:
                    told.append(("CA", rng.choice([0, 0, 1, 2, 3, 3, 4])))
                    told += [("LOSS", rng.randint(1, 30))] * losses
                lines += [(time_ns, f"{time_ns} C={token} SF={subflow_id} V={what} {value}") for what, value in told]
    lines.sort(key=lambda line: line[0])
    return "".join(f"{line}\n" for _, line in lines).encode()


def said_by(program: Path, log: bytes, *arguments: str) -> tuple[int, str]:
    done = subprocess.run([program, *arguments], input=log, capture_output=True, check=False)
    assert done.stderr.startswith(b"sbd-baselines: refused "), done.stderr
    return done.returncode, done.stdout.decode()


def expected(connections: Sequence[Connection], name: str) -> str:
    """What the program is to print, by the pipeline's tables."""
    detector, lines = CompiledDetector(name, {}), []
    for connection in sorted(connections, key=lambda one: one.token or 0):
        subflow_ids = sorted(connection.subflows)
        events = event_array(event_columns(*connection_pairs.rows(connection), detector.kinds), subflow_ids)
        for opinion in detector.opinions(events, len(subflow_ids), connection.span_ns()[1]):
            groups = zip(subflow_ids, opinion.partition, strict=True)
            said = " ".join(f"{one}:{'-' if group is None else group}" for one, group in groups)
            lines.append(f"C={connection.token:x} {opinion.time_ns} {said}\n")
    return "".join(lines)


@pytest.mark.parametrize(("seed", "losses"), [(1, True), (2, False)])
def test_opinions_are_the_pipelines(program: Path, tmp_path: Path, seed: int, losses: bool) -> None:
    log = drawn_log(seed, losses=losses, samples=1500)
    (tmp_path / "events.log").write_bytes(log)
    connections = recording.read(tmp_path / "events.log", Dialect()).trace.connections
    assert [len(one.subflows) for one in connections] in ([2, 3], [3, 2])
    for name in COMPILED:
        wanted = expected(connections, name)
        assert wanted, name
        assert said_by(program, log, name) == (0, wanted), name


def test_groups_are_passed_over(program: Path) -> None:
    """What the sender did is no signal, whatever subflow it tells of."""
    log = drawn_log(4, losses=True)
    line = b"1 C=7f3a91c2 SF=7 V=GROUP 1\n"
    grouped = line + b"".join(line + one for one in log.splitlines(keepends=True))
    assert said_by(program, grouped, "dwc-r") == said_by(program, log, "dwc-r")
    assert said_by(program, b"1 C=7f3a91c2 SF=7 V=GROUP 32768\n", "dwc-r")[0] == 2


def test_parameters_are_taken_and_listed(program: Path) -> None:
    log = drawn_log(3, losses=True)
    default = said_by(program, log, "dwc-r")
    assert said_by(program, log, "dwc-r", "init=together", "delay_rule=or") != default
    assert said_by(program, log, "dwc-r", "theta=0.5", "age_s=none") == default
    listed = subprocess.run([program, "-l"], capture_output=True, check=True).stdout.decode().splitlines()
    assert [line.split()[0] for line in listed] == COMPILED
    for line in listed:
        name, *parameters = line.split()
        assert dict(one.split("=") for one in parameters) == default_parameters(name)


@pytest.mark.parametrize("arguments", [[], ["dwc"], ["dwc-r", "theta"], ["dwc-r", "theta=2"], ["dwc-r", "gamma=1"]])
def test_what_cannot_be_asked_is_told(program: Path, arguments: list[str]) -> None:
    done = subprocess.run([program, *arguments], input=b"", capture_output=True, check=False)
    assert done.returncode == 1
    assert not done.stdout
    assert b"sbd-baselines" in done.stderr


@pytest.mark.parametrize("line", REFUSED)
def test_a_line_that_is_no_event_is_counted_and_leaves_the_others(program: Path, line: bytes) -> None:
    log = drawn_log(3, losses=True)
    _, wanted = said_by(program, log, "ton20-r")
    done = subprocess.run([program, "ton20-r"], input=line + b"\n" + log, capture_output=True, check=False)
    assert (done.returncode, done.stdout.decode()) == (2, wanted)
    assert done.stderr == b"sbd-baselines: refused 1\n"


def test_nothing_that_is_read_breaks_it(program: Path) -> None:
    rng = random.Random(5)  # noqa: S311 - test data
    log = bytearray(drawn_log(4, losses=True)[:20_000])
    for _ in range(40):
        for _ in range(20):
            log[rng.randrange(len(log))] = rng.randrange(256)
        done = subprocess.run([program, rng.choice(COMPILED)], input=bytes(log), capture_output=True, check=False)
        assert done.returncode == 2, done.stderr


def test_no_event_is_no_opinion(program: Path) -> None:
    assert said_by(program, b"", "rfc8382") == (0, "")
    assert said_by(program, b"5 C=1 SF=0 V=RTX 1\n5 C=1 SF=1 V=RTT 9\n", "emptcp-r") == (0, "")
