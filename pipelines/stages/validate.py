"""Join the truth of one dataset with its connections and judge whether each label holds.

Truth rows without a connection and connections without truth are counted, not dropped in silence.
"""

from __future__ import annotations

import argparse
import logging
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from contracts import tables
from contracts.contract import TableReader, read_table, write_table
from pipelines.params import Params
from pipelines.params.block import ParamsError
from pipelines.params.learning import Validate
from pipelines.reporting.report_files import write_json
from pipelines.running import stage
from traces.formats import stem_of
from traces.truth import TruthError, read_csv
from traces.validation import Achieved, Measured, Verdict, by_achieved, by_bottleneck, throughput_mbit_s

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset: params.yaml gives it a rule")
    parser.add_argument("--truth-csv", type=Path, required=True, help="truth.csv of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="truth table to write")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the counts")


def _connection_ids(folder: Path) -> dict[tuple[str, int | None], str]:
    """Return the connection of every (input name, token of either end), and of an input's only one without a token."""
    names = read_table(tables.CAPTURE, folder / "capture.parquet")
    links = read_table(tables.CONNECTION_CAPTURE, folder / "connection_capture.parquet")
    connections = read_table(tables.CONNECTION, folder / "connection.parquet")
    name_of = dict(zip(names["capture_id"].to_pylist(), names["name"].to_pylist(), strict=True))
    tokens_of = {row["connection_id"]: (row["remote_token"], row["token"]) for row in connections.to_pylist()}
    held = [(row["connection_id"], name_of[row["capture_id"]]) for row in links.to_pylist()]
    # An input's own are those with their first subflow in it.
    own = [(connection_id, name) for connection_id, name in held if _begins_in(connection_id, name)]
    alone = Counter(name for _, name in own)
    found: dict[tuple[str, int | None], str] = {}
    for connection_id, name in held:
        found.update({(name, token): connection_id for token in tokens_of[connection_id] if token is not None})
    found.update({(name, None): connection_id for connection_id, name in own if alone[name] == 1})
    return found


def _begins_in(connection_id: str, name: str) -> bool:
    """Tell whether a connection is named after an input."""
    return connection_id.rpartition("#")[0].partition("/")[2] == stem_of(name)


def _achieved(row: dict[str, Any], acks: TableReader) -> Achieved:
    rows = acks.rows_of(row["connection_id"])
    rates, spans, total_bytes = [], [], 0
    for side in ("a", "b"):
        own = rows.filter(pc.equal(rows.column("subflow_id"), row[f"subflow_{side}"]))
        if not own.num_rows:
            rates.append(0.0)
            continue
        times, acked = own.column("time_ns"), own.column("acked_bytes")
        span = (times[0].as_py(), times[-1].as_py())
        acked_bytes = acked[-1].as_py() - acked[0].as_py()
        rates.append(throughput_mbit_s(*span, acked_bytes))
        spans.append(span)
        total_bytes += acked_bytes
    first_ns = min((span[0] for span in spans), default=0)
    last_ns = max((span[1] for span in spans), default=0)
    return Achieved(
        group=(row["site"] or "", row["scenario"]),
        shared=row["shared"],
        rates_mbit_s=tuple(rates),
        total_mbit_s=throughput_mbit_s(first_ns, last_ns, total_bytes),
    )


def _measured(row: dict[str, Any]) -> Measured:
    return Measured(
        utilisation=(row["utilisation_a"], row["utilisation_b"]),
        drop_share=(row["drop_share_a"], row["drop_share_b"]),
    )


def _judge(rows: list[dict[str, Any]], folder: Path, dataset: str, options: Validate) -> list[Verdict]:
    if dataset not in options.rule:
        raise ParamsError(f"validate.rule has no entry for dataset {dataset!r}")
    if options.rule[dataset] == "given":
        return [Verdict(True, "believed as given") for _ in rows]
    if options.rule[dataset] != "achieved":
        share = options.min_drop_share if options.rule[dataset] == "bottleneck" else None
        return [
            by_bottleneck(_measured(row), min_utilisation=options.min_utilisation, min_drop_share=share) for row in rows
        ]
    acks = TableReader(tables.ACK, folder / "ack.parquet")
    return by_achieved([_achieved(row, acks) for row in rows], options.alpha, quantile=options.desired_quantile)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    connection_of = _connection_ids(arguments.tables)
    rows, orphans = [], 0
    for row in read_csv(arguments.truth_csv):
        key = (row.pop("input"), row.pop("token"))
        if key in connection_of:
            rows.append({"connection_id": connection_of[key], **row})
        else:
            orphans += 1
            log.warning("%s: no connection with token %s in %s", arguments.truth_csv, key[1], key[0])
    if not rows:
        raise TruthError(f"{arguments.truth_csv}: none of {orphans} rows names a connection of {arguments.tables}")
    verdicts = _judge(rows, arguments.tables, arguments.dataset, params.validate_)
    for row, verdict in zip(rows, verdicts, strict=True):
        row |= {"valid": verdict.valid, "why": verdict.why}
    names = [column.name for column in tables.TRUTH.columns]
    write_table(tables.TRUTH, {name: [row[name] for row in rows] for name in names}, arguments.truth)
    counts = Counter(
        (row["site"] or "", "shared" if row["shared"] else "non-shared", "valid" if row["valid"] else "dropped")
        for row in rows
    )
    report = {
        "truth_rows": len(rows),
        "truth_rows_without_connection": orphans,
        "connections_without_truth": len(set(connection_of.values()) - {row["connection_id"] for row in rows}),
        "by_site_and_label": {"/".join(key): count for key, count in sorted(counts.items())},
    }
    write_json(report, arguments.report)
    log.info("%d truth rows, %d valid", len(rows), sum(row["valid"] for row in rows))
    return stage.EXIT_OK
