"""Parse the inputs of one dataset into tables; what is refused goes to quarantine, counted.

An input that cannot be read at all counts as one refused record. More refused records than
parse.max_quarantined, or more unreadable inputs than parse.max_unreadable, fail the stage at its end.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from joblib import Parallel, delayed

from pipelines import stage
from pipelines.params import Params
from pipelines.reports import write_json
from traces import connection as rows_of
from traces import formats, tables
from traces.contract import TableWriter
from traces.dialect import Dialect
from traces.formats import PARSER_VERSION, stem_of
from traces.quarantine import CaptureError, Refusal, by_reason, quarantine_columns
from traces.stored import capture_id
from traces.trace import Trace

log = logging.getLogger(__name__)

TABLES = (
    tables.CAPTURE,
    tables.CONNECTION,
    tables.CONNECTION_CAPTURE,
    tables.SUBFLOW,
    tables.ACK,
    tables.STATE,
    tables.LOSS,
    tables.QUARANTINE,
)
UNREADABLE = "unreadable input"
#: What of each input is added up in the report.
_COUNTED = ("records_in", "records_out", "other_lines", "gaps", "messages_lost")


@dataclass
class Parsed:
    """What one input became."""

    path: Path
    trace: Trace
    chunks: list[tuple[str, pa.Table]] = field(default_factory=list)
    unreadable: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--raw", type=Path, required=True, help="the dataset's folder, with inputs/")
    parser.add_argument("--tables", type=Path, required=True, help="folder for the tables")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the counts")


def _capture_row(path: Path, capture: str, source: str) -> tuple[str, pa.Table]:
    columns = {
        "capture_id": [capture],
        "source": [source],
        "name": [path.name],
        "size_bytes": [path.stat().st_size],
        "parser_version": [PARSER_VERSION],
    }
    return "capture", tables.CAPTURE.build(columns)


def _connection_rows(
    connection_id: str, captures: Sequence[str], connection: rows_of.Connection
) -> Iterator[tuple[str, pa.Table]]:
    vantages = sorted(connection.vantages.items())
    links = {
        "connection_id": [connection_id] * len(vantages),
        "capture_id": [captures[number] for number, _ in vantages],
        "vantage": [vantage for _, vantage in vantages],
    }
    yield "connection", tables.CONNECTION.build(rows_of.connection_columns(connection_id, connection))
    yield "connection_capture", tables.CONNECTION_CAPTURE.build(links)
    yield "subflow", tables.SUBFLOW.build(rows_of.subflow_columns(connection_id, connection))
    yield "ack", tables.ACK.build(rows_of.ack_columns(connection_id, connection))
    yield "state", tables.STATE.build(rows_of.state_columns(connection_id, connection))
    yield "loss", tables.LOSS.build(rows_of.loss_columns(connection_id, connection))


def _parse(group: Sequence[Path], dataset: str, dialect: Dialect) -> list[Parsed]:
    """Return what the inputs of a group became, in order."""
    found = formats.read(group, dialect)
    captures = [capture_id(one.path) for one in found if isinstance(one.outcome, Trace)]
    return [_parsed(one, captures, dataset) for one in found]


def _parsed(one: formats.Read, captures: Sequence[str], dataset: str) -> Parsed:
    """Return what an input became; an unreadable one is one refused record."""
    own = capture_id(one.path)
    if isinstance(one.outcome, CaptureError):
        error = one.outcome
        trace = Trace(records_in=1, refusals=[Refusal(error.offset, UNREADABLE, error.why, b"")])
    else:
        trace = one.outcome
    parsed = Parsed(one.path, trace, unreadable=isinstance(one.outcome, CaptureError))
    for ordinal, connection in enumerate(trace.connections):
        connection_id = f"{dataset}/{stem_of(one.path.name)}#{ordinal}"
        parsed.chunks += _connection_rows(connection_id, captures, connection)
    parsed.chunks.append(_capture_row(one.path, own, one.source))
    quarantined = quarantine_columns(own, "parse", trace.refusals)
    parsed.chunks.append(("quarantine", tables.QUARANTINE.build(quarantined)))
    # The rows are in the chunks: they need not travel twice.
    trace.connections = []
    return parsed


def _check_distinct(paths: list[Path]) -> None:
    contents: dict[str, Path] = {}
    stems: dict[str, Path] = {}
    for path in paths:
        same = contents.setdefault(capture_id(path), path)
        if same != path:
            raise CaptureError(path, 0, f"is the same file as {same.name}: remove one of them")
        alike = stems.setdefault(stem_of(path.name), path)
        if alike != path:
            raise CaptureError(path, 0, f"has the name of {alike.name} but for its suffixes: rename one of them")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    # Absolute: a worker may have been started in another folder.
    paths = sorted((arguments.raw.absolute() / "inputs").iterdir())
    if not paths:
        raise FileNotFoundError(2, "no inputs", str(arguments.raw / "inputs"))
    _check_distinct(paths)
    counts: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    unused: Counter[str] = Counter()
    signals: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    dialect = params.parse.dialect()
    with ExitStack() as stack:
        writers = {
            table.name: stack.enter_context(TableWriter(table, arguments.tables / f"{table.name}.parquet"))
            for table in TABLES
        }
        groups = formats.together(paths)
        results = Parallel(n_jobs=stage.workers(params, len(groups)), return_as="generator")(
            delayed(_parse)(group, arguments.dataset, dialect) for group in groups
        )
        shown = stage.progress(results, what=f"parse {arguments.dataset}", total=len(groups))
        for parsed in itertools.chain.from_iterable(shown):
            for name, rows in parsed.chunks:
                counts[name] += writers[name].append(rows)
            trace = parsed.trace
            totals["inputs_unreadable"] += parsed.unreadable
            for name in _COUNTED:
                totals[name] += getattr(trace, name)
            unused.update(trace.unused)
            signals.update(trace.signals)
            refused.update(by_reason(trace.refusals))
            for refusal in trace.refusals[:3]:
                log.warning("%s: at byte %d: %s: %s", parsed.path, refusal.offset, refusal.reason, refusal.detail)
    records_in, unreadable = totals["records_in"], totals["inputs_unreadable"]
    report = {
        "inputs": len(paths),
        "inputs_unreadable": unreadable,
        **{name: totals[name] for name in _COUNTED},
        "signals": dict(sorted(signals.items())),
        "records_unused": dict(sorted(unused.items())),
        "records_quarantined": sum(refused.values()),
        "quarantined_by_reason": dict(sorted(refused.items())),
        "rows": dict(sorted(counts.items())),
    }
    write_json(report, arguments.report)
    log.info("%d inputs, %d records, %d quarantined", len(paths), records_in, sum(refused.values()))
    if unreadable > params.parse.max_unreadable * len(paths):
        raise stage.QuarantineLimitError(
            f"{arguments.raw}: {unreadable} of {len(paths)} inputs cannot be read, more than"
            f" parse.max_unreadable = {params.parse.max_unreadable}"
        )
    if sum(refused.values()) > params.parse.max_quarantined * records_in:
        raise stage.QuarantineLimitError(
            f"{arguments.raw}: {sum(refused.values())} of {records_in} records refused, more than"
            f" parse.max_quarantined = {params.parse.max_quarantined}: {dict(sorted(refused.items()))}"
        )
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("parse", __doc__ or "", add_arguments, run))
