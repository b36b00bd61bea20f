"""The dataset ``schedulers``: networks drawn as those of ``wide``, each under every scheduler and receive buffer.

How they are drawn is described in :mod:`smartsbd.scenarios.paired_networks`; the controller is LIA, which detectors
were trained under. Evaluation only: never trained or tuned on.
"""

from __future__ import annotations

from dataclasses import replace

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import paired_networks
from smartsbd.scenarios.choice import Choice
from smartsbd.scenarios.scenario import Run

#: One line for each. Every scheduler of the registry is here with its
#: defaults; round robin a second time by its other rule, and the scheduler of smallest RTTs on Linux's hosts.
SCHEDULERS = (
    Choice("lia"),
    Choice("lia", linux_hosts=True),
    Choice("lia", "round_robin"),
    Choice("lia", "round_robin", scheduling={"full": "wait"}),
    Choice("lia", "redundant"),
    Choice("lia", "blest"),
    Choice("lia", "ecf"),
    Choice("lia", "olaps"),
    Choice("lia", "irps"),
)
#: The first does not limit a connection.
BUFFERS_KB = (None, 512.0, 64.0, 17.0)
CHOICES = tuple(replace(choice, buffer_kb=buffer_kb) for buffer_kb in BUFFERS_KB for choice in SCHEDULERS)
#: Each choice by name, and the name of that which it is compared with: the first scheduler with the same buffer, and
#: for that scheduler no limit, so that what a buffer does and what a scheduler does are told apart.
REFERENCES = {
    replace(choice, buffer_kb=buffer_kb).name: replace(SCHEDULERS[0], buffer_kb=buffer_kb if number else None).name
    for buffer_kb in BUFFERS_KB
    for number, choice in enumerate(SCHEDULERS)
}


def dataset(*, connections_per_label: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> list[Run]:
    """Draw the dataset: as many networks with a shared bottleneck as without, and every choice on each.

    Parameters
    ----------
    connections_per_label : int
        Networks with a shared bottleneck, and as many without; each is run as often as there are choices.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Returns
    -------
    list of Run
        Network by network, a run for each of :data:`CHOICES`.
    """
    return paired_networks.draw_runs(
        CHOICES, connections_per_label=connections_per_label, duration_s=duration_s, seed=seed
    )
