"""``task.json``: a task in plain sight, the names of its connections at each size, and the digests of its tables.

It may come from anybody. So it is checked whole, no part of it is a path, and nothing in it says where to read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from smartsbd.contracts import regular_file
from smartsbd.contracts.fault import InputFault, printable
from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.benchmark.named_split import NamedSplit, SidesError
from smartsbd.pipelines.benchmark.task import SIZES, BenchmarkTask, UnknownTaskError, task_of

TASK_FILE = "task.json"
#: What the tables of a folder are called.
TABLE_FILES = ("labels.parquet", "train.parquet", "test.parquet", "signals.parquet")
METRIC = (
    "right: the share of all labels whose last verdict is right; a label without a verdict counts as wrong. The verdict"
    " that holds just before a label ends is its last."
)
_MOST_BYTES = 1 << 24
_SAID_LETTERS = 300
_DIGEST = re.compile(r"[0-9a-f]{64}")


class TaskFileError(InputFault):
    """A task.json that cannot be used."""


class TaskChangedError(InputFault):
    """A task would change: other connections, labels or tables were named at a size."""


@dataclass(frozen=True)
class TaskFile:
    """What a task.json holds.

    Attributes
    ----------
    task : BenchmarkTask
    splits : dict of str to NamedSplit
        By size; a size that has not been named is not there.
    labels : dict of str to str
        By size, a digest of its labels (:meth:`~smartsbd.pipelines.benchmark.task_tables.TaskTables.labels_sha256`).
    size : str or None
        Of the tables beside it; None if there are none.
    digests : dict of str to str
        SHA-256 of each table's file.
    contents : dict of str to dict of str to str
        By size and table, a digest of its content (:func:`~smartsbd.pipelines.benchmark.table_content.content_sha256`);
        a size whose tables nobody has named is not there.
    """

    task: BenchmarkTask
    splits: dict[str, NamedSplit]
    labels: dict[str, str]
    size: str | None
    digests: dict[str, str]
    contents: dict[str, dict[str, str]] = field(default_factory=dict)

    def split(self, size: str) -> NamedSplit | None:
        """Return the connections of a size; None if they have not been named."""
        return self.splits.get(size)

    def named(
        self, size: str, split: NamedSplit, labels_sha256: str, contents: Mapping[str, str] | None = None
    ) -> TaskFile:
        """Return the same with the connections of one size more, or with the tables of a size.

        Parameters
        ----------
        size : str
        split : NamedSplit
        labels_sha256 : str
            Of its labels.
        contents : mapping of str to str, optional
            Of each table, a digest of its content; None if the tables are not to be named.

        Returns
        -------
        TaskFile
            A new object; this one stays as it is.

        Raises
        ------
        TaskChangedError
            If others were named, or their labels or tables were others.
        """
        if self.splits.get(size, split) != split:
            raise TaskChangedError(
                f"{self.task.name}, size {size}: other connections were named; a task never changes, so these are a new"
                " task's"
            )
        self.check_labels(size, labels_sha256)
        known = replace(self, splits={**self.splits, size: split}, labels={**self.labels, size: labels_sha256})
        if contents is None:
            return known
        self.check_contents(size, contents)
        return replace(known, contents={**self.contents, size: dict(contents)})

    def check_labels(self, size: str, labels_sha256: str) -> None:
        """Raise :class:`TaskChangedError` if other labels were named at a size.

        Raises
        ------
        TaskChangedError
            If they were.
        """
        if self.labels.get(size, labels_sha256) != labels_sha256:
            raise TaskChangedError(
                f"{self.task.name}, size {size}: the labels are not those that were named; a task never changes, so"
                " these are a new task's"
            )

    def check_contents(self, size: str, contents: Mapping[str, str]) -> None:
        """Raise :class:`TaskChangedError` if other tables were named at a size.

        Parameters
        ----------
        size : str
        contents : mapping of str to str
            Of each table, a digest of its content.

        Raises
        ------
        TaskChangedError
            If they were; the message says which.
        """
        changed = [name for name, known in self.contents.get(size, {}).items() if contents.get(name) != known]
        if changed:
            verb = "is" if len(changed) == 1 else "are"
            raise TaskChangedError(
                f"{self.task.name}, size {size}: {', '.join(changed)} {verb} not what was named; a task never changes,"
                " so other tables are a new task's"
            )

    def with_tables(self, size: str, digests: dict[str, str]) -> TaskFile:
        """Return the same beside other tables."""
        return replace(self, size=size, digests=digests)

    def write(self, folder: Path) -> None:
        """Write it into a folder."""
        content = {
            **_described(self.task),
            "connections": {
                size: {
                    "train": list(split.train),
                    "test": list(split.test),
                    "labels_sha256": self.labels[size],
                    **({"content_sha256": self.contents[size]} if size in self.contents else {}),
                }
                for size, split in self.splits.items()
            },
            "size": self.size,
            "sha256": self.digests,
        }
        folder.mkdir(parents=True, exist_ok=True)
        write_whole((json.dumps(content, indent=1, sort_keys=True) + "\n").encode(), folder / TASK_FILE)


def _described(task: BenchmarkTask) -> dict[str, Any]:
    return {
        "task": task.name,
        "question": task.question,
        "trained": list(task.trained),
        "tested": list(task.tested),
        "metric": METRIC,
        "judged_every_s": task.judged_every_s,
        "chosen_with_the_tested_in_view": list(task.seen_by),
    }


def read(folder: Path) -> TaskFile:
    """Read the task.json of a folder, whoever wrote it.

    Returns
    -------
    TaskFile

    Raises
    ------
    TaskFileError
        If it is not there, too large, or none, or if its connections are no split.
    """
    path = folder / TASK_FILE
    where = printable(str(path))
    try:
        with regular_file.opened(path) as stream:
            text = stream.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise TaskFileError(f"{where}: more than {_MOST_BYTES} bytes")
        content = json.loads(text)
    except OSError as error:
        raise TaskFileError(f"{where}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise TaskFileError(f"{where}: no JSON: {_in_short(str(error))}") from error
    try:
        return _parse(content)
    except (TaskFileError, SidesError) as error:
        raise TaskFileError(f"{where}: {_in_short(str(error))}") from error
    except (LookupError, TypeError, AttributeError) as error:
        raise TaskFileError(f"{where}: not what describes a task: {_in_short(repr(error))}") from error


def _in_short(why: str) -> str:
    """Return the beginning of a reason: it may repeat what the file has, of any length."""
    return printable(why[:_SAID_LETTERS])


def _parse(content: Mapping[str, Any]) -> TaskFile:
    try:
        task = task_of(content["task"])
    except UnknownTaskError as error:
        raise TaskFileError(str(error)) from error
    described = _described(task)
    other = [name for name, value in described.items() if content[name] != value]
    if other:
        raise TaskFileError(f"{task.name} is described otherwise here, in {other[0]}")
    connections, size, digests = content["connections"], content["size"], content["sha256"]
    if not set(connections) <= set(SIZES) or size not in (None, *SIZES):
        raise TaskFileError(f"sizes are {list(SIZES)}")
    if not set(digests) <= set(TABLE_FILES) or not _are_digests(digests):
        raise TaskFileError(f"digests are those of {list(TABLE_FILES)}, of 64 hex digits")
    splits = {size: NamedSplit(tuple(sides["train"]), tuple(sides["test"])) for size, sides in connections.items()}
    labels = {size: sides["labels_sha256"] for size, sides in connections.items()}
    if not _are_digests(labels):
        raise TaskFileError("labels_sha256 has 64 hex digits")
    contents = {size: named["content_sha256"] for size, named in connections.items() if "content_sha256" in named}
    if not all(set(named) == set(TABLE_FILES) and _are_digests(named) for named in contents.values()):
        raise TaskFileError(f"content_sha256 has 64 hex digits of each of {list(TABLE_FILES)}")
    return TaskFile(task, splits, labels, size, dict(digests), contents)


def _are_digests(digests: Mapping[str, str]) -> bool:
    return all(_DIGEST.fullmatch(digest) for digest in digests.values())
