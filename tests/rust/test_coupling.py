"""Coupling and groups in Rust answer as the kernel's controllers and a sender in C do, to the last bit."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

_SOURCE = Path(__file__).with_name("answers.c")
_QUESTIONS = 20_000


@pytest.fixture(scope="module")
def headers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The headers in C, as a program."""
    built = tmp_path_factory.mktemp("answers") / "answers"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", str(_SOURCE), "-o", str(built)], check=True)
    return built


def answers(program: Path, questions: list[str]) -> list[str]:
    done = subprocess.run([program], input="\n".join(questions) + "\n", capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def assert_same(programs: Path, headers: Path, questions: list[str], least_different: int) -> None:
    """Compare the answers; there are at least so many different ones."""
    by_header = answers(headers, questions)
    assert len(by_header) == len(questions)
    assert answers(programs / "answers", questions) == by_header
    assert len(set(by_header)) >= least_different


def _of_any_size(draw: random.Random, bits: int) -> int:
    return draw.getrandbits(draw.randint(0, bits))


def test_lia_is_the_kernels(programs: Path, headers: Path) -> None:
    """Windows and RTTs of any size of 32 bits, and subflows without either."""
    draw = random.Random(1)  # noqa: S311 - no secret

    def question() -> str:
        values = [_of_any_size(draw, 32) for _ in range(2 * draw.randint(1, 4))]
        return f"lia {draw.choice([values[0], _of_any_size(draw, 32)])} {' '.join(map(str, values))}"

    assert_same(programs, headers, [question() for _ in range(_QUESTIONS)], 1_000)


def test_the_share_by_the_odds_is_the_headers(programs: Path, headers: Path) -> None:
    draw = random.Random(2)  # noqa: S311 - no secret
    questions = [
        f"theta {draw.choice([draw.randint(-9_000, 9_000), draw.randint(-(2**31), 2**31 - 1)])} "
        f"{draw.randint(0, 1_100)} {draw.randint(0, 70)}"
        for _ in range(_QUESTIONS)
    ]
    assert_same(programs, headers, questions, 100)


def test_the_mix_is_the_headers(programs: Path, headers: Path) -> None:
    draw = random.Random(3)  # noqa: S311 - no secret
    questions = [
        f"mix {_of_any_size(draw, 31)} {_of_any_size(draw, 20)} {draw.randint(0, 1_100)}" for _ in range(_QUESTIONS)
    ]
    assert_same(programs, headers, questions, 1_000)


def test_groups_are_the_headers(programs: Path, headers: Path) -> None:
    """Scores that change from one to the next, so that partitions hold; pairs of any verdict."""
    draw = random.Random(4)  # noqa: S311 - no secret

    def questions() -> Iterator[str]:
        for _ in range(_QUESTIONS // 20):
            paths = draw.randint(2, 5)
            pairs = [[draw.randint(0, 3), draw.randint(-4_000, 4_000)] for _ in range(paths * (paths - 1) // 2)]
            for _ in range(20):
                changed = draw.choice(pairs)
                changed[:] = draw.choice([0, 1, 2, 2, 3]), changed[1] + draw.randint(-900, 900)
                yield f"joint {paths} {' '.join(f'{verdict} {score}' for verdict, score in pairs)}"

    assert_same(programs, headers, list(questions()), 200)
