"""The dataset ``groups``: three to five subflows in random groups, settings as in ``diverse``."""

from __future__ import annotations

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios.diverse import draw_group
from smartsbd.scenarios.scenario import Run


def _partition(rng: np.random.Generator, subflows: int) -> list[int]:
    """Put each subflow into an existing or a new group, all choices alike (a random partition)."""
    groups = [0]
    for _ in range(subflows - 1):
        groups.append(int(rng.integers(0, max(groups) + 2)))
    return groups


def dataset(*, connections: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> list[Run]:
    """Draw the dataset: connections of three, four and five subflows in turn.

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
    runs = []
    for number in range(connections):
        rng = np.random.default_rng([seed, number])
        groups = _partition(rng, 3 + number % 3)
        runs.append(draw_group(rng, groups, duration_s=duration_s, setting=f"{len(groups)} subflows"))
    return runs
