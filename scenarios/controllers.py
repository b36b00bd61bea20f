"""The dataset ``controllers``: networks drawn as those of ``wide``, each run under every controller at the sender.

How they are drawn is in :mod:`smartsbd.scenarios.paired_networks`. Evaluation only: never trained or tuned on.
"""

from __future__ import annotations

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import paired_networks
from smartsbd.scenarios.choice import Choice
from smartsbd.scenarios.scenario import Run

#: One line for each. Every controller of the registry is here with its defaults, except bbr and what derives from it,
#: and those that need a learnt agent; and LIA twice more: counting ACKs, and in the whole numbers of the kernel.
CHOICES = (
    Choice("lia"),
    Choice("lia", parameters={"counts": "acks"}),
    Choice("balia"),
    Choice("olia"),
    Choice("wvegas"),
    Choice("reno"),
    Choice("cubic"),
    Choice("lia", "round_robin"),
    Choice("reno", "round_robin"),
    Choice("lia", parameters={"mode": "kernel"}),
    Choice("mpcc"),
    Choice("mpol"),
)
#: Each choice by name, and the name of that which it is compared with.
REFERENCES = {choice.name: CHOICES[0].name for choice in CHOICES}


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
