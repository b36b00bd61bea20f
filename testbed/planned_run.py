"""Runs that are asked for: of scenario files, or of a dataset that a simulator would run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.fault import UsageFault
from scenarios.closed_loop.loop_experiment import LoopNetwork
from scenarios.scenario import Run, Scenario
from testbed import machine
from testbed.refusal import RefusedScenarioError, read_scenario, refusals


class RunNameError(UsageFault):
    """Two runs would have one name."""


@dataclass(frozen=True)
class PlannedRun:
    """One of them.

    Attributes
    ----------
    name : str
        Of its files, without a suffix.
    scenario : Scenario
    setting : str
        Name in the truth table.
    controller : str
        Congestion controller of the connection.
    """

    name: str
    scenario: Scenario
    setting: str
    controller: str


def _checked(runs: Iterable[tuple[str, str, Scenario, str]], controller: str | None) -> list[PlannedRun]:
    """Return runs, all of which go; each is what it is called in messages, its name, scenario and setting."""
    found: dict[str, PlannedRun] = {}
    available = machine.controllers()
    for called, name, scenario, setting in runs:
        own = controller or scenario.connection.controller
        refused = refusals(scenario, own, available)
        if refused:
            raise RefusedScenarioError(f"{called}: does not go here:", refused)
        if name in found:
            raise RunNameError(f"{called}: another scenario has the name {name}")
        found[name] = PlannedRun(name, scenario, setting, own)
    return list(found.values())


def of_files(paths: Iterable[Path], controller: str | None) -> list[PlannedRun]:
    """Return the runs of scenario files; each has the file's name.

    Parameters
    ----------
    paths : iterable of Path
    controller : str, optional
        Congestion controller in place of the scenarios'.

    Raises
    ------
    RefusedScenarioError
        If one cannot be read, or does not go here.
    RunNameError
        If two have one name.
    """
    return _checked(((str(path), path.stem, read_scenario(path), path.stem) for path in paths), controller)


#: Controllers of the kernel that stand for controls of the simulator's loop (``sbd kernel load``).
KERNEL_CONTROLS: Mapping[str, str] = {"lia": "sbd_lia", "reno": "reno", "lag_excess": "sbd_smart"}


def of_networks(experiment: str, networks: Iterable[LoopNetwork]) -> list[PlannedRun]:
    """Return the runs of an experiment with the loop closed: each network under every control that the kernel has.

    Parameters
    ----------
    experiment : str
        Its name, in messages.
    networks : iterable of LoopNetwork

    Raises
    ------
    RefusedScenarioError
        If one does not go here.
    """
    runs = []
    for network in networks:
        for control, controller in KERNEL_CONTROLS.items():
            name = f"{network.variant} {network.number} {control}".replace(" ", "-")
            planned = (f"{experiment} {name}", name, network.scenario, network.variant)
            runs += _checked([planned], controller)
    return runs


def of_dataset(dataset: str, runs: Sequence[Run], controller: str | None) -> list[PlannedRun]:
    """Return the runs of a dataset; each has the number that the simulator gives it.

    Parameters
    ----------
    dataset : str
        Its name, in messages.
    runs : sequence of Run
        As :func:`scenarios.datasets.draw` returns them.
    controller : str, optional
        Congestion controller in place of the scenarios'.

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
