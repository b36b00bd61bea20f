"""Work done by several processes or threads comes back in order, and its errors are raised where it is asked for."""

from __future__ import annotations

import operator
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from smartsbd.pipelines.running import parallel
from tests.processes import runs, waited_for

Mapping = Callable[[Callable[[int], int], Sequence[int], int], Iterator[int]]


def slow_square(number: int) -> int:
    """The first items take longest."""
    time.sleep(0.002 * (10 - number))
    return number * number


def failing(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


@pytest.mark.parametrize("mapping", [parallel.forked, parallel.threaded, parallel.overlapped])
@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_in_order(mapping: Mapping, workers: int) -> None:
    assert list(mapping(slow_square, range(10), workers)) == [number * number for number in range(10)]
    assert list(mapping(slow_square, [], workers)) == []


@pytest.mark.parametrize("mapping", [parallel.forked, parallel.threaded, parallel.overlapped])
@pytest.mark.parametrize("workers", [1, 2])
def test_errors_are_raised(mapping: Mapping, workers: int) -> None:
    with pytest.raises(ValueError, match="three"):
        list(mapping(failing, range(10), workers))


def test_a_process_has_what_cannot_be_pickled() -> None:
    assert list(parallel.forked(operator.call, [os.getpid, lambda: 7], 2))[1] == 7
    assert os.getpid() not in list(parallel.forked(lambda _: os.getpid(), range(4), 2))


_KILLED = r"""
import os, time
from smartsbd.pipelines.running import parallel

def work(number):
    os.write(1, b"%d\n" % os.getpid())
    time.sleep(60)

list(parallel.forked(work, range(2), 2))
"""


def test_processes_end_with_the_one_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", _KILLED], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        assert all(map(runs, workers))
        parent.kill()
    assert waited_for(lambda: not any(map(runs, workers)))


def test_only_a_few_items_are_worked_on_ahead() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = parallel.overlapped(slow_square, (number % 5 for number in items()), 2)
    assert next(results) == 0
    assert len(taken) <= 4
