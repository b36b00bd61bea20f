"""Simulate the connections of one dataset: write its event logs and truth from its scenarios.

A run that fails is reported with its scenario and seed; the others go on, and the stage fails at
its end.
"""

from __future__ import annotations

import argparse
import logging
import resource
from functools import partial
from pathlib import Path
from typing import Any

from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.params.block import ParamsError
from smartsbd.pipelines.running import parallel, stage
from smartsbd.scenarios import datasets, simulator
from smartsbd.scenarios.scenario import Run
from smartsbd.traces.truth import write_csv

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of a simulated dataset")
    parser.add_argument("--raw", type=Path, required=True, help="folder to write: inputs/, scenarios/, truth.csv")


def _simulate_connection(numbered: tuple[int, Run], raw: Path) -> list[dict[str, Any]] | simulator.SimulatorError:
    """Simulate a connection; return its rows of the truth, or why it failed."""
    number, run = numbered
    name = f"{number:05d}"
    try:
        finished = simulator.simulate(run, raw / "scenarios" / f"{name}.json")
    except simulator.SimulatorError as error:
        return error
    stored = f"{name}.log.zst"
    write_whole(finished.event_log, raw / "inputs" / stored)
    return simulator.truth_rows(run, stored, finished.truth)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    simulator.check_program()
    settings = params.simulate.model_dump().get(arguments.dataset)
    if settings is None:
        raise ParamsError(f"{arguments.params}: simulate.{arguments.dataset} is missing")
    runs = datasets.draw(arguments.dataset, settings)
    for folder in ("inputs", "scenarios"):
        (arguments.raw / folder).mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    failures: list[str] = []
    work = partial(_simulate_connection, raw=arguments.raw.absolute())
    numbered = list(enumerate(runs))
    # The simulator is a program of its own.
    for outcome in parallel.mapped(work, numbered, params, what=f"simulate {arguments.dataset}", threads=True):
        if isinstance(outcome, simulator.SimulatorError):
            failures.append(str(outcome))
            log.error("%s", outcome)
        else:
            rows += outcome
    write_csv(rows, arguments.raw / "truth.csv")
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = usage.ru_utime + usage.ru_stime
    simulated_s = sum(planned.scenario.duration_s for planned in runs)
    log.info(
        "%d runs, %.0f simulated s in %.1f CPU s: %.1f per CPU s", len(runs), simulated_s, cpu_s, simulated_s / cpu_s
    )
    if failures:
        raise simulator.SimulatorError(f"{len(failures)} of {len(runs)} runs failed, first: {failures[0]}")
    return stage.EXIT_OK
