"""Run the experiments of the MP-OL paper in the simulator, and put what they come to beside what it reports.

Each experiment's networks are run under each of its controllers with the same seeds. Event logs are not kept: the
truth, its series and its modes are enough. A run that fails is reported; the others go on,
and the stage fails at its end.
"""

from __future__ import annotations

import argparse
import logging
import resource
from pathlib import Path

import pandas as pd

from models.transfers.claim import beside_paper
from models.transfers.mpol_claims import CLAIMS
from models.transfers.performance import METRICS, ended, performance
from models.transfers.repetitions import Means, summary
from pipelines.params import Params
from pipelines.reporting.figures import style, transfers
from pipelines.reporting.report_files import write_csv
from pipelines.running import stage
from pipelines.running.experiment_runs import KEY, measured
from scenarios import simulator
from scenarios.mpol_experiments import MPOL, WARM_UP_S
from scenarios.transfer_experiment import ExperimentRun

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--scenarios", type=Path, required=True, help="folder to write: one file for each run")
    parser.add_argument("--reports", type=Path, required=True, help="folder to write: runs, summary, beside_paper")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


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


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    simulator.check_program()
    found = measured(params.mpol.planned(), _measured, arguments.scenarios, params, what="mpol")
    unended = sum(not ended(row) for row in found.rows)
    runs = pd.DataFrame(found.rows, columns=[*KEY, *METRICS])
    table = summary(runs, METRICS, resamples=params.evaluate.resamples, seed=params.evaluate.seed)
    claims = pd.DataFrame(list(beside_paper(CLAIMS, Means(table))))
    for name, frame in (("runs", runs), ("summary", table), ("beside_paper", claims)):
        write_csv(frame, arguments.reports / f"{name}.csv")
    style.save(transfers.by_loss(table), arguments.figure)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    counts = ", ".join(f"{held or 'no bar'}: {count}" for held, count in claims["held"].value_counts().items())
    log.info(
        "%d runs in %.1f CPU s, %d of them did not end; claims %s",
        len(found.rows),
        usage.ru_utime + usage.ru_stime,
        unended,
        counts,
    )
    found.check()
    return stage.EXIT_OK
