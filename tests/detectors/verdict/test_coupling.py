"""Coupling by odds: between LIA and Reno, what a rival loses is bounded, and the C is the Python."""

from __future__ import annotations

import itertools
import math
import shutil
import subprocess
from pathlib import Path

import pytest

from smartsbd.detectors.verdict.coupling import APART_Q10, COUPLED_Q10, acks_between, odds_apart_q10, theta_q10
from smartsbd.export import compilers
from smartsbd.export.compilers import Compiler
from tests.export import made

INCLUDED = ["-I", str(Path(__file__).parents[3] / "detectors" / "verdict")]
SCORES_Q10 = (-(1 << 31), -9000, *range(-8200, 8201, 41), 9000, (1 << 31) - 1)
EPSILONS_Q10 = (0, 1, 20, 51, 102, 205, 341, 1023, 1024)
SUBFLOWS = (1, 2, 3, 5, 8, 64)
WINDOWS = (1, 2, 9, 10, 333, (1 << 20) - 1)
COUPLED_ACKS = (0, 1, 10, 40, 12_345, 1 << 20, (1 << 31) - 1)
SHARES_Q10 = (0, 1, 77, 512, 1000, 1023, 1024)

PROGRAM = r"""
#include <stdio.h>
#include "sbd_coupling.h"

int main(void)
{
	long long a, b, c;
	char what;

	while (scanf(" %c %lld %lld %lld", &what, &a, &b, &c) == 4)
		if (what == 't')
			printf("%u\n", sbd_coupling_theta_q10((int32_t)a, (uint32_t)b, (uint32_t)c));
		else
			printf("%u\n", sbd_coupling_acks((uint32_t)a, (uint32_t)b, (uint32_t)c));
	return 0;
}
"""


def loss(theta: float, subflows: int) -> float:
    """What a rival loses of what it has beside LIA, where a flow's rate is as the root of its increase."""
    return 1 - 2 / (1 + math.sqrt(1 + (subflows**2 - 1) * theta))


def test_the_odds_are_those_of_the_score() -> None:
    for score_q10 in range(-8192, 8193):
        exact = 1024 * math.exp(-score_q10 / 1024)
        assert abs(odds_apart_q10(score_q10) - exact) <= 0.007 * exact + 1, score_q10


@pytest.mark.parametrize("subflows", SUBFLOWS[1:])
@pytest.mark.parametrize("epsilon_q10", EPSILONS_Q10)
def test_a_rival_is_expected_to_lose_no_more_than_is_allowed(epsilon_q10: int, subflows: int) -> None:
    for score_q10 in range(-8192, 8193, 64):
        theta = theta_q10(score_q10, epsilon_q10, subflows) / 1024
        shared = 1 / (1 + math.exp(-score_q10 / 1024))
        allowed = epsilon_q10 / 1024 * (1 - shared)
        assert shared * loss(theta, subflows) <= 1.007 * allowed + epsilon_q10 / 1024**2


@pytest.mark.parametrize("subflows", SUBFLOWS[1:4])
def test_no_more_than_a_few_parts_of_what_is_allowed_is_left(subflows: int) -> None:
    """Theta is the largest that keeps the bound, up to its unit."""
    for score_q10 in range(-3000, 3001, 64):
        theta = theta_q10(score_q10, 102, subflows)
        if theta < APART_Q10:
            assert loss((theta + 2) / 1024, subflows) >= 102 / 1024 * math.exp(-score_q10 / 1024) * 0.985


@pytest.mark.parametrize("subflows", SUBFLOWS)
def test_theta_falls_with_the_score_and_rises_with_what_is_allowed(subflows: int) -> None:
    table = [[theta_q10(score_q10, epsilon, subflows) for score_q10 in SCORES_Q10] for epsilon in EPSILONS_Q10]
    for row in table:
        assert all(before >= after for before, after in itertools.pairwise(row))
        assert all(COUPLED_Q10 <= theta <= APART_Q10 for theta in row)
    for column in zip(*table, strict=True):
        assert all(before <= after for before, after in itertools.pairwise(column))


def test_more_subflows_have_less() -> None:
    for score_q10, epsilon_q10 in itertools.product(SCORES_Q10, EPSILONS_Q10):
        thetas = [theta_q10(score_q10, epsilon_q10, subflows) for subflows in SUBFLOWS]
        assert all(before >= after for before, after in itertools.pairwise(thetas))


def test_it_is_lia_where_sharing_is_certain_or_nothing_is_allowed() -> None:
    assert theta_q10(8192, 205) == COUPLED_Q10
    assert {theta_q10(score_q10, 0) for score_q10 in SCORES_Q10} == {COUPLED_Q10}


def test_it_is_reno_where_sharing_is_ruled_out_and_with_one_subflow() -> None:
    assert theta_q10(-8192, 20) == APART_Q10
    assert theta_q10(8192, 20, subflows=1) == APART_Q10


def test_growth_is_between_lias_and_renos() -> None:
    for coupled, cwnd in itertools.product(COUPLED_ACKS, WINDOWS):
        slowest = max(coupled, cwnd)
        acks = [acks_between(coupled, cwnd, share) for share in SHARES_Q10]
        assert acks[0] == slowest
        assert acks[-1] == cwnd
        assert all(before >= after for before, after in itertools.pairwise(acks))
        for share, between in zip(SHARES_Q10, acks, strict=True):
            increase = (1 - share / 1024) / slowest + share / 1024 / cwnd
            assert 0 <= between - 1 / increase + 1e-3 < 1.01


def test_the_c_is_the_python(tmp_path: Path) -> None:
    thetas = list(itertools.product(SCORES_Q10, EPSILONS_Q10, SUBFLOWS))
    acks = list(itertools.product(COUPLED_ACKS, (0, *WINDOWS), (*SHARES_Q10, 5000)))
    asked = [f"t {a} {b} {c}" for a, b, c in thetas] + [f"a {a} {b} {c}" for a, b, c in acks]
    gcc = next(compiler for compiler in compilers.installed() if compiler.name == "gcc")
    source, program = tmp_path / "coupling.c", tmp_path / "coupling"
    source.write_text(PROGRAM)
    compilers.compiled(gcc, source, program, [*INCLUDED, *made.SANITIZERS])
    done = subprocess.run([program], input="\n".join(asked), capture_output=True, text=True, check=True)
    expected = [theta_q10(a, b, c) for a, b, c in thetas] + [acks_between(a, b, c) for a, b, c in acks]
    assert [int(line) for line in done.stdout.split()] == expected


SENDER = """
#include "sbd_coupling.h"
uint32_t sender(int32_t score_q10, uint32_t coupled_acks, uint32_t cwnd);
uint32_t sender(int32_t score_q10, uint32_t coupled_acks, uint32_t cwnd)
{
	return sbd_coupling_acks(coupled_acks, cwnd, sbd_coupling_theta_q10(score_q10, 51, 2));
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
    options = ["-target", "bpf", "-ffreestanding", *INCLUDED, "-Wframe-larger-than=64", "-c"]
    compilers.compiled(clang, source, tmp_path / "sender.o", options)
    assert (tmp_path / "sender.o").exists()
