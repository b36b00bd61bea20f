"""32-bit sequence numbers as counts: wraps count, old values change nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsbd.traces.sequence import unwrapped
from tests.traces.naive.log import AckedBytes

WRAP = 2**32


@pytest.mark.parametrize(
    ("previous", "low32", "expected"),
    [
        (0, 0, 0),
        (0, 1, 1),
        (0, WRAP - 1, -1),
        (WRAP - 1, 0, WRAP),
        (WRAP, WRAP - 1, WRAP - 1),
        (5 * WRAP + 7, 3, 5 * WRAP + 3),
        (5 * WRAP + 7, WRAP - 3, 5 * WRAP - 3),
        (0, 2**31 - 1, 2**31 - 1),
        (0, 2**31, -(2**31)),
    ],
)
def test_the_nearest_number_is_taken(previous: int, low32: int, expected: int) -> None:
    assert unwrapped(previous, low32) == expected


@given(st.integers(0, 2**40), st.integers(-(2**31), 2**31 - 1))
def test_a_step_of_less_than_half_is_found_again(previous: int, step: int) -> None:
    assert unwrapped(previous, (previous + step) % WRAP) == previous + step


@given(st.integers(0, WRAP - 1), st.lists(st.integers(-(2**31) + 1, 2**31 - 1), max_size=30))
def test_bytes_are_the_furthest_that_was_acknowledged(start: int, steps: list[int]) -> None:
    acked = AckedBytes()
    acked.snd_una(start)
    furthest = start
    for step in steps:
        acked.snd_una((furthest + step) % WRAP)
        furthest = max(furthest, furthest + step)
        assert acked.bytes == furthest - start


@given(st.lists(st.integers(-(2**31) + 1, 2**31 - 1), max_size=30))
def test_a_count_of_32_bits_is_a_count_of_64(steps: list[int]) -> None:
    acked, furthest = AckedBytes(), 0
    for step in steps:
        acked.count(max(0, furthest + step) % WRAP)
        furthest = max(furthest, furthest + step)
        assert acked.bytes == furthest
