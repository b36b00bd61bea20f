"""The lag excess that a sender includes, in C: every judgement is the pipeline's, and nothing overflows."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from smartsbd.detectors import lag_excess, replayed
from smartsbd.detectors.compiled_detectors import CompiledDetector, event_array
from smartsbd.detectors.event import Event
from smartsbd.detectors.lag_excess import LAG_EXCESS, MOST_TILES, Criterion, judgements
from smartsbd.export import compilers
from smartsbd.export import lag_excess_judgements as judgements_of_c
from smartsbd.export.compilers import Compiler
from smartsbd.export.lag_excess_judgements import SAID, WordedJudgement, worded
from smartsbd.features import connection_pairs
from smartsbd.features.reading import DEFAULT
from smartsbd.features.series import SubflowSignals
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from tests.features.delays_made import pair

ROOT = Path(__file__).parents[2]
KERNEL = sorted((ROOT / "data/samples/kernel/inputs").iterdir())
#: Bytes that a pair may take in a kernel.
PAIR_BYTES = 16 << 10


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile what a sender includes, such that an overflow ends the process."""
    gcc = next(one for one in compilers.installed() if one.name == "gcc")
    trap = ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]
    return judgements_of_c.build(tmp_path_factory.mktemp("lag_excess"), ROOT / "detectors/in_c", gcc, trap)


def judged(program: Path, x: SubflowSignals, y: SubflowSignals, criterion: Criterion) -> list[WordedJudgement]:
    ((found,), _) = judgements_of_c.run(program, [(x, y)], criterion)
    return found


def assert_equals(program: Path, x: SubflowSignals, y: SubflowSignals, criterion: Criterion) -> Counter[str]:
    """Compare every judgement; return how often what was said."""
    expected = [worded(one) for one in judgements(x, y, criterion)]
    assert judged(program, x, y, criterion) == expected
    return Counter(one.words for one in expected)


def test_every_judgement_on_made_delays_is_the_pipelines(program: Path) -> None:
    heard: Counter[str] = Counter()
    for seed in range(50):
        x, y, _ = pair(seed)
        for tiles in {1, 1 + seed % MOST_TILES}:
            heard += assert_equals(program, x, y, Criterion(tiles=tiles))
            heard += assert_equals(program, x, y, Criterion(tiles=tiles, compares=False))
    assert heard.keys() == set(SAID)


def test_the_detector_of_three_subflows_is_its_twin() -> None:
    """Two of them may meet one queue; they are judged pair by pair."""
    changes = 0
    for seed in range(4, 64, 5):
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
        expected = replayed(LAG_EXCESS.build(Criterion()), [0, 1, 2], map(Event._make, columns.T.tolist()), end_ns)
        found = CompiledDetector("lag-excess", vars(Criterion())).opinions(event_array(columns, [0, 1, 2]), 3, end_ns)
        assert found == expected
        changes += len(found)
    assert changes > 12


def test_every_judgement_on_a_kernels_connections_is_the_pipelines(program: Path) -> None:
    heard: Counter[str] = Counter()
    for path in KERNEL:
        for connection in recording.read(path, Dialect()).trace.connections:
            found = connection_pairs.signals(connection, DEFAULT)
            heard += assert_equals(program, found[0], found[1], Criterion())
    assert {"shared", "apart"} <= heard.keys()


def test_the_order_of_the_subflows_turns_the_lags_alone(program: Path) -> None:
    x, y, _ = pair(3)
    found = judged(program, x, y, Criterion())
    assert found == judged(program, y, x, Criterion())
    assert found


def test_a_pair_is_small(program: Path) -> None:
    x, y, _ = pair(3)
    _, pair_bytes = judgements_of_c.run(program, [(x, y)], Criterion())
    assert 0 < pair_bytes <= PAIR_BYTES


@pytest.mark.parametrize("compiler", compilers.installed(), ids=lambda one: one.name)
def test_the_sample_of_the_documentation_compiles_with_integers_alone(compiler: Compiler, tmp_path: Path) -> None:
    sample = re.search(
        r"```c\n(#include \"sbd_lag_excess.h\"\n.*?)```", (ROOT / "docs/export.md").read_text(), re.DOTALL
    )
    assert sample is not None
    head, _, body = sample[1].partition("\n\nsbd_lag_init")
    source = tmp_path / "sender.c"
    source.write_text(
        f"{head}\n\nbool sender(int which, int64_t now_ns, uint32_t rtt_us);\n"
        f"bool sender(int which, int64_t now_ns, uint32_t rtt_us)\n{{\nbool couple = true;\nsbd_lag_init{body}"
        "return couple;\n}\n"
    )
    headers = ["-I", str(ROOT / "export/generated"), "-mgeneral-regs-only", "-c"]
    compilers.compiled(compiler, source, tmp_path / "sender.o", headers)
    assert (tmp_path / "sender.o").exists()


def test_the_header_that_is_generated_is_the_one_that_is_proved() -> None:
    name = lag_excess.HEADER
    assert (ROOT / "export/generated" / name).read_bytes() == lag_excess.SOURCE.read_bytes()
    own = Criterion()
    written = f"{{ {own.shared_above_q10}, {own.apart_below_q10}, {own.tiles}, {str(own.compares).lower()} }}"
    assert f"#define SBD_LAG_RULE\t{written}\n" in lag_excess.SOURCE.read_text()


def test_pairs_do_not_know_of_each_other(program: Path) -> None:
    pairs = [pair(seed)[:2] for seed in (4, 9, 14)]
    found, _ = judgements_of_c.run(program, pairs, Criterion())
    assert found == [judged(program, x, y, Criterion()) for x, y in pairs]
    assert all(found)


def test_a_program_that_fails_is_told(tmp_path: Path) -> None:
    failing = tmp_path / "judgements"
    failing.symlink_to("/bin/false")
    with pytest.raises(judgements_of_c.JudgementsError, match="judgements ended with 1"):
        judgements_of_c.run(failing, [], Criterion())
