"""Replay detectors over grids of their parameters, on a dataset that may be learnt from; choose the best parameters.

The stage stores the accuracy of each parameter set on every window and pair, so that later a choice can be made on the
training side of any split. The choice in the report is made on all connections, because it is for other datasets.
"""

from __future__ import annotations

import argparse
import logging
from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow.compute as pc

from smartsbd.contracts import tables
from smartsbd.contracts.contract import write_table
from smartsbd.detectors import detector_of
from smartsbd.detectors.grid import best_preset, points
from smartsbd.detectors.replaying import (
    Named,
    ReplayedRows,
    batches,
    built,
    columns_of,
    opinion_table,
    read_known,
    replay_on,
    write_opinions,
)
from smartsbd.models.assessment.comparison import right_of_time, right_of_windows
from smartsbd.models.labelled.windows import LearnError
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_json
from smartsbd.pipelines.running import parallel, stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="the dataset's truth table")
    parser.add_argument("--pair-window", type=Path, required=True, help="the dataset's pair_window table")
    parser.add_argument("--opinion", type=Path, required=True, help="opinion table to write")
    parser.add_argument("--time-share", type=Path, required=True, help="time_share table to write")
    parser.add_argument("--chosen", type=Path, required=True, help="JSON file: the best parameter set of each detector")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    params.check_learnable(arguments.dataset)
    folder: Path = arguments.tables.absolute()  # a worker may have been started in another folder
    known = read_known(folder, arguments.truth, arguments.pair_window)
    detectors: Named = {}
    for name, grid in params.replay.grids.items():
        kind, _ = detector_of(name)
        for preset, parameters in points(kind, grid).items():
            detectors[name, preset] = built(kind, parameters)
    parts = batches(known)
    work = partial(replay_on, folder=folder, detectors=detectors, other_opinions={}, with_groups=False)
    replayed_rows = ReplayedRows()
    for part in parallel.mapped(work, parts, params, what=f"tune {arguments.dataset}"):
        replayed_rows.add(part)
    opinion = opinion_table(replayed_rows.opinion)
    write_opinions(opinion, arguments.opinion)
    write_table(tables.TIME_SHARE, columns_of(tables.TIME_SHARE, replayed_rows.time_share), arguments.time_share)
    tiled = opinion.filter(pc.equal(opinion.column("rule"), params.search.rule))
    if not len(tiled) or not replayed_rows.time_share:
        raise LearnError(
            f"{arguments.dataset}: {len(tiled)} windows and {len(replayed_rows.time_share)} pairs to choose by"
        )
    by_window, by_time = right_of_windows(tiled.to_pandas()), right_of_time(pd.DataFrame(replayed_rows.time_share))
    # There is nothing to choose for a detector whose signal the dataset does not have.
    replayed = set(by_window["detector"]) & set(by_time["detector"])
    chosen = {
        name: {
            form: best_preset(rows[rows["detector"] == name].sort_values("preset", kind="stable"))
            for form, rows in (("point", by_window), ("time", by_time))
        }
        for name in params.replay.grids
        if name in replayed
    }
    write_json({"chosen": chosen, "counts": dict(sorted(replayed_rows.counts.items()))}, arguments.chosen)
    log.info("%s: %d events in all, %s", arguments.dataset, replayed_rows.counts["events"], chosen)
    return stage.EXIT_OK
