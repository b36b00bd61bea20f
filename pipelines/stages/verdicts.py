"""The last verdict on each pair, by every replayed detector: the share right of all pairs and of the decided pairs.

The last verdict is the one that holds when the recording ends; where bottlenecks moved, it is compared with the last
label. Among all pairs, one without a verdict counts as wrong. Only pairs with a valid label count. Where there are
three and more subflows (`replay.partitions`), whole partitions are judged too. Where bottlenecks move
(`replay.shifts`), so is the time that a detector takes to be right again.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.detectors.replaying import opinions_in
from smartsbd.detectors.scoring import OnPair
from smartsbd.models.last_verdict.final_verdict import FIRST_S, PAIR, SAID, judged, last_labels, summaries
from smartsbd.pipelines.judging.moved_bottlenecks import moved_bottlenecks
from smartsbd.pipelines.judging.partitions import partitions
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import DIGITS, write_csv, write_json, write_parquet
from smartsbd.pipelines.running import stage

log = logging.getLogger(__name__)

#: The default of `sbd detect`, with which the others are compared.
_REFERENCE = ("lag-excess", "default")
_NS_PER_S = 1e9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="the dataset's truth table")
    parser.add_argument(
        "--replayed", type=Path, required=True, help="folder with the detectors' opinions on the dataset"
    )
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: every pair")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: every detector")
    parser.add_argument("--partitions", type=Path, help="parquet file: every connection of three and more subflows")
    parser.add_argument("--partition-table", type=Path, help="CSV file: every detector on them")
    parser.add_argument("--moves", type=Path, help="parquet file: every move of a bottleneck")
    parser.add_argument("--move-table", type=Path, help="CSV file: every detector after a move")
    parser.add_argument(
        "--metrics", type=Path, help="JSON file: what DVC compares, the default's shares on the development set"
    )


def _last_verdicts(folder: Path, truth: Path, replayed: Path) -> Iterator[dict[str, Any]]:
    """Yield every detector's last verdict on each pair; none where the dataset lacks the detector's signal."""
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    spans_ns = {row["connection_id"]: (row["start_ns"], row["end_ns"]) for row in connections}
    subflows: dict[str, list[int]] = {}
    for row in read_table(tables.SUBFLOW, folder / "subflow.parquet").to_pylist():
        subflows.setdefault(row["connection_id"], []).append(row["subflow_id"])
    opinions_by_connection = opinions_in(read_table(tables.GROUPING, replayed / "grouping.parquet"))
    shares = read_table(tables.TIME_SHARE, replayed / "time_share.parquet").to_pandas()
    names = list(dict.fromkeys(zip(shares["detector"], shares["preset"], strict=True)))
    names += sorted({name for of_connection in opinions_by_connection.values() for name in of_connection} - set(names))
    for label in last_labels(read_table(tables.TRUTH, truth).to_pylist()):
        connection_id, pair = label["connection_id"], (label["subflow_a"], label["subflow_b"])
        start_ns, end_ns = spans_ns.get(connection_id, (0, 0))
        places = sorted(subflows.get(connection_id, ()))
        seen = set(pair) <= set(places)
        for detector, preset in names:
            opinions = opinions_by_connection.get(connection_id, {}).get((detector, preset), []) if seen else []
            on = OnPair.of(opinions, *(places.index(subflow_id) for subflow_id in pair)) if seen else OnPair((), ())
            first_ns = next(
                (at for at, verdict in zip(on.from_ns, on.verdicts, strict=True) if verdict is not None), None
            )
            yield {
                **dict(zip(PAIR, (connection_id, *pair), strict=True)),
                "shared": label["shared"],
                **{"detector": detector, "preset": preset, SAID: on.at(end_ns)},
                FIRST_S: np.nan if first_ns is None else (first_ns - start_ns) / _NS_PER_S,
            }


def _write(judged_rows: pd.DataFrame, table: pd.DataFrame, to: tuple[Path, Path]) -> None:
    write_parquet(judged_rows, to[0])
    write_csv(table, to[1])


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options = params.evaluate
    where = (arguments.tables, arguments.truth, arguments.replayed)
    if arguments.partitions is not None and arguments.dataset in params.replay.partitions:
        _write(*partitions(*where, options), (arguments.partitions, arguments.partition_table))
    if arguments.moves is not None and arguments.dataset in params.replay.shifts:
        _write(*moved_bottlenecks(*where), (arguments.moves, arguments.move_table))
    rows = pd.DataFrame(list(_last_verdicts(arguments.tables, arguments.truth, arguments.replayed)))
    if rows.empty:
        log.warning("%s: no pair has a valid label", arguments.dataset)
        write_parquet(rows, arguments.judged)
        write_csv(rows, arguments.table)
        return stage.EXIT_OK
    rows = judged(rows.astype({SAID: object}))
    summary_rows = summaries(rows, _REFERENCE, resamples=options.resamples, seed=options.seed)
    write_parquet(rows.astype({SAID: "boolean"}), arguments.judged)
    write_csv(pd.DataFrame(summary_rows), arguments.table)
    reference = next(summary for summary in summary_rows if (summary["detector"], summary["parameters"]) == _REFERENCE)
    if arguments.metrics is not None and arguments.dataset == params.transfer.development:
        shares = {name: round(float(reference[name]), DIGITS) for name in ("right", "decided")}
        write_json({f"lag_excess_{name}": share for name, share in shares.items()}, arguments.metrics)
    log.info("%s: %s right of %d pairs %.3f", arguments.dataset, _REFERENCE[0], reference["pairs"], reference["right"])
    return stage.EXIT_OK
