"""Extract the windows of every pair of subflows, their series and features; attach the label."""

from __future__ import annotations

import argparse
import logging
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableWriter, read_table
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.features.reading import Reading
from smartsbd.models.labelled.extraction import Extracted, Truth, extracted, read_truths
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_json
from smartsbd.pipelines.running import parallel, stage

log = logging.getLogger(__name__)

_CONNECTIONS_PER_TASK = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="the dataset's truth table")
    parser.add_argument("--pair-window", type=Path, required=True, help="pair_window table to write")
    parser.add_argument("--series", type=Path, required=True, help="series table to write")
    parser.add_argument("--rejected", type=Path, required=True, help="rejected table to write")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the counts")


def _extracted(
    batch: tuple[Sequence[Mapping[str, Any]], Mapping[str, Truth]],
    folder: Path,
    dataset: str,
    rules: Sequence[str],
    reading: Reading,
) -> Extracted:
    connections, truths = batch
    return extracted(connections, folder, truths, dataset, rules, reading)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    folder: Path = arguments.tables.absolute()  # a worker may have been started in another folder
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    truths = read_truths(arguments.truth)
    batches = [connections[at : at + _CONNECTIONS_PER_TASK] for at in range(0, len(connections), _CONNECTIONS_PER_TASK)]
    work = partial(
        _extracted,
        folder=folder,
        dataset=arguments.dataset,
        rules=params.extract.rules,
        reading=params.extract.reading,
    )
    with_truths = [
        (batch, {connection["connection_id"]: truths.get(connection["connection_id"], {}) for connection in batch})
        for batch in batches
    ]
    results = parallel.mapped(work, with_truths, params, what=f"extract {arguments.dataset}")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with (
        TableWriter(PAIR_WINDOW, arguments.pair_window) as windows,
        TableWriter(tables.SERIES, arguments.series) as series,
        TableWriter(tables.REJECTED, arguments.rejected) as rejected,
    ):
        for batch in results:
            windows.append(batch.pair_window)
            series.append(batch.series)
            rejected.append(batch.rejected)
            for name, counter in batch.counts.items():
                counts[name].update(counter)
    report = {
        "connections": len(connections),
        "windows": dict(sorted(counts["windows"].items())),
        "rejected_by_reason": dict(sorted(counts["rejected"].items())),
        "connections_without_window": dict(sorted(counts["connections_without_window"].items())),
        "signals": dict(sorted(counts["signals"].items())),
    }
    write_json(report, arguments.report)
    log.info("%d connections, windows %s", len(connections), report["windows"])
    return stage.EXIT_OK
