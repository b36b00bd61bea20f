"""The order of the tests: the files that take the longest come first."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import CPU_S

ROOT = Path(__file__).parents[1]


def test_the_files_to_begin_with_are_there() -> None:
    assert [name for name in CPU_S if not (ROOT / name).is_file()] == []


def test_what_distributes_the_files_leaves_their_order() -> None:
    assert "--dist loadfile --no-loadscope-reorder" in (ROOT / "Makefile").read_text()
