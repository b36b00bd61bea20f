"""An experiment: networks that are drawn, and the controls that each of them is run under."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from scenarios.closed_loop.sender_control import CONTROLS
from scenarios.scenario import Scenario


@dataclass(frozen=True)
class LoopNetwork:
    """A network that an experiment runs under each control.

    Attributes
    ----------
    variant : str
        What is varied in the experiment.
    place : str
        The site, or what stands in its place.
    number : int
        Which draw of this variant and place; with both it identifies the network.
    scenario : Scenario
        Its controller is replaced.
    rival : int, optional
        Index of the background flow that competes with the connection at a shared bottleneck.
    """

    variant: str
    place: str
    number: int
    scenario: Scenario
    rival: int | None = None


@dataclass(frozen=True)
class LoopExperiment:
    """What is drawn, and what it is run under.

    Attributes
    ----------
    draw : callable
        Takes the experiment's own block of ``loop`` in params.yaml and yields its networks.
    controls : tuple of str
        Names in :data:`~scenarios.closed_loop.sender_control.CONTROLS`; the first is what others are compared with.
    """

    draw: Callable[..., Iterator[LoopNetwork]]
    controls: tuple[str, ...]


@dataclass(frozen=True)
class LoopRun:
    """One run: a network under a control."""

    experiment: str
    network: LoopNetwork
    control: str

    @property
    def scenario(self) -> Scenario:
        """The network's scenario under the control."""
        return CONTROLS[self.control].applied(self.network.scenario)
