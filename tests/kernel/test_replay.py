"""The exported C in the kernel: the verifier takes each detector, and each says there what it says outside."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.compute as pc
import pytest

from smartsbd.detectors.lag_excess import Criterion
from smartsbd.export import (
    common_lag_judgements,
    compilers,
    connection_signals,
    header_program,
    lag_excess_judgements,
    model_file,
)
from smartsbd.export.emit_c import EXPORTABLE
from smartsbd.export.lag_excess_judgements import WordedJudgement
from smartsbd.export.signal_agreement import headers_of_models
from smartsbd.export.tree import NOT_SHARED, Forest
from smartsbd.features.connection_pairs import rows
from smartsbd.features.series import SubflowSignals
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from tests.kernel.conftest import BUILT, ROOT
from tests.kernel.virtual_machine import UnavailableError, boot, unpacked

GENERATED = ROOT / "export/generated"
SAMPLES = ROOT / "data/samples"
#: Datasets in git whose inputs are a connection each: one that is quick, and the others.
QUICK, OTHERS = "kernel", ("kernel_hard", "kernel_locked", "testbed")
MODELS = [name.removeprefix("sbd_") for name in headers_of_models(GENERATED)]
LAG_EXCESS, COMMON_LAG, LOADED = "lag_excess", "common_lag", "loaded"
SHIPPED = GENERATED / "forest_invariant.sbd"
#: Instructions that the verifier may go through for one program; its own limit is a million.
MOST_INSTRUCTIONS = 70_000
_JUDGEMENT = re.compile(r"C=([0-9a-f]+) SF=\d+,\d+ (\d+) (\d+) (-|-?\d+)")


@dataclass(frozen=True)
class Fed:
    """A connection of two subflows: as lines of events, and its RTT samples."""

    lines: bytes
    pair: tuple[SubflowSignals, SubflowSignals]


def _fed(own: connection_signals.Signals) -> Fed | None:
    ids = sorted({*own.acks.column("subflow_id").to_pylist(), *own.states.column("subflow_id").to_pylist()})
    if len(ids) != 2:
        return None
    samples = own.acks.filter(pc.is_valid(own.acks.column("rtt_us")))
    which, time_ns, rtt_us = (samples.column(name).to_numpy() for name in ("subflow_id", "time_ns", "rtt_us"))
    a, b = (SubflowSignals.of_rtts(time_ns[which == one], rtt_us[which == one]) for one in ids)
    return Fed(own.lines(), (a, b))


def sampled(dataset: str) -> Iterator[Fed]:
    """Yield the connections of two subflows of a dataset in git."""
    token = 0
    for path in sorted((SAMPLES / dataset / "inputs").iterdir()):
        for connection in recording.read(path, Dialect()).trace.connections:
            acks, states, _ = rows(connection)
            token += 1
            own = connection_signals.Signals(token, "", acks, states, connection.span_ns()[1])
            if fed := _fed(own):
                yield fed


def read_in(folder: Path) -> Iterator[Fed]:
    """Yield those of a dataset whose tables are here."""
    for own in connection_signals.signals(folder):
        if fed := _fed(own):
            yield fed


def said(program: Path, model: str | Path, lines: bytes) -> str:
    """What the kernel decides, with features."""
    done = subprocess.run([program, "-f", model], input=lines, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def said_outside(place: Path, model: str | Path, lines: bytes) -> str:
    """What the replay program decides."""
    gcc = compilers.installed()[0]
    is_file = isinstance(model, Path)
    program = header_program.build(place, GENERATED, None if is_file else f"sbd_{model}", gcc)
    words = [program, "-f", *([model] if is_file else [])]
    return subprocess.run(words, input=lines, capture_output=True, check=True).stdout.decode()


def said_of_pairs(text: str) -> list[list[WordedJudgement]]:
    """Judgements of the lag excess, connection after connection."""
    found: dict[int, list[WordedJudgement]] = {}
    for line in text.splitlines():
        judgement = _JUDGEMENT.fullmatch(line)
        assert judgement, line
        token, decided_ns, words, score = judgement.groups()
        one = WordedJudgement(
            int(decided_ns), lag_excess_judgements.SAID[int(words)], None if score == "-" else int(score)
        )
        found.setdefault(int(token, 16), []).append(one)
    return list(found.values())


def lag_excess_outside(place: Path, fed: Sequence[Fed]) -> list[list[WordedJudgement]]:
    """What the C says of connections outside; those of which it says nothing are left out."""
    program = lag_excess_judgements.build(place, GENERATED, compilers.installed()[0])
    found, _ = lag_excess_judgements.run(program, [one.pair for one in fed], Criterion())
    return [one for one in found if one]


def common_lag_of_pairs(text: str) -> list[list[tuple[bool | None, int]]]:
    """Verdicts and scores of the common lag, connection after connection."""
    found: dict[int, list[tuple[bool | None, int]]] = {}
    for line in text.splitlines():
        judgement = _JUDGEMENT.fullmatch(line)
        assert judgement, line
        token, _, words, score = judgement.groups()
        found.setdefault(int(token, 16), []).append(((False, True, None)[int(words)], int(score)))
    return list(found.values())


def common_lag_outside(place: Path, fed: Sequence[Fed]) -> list[list[tuple[bool | None, int]]]:
    """What the C says of connections outside; those of which it says nothing are left out."""
    program = common_lag_judgements.build_common(place, compilers.installed()[0])
    found, _ = common_lag_judgements.by_program(program, [one.pair for one in fed])
    return [[(judgement.shared, judgement.score_q10) for judgement in one] for one in found if one]


def instructions(text: str) -> dict[str, dict[str, int]]:
    """Instructions that the verifier went through, by detector and program."""
    found: dict[str, dict[str, int]] = {}
    for line in text.splitlines():
        detector, program, count = line.split()
        found.setdefault(detector, {})[program] = int(count)
    return found


def assert_all_are_verified(text: str) -> None:
    found = instructions(text)
    assert set(found) == {*MODELS, LOADED, LAG_EXCESS, COMMON_LAG}
    for programs in found.values():
        assert set(programs) == {"places", "clear", "drain", "finish"}
        assert programs["drain"] > 1000
        assert max(programs.values()) <= MOST_INSTRUCTIONS, programs


@pytest.fixture(scope="module")
def all_features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file that takes every feature and decides nothing."""
    path = tmp_path_factory.mktemp("models") / "all.sbd"
    path.write_bytes(model_file.content(Forest((NOT_SHARED,)), [feature.name for feature in EXPORTABLE]))
    return path


def assert_says_the_same(program: Path, fed: Sequence[Fed], all_features: Path, place: Path) -> int:
    """Compare every line of every detector; return how many windows and judgements there were."""
    lines = b"".join(one.lines for one in fed)
    compared = 0
    models: list[str | Path] = [*MODELS, SHIPPED, all_features]
    for model in models:
        inside = said(program, model, lines)
        assert inside == said_outside(place, model, lines)
        compared += len(re.findall(r" N?SB ", inside))
    inside_pairs = said_of_pairs(said(program, LAG_EXCESS, lines))
    assert inside_pairs == lag_excess_outside(place, fed)
    common = common_lag_of_pairs(said(program, COMMON_LAG, lines))
    assert common == common_lag_outside(place, fed)
    return compared + sum(map(len, inside_pairs)) + sum(map(len, common))


def test_the_verifier_takes_every_exported_detector(verified: str) -> None:
    assert_all_are_verified(verified)


@pytest.mark.usefixtures("verified")
def test_the_kernel_says_what_the_replay_says(kernel_replay: Path, all_features: Path, tmp_path: Path) -> None:
    fed = list(sampled(QUICK))
    assert len(fed) == 12
    assert assert_says_the_same(kernel_replay, fed, all_features, tmp_path) > 150


@pytest.mark.slow
@pytest.mark.usefixtures("verified")
@pytest.mark.parametrize("dataset", OTHERS)
def test_the_kernel_says_the_same_of_every_dataset(
    dataset: str, kernel_replay: Path, all_features: Path, tmp_path: Path
) -> None:
    fed = list(sampled(dataset))
    assert len(fed) > 10
    assert assert_says_the_same(kernel_replay, fed, all_features, tmp_path) > 150


@pytest.mark.slow
@pytest.mark.usefixtures("verified")
def test_the_kernel_says_the_same_of_simulated_connections(
    kernel_replay: Path, all_features: Path, tmp_path: Path
) -> None:
    folders = sorted(path.parent for path in ROOT.glob("data/tables/*/connection.parquet"))
    if not folders:
        pytest.skip("no tables in data/tables: `make repro` makes them")
    for folder in folders:
        place = tmp_path / folder.name
        place.mkdir()
        fed = list(read_in(folder))
        if fed:
            assert_says_the_same(kernel_replay, fed, all_features, place)


def test_a_file_that_is_no_model_is_refused(verified: str, kernel_replay: Path, tmp_path: Path) -> None:
    assert verified
    damaged = tmp_path / "damaged.sbd"
    content = bytearray(SHIPPED.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    done = subprocess.run([kernel_replay, damaged], input="", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"replay: {damaged}: refused (-3)\n"


@pytest.mark.slow
def test_debians_kernel_takes_them_and_says_the_same(kernel_replay: Path, all_features: Path, tmp_path: Path) -> None:
    fed = list(sampled(QUICK))[:4]
    lines = b"".join(one.lines for one in fed)
    events, models = tmp_path / "events", tmp_path / "models"
    events.write_bytes(lines)
    files = [SHIPPED, all_features]
    models.write_text("".join(f"{one}\n" for one in (*MODELS, LAG_EXCESS, *(f"/files/{file.name}" for file in files))))
    machine = tmp_path / "machine"
    machine.mkdir()
    try:
        package = unpacked("6.12", BUILT / "debian")
        out = boot(package, [kernel_replay], machine, "replay", [events, models, *files])
    except UnavailableError as error:
        pytest.skip(str(error))
    assert (out / "release").read_text().startswith("6.12.")
    assert (out / "verified").read_text(), (out / "verified.err").read_text()
    assert_all_are_verified((out / "verified").read_text())
    judging: list[str | Path] = [*MODELS, *files]
    for model in judging:
        name = model.name if isinstance(model, Path) else model
        inside = (out / f"{name}.decisions").read_text()
        assert inside == said_outside(tmp_path, model, lines)
        assert " GROUPS " in inside
    found = said_of_pairs((out / f"{LAG_EXCESS}.decisions").read_text())
    assert found == lag_excess_outside(tmp_path, fed)
    assert found
