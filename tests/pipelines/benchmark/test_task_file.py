"""``task.json``, from anybody: what is none is refused in one line, and a task never changes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from smartsbd.contracts.fault import InputFault
from smartsbd.pipelines.benchmark import task_file
from smartsbd.pipelines.benchmark.named_split import NamedSplit
from smartsbd.pipelines.benchmark.task import TASKS
from smartsbd.pipelines.benchmark.task_file import TABLE_FILES, TASK_FILE, TaskChangedError, TaskFile, TaskFileError

SPLIT = NamedSplit(("00" * 8, "11" * 8), ("22" * 8,))
OTHER = NamedSplit(("00" * 8,), ("22" * 8,))
LABELS = "cd" * 32
CONTENTS = dict.fromkeys(TABLE_FILES, "12" * 32)
KNOWN = TaskFile(
    TASKS["kernel-1"],
    {"XS": SPLIT},
    {"XS": LABELS},
    "XS",
    dict.fromkeys(TABLE_FILES, "ab" * 32),
    {"XS": CONTENTS},
)


def named(train: list[Any], test: list[Any], labels_sha256: Any = LABELS, **more: Any) -> dict[str, Any]:
    return {"connections": {"XS": {"train": train, "test": test, "labels_sha256": labels_sha256, **more}}}


def with_contents(contents: Any) -> dict[str, Any]:
    return named(["11" * 8], ["22" * 8], content_sha256=contents)


@pytest.fixture
def content(tmp_path: Path) -> dict[str, Any]:
    KNOWN.write(tmp_path)
    found: dict[str, Any] = json.loads((tmp_path / TASK_FILE).read_text())
    return found


def test_what_is_written_is_read(tmp_path: Path) -> None:
    KNOWN.write(tmp_path)
    assert task_file.read(tmp_path) == KNOWN


def test_connections_that_are_named_stay() -> None:
    assert KNOWN.named("XS", SPLIT, LABELS) == KNOWN
    assert KNOWN.named("S", OTHER, "ef" * 32).splits == {"XS": SPLIT, "S": OTHER}
    with pytest.raises(TaskChangedError, match="other connections were named; a task never changes"):
        KNOWN.named("XS", OTHER, LABELS)


def test_labels_that_are_named_stay() -> None:
    KNOWN.check_labels("XS", LABELS)
    with pytest.raises(TaskChangedError, match="the labels are not those that were named"):
        KNOWN.check_labels("XS", "ef" * 32)
    with pytest.raises(TaskChangedError, match="the labels are not those that were named"):
        KNOWN.named("XS", SPLIT, "ef" * 32)


def test_tables_that_are_named_stay(tmp_path: Path) -> None:
    other = {**CONTENTS, "signals.parquet": "34" * 32, "train.parquet": "56" * 32}
    assert KNOWN.named("XS", SPLIT, LABELS, CONTENTS) == KNOWN
    with pytest.raises(TaskChangedError, match=r"size XS: signals\.parquet is not what was named"):
        KNOWN.check_contents("XS", {**CONTENTS, "signals.parquet": "34" * 32})
    with pytest.raises(TaskChangedError, match=r"size XS: train\.parquet, signals\.parquet are not what was named"):
        KNOWN.named("XS", SPLIT, LABELS, other)
    more = KNOWN.named("S", OTHER, "ef" * 32).named("S", OTHER, "ef" * 32, other)
    assert more.contents == {"XS": CONTENTS, "S": other}
    more.write(tmp_path)
    assert task_file.read(tmp_path) == more


def test_a_size_may_be_named_without_its_tables(tmp_path: Path) -> None:
    known = KNOWN.named("S", OTHER, "ef" * 32)
    assert known.contents == {"XS": CONTENTS}
    known.check_contents("S", CONTENTS)
    known.write(tmp_path)
    assert task_file.read(tmp_path) == known


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"task": "../../etc"}, "unknown"),
        ({"task": "kernel-2"}, "unknown"),
        ({"task": ["kernel-1"]}, "not what describes a task"),
        ({"trained": ["../secret"]}, "described otherwise here, in trained"),
        ({"tested": ["sites"]}, "described otherwise here, in tested"),
        ({"metric": "whatever suits"}, "described otherwise here, in metric"),
        ({"chosen_with_the_tested_in_view": []}, "described otherwise"),
        ({"connections": {"XXL": {"train": [], "test": []}}}, "sizes are"),
        ({"connections": {"XS": {"train": 5, "test": []}}}, "not what describes a task"),
        ({"connections": {"XS": {"train": ["11" * 8], "test": ["22" * 8]}}}, "not what describes a task"),
        (named(["../x"], ["22" * 8]), "no name"),
        (named(["\x1b[31mred\n"], ["\x1b[31mred\n"]), "no name"),
        (named([1], ["22" * 8]), "not what describes a task"),
        (named(["22" * 8], ["22" * 8]), "both sides"),
        (named(["11" * 8], ["22" * 8], "../x"), "labels_sha256"),
        (named(["11" * 8], ["22" * 8], None), "not what describes a task"),
        (with_contents({**CONTENTS, "../x": "ab" * 32}), "content_sha256 has"),
        (with_contents({"labels.parquet": "ab" * 32}), "content_sha256 has"),
        (with_contents({**CONTENTS, "labels.parquet": "short"}), "content_sha256 has"),
        (with_contents({**CONTENTS, "labels.parquet": None}), "not what describes a task"),
        (with_contents("ab" * 32), "content_sha256 has"),
        (with_contents(list(TABLE_FILES)), "not what describes a task"),
        (with_contents(None), "not what describes a task"),
        ({"connections": 7}, "not what describes a task"),
        ({"size": "../XS"}, "sizes are"),
        ({"size": []}, "not what describes a task|sizes are"),
        ({"sha256": {"../labels.parquet": "ab" * 32}}, "digests are those"),
        ({"sha256": {"labels.parquet": "short"}}, "digests are those"),
        ({"sha256": {"labels.parquet": None}}, "not what describes a task"),
        ({"sha256": None}, "not what describes a task"),
    ],
)
def test_garbage_is_refused_in_one_line(
    tmp_path: Path, content: dict[str, Any], change: dict[str, Any], why: str
) -> None:
    (tmp_path / TASK_FILE).write_text(json.dumps(content | change))
    with pytest.raises(InputFault, match=why) as raised:
        task_file.read(tmp_path)
    assert str(raised.value).isprintable()
    assert str(raised.value).startswith(f"{tmp_path / TASK_FILE}: ")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "7", '"kernel-1"', "{}", "[" * 100_000, '{"task": "\\u001b[31m"}', "\xff"]
)
def test_what_describes_no_task_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / TASK_FILE).write_bytes(text.encode("latin-1"))
    with pytest.raises(TaskFileError) as raised:
        task_file.read(tmp_path)
    assert str(raised.value).isprintable()


def test_no_file_a_pipe_and_a_large_file_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TaskFileError, match="No such file"):
        task_file.read(tmp_path)
    os.mkfifo(tmp_path / TASK_FILE)
    with pytest.raises(InputFault, match="no regular file"):
        task_file.read(tmp_path)
    (tmp_path / TASK_FILE).unlink()
    KNOWN.write(tmp_path)
    monkeypatch.setattr(task_file, "_MOST_BYTES", 100)
    with pytest.raises(TaskFileError, match="more than 100 bytes"):
        task_file.read(tmp_path)
