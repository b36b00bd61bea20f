"""The dataset ``twin``: links whose capacity moves together, so that their delays do too, and no queue is shared.

Connections are drawn as those of ``controllers`` (:mod:`smartsbd.scenarios.paired_networks`), all of senders that
always have data. Every bottleneck has its rate times one factor, the same for all of them, drawn anew each half
second. For each number there is a connection whose subflows meet at one bottleneck, and one whose subflows have a
bottleneck each. Evaluation only: never trained or tuned on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from pydantic import NonNegativeInt, PositiveInt

from smartsbd.scenarios import paired_networks, path, wide
from smartsbd.scenarios.scenario import Link, Run

RANGES = replace(paired_networks.RANGES, bulk=1.0, on_off=0.0)
#: How long a factor holds, and the deviation of its logarithm.
STEP_S = 0.5
SIGMA = 0.5
#: As long as a link may have a rate of its own for each factor.
DURATION_S = 49.0
_RATE_MBIT_S = (0.1, 60.0)


def moving_together(links: Sequence[Link], rng: np.random.Generator, lasts_s: float) -> tuple[Link, ...]:
    """Return links whose rates are theirs times one factor over time.

    Parameters
    ----------
    links : sequence of Link
    rng : numpy.random.Generator
        Draws the factors.
    lasts_s : float, seconds
        Length of the run.

    Returns
    -------
    tuple of Link
        Within 0.1 and 60 Mbit/s.
    """
    factors = np.exp(rng.normal(0.0, SIGMA, int(np.ceil(lasts_s / STEP_S))))
    return tuple(
        link.model_copy(
            update={
                "rate_mbit_s": tuple(
                    (step * STEP_S, round(float(np.clip(link.rate_at_mbit_s(0) * factor, *_RATE_MBIT_S)), 3))
                    for step, factor in enumerate(factors)
                )
            }
        )
        for link in links
    )


def draw(number: int, groups: Sequence[int], ranges: wide.Ranges, *, seed: int, setting: str) -> Run:
    """Draw a connection whose subflow `i` crosses bottleneck `groups[i]`.

    Parameters
    ----------
    number : int
        Of the connection: those of both labels have the same settings and factors.
    groups : sequence of int
        Bottleneck of each subflow; numbers from 0 without a gap.
    ranges : Ranges
    seed : int
    setting : str
        Name in the truth table.

    Returns
    -------
    Run
    """
    drawn = wide.draw([seed, number], groups, ranges, number=number, duration_s=DURATION_S, setting=setting)
    lasts_s = path.CONNECTION_START_S + DURATION_S
    links = moving_together(drawn.scenario.links, np.random.default_rng([seed, number, 2]), lasts_s)
    return drawn.model_copy(update={"scenario": drawn.scenario.model_copy(update={"links": links})})


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
    return [
        draw(number, groups, RANGES, seed=seed, setting="twin")
        for groups in ([0, 0], [0, 1])
        for number in range(connections_per_label)
    ]
