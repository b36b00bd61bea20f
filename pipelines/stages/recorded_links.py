"""Last verdicts on connections whose bottlenecks replay what recorded links could carry, detector by detector.

A dataset that is not among those of params.yaml has one row, which says that it was not run.
"""

from __future__ import annotations

import argparse
import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from contracts import tables
from contracts.contract import read_table
from models.last_verdict.final_verdict import SAID, latest_rows
from models.last_verdict.verdicts_by_label import LABELS, by_label
from pipelines.params import Params
from pipelines.reporting.report_files import write_csv, write_parquet
from pipelines.running import stage

log = logging.getLogger(__name__)

RUN, NOT_RUN = "run", "not run"
_PAIR = ("connection_id", "subflow_a", "subflow_b")
_MEASURES = [f"{what}{end}" for what in ("right", "coverage", "decided") for end in ("", "_low", "_high")]
_COLUMNS = ["dataset", "status", "detector", "parameters", "label", "drawn", "pairs", *_MEASURES, "wrong", "none"]
_COUNTS = ("drawn", "pairs", "wrong", "none")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--truths", type=Path, required=True, help="folder with the truth tables")
    parser.add_argument("--verdicts", type=Path, required=True, help="folder with every dataset's last verdicts")
    parser.add_argument("--figures", type=Path, required=True, help="parquet file: the rows of the CSV file")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: every detector, by label")


def _rows(dataset: str, arguments: argparse.Namespace, params: Params) -> Iterator[dict[str, Any]]:
    """Yield the rows of a dataset."""
    if dataset not in params.datasets:
        log.warning("%s: not among `datasets` of params.yaml, so it was not run", dataset)
        yield {"dataset": dataset, "status": NOT_RUN}
        return
    truth = read_table(tables.TRUTH, arguments.truths / f"{dataset}.parquet").to_pylist()
    drawn = Counter(row["shared"] for row in latest_rows(truth, _PAIR).values())
    judged = pd.read_parquet(arguments.verdicts / f"{dataset}.parquet")
    if judged.empty:
        log.warning("%s: no pair has a valid label", dataset)
        yield {"dataset": dataset, "status": RUN, "drawn": drawn.total(), "pairs": 0}
        return
    judged = judged.astype({SAID: "boolean"})
    options = params.evaluate
    for row in by_label(judged, resamples=options.resamples, seed=options.seed):
        label = LABELS[row["label"]]
        yield {"dataset": dataset, "status": RUN, "drawn": drawn.total() if label is None else drawn[label], **row}


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    rows = [row for dataset in params.recorded_links.datasets for row in _rows(dataset, arguments, params)]
    table = pd.DataFrame(rows, columns=_COLUMNS).astype(dict.fromkeys(_COUNTS, "Int64"))
    write_parquet(table, arguments.figures)
    write_csv(table, arguments.table)
    log.info("%d rows", len(table))
    return stage.EXIT_OK
