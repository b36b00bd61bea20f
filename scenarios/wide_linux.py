"""The dataset ``wide_linux``: drawn as ``wide``, of what Linux has: Reno and CUBIC, and the scheduler of smallest RTTs.

The testbed runs the same scenarios on a kernel (``sbd testbed --dataset wide_linux``): the recordings are the dataset
``testbed``, and these simulations are their twins. Evaluation only.
"""

from __future__ import annotations

from dataclasses import replace

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import wide
from smartsbd.scenarios.scenario import Run

RANGES = replace(wide.RANGES, controllers=(("reno", 0.5), ("cubic", 0.5)), min_rtt=1.0)


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
        wide.draw([seed, number], groups, RANGES, number=number, duration_s=duration_s, setting="wide_linux")
        for groups in ([0, 0], [0, 1])
        for number in range(connections_per_label)
    ]
