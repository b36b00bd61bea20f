"""Ranges of mapped data: byte by byte they say what a table with every byte says, and they are no more than a bound."""

from __future__ import annotations

import random

import pytest

from smartsbd.traces.data_ranges import DataRanges, NewlyMapped


@pytest.mark.parametrize("seed", range(40))
def test_every_byte_is_known_as_a_table_of_bytes_knows_it(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - test data
    ranges = DataRanges(0 if seed % 2 else None)
    # Of each byte, its mappings, the first one first; three are told apart.
    table: dict[int, list[tuple[int, int]]] = {}
    for _ in range(150):
        start, size = rng.randrange(400), rng.choice([1, 2, 10, 60])
        owner = rng.randrange(2), rng.choice([0, 7])
        expected = {"new": 0, "reinjected": 0, "repeated": 0}
        first_subflow = None
        for byte in range(start, start + size):
            known = table.setdefault(byte, [])
            if not known:
                expected["new"] += 1
            elif owner in known:
                expected["repeated"] += 1
                continue
            else:
                expected["reinjected"] += 1
                first_subflow = known[0][0] if first_subflow is None else first_subflow
            table[byte] = [*known[:2], owner]
        found = ranges.add(start, start + size, *owner)
        assert found == NewlyMapped(**expected, unknown=0, first_subflow=first_subflow)
    lowest = 0 if seed % 2 else min(table)
    free = [byte for byte in range(lowest, max(table) + 1) if byte not in table]
    assert [byte for start, end in ranges.gaps() for byte in range(start, end)] == free
    assert ranges.all_gaps() == (len(ranges.gaps()), len(free))
    assert ranges.end == max(table) + 1


def test_a_mapping_is_the_same_if_its_distance_to_the_subflow_is() -> None:
    ranges = DataRanges(0)
    ranges.add(0, 1000, 0, 5)
    assert ranges.add(0, 1000, 0, 5 + 2**32).repeated == 1000
    assert ranges.add(500, 600, 0, 6) == NewlyMapped(0, 100, 0, 0, 0)


def test_of_more_pieces_than_are_kept_the_lowest_are_forgotten_and_their_gaps_are_counted() -> None:
    ranges = DataRanges(0, most=4)
    for number in range(10):
        ranges.add(10 + 20 * number, 20 + 20 * number, 0, 0)
    assert ranges.forgotten == 6
    assert ranges.gaps() == [(140, 150), (160, 170), (180, 190)]
    assert ranges.all_gaps() == (10, 100)
    # What is mapped below may have been mapped before, or be a gap that is counted.
    assert ranges.add(0, 135, 1, 0) == NewlyMapped(0, 5, 0, 130, 0)
    assert ranges.all_gaps() == (10, 100)
