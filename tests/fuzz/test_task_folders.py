"""What a folder of a task is read as, file by file: what is broken is said in one short line that names the file."""

from __future__ import annotations

import re

import pytest

from tests.fuzz import task_folders

EXPECTED = {
    "a name that is no UTF-8": r"signals\.parquet is no Parquet file: .*Invalid UTF8 sequence.*",
    "a task of 20,000 letters": r"task\.json: task 'w{200,400}",
    "cut": r"signals\.parquet is no Parquet file: Parquet magic bytes not found.*",
    "nested": r"task\.json: no JSON: maximum recursion depth exceeded.*",
    "no size": "no tables",
    # Without its statistics it is read as it is; asking for them would end the process.
    "two types of a column": "24 signals",
}


def test_all_that_is_broken_is_expected() -> None:
    assert set(task_folders.broken()) == set(EXPECTED)


@pytest.mark.parametrize("what", EXPECTED)
def test_what_is_broken_is_said_in_a_line(what: str) -> None:
    content = task_folders.broken()[what]
    assert task_folders.check(content)
    assert re.fullmatch(EXPECTED[what], task_folders.outcome(content))


def test_what_is_whole_is_read_to_its_last_row() -> None:
    for content in task_folders.archives()[:6]:
        assert task_folders.outcome(content) == "24 signals"
