"""Partitions: the rule of section 7 against a definition by trial of all partitions."""

from __future__ import annotations

import itertools

import pytest

from smartsbd.detectors.partition import Pair, Partition, numbered, pairs_of, partition_of, shares


def every_partition(count: int) -> set[Partition]:
    return {numbered(groups) for groups in itertools.product(range(count), repeat=count)}


@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_partition_of_most_groups_without_a_shared_pair_between_them(count: int) -> None:
    subflows = list(range(10, 10 + count))
    pairs = list(pairs_of(subflows))
    for said in itertools.product((True, False), repeat=len(pairs)):
        verdicts: dict[Pair, bool | None] = dict(zip(pairs, said, strict=True))
        allowed = [
            partition
            for partition in every_partition(count)
            if not any(
                verdict and not shares(partition, one - 10, other - 10) for (one, other), verdict in verdicts.items()
            )
        ]
        finest = max(allowed, key=lambda partition: len(set(partition)))
        assert partition_of(subflows, verdicts) == finest


def test_what_nothing_is_said_of_has_no_group() -> None:
    assert partition_of([0, 1, 2], {}) == (None, None, None)
    assert partition_of([0, 1, 2], {(0, 1): False, (1, 2): None}) == (0, 1, None)
    assert shares((0, None, 0), 0, 1) is None
    assert shares((0, None, 0), 0, 2) is True
