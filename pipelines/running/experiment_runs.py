"""Run what experiments have planned, in the simulator: a row for each run, and what went wrong in the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.params import Params
from pipelines.running import parallel
from scenarios.simulator import SimulatorError
from scenarios.transfer_experiment import ExperimentRun

log = logging.getLogger(__name__)

#: Columns that say which run a row is of.
KEY = ("experiment", "setting", "controller", "run")

#: Runs a scenario that is written to a file; returns what it came to.
Measure = Callable[[ExperimentRun, Path], dict[str, float]]


@dataclass(frozen=True)
class MeasuredRuns:
    """What runs came to.

    Attributes
    ----------
    rows : list of dict
        :data:`KEY` and what was measured, in the order planned; without those that failed.
    failures : tuple of str
        What is said of each run that failed.
    """

    rows: list[dict[str, Any]]
    failures: tuple[str, ...]

    def check(self) -> None:
        """Make sure that every run ended.

        Raises
        ------
        SimulatorError
            If one failed; the message has the first.
        """
        if self.failures:
            count = len(self.rows) + len(self.failures)
            raise SimulatorError(f"{len(self.failures)} of {count} runs failed, first: {self.failures[0]}")


def measured(
    planned: Sequence[ExperimentRun], measure: Measure, folder: Path, params: Params, *, what: str
) -> MeasuredRuns:
    """Run every scenario; one that fails is reported and the others go on.

    Parameters
    ----------
    planned : sequence of ExperimentRun
    measure : callable
        Raises SimulatorError if the run fails.
    folder : Path
        Folder for the scenarios, one file for each run, whose name is its place among those planned.
    params : Params
    what : str
        Name of the stage, for progress.
    """

    def one(numbered: tuple[int, ExperimentRun]) -> dict[str, float] | SimulatorError:
        number, run = numbered
        try:
            return measure(run, folder.absolute() / f"{number:05d}.json")
        except SimulatorError as error:
            return error

    folder.mkdir(parents=True, exist_ok=True)
    rows, failures = [], []
    # The simulator is a program of its own.
    results = parallel.mapped(one, list(enumerate(planned)), params, what=what, threads=True)
    for run, found in zip(planned, results, strict=True):
        if isinstance(found, SimulatorError):
            failures.append(str(found))
            log.error("%s", found)
        else:
            key = (run.experiment, run.setting, run.controller, run.number)
            rows.append({**dict(zip(KEY, key, strict=True)), **found})
    return MeasuredRuns(rows, tuple(failures))
