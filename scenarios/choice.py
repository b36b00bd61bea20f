"""What chooses at a sender: a controller, a scheduler, a source of verdicts; and the hosts these are run on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from smartsbd.scenarios import registry
from smartsbd.scenarios.scenario import ConnectionSettings, MetaQueueRules

#: What Linux's MPTCP kernel, hosts of several papers, does with segments already sent.
LINUX = MetaQueueRules(reinject=True, opportunistic=True, penalise=True, half_window=False)
_KB = 1000
_OF_SIMULATOR: TypeAdapter[str] = TypeAdapter(registry.name_type("congestion_control"))


@dataclass(frozen=True)
class Choice:
    """What chooses at the sender.

    Attributes
    ----------
    controller : str
        Its name in :mod:`smartsbd.scenarios.registry`.
    scheduler : str
    parameters, scheduling : mapping of str to str or float
        Parameters of the controller and of the scheduler; others have their defaults.
    linux_hosts : bool
        Whether segments already sent are treated as by Linux's hosts; else the network says.
    buffer_kb : float, optional
        Receive buffer; without it the network's own.
    verdicts : str, optional
        What says which subflows share a bottleneck, by its name in :mod:`smartsbd.scenarios.registry`.
    judging : mapping of str to str or float
        Parameters of that; others have their defaults.
    """

    controller: str
    scheduler: str = "min_rtt"
    parameters: Mapping[str, str | float] = field(default_factory=dict)
    scheduling: Mapping[str, str | float] = field(default_factory=dict)
    linux_hosts: bool = False
    buffer_kb: float | None = None
    verdicts: str | None = None
    judging: Mapping[str, str | float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name in the truth table; the scheduler of smallest RTTs is not named.

        Returns
        -------
        str
            Of the controller, the scheduler and what else is not the default.

        Examples
        --------
        >>> Choice("lia", parameters={"counts": "acks"}).name, Choice("reno", "round_robin").name
        ('lia counts acks', 'reno round_robin')
        >>> Choice("bbr", "olaps", scheduling={"learner": "exp3"}).name
        'bbr olaps learner exp3'
        >>> Choice("lia", "blest", linux_hosts=True, buffer_kb=64, verdicts="oracle").name
        'lia blest, Linux hosts, 64 kB, oracle'
        >>> Choice("fmbbr", "irps", verdicts="paths", judging={"by": "routers"}).name
        'fmbbr irps, paths by routers'
        """
        other = [] if self.scheduler == "min_rtt" else [self.scheduler]
        parameters, scheduling, judging = (
            [f"{key} {value}" for key, value in of.items()] for of in (self.parameters, self.scheduling, self.judging)
        )
        hosts = ["Linux hosts"] if self.linux_hosts else []
        buffer = [] if self.buffer_kb is None else [f"{self.buffer_kb:g} kB"]
        verdicts = [] if self.verdicts is None else [" ".join([self.verdicts, *judging])]
        return ", ".join([" ".join([self.controller, *parameters, *other, *scheduling]), *hosts, *buffer, *verdicts])

    def applied(self, connection: ConnectionSettings) -> ConnectionSettings:
        """Return a connection's settings under this choice.

        Parameters
        ----------
        connection : ConnectionSettings

        Returns
        -------
        ConnectionSettings
            Checked against the contract.

        Raises
        ------
        pydantic.ValidationError
            If the simulator has no such controller, scheduler, parameter or source of verdicts, or no such small
            buffer.
        """
        # Settings also take the name of a controller that only a kernel has.
        _OF_SIMULATOR.validate_python(self.controller)
        named = {"name": self.controller, **self.parameters} if self.parameters else self.controller
        scheduler = {"name": self.scheduler, **self.scheduling} if self.scheduling else self.scheduler
        changed: dict[str, Any] = {"congestion_control": named, "lia_counts": None, "scheduler": scheduler}
        if self.linux_hosts:
            changed["meta_queue"] = LINUX.model_dump()
        if self.buffer_kb is not None:
            changed["receive_buffer_bytes"] = round(self.buffer_kb * _KB)
        if self.verdicts is not None:
            changed["verdicts"] = {"name": self.verdicts, **self.judging} if self.judging else self.verdicts
        return ConnectionSettings.model_validate({**connection.model_dump(), **changed})
