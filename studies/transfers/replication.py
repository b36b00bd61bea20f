"""The program of a study that runs experiments in the simulator: tables, figures, and what papers say beside them.

Each network is run under every choice of controller and scheduler with the same seed. Event logs are not kept. A run
that fails is reported; the others go on, and the program fails at its end.
"""

from __future__ import annotations

import argparse
import logging
import resource
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import pandas as pd

from smartsbd.pipelines.params import Params, read_block
from smartsbd.pipelines.reporting.figures import style
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import stage
from studies.transfers.measured_runs import KEY, Measure, MeasuredRuns, measured
from studies.transfers.transfer_experiment import ExperimentRun, Experiments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

log = logging.getLogger(__name__)

Kind = TypeVar("Kind", bound=Experiments)
#: Tables by the name of their file.
Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class ReplicatedRuns(Generic[Kind]):
    """What the experiments of a study came to.

    Attributes
    ----------
    experiments : Experiments
    planned : list of ExperimentRun
    measured : MeasuredRuns
    resampling : dict
        ``resamples`` and ``seed`` of intervals.
    """

    experiments: Kind
    planned: list[ExperimentRun]
    measured: MeasuredRuns
    resampling: dict[str, int]

    def runs(self, *metrics: str) -> pd.DataFrame:
        """Return a row for each run that was made: which it is, and some metrics."""
        return pd.DataFrame(self.measured.rows).reindex(columns=[*KEY, *metrics])


@dataclass(frozen=True)
class Replication(Generic[Kind]):
    """A study's own part of the program.

    Attributes
    ----------
    name : str
    experiments : type of Experiments
    measure : callable
        Takes the command line; makes ready for runs, and returns what runs a scenario.
    tables : callable
        Takes what the runs came to; returns the tables. Claims are in ``beside_paper``.
    figures : callable
        Takes the tables and the command line; returns figures by the name of their file.
    """

    name: str
    experiments: type[Kind]
    measure: Callable[[argparse.Namespace], Measure]
    tables: Callable[[ReplicatedRuns[Kind]], Tables]
    figures: Callable[[Tables, argparse.Namespace], Mapping[str, Figure]]

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the program's arguments."""
        parser.add_argument("--experiments", type=Path, required=True, help="the study's params.yaml")
        parser.add_argument("--scenarios", type=Path, required=True, help="folder to write: one file for each run")
        parser.add_argument("--reports", type=Path, required=True, help="folder to write: tables and figures")

    def run(self, arguments: argparse.Namespace, params: Params) -> int:
        """Run the experiments."""
        experiments = read_block(arguments.experiments, self.experiments)
        planned = experiments.planned()
        results = measured(planned, self.measure(arguments), arguments.scenarios, params, what=self.name)
        resampling = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
        tables = self.tables(ReplicatedRuns(experiments, planned, results, resampling))
        for name, table in tables.items():
            write_csv(table, arguments.reports / f"{name}.csv")
        for name, figure in self.figures(tables, arguments).items():
            style.save(figure, arguments.reports / f"{name}.png")
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = usage.ru_utime + usage.ru_stime
        counts = len(results.rows), cpu_s, len(results.not_run), _held(tables)
        log.info("%d runs in %.1f CPU s, %d not run%s", *counts)
        results.check()
        return stage.EXIT_OK


def _held(tables: Tables) -> str:
    """Return how many claims held, for a message; nothing without claims."""
    if "beside_paper" not in tables:
        return ""
    counts = tables["beside_paper"]["held"].value_counts()
    return "; claims " + ", ".join(f"{held or 'no bar'}: {count}" for held, count in counts.items())
