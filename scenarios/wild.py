"""The dataset ``wild``: a detector learnt on ``wide`` is scored on it once; two and three subflows.

Some of its ranges lie outside those of ``wide``: shorter and longer paths, faster and slower bottlenecks, deeper and
shallower queues, more losses and rivals, longer pauses, a sender's rate above the bottleneck's, queues that mark.
Its seed follows from the detector's file (docs/experiments/lag-excess.md), so nobody could look before. Evaluation
only.
"""

from __future__ import annotations

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios.scenario import Run
from smartsbd.scenarios.wide import Ranges, draw

RANGES = Ranges(
    rtt_ms=(5.0, 350.0),
    rate_mbit_s=(0.7, 30.0),
    queue_rtts=(0.1, 40.0),
    loss=(1e-4, 4e-2),
    longest_queue_ms=4000.0,
    equal_paths=0.3,
    equal_bottlenecks=0.6,
    lossless=0.3,
    marks=0.2,
    bulk=0.6,
    on_s=(0.5, 12.0),
    off_s=(0.3, 8.0),
    rate_share=(0.2, 1.1),
    controllers=(("lia", 0.4), ("reno", 0.3), ("cubic", 0.3)),
    rivals=5,
)
#: In turn; of three subflows all groups there are.
_GROUPS = ([0, 0], [0, 0, 0], [0, 1], [0, 0, 1], [0, 0], [0, 1, 0], [0, 1], [0, 1, 1], [0, 0], [0, 1, 2])


def dataset(*, connections: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> list[Run]:
    """Draw the dataset: connections of two and of three subflows in turn.

    Parameters
    ----------
    connections : int
        Number of connections.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Returns
    -------
    list of Run
        In order of their numbers.
    """
    return [
        draw(
            [seed, number],
            groups,
            RANGES,
            number=number,
            duration_s=duration_s,
            setting=f"wild, {len(groups)} subflows",
        )
        for number, groups in ((number, _GROUPS[number % len(_GROUPS)]) for number in range(connections))
    ]
