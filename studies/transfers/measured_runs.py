"""Run what experiments have planned, in the simulator: a row for each run, and what went wrong in the others.

A run whose controller asks for weights that are not there is not made. It is counted, and its row says so.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running import parallel
from smartsbd.scenarios.learnt_agent import AgentMissingError
from smartsbd.scenarios.simulator import SimulatorError
from studies.transfers.transfer_experiment import ExperimentRun

log = logging.getLogger(__name__)

#: Columns that say which run a row is of.
KEY = ("experiment", "setting", "controller", "run")
#: Column that says why a run was not made.
WHY = "why"

#: Runs a scenario that is written to a file; returns what it came to.
Measure = Callable[[ExperimentRun, Path], dict[str, float]]


@dataclass(frozen=True)
class MeasuredRuns:
    """What runs came to.

    Attributes
    ----------
    rows : list of dict
        :data:`KEY` and what was measured, in the order planned; without those that failed or were not run.
    failures : tuple of str
        What is said of each run that failed.
    not_run : list of dict
        :data:`KEY` of each run that was not made, and :data:`WHY`.
    """

    rows: list[dict[str, Any]]
    failures: tuple[str, ...]
    not_run: list[dict[str, Any]] = field(default_factory=list)

    def check(self) -> None:
        """Make sure that every run ended.

        Raises
        ------
        SimulatorError
            If one failed; the message has the first.
        """
        if self.failures:
            count = len(self.rows) + len(self.failures) + len(self.not_run)
            raise SimulatorError(f"{len(self.failures)} of {count} runs failed, first: {self.failures[0]}")


def measured(
    planned: Sequence[ExperimentRun], measure: Measure, folder: Path, params: Params, *, what: str
) -> MeasuredRuns:
    """Run every scenario; one that fails is reported and the others go on.

    Parameters
    ----------
    planned : sequence of ExperimentRun
    measure : callable
        Raises SimulatorError if the run fails, AgentMissingError if it cannot be made.
    folder : Path
        Folder for the scenarios, one file for each run, whose name is its place among those planned.
    params : Params
    what : str
        Name of the stage, for progress.
    """

    def one(numbered: tuple[int, ExperimentRun]) -> dict[str, float] | SimulatorError | AgentMissingError:
        number, run = numbered
        try:
            return measure(run, folder.absolute() / f"{number:05d}.json")
        except (SimulatorError, AgentMissingError) as error:
            return error

    folder.mkdir(parents=True, exist_ok=True)
    rows, failures, not_run = [], [], []
    # The simulator is a program of its own.
    results = parallel.mapped(one, list(enumerate(planned)), params, what=what, threads=True)
    for run, found in zip(planned, results, strict=True):
        if isinstance(found, SimulatorError):
            failures.append(str(found))
            log.error("%s", found)
            continue
        values = (run.experiment, run.setting, run.controller, run.number)
        key: dict[str, Any] = dict(zip(KEY, values, strict=True))
        if isinstance(found, AgentMissingError):
            not_run.append({**key, WHY: str(found)})
        else:
            rows.append({**key, **found})
    for why, count in Counter(one[WHY] for one in not_run).items():
        log.warning("%d of %d runs are not run: %s", count, len(planned), why)
    return MeasuredRuns(rows, tuple(failures), not_run)
