"""Cross controllers with schedulers in the simulator: goodput, completion of files, and the wait for what is in order.

SmartSBD's verdicts are given while the connection runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING

from smartsbd.scenarios.closed_loop import loop_program
from studies.crossed import figure
from studies.crossed.experiments import BASE, CrossedExperiments
from studies.transfers import performance, scheduling
from studies.transfers.gains import gains
from studies.transfers.measured_runs import Measure
from studies.transfers.repetitions import summary
from studies.transfers.replication import ReplicatedRuns, Replication, Tables
from studies.transfers.transfer_experiment import ExperimentRun

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What is kept of a run's goodput and of its delivery. Beside it is how long a file took, or was watched for if it
#: never arrived: the mean of that is of the same files under each choice.
_OF_TRANSFER = ("goodput_mbit_s", "completion_s")
_OF_DELIVERY = ("order_delay_ms", "order_delay_p95_ms", "copies_share")
_METRICS = (*_OF_TRANSFER, "waited_s", *_OF_DELIVERY)


def _measure(_arguments: argparse.Namespace) -> Measure:
    return partial(_measured, program=loop_program.build())


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


def _tables(outcome: ReplicatedRuns[CrossedExperiments]) -> Tables:
    runs = outcome.runs(*_METRICS)
    return {
        "runs": runs,
        "summary": summary(runs, _METRICS, **outcome.resampling),
        "gains": gains(runs.assign(group=runs["setting"]), BASE, **outcome.resampling),
    }


def _figures(tables: Tables, _arguments: argparse.Namespace) -> Mapping[str, Figure]:
    return {"goodput": figure.by_task(tables["gains"])}


REPLICATION = Replication("crossed", CrossedExperiments, _measure, _tables, _figures)
add_arguments, run = REPLICATION.add_arguments, REPLICATION.run
