"""The walks in docs/walks.md lead through files and names that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_STEP = re.compile(r"^\d\. `([^`]+)`, ((?:`[^`]+`(?: and )?)+):", re.MULTILINE)
_MOST_FILES = 5


def walks() -> dict[str, list[tuple[str, str]]]:
    """Each walk's steps: file, and the names that are to be found in it."""
    _, *parts = re.split(r"^## (.*)$", (ROOT / "docs/walks.md").read_text(), flags=re.MULTILINE)
    return {title: _STEP.findall(text) for title, text in zip(parts[::2], parts[1::2], strict=True)}


@pytest.mark.parametrize("walk", walks())
def test_every_file_and_name_of_a_walk_is_there(walk: str) -> None:
    steps = walks()[walk]
    assert 2 < len(steps) <= _MOST_FILES
    for path, names in steps:
        text = (ROOT / path).read_text()
        for name in re.findall(r"`([^`]+)`", names):
            assert re.search(rf"\b{re.escape(name)}\b" if name.isidentifier() else re.escape(name), text), (path, name)


def test_every_numbered_line_is_a_step() -> None:
    """A step that is written otherwise would not be checked."""
    lines = re.findall(r"^\d\. ", (ROOT / "docs/walks.md").read_text(), flags=re.MULTILINE)
    assert len(lines) == sum(len(steps) for steps in walks().values())
    assert len(walks()) == 5
