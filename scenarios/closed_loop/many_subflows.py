"""Three to five subflows in random groups, as in the dataset ``groups``: the paper's section 7."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from scenarios.closed_loop.control import FEW
from scenarios.closed_loop.experiment import Experiment, Network
from scenarios.groups import dataset


def draw(*, connections: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> Iterator[Network]:
    """Draw connections of three, four and five subflows in turn.

    Parameters
    ----------
    connections : int
    duration_s : float, seconds
        Length of each transfer.
    seed : int
    """
    for number, run in enumerate(dataset(connections=connections, duration_s=duration_s, seed=seed)):
        yield Network("random groups", run.setting, number, run.scenario)


EXPERIMENT = Experiment(draw, FEW)
