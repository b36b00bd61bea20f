"""Bottlenecks that move: the times after a change of a pair's label."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from smartsbd.features.window import WINDOW_RTTS

_NS_PER_US = 1000


@dataclass(frozen=True)
class Move:
    """The time after a change of a pair's label, up to the next.

    Attributes
    ----------
    connection_id : str
    subflow_a, subflow_b : int
    from_ns, until_ns : int, nanoseconds
    shared : bool
        The label in this time.
    window_ns : int, nanoseconds
        T: 50 of the larger smallest RTT of the pair.
    """

    connection_id: str
    subflow_a: int
    subflow_b: int
    from_ns: int
    until_ns: int
    shared: bool
    window_ns: int


def phases(truth: Sequence[Mapping[str, Any]], end_ns: int) -> list[tuple[Mapping[str, Any], int]]:
    """Return the truths of a pair in time order, each with its end."""
    ordered = sorted(truth, key=lambda row: int(row["from_ns"]))
    return list(zip(ordered, [*(row["from_ns"] for row in ordered[1:]), end_ns], strict=True))


def moves(
    truths: Mapping[tuple[str, int, int], Sequence[Mapping[str, Any]]],
    min_rtt_us: Mapping[str, Mapping[int, int | None]],
    ends_ns: Mapping[str, int],
) -> tuple[list[Move], Counter[str]]:
    """Return the times that follow a change of a pair's label, and how many changes are left out and why.

    Parameters
    ----------
    truths : mapping of (connection_id, subflow_a, subflow_b) to rows of the ``truth`` table
    min_rtt_us : mapping of connection_id to the smallest RTT of each subflow, microseconds
    ends_ns : mapping of connection_id to its last record, nanoseconds

    Returns
    -------
    (list of Move, Counter of str)
        In order of connection, pair and time; counts by reason.
    """
    moved: list[Move] = []
    left_out: Counter[str] = Counter()
    for (connection_id, a, b), truth in sorted(truths.items()):
        lowest_us = [min_rtt_us[connection_id].get(subflow_id) for subflow_id in (a, b)]
        for (before, _), (phase, until_ns) in itertools.pairwise(phases(truth, ends_ns[connection_id])):
            if None in lowest_us:
                left_out["a subflow without RTT samples"] += 1
            elif not phase["valid"]:
                left_out["not valid"] += 1
            elif until_ns <= phase["from_ns"]:
                left_out["the connection ends before it"] += 1
            elif phase["shared"] == before["shared"]:
                left_out["no change"] += 1
            else:
                window_ns = WINDOW_RTTS * max(rtt_us for rtt_us in lowest_us if rtt_us is not None) * _NS_PER_US
                moved.append(Move(connection_id, a, b, phase["from_ns"], until_ns, phase["shared"], window_ns))
    return moved, left_out
