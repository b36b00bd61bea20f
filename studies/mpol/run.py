"""Run the experiments of the MP-OL paper in the simulator, and put what they come to beside what it reports."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from smartsbd.scenarios import simulator
from studies.mpol import figure
from studies.mpol.claims import CLAIMS
from studies.mpol.experiments import MPOL, WARM_UP_S, MpolExperiments
from studies.transfers.claim import beside_paper
from studies.transfers.measured_runs import Measure
from studies.transfers.performance import METRICS, performance
from studies.transfers.repetitions import Means, summary
from studies.transfers.replication import ReplicatedRuns, Replication, Tables
from studies.transfers.transfer_experiment import ExperimentRun

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _measure(_arguments: argparse.Namespace) -> Measure:
    simulator.check_program()
    return _measured


def _measured(planned: ExperimentRun, scenario: Path) -> dict[str, float]:
    """Run a scenario; return what it came to."""
    return performance(
        simulator.measure(planned.run, scenario),
        capacity_mbit_s=planned.capacity_mbit_s,
        start_s=min(subflow.start_s for subflow in planned.run.scenario.subflows),
        warm_up_s=WARM_UP_S,
        changes_s=planned.changes_s,
        learns=planned.run.scenario.connection.controller == MPOL.controller,
    )


def _tables(outcome: ReplicatedRuns[MpolExperiments]) -> Tables:
    runs = outcome.runs(*METRICS)
    table = summary(runs, METRICS, **outcome.resampling)
    return {
        "runs": runs,
        "summary": table,
        "beside_paper": pd.DataFrame(list(beside_paper(CLAIMS, Means(table)))),
    }


def _figures(tables: Tables, _arguments: argparse.Namespace) -> Mapping[str, Figure]:
    return {"losses": figure.by_loss(tables["summary"])}


REPLICATION = Replication("mpol", MpolExperiments, _measure, _tables, _figures)
add_arguments, run = REPLICATION.add_arguments, REPLICATION.run
