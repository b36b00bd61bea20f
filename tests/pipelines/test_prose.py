"""Sentences say "one row for each model", not "a row a model"; documents name the versions that are checked."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_COUNTED = (
    "bit|byte|character|colour|column|connection|dataset|family|file|fold|folder|line|module|moment|number|object|pair|panel"
    "|point|process|row|run|sample|slot|split|stage|subflow|sum|table|task|tile|value|verdict|window"
)
_HOW_MANY = r"(?:an?|one|two|three|four|five|ten|fifty)"
#: A number of things, and without a word between what each of them is of: "a row a model". Rates over time are plain
#: English: "ten bytes a millisecond".
_CLIPPED = re.compile(
    rf"\b{_HOW_MANY} (?:{_COUNTED})s? an? (?!(?:milli|micro|nano)?second\b|minute\b|hour\b|day\b)[a-z]+"
    rf"|\b(?:means|one) an? (?:{_COUNTED}|interval|profile)\b",
    re.IGNORECASE,
)


def clipped(text: str) -> Iterator[str]:
    """Yield the clipped phrases of a text, also of those that a line's end or a comment's sign divides."""
    joined = re.sub(r"\s*\n[ \t]*(?:#:?[ \t]*)?", " ", text)
    yield from (found.group() for found in _CLIPPED.finditer(joined))


def _documents() -> list[str]:
    listed = ["git", "-C", str(ROOT), "ls-files", "-z", "*.py", "*.md", "*.yaml"]
    names = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Draw accuracy, a panel a family.", ["a panel a family"]),
        ("One row a model and dataset", ["One row a model"]),
        ("a row a factor, a column a dataset trained on", ["a row a factor", "a column a dataset"]),
        ("Two windows a connection; three samples a step", ["Two windows a connection", "three samples a step"]),
        ("folder with a folder of models, a folder a dataset", ["a folder a dataset"]),
        ("#: The rows, a row\n    #: a model.", ["a row a model"]),
        ("Means a split.", ["Means a split"]),
        ("Its name, one a profile.", ["one a profile"]),
        ("one row for each model, one file for each dataset, a run of a stage", []),
        ("A run is a dataset, a family of models and a set of features", []),
        ("one byte a millisecond", []),
    ],
)
def test_the_idiom_is_found(text: str, found: list[str]) -> None:
    assert list(clipped(text)) == found


def test_no_document_or_docstring_has_it() -> None:
    ours = str(Path(__file__).relative_to(ROOT))
    found = {name: list(clipped((ROOT / name).read_text())) for name in _documents() if name != ours}
    assert {name: phrases for name, phrases in found.items() if phrases} == {}


def test_documents_name_the_compiler_that_the_set_up_asks_for() -> None:
    least = re.search(r'"\$major" -ge (\d+)', (ROOT / "requirements/check-tools.sh").read_text())
    assert least is not None
    named = {
        (name, version)
        for name in _documents()
        if name.endswith(".md") and name != "CHANGELOG.md"
        for version in re.findall(r"g\+\+ \(?(\d+) or later", (ROOT / name).read_text())
    }
    assert named
    assert {version for _, version in named} == {least[1]}, sorted(named)
