"""Names of connections, and the two sides of a task by name.

A name is a hash of what was recorded, so it says nothing of the label, the setting or the file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from smartsbd.contracts.fault import InputFault
from smartsbd.pipelines.benchmark.task import BenchmarkTask

_DIGITS = 16
NAME = re.compile(rf"[0-9a-f]{{{_DIGITS}}}")
#: Where a dataset is on both sides, names that begin with these digits are judged: a quarter.
_JUDGED = frozenset("0123")


class SidesError(InputFault):
    """The two sides of a task have a connection in common, or what stands for a name is none."""


def connection_name(capture_ids: Iterable[str], number: int) -> str:
    """Return a connection's name: the first 16 hex digits of a SHA-256.

    Parameters
    ----------
    capture_ids : iterable of str
        Of the inputs that hold it, as in the ``capture`` table.
    number : int
        Of the connection in its input.

    Returns
    -------
    str
        16 hexadecimal digits.

    Examples
    --------
    >>> connection_name(["af1349b9f5f9a1a6"], 0)
    '59e57b3cb9aa8acc'
    """
    text = f"{'+'.join(sorted(capture_ids))}#{number}"
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def names_of(links: pa.Table) -> dict[str, str]:
    """Return the name of each connection by its ``connection_id``.

    Parameters
    ----------
    links : rows of the ``connection_capture`` table

    Returns
    -------
    dict of str to str
        Names of 16 hexadecimal digits, by ``connection_id``.
    """
    captures: dict[str, list[str]] = {}
    for connection_id, capture_id in zip(
        *(links.column(name).to_pylist() for name in ("connection_id", "capture_id")), strict=True
    ):
        captures.setdefault(connection_id, []).append(capture_id)
    return {
        connection_id: connection_name(capture_ids, int(connection_id.rpartition("#")[2]))
        for connection_id, capture_ids in captures.items()
    }


@dataclass(frozen=True)
class NamedSplit:
    """The connections of a task at a size, by name, each side in order.

    Attributes
    ----------
    train, test : tuple of str

    Raises
    ------
    SidesError
        If a side names none or one twice, if a connection is on both, or if something is no name.
    """

    train: tuple[str, ...]
    test: tuple[str, ...]

    def __post_init__(self) -> None:
        for side, names in (("train", self.train), ("test", self.test)):
            if not names:
                raise SidesError(f"the side {side} names no connection")
            if not all(NAME.fullmatch(name) for name in names):
                raise SidesError(f"the side {side} has what is no name of {_DIGITS} hex digits")
            if list(names) != sorted(set(names)):
                raise SidesError(f"the side {side} is not in order, or names a connection twice")
        both = sorted(set(self.train) & set(self.test))
        if both:
            raise SidesError(f"{len(both)} connections are on both sides, first {both[0]}")


def draw_split(task: BenchmarkTask, size: str, trained: Mapping[str, bool], tested: Mapping[str, bool]) -> NamedSplit:
    """Return the split of a task at a size, of all connections of its datasets that have a valid label.

    Of the connections on both sides, those whose name begins with 0 to 3 are judged. A size that takes a part takes the
    first names of either label in order, as many of one as of the other while there are any. That is as good as drawing
    them, and gives everybody the same.

    Parameters
    ----------
    task : BenchmarkTask
    size : str
    trained, tested : mapping of str to bool
        Whether the first labelled pair of a connection shares, by name.

    Returns
    -------
    NamedSplit

    Examples
    --------
    >>> from smartsbd.pipelines.benchmark.task import TASKS
    >>> labels = {f"{digit}{'0' * 15}": digit in "05" for digit in "05af"}
    >>> draw_split(TASKS["sites-1"], "S", labels, labels)  # doctest: +NORMALIZE_WHITESPACE
    NamedSplit(train=('5000000000000000', 'a000000000000000', 'f000000000000000'), test=('0000000000000000',))
    """
    both = set(trained) & set(tested)
    train = {name: label for name, label in trained.items() if name not in both or name[0] not in _JUDGED}
    test = {name: label for name, label in tested.items() if name not in both or name[0] in _JUDGED}
    most = task.most(size) or (len(train), len(test))
    return NamedSplit(_first(train, most[0]), _first(test, most[1]))


def _first(labels: Mapping[str, bool], most: int) -> tuple[str, ...]:
    """Return the first names of either label in turn, in order.

    Examples
    --------
    >>> _first({"a": True, "b": True, "c": True, "d": False}, 3)
    ('a', 'b', 'd')
    """
    names = sorted(labels)
    turns = {name: turn for label in (True, False) for turn, name in enumerate(n for n in names if labels[n] is label)}
    return tuple(sorted(sorted(names, key=lambda name: (turns[name], name))[:most]))
