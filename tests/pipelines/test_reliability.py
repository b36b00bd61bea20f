"""docs/reliability.md names the tests that hold its promises: each is there, and runs when the page says so."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`( \(night\))?")

NAMED = sorted(set(_NAMED.findall((ROOT / "docs/reliability.md").read_text())))


def functions(path: Path) -> dict[str, bool]:
    """Return for each function of a module whether it runs at night alone."""
    module = ast.parse(path.read_text())
    every = any(ast.unparse(one) == "pytestmark = pytest.mark.slow" for one in module.body)
    return {one.name: every or is_slow(one) for one in module.body if isinstance(one, ast.FunctionDef)}


def is_slow(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(one) == "pytest.mark.slow" for one in function.decorator_list)


@pytest.mark.parametrize(("file", "name", "night"), NAMED, ids=lambda one: one)
def test_a_test_that_is_named_is_there(file: str, name: str, night: str) -> None:
    found = functions(ROOT / file)
    assert found
    if name:
        assert found[name] == bool(night)


def test_every_promise_names_a_test() -> None:
    rows = [line for line in (ROOT / "docs/reliability.md").read_text().splitlines() if line.startswith("| ")]
    promises = [line for line in rows if line != "| promise | test |"]
    assert len(promises) >= 20
    assert [line for line in promises if not _NAMED.search(line)] == []
