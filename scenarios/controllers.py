"""The dataset ``controllers``: networks drawn as those of ``wide``, each run under every controller at the sender.

For each number there is a network whose subflows meet at one bottleneck, and one whose subflows have a bottleneck each,
with the same settings (:mod:`scenarios.wide`). Each is run once under every choice of :data:`CHOICES`, with the same
seed, links, background and application: runs of one network differ in the controller or the scheduler, in the token,
and in nothing else. Rates and queues end lower than those of ``wide``: ns-3's transmit buffer takes time quadratic in
the window, and a run of 8.7 Mbit/s and a queue of 2.5 s had not ended after 50 CPU s. Evaluation only: never trained or
tuned on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from scenarios import wide
from scenarios.scenario import ConnectionSettings, Run

RANGES = replace(wide.RANGES, rate_mbit_s=(1.0, 8.0), longest_queue_ms=1000.0)
#: What was drawn, how the sender has data, and the choice.
_SETTING = re.compile(r"(?P<base>base \d+), \w+, (?P<choice>.+)")


@dataclass(frozen=True)
class Choice:
    """What chooses at the sender.

    Attributes
    ----------
    controller : str
        Its name in :mod:`scenarios.registry`.
    scheduler : str
    parameters, scheduling : mapping of str to str or float
        Parameters of the controller and of the scheduler; others have their defaults.
    """

    controller: str
    scheduler: str = "min_rtt"
    parameters: Mapping[str, str | float] = field(default_factory=dict)
    scheduling: Mapping[str, str | float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name in the truth table; the scheduler of smallest RTTs is not named.

        Examples
        --------
        >>> Choice("lia", parameters={"counts": "acks"}).name, Choice("reno", "round_robin").name
        ('lia counts acks', 'reno round_robin')
        >>> Choice("bbr", "olaps", scheduling={"learner": "exp3"}).name
        'bbr olaps learner exp3'
        """
        other = [] if self.scheduler == "min_rtt" else [self.scheduler]
        own, scheduling = ([f"{key} {value}" for key, value in of.items()] for of in (self.parameters, self.scheduling))
        return " ".join([self.controller, *own, *other, *scheduling])

    def applied(self, connection: ConnectionSettings) -> ConnectionSettings:
        """Return a connection's settings under this choice.

        Parameters
        ----------
        connection : ConnectionSettings

        Raises
        ------
        pydantic.ValidationError
            If the simulator has no such controller, scheduler or parameter.
        """
        named = {"name": self.controller, **self.parameters} if self.parameters else self.controller
        scheduler = {"name": self.scheduler, **self.scheduling} if self.scheduling else self.scheduler
        changed = {"congestion_control": named, "lia_counts": None, "scheduler": scheduler}
        return ConnectionSettings.model_validate({**connection.model_dump(), **changed})


#: One line for each; the first is what the others are compared with. Every controller of the registry but bbr is here
#: with its defaults, and LIA twice more: counting ACKs, and in the whole numbers of the kernel.
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


def parts_of(setting: str) -> tuple[str, str]:
    """Return the base scenario and the choice that a setting of the truth table names.

    Parameters
    ----------
    setting : str
        Column ``scenario``.

    Raises
    ------
    ValueError
        If it is none of this dataset.

    Examples
    --------
    >>> parts_of("base 017, bulk, lia counts acks")
    ('base 017', 'lia counts acks')
    """
    parts = _SETTING.fullmatch(setting)
    if parts is None:
        raise ValueError(f"{setting!r} is no setting of the dataset controllers")
    return parts["base"], parts["choice"]


def _runs(number: int, groups: list[int], seed: int, duration_s: float) -> Iterator[Run]:
    """Yield a network's run under each choice."""
    base = wide.draw([seed, number], groups, RANGES, number=number, duration_s=duration_s, setting=f"base {number:03d}")
    for choice in CHOICES:
        # Where a controller never acts, logs are the same but for the token; the same file twice is refused.
        rng = np.random.default_rng([seed, number, *groups, *choice.name.encode()])
        token = {"token": f"{rng.integers(1, 2**32):08x}"}
        changed = {"connection": choice.applied(base.scenario.connection).model_copy(update=token)}
        yield Run(
            scenario=base.scenario.model_copy(update=changed), site=None, setting=f"{base.setting}, {choice.name}"
        )


def dataset(*, connections_per_label: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> list[Run]:
    """Draw the dataset: as many networks with a shared bottleneck as without, and every choice on each.

    Parameters
    ----------
    connections_per_label : int
        Networks with a shared bottleneck, and as many without; each is run as often as there are choices.
    duration_s : float, seconds
        Length of each transfer.
    seed : int
    """
    return [
        run
        for groups in ([0, 0], [0, 1])
        for number in range(connections_per_label)
        for run in _runs(number, groups, seed, duration_s)
    ]
