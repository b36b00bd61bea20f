"""Tests do not depend on the speed of a machine that others share: they wait for what is to be, or count CPU time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

TESTS = Path(__file__).parent
#: What follows the clock on the wall.
_CLOCKS = ("time.monotonic", "time.perf_counter", "time.time")


def bounds_by_the_wall(module: ast.Module) -> Iterator[str]:
    """Yield each assertion that a span of the wall's clock is less than some number."""
    for node in ast.walk(module):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            calls = {ast.unparse(one.func) for one in ast.walk(node.test) if isinstance(one, ast.Call)}
            spans = any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub) for one in ast.walk(node.test.left))
            numbers = [one for one in node.test.comparators if isinstance(one, ast.Constant)]
            if spans and numbers and calls.intersection(_CLOCKS):
                yield ast.unparse(node)


def test_no_span_of_the_wall_s_clock_has_a_number_as_its_bound() -> None:
    texts = {str(path.relative_to(TESTS)): path.read_text() for path in TESTS.rglob("*.py")}
    looking = {path: ast.parse(text) for path, text in texts.items() if any(clock in text for clock in _CLOCKS)}
    assert len(looking) > 10
    assert {path: own for path, module in looking.items() if (own := list(bounds_by_the_wall(module)))} == {}


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("assert time.monotonic() - begin_s < 2", 1),
        ("assert time.process_time() - begin_s < 2", 0),
        ("assert time.monotonic() - begin_s < PATIENCE_S", 0),
        ("assert time.monotonic() < until_s", 0),
    ],
)
def test_such_a_bound_is_found(line: str, count: int) -> None:
    assert len(list(bounds_by_the_wall(ast.parse(line)))) == count


def test_what_is_drawn_may_take_its_time() -> None:
    assert settings().deadline is None
