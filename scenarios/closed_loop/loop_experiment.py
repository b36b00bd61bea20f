"""An experiment: networks that are drawn, and the controls that each of them is run under."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from smartsbd.scenarios.closed_loop.sender_control import CONTROLS
from smartsbd.scenarios.scenario import Scenario


@dataclass(frozen=True)
class LoopNetwork:
    """A network that an experiment runs under each control.

    Attributes
    ----------
    variant : str
        What is varied in the experiment.
    place : str
        The site, or what replaces it.
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
        Takes the experiment's settings and yields its networks.
    controls : tuple of str
        Names in :data:`~smartsbd.scenarios.closed_loop.sender_control.CONTROLS`; the first is what others are compared
        with.
    networks : mapping of str to int
        Of a control that is not run on every network: on how many of each variant and place, the first ones.
    """

    draw: Callable[..., Iterator[LoopNetwork]]
    controls: tuple[str, ...]
    networks: Mapping[str, int] = field(default_factory=dict)

    def runs(self, control: str, network: LoopNetwork) -> bool:
        """Tell whether a network is run under a control.

        Parameters
        ----------
        control : str
        network : LoopNetwork

        Returns
        -------
        bool
        """
        return control in self.controls and (control not in self.networks or network.number < self.networks[control])


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
