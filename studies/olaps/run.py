"""Run the experiments of the OLAPS paper in the simulator, and put what they come to beside what it reports."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from smartsbd.scenarios import simulator
from studies.olaps import figures
from studies.olaps.claims import CLAIMS
from studies.olaps.experiments import REDUNDANT, START_S, OlapsExperiments, group_of
from studies.transfers.claim import beside_paper
from studies.transfers.gains import SchedulerResults, gains, relearning
from studies.transfers.measured_runs import Measure
from studies.transfers.repetitions import summary
from studies.transfers.replication import ReplicatedRuns, Replication, Tables
from studies.transfers.scheduling import METRICS, scheduling
from studies.transfers.transfer_experiment import ExperimentRun

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _measure(_arguments: argparse.Namespace) -> Measure:
    simulator.check_program()
    return _measured


def _measured(planned: ExperimentRun, scenario: Path) -> dict[str, float]:
    """Run a scenario; return what it came to."""
    return scheduling(
        simulator.measure(planned.run, scenario),
        mss_bytes=planned.run.scenario.connection.mss_bytes,
        start_s=START_S,
        changes_s=planned.changes_s,
    )


def _tables(outcome: ReplicatedRuns[OlapsExperiments]) -> Tables:
    runs = outcome.runs(*METRICS)
    groups = [group_of(row["experiment"], row["setting"]) for row in outcome.measured.rows]
    runs.insert(1, "group", pd.Series(groups, dtype=object))
    gained = gains(runs, REDUNDANT, **outcome.resampling)
    changes = outcome.experiments.changes
    relearnt = relearning(runs, "changes", "after_change", changes.duration_s - changes.change_s)
    return {
        "runs": runs,
        "summary": summary(runs, METRICS, **outcome.resampling),
        "gains": gained,
        "relearning": relearnt,
        "beside_paper": pd.DataFrame(list(beside_paper(CLAIMS, SchedulerResults(gained, relearnt)))),
    }


def _figures(tables: Tables, _arguments: argparse.Namespace) -> Mapping[str, Figure]:
    return {"delays": figures.by_delay(tables["gains"]), "factors": figures.by_sample(tables["runs"], REDUNDANT)}


REPLICATION = Replication("olaps", OlapsExperiments, _measure, _tables, _figures)
add_arguments, run = REPLICATION.add_arguments, REPLICATION.run
