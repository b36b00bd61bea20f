"""The default detector's last verdict on connections thinned to what other tools would have shown of them.

By kind of input and by sampling interval: the share right of all pairs and of the decided pairs, and the coverage.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from contracts import tables
from contracts.contract import read_table
from models.labelled.extraction import read_truths
from models.last_verdict.final_verdict import SAID
from models.last_verdict.thinned_pairs import ThinnedDataset, accuracy_rows, spread_labels, views
from pipelines.params import Params
from pipelines.reporting.figures import style, thinned_accuracy
from pipelines.reporting.report_files import write_csv, write_parquet
from pipelines.running import parallel, stage

log = logging.getLogger(__name__)

_PAIRS_PER_TASK = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--tables", type=Path, required=True, help="folder with one folder of tables for each dataset")
    parser.add_argument("--truths", type=Path, required=True, help="folder with one truth table for each dataset")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: every pair")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: accuracy by kind and interval")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _verdicts(dataset: str, arguments: argparse.Namespace, params: Params) -> Iterator[dict[str, Any]]:
    """Yield the last verdicts on the pairs of a dataset."""
    options, folder = params.thinned, (arguments.tables / dataset).absolute()
    truth = arguments.truths / f"{dataset}.parquet"
    labels = spread_labels(read_table(tables.TRUTH, truth).to_pylist(), options.pairs)
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    seen = views(options.kinds, options.ticks, options.intervals_ms)
    own = ThinnedDataset(
        folder, {row["connection_id"]: row for row in connections}, read_truths(truth), seen, options.seed
    )
    batches = [labels[at : at + _PAIRS_PER_TASK] for at in range(0, len(labels), _PAIRS_PER_TASK)]
    for rows in parallel.mapped(own.verdicts, batches, params, what=f"thinned {dataset}"):
        yield from rows


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    drawn = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    parts, found = [], []
    for dataset in params.thinned.datasets:
        rows = pd.DataFrame(list(_verdicts(dataset, arguments, params)))
        if rows.empty:
            log.warning("%s: no pair has a valid label", dataset)
            continue
        parts.append(rows.assign(dataset=dataset))
        found += [{"dataset": dataset, **row} for row in accuracy_rows(rows, **drawn)]
        log.info("%s: %d pairs, %d rows", dataset, found[-1]["pairs"], len(rows))
    judged, table = pd.concat([pd.DataFrame(), *parts]), pd.DataFrame(found)
    whole = {"interval_ms": "Int64"}
    if parts:
        judged, table = judged.astype({SAID: "boolean", **whole}), table.astype(whole)
    write_parquet(judged, arguments.judged)
    write_csv(table, arguments.table)
    style.save(thinned_accuracy.thinned(table), arguments.figure)
    return stage.EXIT_OK
