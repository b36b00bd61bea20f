"""Work done by several processes or threads comes back in order, and its errors are raised where it is asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from pipelines import stage

Mapping = Callable[[Callable[[int], int], Sequence[int], int], Iterator[int]]


def slow_square(number: int) -> int:
    """The first items take longest."""
    time.sleep(0.002 * (10 - number))
    return number * number


def failing(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


@pytest.mark.parametrize("mapping", [stage.mapped, stage.threaded, stage.overlapped])
@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_in_order(mapping: Mapping, workers: int) -> None:
    assert list(mapping(slow_square, range(10), workers)) == [number * number for number in range(10)]
    assert list(mapping(slow_square, [], workers)) == []


@pytest.mark.parametrize("mapping", [stage.mapped, stage.threaded, stage.overlapped])
@pytest.mark.parametrize("workers", [1, 2])
def test_errors_are_raised(mapping: Mapping, workers: int) -> None:
    with pytest.raises(ValueError, match="three"):
        list(mapping(failing, range(10), workers))


def test_only_a_few_items_are_worked_on_ahead() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = stage.overlapped(slow_square, (number % 5 for number in items()), 2)
    assert next(results) == 0
    assert len(taken) <= 4
