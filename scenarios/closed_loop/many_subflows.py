"""Three to five subflows in random groups, as in the dataset ``groups``: the paper's section 7."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios.closed_loop.loop_experiment import LoopExperiment, LoopNetwork
from smartsbd.scenarios.closed_loop.sender_control import FEW
from smartsbd.scenarios.groups import dataset


def draw(*, connections: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> Iterator[LoopNetwork]:
    """Draw connections of three, four and five subflows in turn.

    Parameters
    ----------
    connections : int
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Yields
    ------
    LoopNetwork
        In the order of the dataset.
    """
    for number, run in enumerate(dataset(connections=connections, duration_s=duration_s, seed=seed)):
        yield LoopNetwork("random groups", run.setting, number, run.scenario)


EXPERIMENT = LoopExperiment(draw, FEW)
