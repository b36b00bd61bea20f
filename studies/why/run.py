"""Make connections whose main limit is set, and write which cause `sbd why` names in each.

It needs root and what `make testbed` builds. Captures that are there already are not made again.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path

import pandas as pd

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import stage
from smartsbd.testbed import machine
from smartsbd.testbed.running_program import EmulationError
from studies.why.limited_emulation import emulated
from studies.why.limited_runs import CAUSES, SEEDS, LimitedRun, draw_run
from studies.why.named_causes import confusion, named

log = logging.getLogger(__name__)

_ATTEMPTS = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--seeds", choices=SEEDS, required=True, help="which runs")
    parser.add_argument("--runs", type=Path, required=True, help="folder of the captures")
    parser.add_argument("--reports", type=Path, required=True, help="folder to write: what is named, and the confusion")
    parser.add_argument("--at-once", type=int, default=2, help="runs that are made at one time (default: 2)")


def _made(run: LimitedRun, folder: Path) -> int:
    """Make the capture of a run, unless it is there; return how many attempts failed."""
    place = folder / f"{run.name}.pcap"
    if place.exists():
        return 0
    for failed in range(_ATTEMPTS):
        with tempfile.TemporaryDirectory(prefix="sbd-") as part:
            try:
                shutil.copy(emulated(run, Path(part)), place)
                return failed
            except EmulationError as error:
                log.warning("%s: %s", run.name, error)
                if failed + 1 == _ATTEMPTS:
                    raise
    return _ATTEMPTS


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Make and score the runs."""
    machine.check(recorder=False)
    runs = [draw_run(cause, seed) for seed, cause in product(SEEDS[arguments.seeds], CAUSES)]
    arguments.runs.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(arguments.at_once) as threads:
        failed = sum(threads.map(partial(_made, folder=arguments.runs), runs))
    dialect = params.parse.dialect()
    scored = [named(one, arguments.runs / f"{one.name}.pcap", dialect) for one in runs]
    write_csv(pd.DataFrame([one.row() for one in scored]), arguments.reports / f"{arguments.seeds}.csv")
    table = confusion(scored)
    write_csv(table, arguments.reports / f"{arguments.seeds}-confusion.csv")
    log.info("%d runs, %d failed attempts, least right %.3f", len(runs), failed, table["right"].min())
    return stage.EXIT_OK
