"""Extract the windows of every pair of subflows and their features; attach the label."""

from __future__ import annotations

import argparse
import itertools
import logging
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from features.catalog import PAIR_WINDOW
from features.pair import pair_windows
from features.series import signals_of
from pipelines import stage
from pipelines.params import Params
from pipelines.reports import write_json
from traces import tables
from traces.contract import TableReader, TableWriter, read_table
from traces.truth import label_at

log = logging.getLogger(__name__)

_CONNECTIONS_PER_TASK = 8

Truth = dict[tuple[int, int], list[dict[str, Any]]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--pair-window", type=Path, required=True, help="pair_window table to write")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the counts")


def _windows(
    connection: dict[str, Any], folder_readers: dict[str, TableReader], truth: Truth, dataset: str, rules: Sequence[str]
) -> tuple[list[dict[str, Any]], Counter[str]]:
    connection_id = connection["connection_id"]
    acks = folder_readers["ack"].rows_of(connection_id)
    states = folder_readers["state"].rows_of(connection_id)
    subflows = folder_readers["subflow"].rows_of(connection_id).column("subflow_id").to_pylist()
    signals = {subflow_id: signals_of(acks, states, subflow_id) for subflow_id in subflows}
    rows: list[dict[str, Any]] = []
    rejected: Counter[str] = Counter()
    for a, b in itertools.combinations(sorted(subflows), 2):
        found, refused = pair_windows(signals[a], signals[b], connection["end_ns"], rules)
        whole = label_at(truth.get((a, b), []), connection["start_ns"], connection["end_ns"])
        kind = "unlabelled" if whole is None else "shared" if whole.shared else "non-shared"
        rejected.update(f"{one.rule}, {kind}: {one.reason}" for one in refused)
        for one in found:
            label = label_at(truth.get((a, b), []), one.window.start_ns, one.window.end_ns)
            rows.append(
                {
                    "connection_id": connection_id,
                    "subflow_a": a,
                    "subflow_b": b,
                    "rule": one.window.rule,
                    "window_start_ns": one.window.start_ns,
                    "window_ns": one.window.window_ns,
                    "step_ns": one.window.step_ns,
                    "n": one.window.n,
                    "coarsened": one.window.coarsened,
                    "saturated": one.saturated,
                    "shared": None if label is None else label.shared,
                    "dataset": dataset,
                    "site": None if label is None else label.site,
                    **one.features,
                }
            )
    return rows, rejected


def _batch(
    connections: list[dict[str, Any]], folder: Path, truths: dict[str, Truth], dataset: str, rules: Sequence[str]
) -> list[tuple[list[dict[str, Any]], Counter[str]]]:
    readers = {
        table.name: TableReader(table, folder / f"{table.name}.parquet")
        for table in (tables.ACK, tables.STATE, tables.SUBFLOW)
    }
    return [
        _windows(connection, readers, truths.get(connection["connection_id"], {}), dataset, rules)
        for connection in connections
    ]


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    folder: Path = arguments.tables
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    truths: dict[str, Truth] = defaultdict(lambda: defaultdict(list))
    for row in read_table(tables.TRUTH, folder / "truth.parquet").to_pylist():
        truths[row["connection_id"]][row["subflow_a"], row["subflow_b"]].append(row)
    plain = {connection_id: dict(truth) for connection_id, truth in truths.items()}
    batches = [connections[at : at + _CONNECTIONS_PER_TASK] for at in range(0, len(connections), _CONNECTIONS_PER_TASK)]
    results = Parallel(n_jobs=stage.workers(params, len(connections)), return_as="generator")(
        delayed(_batch)(
            batch,
            folder,
            {one["connection_id"]: plain.get(one["connection_id"], {}) for one in batch},
            arguments.dataset,
            params.extract.rules,
        )
        for batch in batches
    )
    rejected: Counter[str] = Counter()
    found: Counter[str] = Counter()
    names = [column.name for column in PAIR_WINDOW.columns]
    with TableWriter(PAIR_WINDOW, arguments.pair_window) as writer:
        for batch in stage.progress(results, what=f"extract {arguments.dataset}", total=len(batches)):
            rows = [row for windows, _ in batch for row in windows]
            writer.write({name: [row[name] for row in rows] for name in names})
            for windows, refused in batch:
                rejected.update(refused)
                for row in windows:
                    label = "unlabelled" if row["shared"] is None else "shared" if row["shared"] else "non-shared"
                    found[f"{row['rule']}: {label}"] += 1
                    found[f"{row['rule']}: coarsened"] += row["coarsened"]
                    found[f"{row['rule']}: saturated"] += row["saturated"] > 0
    report = {
        "connections": len(connections),
        "windows": dict(sorted(found.items())),
        "rejected_by_reason": dict(sorted(rejected.items())),
    }
    write_json(report, arguments.report)
    log.info("%d connections, windows %s", len(connections), dict(sorted(found.items())))
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("extract", __doc__ or "", add_arguments, run))
