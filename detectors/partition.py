"""Partitions of a connection's subflows into those that share a bottleneck."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

#: Group of each subflow, in order of their numbers; None where there is no opinion. Groups count from 0 as they come.
Partition = tuple[int | None, ...]
#: Two subflows, the lower number first.
Pair = tuple[int, int]


def numbered(groups: Sequence[int | None]) -> Partition:
    """Return the same partition with groups counted from 0 in order of appearance.

    Returns
    -------
    Partition
        As long as `groups`.

    Examples
    --------
    >>> numbered([7, None, 3, 7])
    (0, None, 1, 0)
    """
    numbers: dict[int, int] = {}
    return tuple(None if group is None else numbers.setdefault(group, len(numbers)) for group in groups)


def pairs_of(subflow_ids: Iterable[int]) -> Iterator[Pair]:
    """Yield every two subflows.

    Yields
    ------
    Pair
        In ascending order, the lower number first.

    Examples
    --------
    >>> list(pairs_of([0, 1, 4]))
    [(0, 1), (0, 4), (1, 4)]
    """
    return itertools.combinations(sorted(subflow_ids), 2)


def shares(partition: Partition, first: int, second: int) -> bool | None:
    """Tell whether two subflows, by their places, are in one group; None without an opinion on both.

    Parameters
    ----------
    partition : Partition
    first, second : int
        Places of the subflows in it.

    Returns
    -------
    bool or None
        True if both are in one group.
    """
    group_a, group_b = partition[first], partition[second]
    return None if group_a is None or group_b is None else group_a == group_b


def partition_of(subflow_ids: Sequence[int], verdicts: Mapping[Pair, bool | None]) -> Partition:
    """Return the largest groups such that no two subflows of different groups are said to share.

    These are the connected components of the graph of shared pairs. A subflow without any verdict has no group.

    Parameters
    ----------
    subflow_ids : sequence of int
        In order.
    verdicts : mapping of Pair to bool or None
        The verdict on each pair; None, or no entry, is no verdict.

    Returns
    -------
    Partition
        Group of each subflow, in the order of `subflow_ids`.

    Examples
    --------
    >>> partition_of([0, 1, 2, 3], {(0, 1): True, (1, 2): False, (0, 2): True})
    (0, 0, 0, None)

    References
    ----------
    SmartSBD, section 7.
    """
    group = {subflow_id: subflow_id for subflow_id in subflow_ids}
    for (a, b), verdict in verdicts.items():
        if verdict:
            joined, left = group[a], group[b]
            group = {subflow_id: joined if number == left else number for subflow_id, number in group.items()}
    judged = {subflow_id for pair, verdict in verdicts.items() if verdict is not None for subflow_id in pair}
    return numbered([group[subflow_id] if subflow_id in judged else None for subflow_id in subflow_ids])
