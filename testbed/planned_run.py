"""Runs that are asked for: of scenario files, or of a dataset that a simulator would run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from smartsbd.contracts.fault import UsageFault
from smartsbd.scenarios.closed_loop.loop_experiment import LoopNetwork, LoopRun
from smartsbd.scenarios.scenario import Run, Scenario
from smartsbd.scenarios.unseen import CASES
from smartsbd.testbed import machine
from smartsbd.testbed.refusal import RefusedScenarioError, background_controllers, read_scenario, refusals


class RunNameError(UsageFault):
    """Two runs would have one name."""


@dataclass(frozen=True)
class PlannedRun:
    """A run that is asked for.

    Attributes
    ----------
    name : str
        Of its files, without a suffix.
    scenario : Scenario
    setting : str
        Name in the truth table.
    controller : str
        Congestion controller of the connection.
    loop : LoopRun, optional
        Its run in an experiment with the loop closed.
    """

    name: str
    scenario: Scenario
    setting: str
    controller: str
    loop: LoopRun | None = None

    @property
    def fastest_mbit_s(self) -> float:
        """What its links carry in sum, at their fastest: packets take the machine's time."""
        return sum(max(rate for _, rate in link.rate_mbit_s) for link in self.scenario.links)


def _checked(runs: Iterable[tuple[str, str, Scenario, str]], controller: str | None) -> list[PlannedRun]:
    """Return runs that the testbed can do; each is given by its name in messages, its name, scenario and setting."""
    planned: dict[str, PlannedRun] = {}
    for called, name, scenario, setting in runs:
        chosen = controller or scenario.connection.controller
        available = machine.controllers({chosen, *background_controllers(scenario).values()})
        refused = refusals(scenario, chosen, available)
        if refused:
            raise RefusedScenarioError.of(called, "does not go here", refused)
        if name in planned:
            raise RunNameError(f"{called}: another scenario has the name {name}")
        planned[name] = PlannedRun(name, scenario, setting, chosen)
    return list(planned.values())


def of_files(paths: Iterable[Path], controller: str | None) -> list[PlannedRun]:
    """Return the runs of scenario files; each has the file's name.

    Parameters
    ----------
    paths : iterable of Path
    controller : str, optional
        Congestion controller in place of the scenarios'.

    Returns
    -------
    list of PlannedRun
        In the order of `paths`.

    Raises
    ------
    RefusedScenarioError
        If one cannot be read, or does not go here.
    RunNameError
        If two have one name.
    """
    return _checked(((str(path), path.stem, read_scenario(path), path.stem) for path in paths), controller)


#: Experiments whose networks the kernel can have, and what is drawn of them unless more is asked for.
KERNEL_EXPERIMENTS: Mapping[str, dict[str, Any]] = {
    "loop_kernel": {"runs": 1, "duration_s": 10.0, "seed": 20261126},
    "loop_unseen": {"cases": list(CASES), "repetitions": 1, "duration_s": 20.0, "seed": 20230115},
}
#: Controllers of the kernel that stand for controls of the simulator's loop (``sbd kernel load``).
_FIXED = {"lia": "sbd_lia", "reno": "reno"}
_SMART = "sbd_smart"
#: The control that knows the truth.
_ORACLE = "oracle"
#: What sbd_smart asks, as its status says, by the control that it stands for.
ASKED = {"common_lag": "common_lag", "common_lag_odds": "common_lag_odds", "forest_invariant": "model"}
#: Controls that the kernel can have; of those in :data:`ASKED`, the one that is loaded.
KERNEL_CONTROLS = (*_FIXED, _ORACLE, *ASKED)
#: What a network is run under if nothing else is asked for.
DEFAULT_CONTROLS = (*_FIXED, _ORACLE, "common_lag")


def _oracle(scenario: Scenario) -> str | None:
    """Return the controller that is right about all subflows from the first to the last second, if one is."""
    shared = {
        {link for _, link in first.bottleneck} == {link for _, link in other.bottleneck}
        for first, other in combinations(scenario.subflows, 2)
    }
    still = all(len(subflow.bottleneck) == 1 for subflow in scenario.subflows)
    return _FIXED["lia" if shared.pop() else "reno"] if still and len(shared) == 1 else None


def controller_of(control: str, scenario: Scenario) -> str | None:
    """Return the kernel's controller that stands for a control of the simulator's loop; None if none does.

    Parameters
    ----------
    control : str
        One of :data:`KERNEL_CONTROLS`. The oracle is the controller that is right throughout; where bottlenecks move,
        or only some subflows share one, there is none.
    scenario : Scenario

    Returns
    -------
    str or None
        As the kernel names it.

    Examples
    --------
    >>> from smartsbd.testbed.examples import example
    >>> [controller_of("oracle", example(name)) for name in ("shared", "separate", "moving", "three")]
    ['sbd_lia', 'reno', None, None]
    >>> controller_of("common_lag", example("moving"))
    'sbd_smart'
    """
    return _oracle(scenario) if control == _ORACLE else _FIXED.get(control, _SMART)


def of_networks(experiment: str, networks: Iterable[LoopNetwork], controls: Sequence[str]) -> list[PlannedRun]:
    """Return the runs of an experiment with the loop closed: each network under each control.

    Parameters
    ----------
    experiment : str
        Its name.
    networks : iterable of LoopNetwork
    controls : sequence of str
        Of :data:`KERNEL_CONTROLS`.

    Returns
    -------
    list of PlannedRun
        Network by network.

    Raises
    ------
    RefusedScenarioError
        If one does not go here.
    """
    runs = []
    for network in networks:
        for control in controls:
            name = f"{network.variant} {network.place} {network.number} {control}".lower().replace(" ", "-")
            controller = controller_of(control, network.scenario)
            if controller is None:
                raise RefusedScenarioError(f"{experiment} {name}: no controller is right about all subflows throughout")
            planned = (f"{experiment} {name}", name, network.scenario, network.variant)
            loop = LoopRun(experiment, network, control)
            runs += [replace(run, loop=loop) for run in _checked([planned], controller)]
    return runs


def of_dataset(dataset: str, runs: Sequence[Run], controller: str | None) -> list[PlannedRun]:
    """Return the runs of a dataset; each has the number that the simulator gives it.

    Parameters
    ----------
    dataset : str
        Its name, in messages.
    runs : sequence of Run
        As :func:`smartsbd.scenarios.datasets.draw` returns them.
    controller : str, optional
        Congestion controller in place of the scenarios'.

    Returns
    -------
    list of PlannedRun
        In the order of `runs`.

    Raises
    ------
    RefusedScenarioError
        If one does not go here.
    """
    numbered = enumerate(runs)
    return _checked(
        ((f"{dataset} {number:05d}", f"{number:05d}", run.scenario, run.setting) for number, run in numbered),
        controller,
    )
