"""LIA in whole numbers, as the controllers in the kernel have it, beside RFC 6356 in exact ones."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

_SOURCE = Path(__file__).with_name("coupled.c")
#: Windows in segments and smoothed RTTs in eighths of a microsecond, of each subflow.
Subflows = Sequence[tuple[int, int]]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("coupled") / "coupled"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", str(_SOURCE), "-o", str(built)], check=True)
    return built


def asked(program: Path, cases: Sequence[Subflows]) -> list[int]:
    """What the C says of the first subflow of each."""
    lines = [
        " ".join(str(number) for number in (one[0][0], *(value for subflow in one for value in subflow)))
        for one in cases
    ]
    done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return [int(line) for line in done.stdout.split()]


def exact(subflows: Subflows) -> Fraction:
    """Segments for one more of the first window: the inverse of min(alpha / total, 1 / window), RFC 6356, section 3."""
    total = sum(window for window, _ in subflows)
    best = max(Fraction(window, rtt**2) for window, rtt in subflows)
    alpha = total * best / sum(Fraction(window, rtt) for window, rtt in subflows) ** 2
    return 1 / min(alpha / total, Fraction(1, subflows[0][0]))


def test_two_equal_subflows_need_twice_their_windows_for_each(program: Path) -> None:
    # alpha is 1/2 of what one TCP would have: the sum of both windows grows as one window of 20 does.
    assert asked(program, [((10, 800_000), (10, 800_000))]) == [40]


def test_one_subflow_is_reno(program: Path) -> None:
    assert asked(program, [((10, 800_000),), ((10, 800_000), (10, 0)), ((10, 800_000), (0, 400_000))]) == [10, 10, 10]


def test_it_is_never_faster_than_reno(program: Path) -> None:
    # The other has a window of one and a hundredth of the RTT: by alpha alone, 3 segments would do.
    fast = ((100, 8_000_000), (1, 80_000))
    assert asked(program, [fast]) == [100]
    assert exact(fast) == 100


def test_it_is_the_rfcs_rule(program: Path) -> None:
    draw = random.Random(20261126)  # noqa: S311 - no secret
    cases = [
        [
            (round(2 ** draw.uniform(0, 14)), round(8 * 1000 * 2 ** draw.uniform(0, 9)))
            for _ in range(draw.randint(2, 4))
        ]
        for _ in range(20_000)
    ]
    for one, said in zip(cases, asked(program, cases), strict=True):
        # A ratio of RTTs is 2^-9 at least and has 16 bits: 2^-7 of itself is lost at most, and the sum is squared.
        assert abs(said - exact(one)) <= exact(one) / 64 + 1, one


def test_large_numbers_have_room(program: Path) -> None:
    large = (1 << 20) - 1
    case = ((large, 8), (large, 8_000_000), (large, 80), (large, 800_000))
    (said,) = asked(program, [case])
    assert abs(said - exact(case)) <= exact(case) / 64 + 1
    # Equal ones have twice their window as their threshold, for four of them sixteen times over a quarter.
    assert asked(program, [((large, 800_000),) * 4]) == [16 * large]
