"""Extract windows of swapped partners: pairs of subflows that share no bottleneck, taken from connections that do.

Partners are drawn on the test side of each split, so that no model is tested on a connection it was trained on; and
among all connections, to learn from.
"""

from __future__ import annotations

import argparse
import logging
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableWriter, read_table
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.models.labelled.extraction import Extracted, read_truths, swapped
from smartsbd.models.labelled.partners import partners
from smartsbd.models.labelled.trial import random_splits
from smartsbd.models.labelled.windows import windows_of_kinds
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_json
from smartsbd.pipelines.running import parallel, stage
from smartsbd.pipelines.running.plan import drawing

log = logging.getLogger(__name__)

_PAIRS_PER_TASK = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="the dataset's truth table")
    parser.add_argument("--pair-window", type=Path, required=True, help="the dataset's pair_window table")
    parser.add_argument("--swapped", type=Path, required=True, help="pair_window table of swapped partners to write")
    parser.add_argument("--series", type=Path, required=True, help="series table of swapped partners to write")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the counts")


def _pairs(pair_window: pd.DataFrame, params: Params) -> list[tuple[str, str]]:
    """Return the partners of every split's test side, and of all connections, each pair once."""
    windows = windows_of_kinds(pair_window, params.search.rules, pair_window.iloc[:0], ())
    splits = random_splits(windows, drawing(params.search))
    sides = [split.test for split in splits] + [np.arange(len(windows.shared))]
    return sorted({pair for side in sides for pair in partners(windows, side)})


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    params.check_learnable(arguments.dataset)
    folder: Path = arguments.tables.absolute()  # a worker may have been started in another folder
    connections = {
        row["connection_id"]: row for row in read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    }
    truths = read_truths(arguments.truth)
    pairs = _pairs(read_table(PAIR_WINDOW, arguments.pair_window).to_pandas(), params)
    batches = [pairs[at : at + _PAIRS_PER_TASK] for at in range(0, len(pairs), _PAIRS_PER_TASK)]
    rule, reading = params.search.rules[0], params.extract.reading

    def windows_of(batch: Sequence[tuple[str, str]]) -> Extracted:
        of_both = [(connections[first], connections[second]) for first, second in batch]
        return swapped(of_both, folder, truths, arguments.dataset, rule, reading)

    results = parallel.mapped(windows_of, batches, params, what=f"swap {arguments.dataset}")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with (
        TableWriter(PAIR_WINDOW, arguments.swapped) as windows,
        TableWriter(tables.SERIES, arguments.series) as series,
    ):
        for part in results:
            windows.append(part.pair_window)
            series.append(part.series)
            for name, counter in part.counts.items():
                counts[name].update(counter)
    report = {
        "pairs": len(pairs),
        "windows": dict(sorted(counts["windows"].items())),
        "rejected_by_reason": dict(sorted(counts["rejected"].items())),
    }
    write_json(report, arguments.report)
    log.info("%d pairs of swapped partners, windows %s", len(pairs), report["windows"])
    return stage.EXIT_OK
