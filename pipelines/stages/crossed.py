"""Cross controllers with schedulers in the simulator: goodput, completion of files, and the wait for what is in order.

Each network is run under every pair of a controller and a scheduler with the same seed; SmartSBD's verdicts are given
while the connection runs. Event logs are not kept. A run that fails is reported; the others go on, and the stage fails
at its end.
"""

from __future__ import annotations

import argparse
import logging
import resource
from functools import partial
from math import isnan, nan
from pathlib import Path

import pandas as pd

from models.transfers import performance, scheduling
from models.transfers.gains import gains
from models.transfers.repetitions import summary
from pipelines.params import Params
from pipelines.reporting.figures import schedulers, style
from pipelines.reporting.report_files import write_csv
from pipelines.running import stage
from pipelines.running.experiment_runs import KEY, measured
from scenarios.closed_loop import loop_program
from scenarios.crossed_experiments import BASE
from scenarios.transfer_experiment import ExperimentRun

log = logging.getLogger(__name__)

#: What is kept of a run's goodput and of its delivery. Beside it is how long a file took, or was watched for if it
#: never arrived: the mean of that is of the same files under each choice.
_OF_TRANSFER = ("goodput_mbit_s", "completion_s")
_OF_DELIVERY = ("order_delay_ms", "order_delay_p95_ms", "copies_share")
_METRICS = (*_OF_TRANSFER, "waited_s", *_OF_DELIVERY)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--scenarios", type=Path, required=True, help="folder to write: one file for each run")
    parser.add_argument("--reports", type=Path, required=True, help="folder to write: runs, summary, gains")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _measured(planned: ExperimentRun, scenario: Path, program: Path) -> dict[str, float]:
    """Run a scenario; return what it came to."""
    own = planned.run.scenario
    truth = loop_program.run(program, own, scenario).truth
    start_s = min(subflow.start_s for subflow in own.subflows)
    transfer = performance.performance(
        truth, capacity_mbit_s=planned.capacity_mbit_s, start_s=start_s, warm_up_s=start_s
    )
    delivery = scheduling.scheduling(truth, mss_bytes=own.connection.mss_bytes, start_s=start_s)
    found = {name: transfer[name] for name in _OF_TRANSFER} | {name: delivery[name] for name in _OF_DELIVERY}
    if own.connection.application is None:
        return {**found, "waited_s": nan}
    ended = not isnan(transfer["completion_s"])
    return {**found, "waited_s": transfer["completion_s"] if ended else own.duration_s - start_s}


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    measure = partial(_measured, program=loop_program.build())
    found = measured(params.crossed.planned(), measure, arguments.scenarios, params, what="crossed")
    runs = pd.DataFrame(found.rows, columns=[*KEY, *_METRICS])
    options = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    gained = gains(runs.assign(group=runs["setting"]), BASE, **options)
    tables = {"runs": runs, "summary": summary(runs, _METRICS, **options), "gains": gained}
    for name, frame in tables.items():
        write_csv(frame, arguments.reports / f"{name}.csv")
    style.save(schedulers.by_task(gained), arguments.figure)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    unended = int(runs["goodput_mbit_s"].isna().sum())
    log.info("%d runs in %.1f CPU s, %d of them did not end", len(runs), usage.ru_utime + usage.ru_stime, unended)
    found.check()
    return stage.EXIT_OK
