"""Run the experiments of the OLAPS paper in the simulator, and put what they come to beside what it reports.

Each experiment's networks are run under each scheduler with the same seeds. Event logs are not kept: the truth and its
rounds are enough. A run that fails is reported; the others go on, and the stage fails at its end.
"""

from __future__ import annotations

import argparse
import logging
import resource
from pathlib import Path

import pandas as pd

from models.transfers.claim import beside_paper
from models.transfers.gains import SchedulerResults, gains, relearning
from models.transfers.olaps_claims import CLAIMS
from models.transfers.repetitions import summary
from models.transfers.scheduling import METRICS, scheduling
from pipelines.params import Params
from pipelines.reporting.figures import schedulers, style
from pipelines.reporting.report_files import write_csv
from pipelines.running import stage
from pipelines.running.experiment_runs import KEY, measured
from scenarios import simulator
from scenarios.olaps_experiments import REDUNDANT, START_S, group_of
from scenarios.transfer_experiment import ExperimentRun

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--scenarios", type=Path, required=True, help="folder to write: one file for each run")
    parser.add_argument(
        "--reports", type=Path, required=True, help="folder to write: runs, summary, gains, relearning, beside_paper"
    )
    parser.add_argument("--figures", type=Path, required=True, help="folder to write: olaps_delays, olaps_factors")


def _measured(planned: ExperimentRun, scenario: Path) -> dict[str, float]:
    """Run a scenario; return what it came to."""
    return scheduling(
        simulator.measure(planned.run, scenario),
        mss_bytes=planned.run.scenario.connection.mss_bytes,
        start_s=START_S,
        changes_s=planned.changes_s,
    )


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    simulator.check_program()
    found = measured(params.olaps.planned(), _measured, arguments.scenarios, params, what="olaps")
    runs = pd.DataFrame(found.rows, columns=[*KEY, *METRICS])
    groups = [group_of(row["experiment"], row["setting"]) for row in found.rows]
    runs.insert(1, "group", pd.Series(groups, dtype=object))
    drawn = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    gained = gains(runs, REDUNDANT, **drawn)
    changes = params.olaps.changes
    relearnt = relearning(runs, "changes", "after_change", changes.duration_s - changes.change_s)
    claims = pd.DataFrame(list(beside_paper(CLAIMS, SchedulerResults(gained, relearnt))))
    frames = {
        "runs": runs,
        "summary": summary(runs, METRICS, **drawn),
        "gains": gained,
        "relearning": relearnt,
        "beside_paper": claims,
    }
    for name, frame in frames.items():
        write_csv(frame, arguments.reports / f"{name}.csv")
    style.save(schedulers.by_delay(gained), arguments.figures / "olaps_delays.png")
    style.save(schedulers.by_sample(runs, REDUNDANT), arguments.figures / "olaps_factors.png")
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    counts = ", ".join(f"{held or 'no bar'}: {count}" for held, count in claims["held"].value_counts().items())
    log.info("%d runs in %.1f CPU s; claims %s", len(found.rows), usage.ru_utime + usage.ru_stime, counts)
    found.check()
    return stage.EXIT_OK
