"""Names of connections, and the two sides of a task."""

from __future__ import annotations

import hashlib
import itertools

import pytest

from smartsbd.contracts import tables
from smartsbd.pipelines.benchmark.named_split import NamedSplit, SidesError, connection_name, draw_split, names_of
from smartsbd.pipelines.benchmark.task import SIZES, SMALLEST, TASKS


def name(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()[:16]


LABELS = {name(number): number % 3 == 0 for number in range(1000)}
OTHERS = {name(number): number % 2 == 0 for number in range(1000, 1600)}


@pytest.mark.parametrize(("task", "size"), list(itertools.product(TASKS, SIZES)))
def test_sides_have_no_connection_in_common(task: str, size: str) -> None:
    one = TASKS[task]
    same = one.trained == one.tested
    split = draw_split(one, size, LABELS, LABELS if same else OTHERS)
    assert not set(split.train) & set(split.test)
    assert split.train and split.test


def test_of_one_dataset_each_connection_is_on_one_side_and_a_quarter_is_judged() -> None:
    split = draw_split(TASKS["sites-1"], "S", LABELS, LABELS)
    assert {*split.train, *split.test} == set(LABELS)
    assert 0.2 < len(split.test) / len(LABELS) < 0.3
    assert {one[0] for one in split.test} == set("0123")


def test_the_smallest_size_has_both_labels_and_is_part_of_the_next() -> None:
    task = TASKS["sites-1"]
    small, all_there = (draw_split(task, size, LABELS, LABELS) for size in (SMALLEST, "S"))
    assert (len(small.train), len(small.test)) == task.smallest
    for part, whole in ((small.train, all_there.train), (small.test, all_there.test)):
        assert set(part) < set(whole)
        assert sum(LABELS[one] for one in part) == len(part) / 2


def test_the_split_does_not_depend_on_the_order_of_what_is_there() -> None:
    backwards = dict(reversed(LABELS.items()))
    assert draw_split(TASKS["sites-1"], "XS", LABELS, LABELS) == draw_split(
        TASKS["sites-1"], "XS", backwards, backwards
    )


@pytest.mark.parametrize(
    ("train", "test", "why"),
    [
        ([name(1)], [name(1)], "both sides"),
        ([], [name(1)], "no connection"),
        ([name(1)], [], "no connection"),
        (sorted([name(1), name(2)], reverse=True), [name(3)], "not in order"),
        ([name(1), name(1)], [name(3)], "twice"),
        (["../../etc/passwd"], [name(3)], "no name"),
        ([name(1).upper()], [name(3)], "no name"),
    ],
)
def test_what_is_no_split_is_refused(train: list[str], test: list[str], why: str) -> None:
    with pytest.raises(SidesError, match=why):
        NamedSplit(tuple(train), tuple(test))


def test_a_name_is_of_content_and_number_alone() -> None:
    links = {
        "connection_id": ["sites/1.log#0", "sites/1.log#1", "captured/2#0", "captured/2#0"],
        "capture_id": ["aa", "aa", "cc", "bb"],
        "vantage": ["sender"] * 4,
    }
    named = names_of(tables.CONNECTION_CAPTURE.build(links))
    assert named == {
        "sites/1.log#0": connection_name(["aa"], 0),
        "sites/1.log#1": connection_name(["aa"], 1),
        "captured/2#0": connection_name(["bb", "cc"], 0),
    }
    assert connection_name(["bb", "cc"], 0) == connection_name(["cc", "bb"], 0)
    assert len(set(named.values())) == 3
