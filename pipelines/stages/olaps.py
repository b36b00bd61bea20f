"""Run the experiments of the OLAPS paper in the simulator, and put what they come to beside what it reports.

Each experiment's networks are run under each scheduler with the same seeds. Event logs are not kept: the truth and its
rounds are enough. A run that fails is reported; the others go on, and the stage fails at its end.
"""

from __future__ import annotations

import argparse
import logging
import resource
from functools import partial
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
from pipelines.running import parallel, stage
from scenarios import simulator
from scenarios.olaps_experiments import REDUNDANT, START_S, group_of
from scenarios.transfer_experiment import ExperimentRun

log = logging.getLogger(__name__)

_KEY = ("experiment", "group", "setting", "controller", "run")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--scenarios", type=Path, required=True, help="folder to write: one file for each run")
    parser.add_argument(
        "--reports", type=Path, required=True, help="folder to write: runs, summary, gains, relearning, beside_paper"
    )
    parser.add_argument("--figures", type=Path, required=True, help="folder to write: olaps_delays, olaps_factors")


def _one(numbered: tuple[int, ExperimentRun], folder: Path) -> dict[str, float] | simulator.SimulatorError:
    """Run a scenario; return what it came to, or why it failed."""
    number, planned = numbered
    try:
        truth = simulator.measure(planned.run, folder / f"{number:05d}.json")
    except simulator.SimulatorError as error:
        return error
    return scheduling(
        truth,
        mss_bytes=planned.run.scenario.connection.mss_bytes,
        start_s=START_S,
        changes_s=planned.changes_s,
    )


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    simulator.check_program()
    planned = params.olaps.planned()
    arguments.scenarios.mkdir(parents=True, exist_ok=True)
    rows, failures = [], []
    work = partial(_one, folder=arguments.scenarios.absolute())
    numbered = list(enumerate(planned))
    # The simulator is a program of its own.
    for one, found in zip(planned, parallel.mapped(work, numbered, params, what="olaps", threads=True), strict=True):
        if isinstance(found, simulator.SimulatorError):
            failures.append(str(found))
            log.error("%s", found)
        else:
            group = group_of(one.experiment, one.setting)
            rows.append(
                dict(zip(_KEY, (one.experiment, group, one.setting, one.controller, one.number), strict=True)) | found
            )
    runs = pd.DataFrame(rows, columns=[*_KEY, *METRICS])
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
    log.info("%d runs in %.1f CPU s; claims %s", len(planned), usage.ru_utime + usage.ru_stime, counts)
    if failures:
        raise simulator.SimulatorError(f"{len(failures)} of {len(planned)} runs failed, first: {failures[0]}")
    return stage.EXIT_OK
