"""The dataset ``clash``: another sender moves its windows too, in an order of its own, on the same bottlenecks.

Connections are drawn as those of ``controllers`` (:mod:`smartsbd.scenarios.paired_networks`), all of senders that
always have data. Beside each there is another MPTCP connection under the controller ``dither``, one of whose subflows
crosses the bottleneck of each subflow. Evaluation only: never trained or tuned on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import paired_networks, path, wide
from smartsbd.scenarios.scenario import FurtherConnection, FurtherSubflow, Run

RANGES = replace(paired_networks.RANGES, bulk=1.0, on_off=0.0)
_DITHER = {"name": "dither", "of": "lia"}
#: Base RTT of the other connection's paths, over those of the subflows beside them.
_RTT_TIMES = (1.05, 1.6)


def draw(number: int, groups: Sequence[int], *, duration_s: float, seed: int) -> Run:
    """Draw a connection whose subflow `i` crosses bottleneck `groups[i]`, and the one beside it.

    Parameters
    ----------
    number : int
    groups : sequence of int
        Bottleneck of each subflow; numbers from 0 without a gap.
    duration_s : float, seconds
        Length of the transfer.
    seed : int

    Returns
    -------
    Run
    """
    drawn = wide.draw([seed, number], groups, RANGES, number=number, duration_s=duration_s, setting="clash")
    rng = np.random.default_rng([seed, number, 3])
    beside = tuple(
        FurtherSubflow(
            links=subflow.links,
            start_s=path.start_s(index),
            rtt_ms=round(subflow.rtt_ms * float(rng.uniform(*_RTT_TIMES)), 3),
            access=subflow.access,
        )
        for index, subflow in enumerate(drawn.scenario.subflows)
    )
    other = FurtherConnection.model_validate(
        {"congestion_control": _DITHER, "scheduler": drawn.scenario.connection.scheduler, "subflows": beside}
    )
    return drawn.model_copy(update={"scenario": drawn.scenario.model_copy(update={"further_connections": (other,)})})


def dataset(*, connections_per_label: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> list[Run]:
    """Draw the dataset: as many shared as non-shared connections of two subflows.

    Parameters
    ----------
    connections_per_label : int
        Shared, and as many non-shared connections.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Returns
    -------
    list of Run
        Shared ones first.
    """
    return [
        draw(number, groups, duration_s=duration_s, seed=seed)
        for groups in ([0, 0], [0, 1])
        for number in range(connections_per_label)
    ]
