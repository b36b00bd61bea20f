"""Last verdicts on connections whose bottlenecks replay what recorded links could carry, detector by detector."""

from __future__ import annotations

import argparse
import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.models.last_verdict.final_verdict import SAID, latest_rows
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.params.block import Block
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import stage
from studies.radio.verdicts_by_label import LABELS, by_label

log = logging.getLogger(__name__)

#: Of every row: the table says of each dataset whether it was run.
_RUN = "run"
_PAIR = ("connection_id", "subflow_a", "subflow_b")
_MEASURES = [f"{what}{end}" for what in ("right", "coverage", "decided") for end in ("", "_low", "_high")]
_COLUMNS = ["dataset", "status", "detector", "parameters", "label", "drawn", "pairs", *_MEASURES, "wrong", "none"]
_COUNTS = ("drawn", "pairs", "wrong", "none")


class ReplayedLinks(Block):
    """The study's params.yaml."""

    replayed_links: list[str]


PARAMS = ReplayedLinks


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--truth", type=Path, required=True, help="the dataset's truth table")
    parser.add_argument("--verdicts", type=Path, required=True, help="parquet file: the last verdict on each pair")
    parser.add_argument("--figures", type=Path, required=True, help="parquet file: the rows of the CSV file")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: every detector, by label")


def _rows(arguments: argparse.Namespace, params: Params) -> Iterator[dict[str, Any]]:
    """Yield the rows of the dataset."""
    known = {"dataset": arguments.dataset, "status": _RUN}
    truth = read_table(tables.TRUTH, arguments.truth).to_pylist()
    drawn = Counter(row["shared"] for row in latest_rows(truth, _PAIR).values())
    judged = pd.read_parquet(arguments.verdicts)
    if judged.empty:
        log.warning("%s: no pair has a valid label", arguments.dataset)
        yield known | {"drawn": drawn.total(), "pairs": 0}
        return
    judged = judged.astype({SAID: "boolean"})
    options = params.evaluate
    for row in by_label(judged, resamples=options.resamples, seed=options.seed):
        label = LABELS[row["label"]]
        yield known | {"drawn": drawn.total() if label is None else drawn[label], **row}


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Judge them by label."""
    table = pd.DataFrame(list(_rows(arguments, params)), columns=_COLUMNS).astype(dict.fromkeys(_COUNTS, "Int64"))
    write_parquet(table, arguments.figures)
    write_csv(table, arguments.table)
    log.info("%d rows", len(table))
    return stage.EXIT_OK
