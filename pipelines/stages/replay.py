"""Replay detectors on the connections of a dataset: who shares with whom, over time, and how right that is.

Each registered detector with its parameter sets; those tuned on other datasets; and learned models trained on other
datasets, whose verdict on a window holds until their next.
"""

from __future__ import annotations

import argparse
import logging
from collections import defaultdict
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from contracts import tables
from contracts.contract import read_table, write_table
from export.replaying import (
    Known,
    Named,
    ReplayedRows,
    Said,
    batches,
    built,
    columns_of,
    opinion_table,
    read_known,
    replay_on,
    write_opinions,
)
from features.catalog import PAIR_WINDOW
from models import store
from models.comparison import accuracy_of, right_of_windows
from models.detectors import detector_of
from models.detectors.grid import points
from models.detectors.learned import WindowVerdict, opinions_of
from models.stored_model import StoredModel
from pipelines.params import Params
from pipelines.reporting.report_files import read_json, write_csv, write_json
from pipelines.running import parallel, stage

log = logging.getLogger(__name__)

#: Parameter sets chosen by `tune`, by the form of accuracy they were chosen for.
TUNED_ON = {"point": "tuned on {}", "time": "tuned on {} for time"}
TRAINED = "trained on {}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="its truth table")
    parser.add_argument("--pair-window", type=Path, required=True, help="its pair_window table")
    parser.add_argument("--models", type=Path, required=True, help="folder with a folder of models a dataset")
    parser.add_argument(
        "--tuned", type=Path, required=True, help="folder with the parameter sets chosen on each dataset"
    )
    parser.add_argument("--grouping", type=Path, required=True, help="grouping table to write")
    parser.add_argument("--opinion", type=Path, required=True, help="opinion table to write")
    parser.add_argument("--time-share", type=Path, required=True, help="time_share table to write")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the counts")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: how right each is of the labelled windows")


def _detectors(tuned: Path, dataset: str, params: Params) -> Named:
    """Return every detector with its own parameter sets and those tuned on other datasets."""
    found: Named = {}
    for name in params.replay.detectors:
        kind, _ = detector_of(name)
        for preset, parameters in kind.presets.items():
            found[name, preset] = built(kind, parameters)
        for other in params.search.datasets:
            chosen = {} if other == dataset else read_json(tuned / f"{other}.json")["chosen"]
            if name in chosen:
                tried = points(kind, params.replay.grids[name])
                for form, preset in TUNED_ON.items():
                    found[name, preset.format(other)] = built(kind, tried[chosen[name][form]])
    return found


def _learned(models: Path, pair_window: Path, known: Known, dataset: str, params: Params) -> dict[str, Said]:
    """Return, by connection, the opinions of models trained on other datasets, by their verdicts on windows."""
    windows = read_table(PAIR_WINDOW, pair_window).to_pandas()
    windows = windows[windows["rule"] == params.search.rule].reset_index(drop=True)
    found: dict[str, Said] = defaultdict(dict)
    for trained in params.search.datasets:
        if trained == dataset:
            continue
        for name in params.replay.models:
            fitted = store.load(StoredModel.parse(f"{trained}/{name}").path(models))
            shared = fitted.judge(windows[list(fitted.feature_names)].to_numpy(dtype=np.float64)).shared_pred
            for connection_id, rows in windows.assign(shared_pred=shared).groupby("connection_id"):
                verdicts = [
                    WindowVerdict(
                        row["window_start_ns"] + row["window_ns"],
                        (row["subflow_a"], row["subflow_b"]),
                        bool(row["shared_pred"]),
                    )
                    for row in rows.to_dict("records")
                ]
                subflow_ids = sorted(known.subflows[str(connection_id)])
                found[str(connection_id)][name, TRAINED.format(trained)] = opinions_of(verdicts, subflow_ids)
            for connection in known.connections:
                found[connection["connection_id"]].setdefault((name, TRAINED.format(trained)), [])
    return dict(found)


def _accuracy(opinion: pa.Table, params: Params) -> pd.DataFrame:
    """Return how right each detector is of the labelled windows of the rule that models are trained on."""
    rows = []
    judged = right_of_windows(opinion.filter(pc.equal(opinion.column("rule"), params.search.rule)).to_pandas())
    for (detector, preset), own in judged.groupby(["detector", "preset"]):
        found = accuracy_of(own, resamples=params.evaluate.resamples, seed=params.evaluate.seed)
        none = int(own["shared_pred"].isna().sum())
        rows.append({"detector": detector, "parameters": preset, "windows": len(own), "none": none, **asdict(found)})
    return pd.DataFrame(rows)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    folder: Path = arguments.tables.absolute()  # a worker may have been started in another folder
    known = read_known(folder, arguments.truth, arguments.pair_window)
    detectors = _detectors(arguments.tuned, arguments.dataset, params)
    said = _learned(arguments.models, arguments.pair_window, known, arguments.dataset, params)
    parts = batches(known)
    work = partial(replay_on, folder=folder, detectors=detectors, said=said, with_groups=True)
    found = ReplayedRows()
    for part in parallel.mapped(work, parts, params, what=f"replay {arguments.dataset}"):
        found.add(part)
    opinion = opinion_table(found.opinion)
    write_opinions(opinion, arguments.opinion)
    for table, rows, path in (
        (tables.GROUPING, found.grouping, arguments.grouping),
        (tables.TIME_SHARE, found.time_share, arguments.time_share),
    ):
        write_table(table, columns_of(table, rows), path)
    names = sorted({f"{row['detector']}/{row['preset']}" for row in found.grouping})
    changes = {(row["connection_id"], row["detector"], row["preset"], row["time_ns"]) for row in found.grouping}
    report = {
        "counts": dict(sorted(found.counts.items())),
        "changes_of_opinion": len(changes),
        "with_an_opinion": names,
        "without_any_opinion": sorted({f"{detector}/{preset}" for detector, preset in detectors} - set(names)),
    }
    write_json(report, arguments.report)
    write_csv(_accuracy(opinion, params), arguments.table)
    log.info("%s: %s", arguments.dataset, report["counts"])
    return stage.EXIT_OK
