"""The joint partition in C: its groups are the pipeline's, and what a sender includes needs nothing else."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from smartsbd.detectors.partition import Pair, Partition, numbered, pairs_of
from smartsbd.detectors.verdict.joint_partition import Groups, PairScore, every_grouping, joint_verdicts
from smartsbd.export import compilers
from smartsbd.export.compilers import Compiler
from tests.export import made

ROOT = Path(__file__).parents[3]
#: The folders of the header and of what includes it.
INCLUDED = [option for room in ("in_c", "verdict") for option in ("-I", str(ROOT / "detectors" / room))]
STEPS = 25
#: As ``enum sbd_said``.
VERDICTS = {None: -1, False: 0, True: 1}


def drawn(rng: random.Random) -> PairScore:
    """Draw what is known of a pair."""
    barred = rng.random() < 0.08
    score_q10 = rng.choice([0, rng.choice([-512, 512]), rng.randint(-900, 900), rng.randint(-9000, 9000)])
    return PairScore(rng.choice([True, False, None]), None if barred else score_q10)


def line(place: int, score: PairScore) -> str:
    barred = score.score_q10 is None
    return f"pair {place} {VERDICTS[score.shared]} {score.score_q10 or 0} {int(barred)}"


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the program such that what is undefined ends the process."""
    gcc = next(own for own in compilers.installed() if own.name == "gcc")
    program = tmp_path_factory.mktemp("joint") / "joint_groups"
    compilers.compiled(gcc, Path(__file__).with_name("joint_groups.c"), program, [*INCLUDED, *made.SANITIZERS])
    return program


@pytest.mark.parametrize("subflows", range(10))
def test_the_groups_of_changing_scores_are_the_pipelines(program: Path, subflows: int) -> None:
    rng = random.Random(subflows)  # noqa: S311 - test data
    lines, expected = [], list[Partition]()
    for _ in range(40):
        scores: dict[Pair, PairScore] = {}
        groups: Groups | None = None
        lines.append(f"subflows {subflows}")
        pairs = list(pairs_of(range(subflows)))
        for _ in range(STEPS):
            for place, pair in enumerate(pairs):
                if rng.random() < 0.3:
                    scores[pair] = drawn(rng)
                    lines.append(line(place, scores[pair]))
            joint = joint_verdicts(subflows, scores, groups)
            groups = joint.groups if joint.is_known() else None
            expected.append(joint.partition())
            lines.append("say")
    done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
    found = [[None if group == "-1" else int(group) for group in row.split()] for row in done.stdout.splitlines()]
    assert [numbered(row) for row in found] == [row for row in expected if row]
    assert len(set(expected)) > 2 * subflows or subflows <= 2


def test_as_many_subflows_as_there_may_be_overflow_nothing(program: Path) -> None:
    """Of 256, all in one group."""
    lines = ["subflows 256", *(f"pair {place} 1 2147483647 0" for place in range(256 * 255 // 2)), "say"]
    done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"] * 256


def test_the_table_has_all_partitions_in_order() -> None:
    text = (ROOT / "detectors/verdict/sbd_joint_partition.h").read_text()
    table = text.partition("sbd_joint_partitions[SBD_JOINT_PARTITIONS] = {")[2].partition("}")[0]
    found = [int(number, 16) for number in table.replace(",", " ").split()]
    assert found == [
        sum((groups[i] == groups[j]) << (j * (j - 1) // 2 + i) for i, j in pairs_of(range(5)))
        for groups in every_grouping(5)
    ]


SENDER = """
#include "sbd_joint_partition.h"
enum sbd_joint_said sender(struct sbd_joint *joint);
enum sbd_joint_said sender(struct sbd_joint *joint)
{
	sbd_joint_judge(joint, 4);
	return sbd_joint_said(joint, 0, 1);
}
"""


@pytest.mark.parametrize("compiler", compilers.installed(), ids=lambda own: own.name)
def test_the_header_compiles_with_integers_alone(compiler: Compiler, tmp_path: Path) -> None:
    source = tmp_path / "sender.c"
    source.write_text(SENDER)
    options = [*INCLUDED, "-mgeneral-regs-only", "-Wconversion", "-c"]
    compilers.compiled(compiler, source, tmp_path / "sender.o", options)
    assert (tmp_path / "sender.o").exists()


@pytest.mark.skipif(shutil.which("clang") is None, reason="clang is not installed")
def test_the_header_compiles_for_bpf_with_little_stack(tmp_path: Path) -> None:
    clang = next(own for own in compilers.installed() if own.name == "clang")
    source = tmp_path / "sender.c"
    source.write_text(SENDER)
    options = ["-target", "bpf", "-ffreestanding", *INCLUDED, "-Wframe-larger-than=256", "-c"]
    compilers.compiled(clang, source, tmp_path / "sender.o", options)
    assert (tmp_path / "sender.o").exists()
