"""Replay detectors on the connections of a dataset: which subflows share, over time, and the accuracy of that.

Each registered detector with its parameter sets; those tuned on other datasets; and learned models trained on other
datasets, whose verdict on a window holds until the next one.
"""

from __future__ import annotations

import argparse
import logging
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pyarrow.compute as pc

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table, write_table
from smartsbd.detectors.replaying import (
    Known,
    OpinionsByDetector,
    ReplayedRows,
    batches,
    columns_of,
    opinion_table,
    read_known,
    replay_on,
    write_opinions,
)
from smartsbd.detectors.tuned_presets import with_tuned
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.models.assessment.comparison import accuracy_by_detector
from smartsbd.models.stored import store
from smartsbd.models.stored.stored_model import StoredModel
from smartsbd.models.stored.window_opinions import opinions_by_connection
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import read_json, write_csv, write_json
from smartsbd.pipelines.running import parallel, stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="the dataset's truth table")
    parser.add_argument("--pair-window", type=Path, required=True, help="the dataset's pair_window table")
    parser.add_argument("--models", type=Path, required=True, help="folder with one folder of models for each dataset")
    parser.add_argument(
        "--tuned", type=Path, required=True, help="folder with the parameter sets chosen on each dataset"
    )
    parser.add_argument("--grouping", type=Path, required=True, help="grouping table to write")
    parser.add_argument("--opinion", type=Path, required=True, help="opinion table to write")
    parser.add_argument("--time-share", type=Path, required=True, help="time_share table to write")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the counts")
    parser.add_argument(
        "--table", type=Path, required=True, help="CSV file: accuracy of each detector on the labelled windows"
    )


def _learned(
    arguments: argparse.Namespace, known: Known, others: Sequence[str], params: Params
) -> dict[str, OpinionsByDetector]:
    """Return, by connection, the opinions of models trained on other datasets, by their verdicts on windows."""
    windows = read_table(PAIR_WINDOW, arguments.pair_window).to_pandas()
    windows = windows[windows["rule"] == params.search.rule].reset_index(drop=True)
    subflow_ids = {
        connection["connection_id"]: sorted(known.subflows[connection["connection_id"]])
        for connection in known.connections
    }
    learned: dict[str, OpinionsByDetector] = defaultdict(dict)
    for trained in others:
        for name in params.replay.models:
            fitted = store.load(StoredModel.parse(f"{trained}/{name}").path(arguments.models))
            for connection_id, opinions in opinions_by_connection(fitted, windows, subflow_ids).items():
                learned[connection_id][name, f"trained on {trained}"] = opinions
    return dict(learned)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    folder: Path = arguments.tables.absolute()  # a worker may have been started in another folder
    known = read_known(folder, arguments.truth, arguments.pair_window)
    others = [dataset for dataset in params.search.datasets if dataset != arguments.dataset]
    chosen_on = {other: read_json(arguments.tuned / f"{other}.json")["chosen"] for other in others}
    detectors = with_tuned(params.replay.detectors, params.replay.grids, chosen_on)
    learned = _learned(arguments, known, others, params)
    parts = batches(known)
    work = partial(replay_on, folder=folder, detectors=detectors, other_opinions=learned, with_groups=True)
    replayed = ReplayedRows()
    for part in parallel.mapped(work, parts, params, what=f"replay {arguments.dataset}"):
        replayed.add(part)
    opinion = opinion_table(replayed.opinion)
    write_opinions(opinion, arguments.opinion)
    for table, rows, path in (
        (tables.GROUPING, replayed.grouping, arguments.grouping),
        (tables.TIME_SHARE, replayed.time_share, arguments.time_share),
    ):
        write_table(table, columns_of(table, rows), path)
    names = sorted({f"{row['detector']}/{row['preset']}" for row in replayed.grouping})
    changes = {(row["connection_id"], row["detector"], row["preset"], row["time_ns"]) for row in replayed.grouping}
    report = {
        "counts": dict(sorted(replayed.counts.items())),
        "changes_of_opinion": len(changes),
        "with_an_opinion": names,
        "without_any_opinion": sorted({f"{detector}/{preset}" for detector, preset in detectors} - set(names)),
    }
    write_json(report, arguments.report)
    # Of the rule that models are trained on.
    judged = opinion.filter(pc.equal(opinion.column("rule"), params.search.rule)).to_pandas()
    accuracy = accuracy_by_detector(judged, resamples=params.evaluate.resamples, seed=params.evaluate.seed)
    write_csv(accuracy, arguments.table)
    log.info("%s: %s", arguments.dataset, report["counts"])
    return stage.EXIT_OK
