"""The dataset ``same``: what ``twin`` has (:mod:`smartsbd.scenarios.twin`), on links and paths that are equal too.

Subflows have the same base RTT and the same access link, bottlenecks the same rate and queue, and nobody else is there.
Two links differ from one in nothing that a sender sees, except for what it does itself. Evaluation only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import NonNegativeInt, PositiveInt

from smartsbd.scenarios import twin
from smartsbd.scenarios.scenario import Run

RANGES = replace(twin.RANGES, equal_paths=1.0, equal_bottlenecks=1.0, alone=1.0)


def draw(number: int, groups: Sequence[int], *, seed: int) -> Run:
    """Draw a connection whose subflow `i` crosses bottleneck `groups[i]`, all paths being those of the first.

    Parameters
    ----------
    number : int
    groups : sequence of int
        Bottleneck of each subflow; numbers from 0 without a gap.
    seed : int

    Returns
    -------
    Run
    """
    drawn = twin.draw(number, groups, RANGES, seed=seed, setting="same")
    first = drawn.scenario.subflows[0]
    alike = {"rtt_ms": first.rtt_ms, "access": first.access, "path": first.path}
    subflows = tuple(subflow.model_copy(update=alike) for subflow in drawn.scenario.subflows)
    return drawn.model_copy(update={"scenario": drawn.scenario.model_copy(update={"subflows": subflows})})


def dataset(*, connections_per_label: PositiveInt, seed: NonNegativeInt) -> list[Run]:
    """Draw the dataset: as many shared as non-shared connections of two subflows, of 49 s.

    Parameters
    ----------
    connections_per_label : int
        Shared, and as many non-shared connections.
    seed : int

    Returns
    -------
    list of Run
        Shared ones first.
    """
    return [draw(number, groups, seed=seed) for groups in ([0, 0], [0, 1]) for number in range(connections_per_label)]
