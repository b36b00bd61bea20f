"""Experiments of papers as parts of a study's params.yaml that draw their scenarios.

An experiment is one class: its fields are what may be changed, its networks are drawn by :meth:`Experiment.planned`,
and each network is run under several choices of controller and scheduler. Runs of one setting and number differ in the
choice and in nothing else, seed included.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np
from pydantic import Field, NonNegativeInt

from smartsbd.scenarios.bottleneck_network import HEADER_BYTES
from smartsbd.scenarios.choice import Choice
from smartsbd.scenarios.part import Part
from smartsbd.scenarios.scenario import Run, Scenario

Runs = Annotated[int, Field(ge=0, le=1000)]


@dataclass(frozen=True)
class ExperimentRun:
    """A scenario of an experiment under one controller.

    Attributes
    ----------
    experiment, setting, controller : str
        As the tables name them.
    number : int
        Which of the setting's runs: those of one number have one network and seed.
    run : Run
    changes_s : tuple of float
        When the network changes, in s.
    """

    experiment: str
    setting: str
    controller: str
    number: int
    run: Run
    changes_s: tuple[float, ...] = ()

    @property
    def capacity_mbit_s(self) -> float:
        """Payload that the shaped links can carry, in Mbit/s."""
        mss_bytes = self.run.scenario.connection.mss_bytes
        rates = sum(link.rate_at_mbit_s(0) for link in self.run.scenario.links)
        return rates * mss_bytes / (mss_bytes + HEADER_BYTES)


def bottleneck_mbit_s(scenario: Scenario, from_s: float, to_s: float) -> float:
    """Return the payload that the bottlenecks of the subflows can carry, mean over a time, in Mbit/s.

    Parameters
    ----------
    scenario : Scenario
        A link counts while it is the bottleneck of a subflow, with the rate it has then.
    from_s, to_s : float
    """
    links, subflows = scenario.links, scenario.subflows
    changes = {at_s for link in links for at_s, _ in link.rate_mbit_s}
    changes |= {at_s for subflow in subflows for at_s, _ in subflow.bottleneck}
    edges = [from_s, *sorted(at_s for at_s in changes if from_s < at_s < to_s), to_s]
    carried = sum(
        (end_s - begin_s) * links[number].rate_at_mbit_s(begin_s)
        for begin_s, end_s in pairwise(edges)
        for number in {subflow.bottleneck_at(begin_s) for subflow in subflows}
    )
    mss_bytes = scenario.connection.mss_bytes
    return carried / (to_s - from_s) * mss_bytes / (mss_bytes + HEADER_BYTES)


class Experiment(Part, ABC):
    """What all experiments have; one is left out with 0 runs."""

    runs: Runs = Field(description="Runs of each setting under each choice; 0 leaves the experiment out.")

    def planned(self, name: str, seed: int) -> Iterator[ExperimentRun]:
        """Draw every run of every setting.

        Parameters
        ----------
        name : str
            What the experiment is called.
        seed : int
        """
        for setting in self._settings():
            for number in range(self._times(setting)):
                # Not by experiment: what is a setting of two has the same networks in both.
                rng = np.random.default_rng([seed, number, *setting.encode()])
                drawn = self._drawn(setting, rng)
                for named, choice in self._choices().items():
                    scenario = drawn.model_copy(update={"connection": choice.applied(drawn.connection)})
                    run = Run(scenario=scenario, site=None, setting=f"{name}: {setting}, {named}")
                    yield ExperimentRun(name, setting, named, number, run, self._changes_s())

    @abstractmethod
    def _settings(self) -> list[str]:
        """Return the names of its settings."""

    @abstractmethod
    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        """Draw a network of a setting."""

    def _times(self, setting: str) -> int:
        """Return how many runs a setting has."""
        del setting
        return self.runs

    @abstractmethod
    def _choices(self) -> dict[str, Choice]:
        """Return what each network is run under, by what the tables call it."""

    def _changes_s(self) -> tuple[float, ...]:
        """Return when its networks change, in s."""
        return ()


class Experiments(Part):
    """All experiments of a study: its params.yaml."""

    seed: NonNegativeInt

    def planned(self) -> list[ExperimentRun]:
        """Draw every run of every experiment, in the order of the fields."""
        experiments = {name: getattr(self, name) for name in type(self).model_fields}
        return [
            run
            for name, experiment in experiments.items()
            if isinstance(experiment, Experiment)
            for run in experiment.planned(name, self.seed)
        ]
