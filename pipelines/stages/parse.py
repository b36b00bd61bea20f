"""Parse the inputs of one dataset into tables; what is refused goes to quarantine, counted.

An input that cannot be read at all counts as one refused record. More refused records than
parse.max_quarantined, or more unreadable inputs than parse.max_unreadable, fail the stage at its end.
"""

from __future__ import annotations

import argparse
import fcntl
import itertools
import logging
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from contracts import tables
from contracts.contract import TableWriter
from contracts.fault import Fault, printable
from pipelines.params import Params
from pipelines.reporting.report_files import write_json
from pipelines.running import parallel, stage
from traces import connection as rows_of
from traces import formats
from traces.connection import Batch, Named
from traces.dialect import Dialect
from traces.formats import PARSER_VERSION, InputPart, stem_of
from traces.quarantine import Refusal, UnreadableInputError, by_reason, quarantine_columns
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
#: Table and rows.
Chunk = tuple[str, pa.Table]
# Rows of the quarantine table that are built at once, and refused records that are shown.
_REFUSALS = 1 << 14
_SHOWN_REFUSALS = 3
_SPOOLS = ".spool-"
#: What of each input is added up in the report.
_COUNTED = ("records_in", "records_out", "other_lines", "gaps", "messages_lost")


class QuarantineLimitError(Fault):
    """More records were refused than ``parse.max_quarantined`` allows."""


@dataclass
class Parsed:
    """What one input became: its counts, and the rows of what holds a few of them."""

    path: Path
    capture_id: str
    source: str
    trace: Trace
    chunks: list[Chunk] = field(default_factory=list)
    unreadable: bool = False


@dataclass(frozen=True)
class Waiting:
    """An input that is to be joined with others."""

    part: InputPart
    capture_id: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--raw", type=Path, required=True, help="the dataset's folder, with inputs/")
    parser.add_argument("--tables", type=Path, required=True, help="folder for the tables")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the counts")


def _capture_rows(inputs: Sequence[Parsed]) -> Chunk:
    columns = {
        "capture_id": [one.capture_id for one in inputs],
        "source": [one.source for one in inputs],
        "name": [one.path.name for one in inputs],
        "size_bytes": [one.path.stat().st_size for one in inputs],
        "parser_version": [PARSER_VERSION] * len(inputs),
    }
    return "capture", tables.CAPTURE.build(columns)


def _links(named: Sequence[Named], captures: Sequence[str]) -> dict[str, Any]:
    """Return the rows of some connections in the ``connection_capture`` table."""
    links = [
        (name, captures[number], vantage)
        for name, connection in named
        for number, vantage in sorted(connection.vantages.items())
    ]
    return {
        column: [link[place] for link in links]
        for place, column in enumerate(("connection_id", "capture_id", "vantage"))
    }


def _built(batch: Batch, captures: Sequence[str]) -> list[Chunk]:
    """Return rows of every table."""
    named = batch.named
    # First: reading the ACKs of short connections tells the smallest RTT of their subflows too.
    acks = tables.ACK.build(rows_of.ack_columns(batch.pieces))
    return [
        ("connection", tables.CONNECTION.build(rows_of.connection_columns(named))),
        ("connection_capture", tables.CONNECTION_CAPTURE.build(_links(named, captures))),
        ("subflow", tables.SUBFLOW.build(rows_of.subflow_columns(named))),
        ("ack", acks),
        ("state", tables.STATE.build(rows_of.state_columns(named))),
        ("loss", tables.LOSS.build(rows_of.loss_columns(named))),
    ]


def _connection_rows(connections: Iterable[Named], captures: Sequence[str], threads: int = 1) -> Iterator[Chunk]:
    built = parallel.overlapped(partial(_built, captures=captures), rows_of.batches(connections), threads)
    return itertools.chain.from_iterable(built)


def _refusal_rows(one: Parsed) -> Iterator[Chunk]:
    refusals = iter(one.trace.refusals)
    while batch := list(itertools.islice(refusals, _REFUSALS)):
        yield "quarantine", tables.QUARANTINE.build(quarantine_columns(one.capture_id, "parse", batch))


def _named(one: Parsed, dataset: str) -> Iterator[Named]:
    for ordinal, connection in enumerate(one.trace.connections):
        yield f"{dataset}/{stem_of(one.path.name)}#{ordinal}", connection


def _parse(path: Path, dataset: str, dialect: Dialect, folder: Path) -> Parsed | Waiting:
    """Return what an input became, with its rows; one that is to be joined waits."""
    found = formats.read_alone(path, dialect, folder)
    own = capture_id(path)
    if isinstance(found, InputPart):
        return Waiting(found, own)
    if isinstance(found.outcome, UnreadableInputError):
        error = found.outcome
        trace = Trace(records_in=1, refusals=[Refusal(error.offset, UNREADABLE, error.why, b"")])
        parsed = Parsed(path, own, found.source, trace, unreadable=True)
    else:
        parsed = Parsed(path, own, found.source, found.outcome)
    parsed.chunks = [*_connection_rows(_named(parsed, dataset), [own]), _capture_rows([parsed]), *_refusal_rows(parsed)]
    # The rows are in the chunks: they need not travel twice.
    parsed.trace.connections = []
    return parsed


def _joined(waiting: Sequence[Waiting]) -> list[Parsed]:
    """Return what inputs that are to be joined became; their rows are on disk until they are asked for."""
    parts = [one.part for one in waiting]
    return [
        Parsed(part.path, own.capture_id, part.source, trace)
        for part, own, trace in zip(parts, waiting, formats.joined(parts), strict=True)
    ]


class _Output:
    """The tables, and what is counted of the inputs that went into them."""

    def __init__(self, writers: Mapping[str, TableWriter]) -> None:
        self._writers = writers
        self._rows: Counter[str] = Counter(dict.fromkeys(writers, 0))
        self._totals: Counter[str] = Counter()
        self._unused: Counter[str] = Counter()
        self._signals: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()

    def write(self, chunks: Iterable[Chunk]) -> None:
        """Write rows."""
        for name, rows in chunks:
            self._rows[name] += self._writers[name].append(rows)

    def count(self, one: Parsed) -> None:
        """Count what an input holds; say what the first records are that it was refused."""
        trace = one.trace
        self._totals["inputs_unreadable"] += one.unreadable
        for name in _COUNTED:
            self._totals[name] += getattr(trace, name)
        self._unused.update(trace.unused)
        self._signals.update(trace.signals)
        self._refused.update(by_reason(trace.refusals))
        for refusal in itertools.islice(trace.refusals, _SHOWN_REFUSALS):
            name = printable(str(one.path))
            log.warning("%s: at byte %d: %s: %s", name, refusal.offset, refusal.reason, refusal.detail)

    def report(self, inputs: int) -> dict[str, Any]:
        """Return the counts."""
        return {
            "inputs": inputs,
            "inputs_unreadable": self._totals["inputs_unreadable"],
            **{name: self._totals[name] for name in _COUNTED},
            "signals": dict(sorted(self._signals.items())),
            "records_unused": dict(sorted(self._unused.items())),
            "records_quarantined": sum(self._refused.values()),
            "quarantined_by_reason": dict(sorted(self._refused.items())),
            "rows": dict(sorted(self._rows.items())),
        }


def _check_distinct(paths: Sequence[Path]) -> None:
    contents: dict[tuple[int, str], Path] = {}
    stems: dict[str, Path] = {}
    sizes = Counter(path.stat().st_size for path in paths)
    for path in paths:
        if path.name != os.fsencode(path.name).decode(errors="replace"):
            # Its connections are named after it, in tables, which are UTF-8.
            raise UnreadableInputError(path, 0, "has a name that is no UTF-8: rename it")
        size = path.stat().st_size
        if sizes[size] > 1:
            same = contents.setdefault((size, capture_id(path)), path)
            if same != path:
                raise UnreadableInputError(path, 0, f"is the same file as {same.name}: remove one of them")
        alike = stems.setdefault(stem_of(path.name), path)
        if alike != path:
            raise UnreadableInputError(
                path, 0, f"has the name of {alike.name} but for its suffixes: rename one of them"
            )


def _locked(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how)
    except OSError:
        # Another holds it, or the file system has no locks.
        return False
    return True


@contextmanager
def _spool_folder(beside: Path) -> Iterator[Path]:
    """Make a folder for spools beside the tables: they take as much room as what is written of them.

    What runs that were killed left there goes, unless another run is alive: each shares a lock of the tables' folder.
    """
    descriptor = os.open(beside, os.O_RDONLY)
    try:
        if _locked(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB):
            for left in beside.glob(f"{_SPOOLS}*"):
                shutil.rmtree(left, ignore_errors=True)
        _locked(descriptor, fcntl.LOCK_SH)
        with TemporaryDirectory(prefix=_SPOOLS, dir=beside) as name:
            yield Path(name)
    finally:
        os.close(descriptor)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    # Absolute: a worker may have been started in another folder.
    paths = sorted((arguments.raw.absolute() / "inputs").iterdir())
    if not paths:
        raise FileNotFoundError(2, "no inputs", str(arguments.raw / "inputs"))
    report = write_tables(paths, arguments.dataset, arguments.tables, params)
    write_json(report, arguments.report)
    records_in, refused = report["records_in"], report["records_quarantined"]
    log.info("%d inputs, %d records, %d quarantined", len(paths), records_in, refused)
    unreadable = report["inputs_unreadable"]
    if unreadable > params.parse.max_unreadable * len(paths):
        raise QuarantineLimitError(
            f"{arguments.raw}: {unreadable} of {len(paths)} inputs cannot be read, more than"
            f" parse.max_unreadable = {params.parse.max_unreadable}"
        )
    if refused > params.parse.max_quarantined * records_in:
        raise QuarantineLimitError(
            f"{arguments.raw}: {refused} of {records_in} records refused, more than"
            f" parse.max_quarantined = {params.parse.max_quarantined}: {report['quarantined_by_reason']}"
        )
    return stage.EXIT_OK


def write_tables(paths: Sequence[Path], dataset: str, target: Path, params: Params) -> dict[str, Any]:
    """Write the tables of some inputs.

    Parameters
    ----------
    paths : sequence of Path
        Logs and captures, absolute.
    dataset : str
        What the names of connections begin with.
    target : Path
        Folder for the tables.
    params : Params

    Returns
    -------
    dict
        What was read and what was refused, counted.

    Raises
    ------
    UnreadableInputError
        If two inputs are the same, or have the same name.
    """
    _check_distinct(paths)
    dialect = params.parse.dialect()
    target.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        folder = stack.enter_context(_spool_folder(target.absolute()))
        output = _Output(
            {table.name: stack.enter_context(TableWriter(table, target / f"{table.name}.parquet")) for table in TABLES}
        )
        work = partial(_parse, dataset=dataset, dialect=dialect, folder=folder)
        captures = [path for path in paths if formats.is_joint(path)]
        logs = sorted(set(paths) - set(captures))
        results = itertools.chain(
            parallel.mapped(work, logs, params, what=f"parse {dataset}: logs"),
            # Captures are read outside Python.
            parallel.mapped(work, captures, params, what=f"parse {dataset}: captures", threads=True),
        )
        waiting: list[Waiting] = []
        for one in results:
            if isinstance(one, Waiting):
                waiting.append(one)
            else:
                output.write(one.chunks)
                output.count(one)
        joined = _joined(waiting)
        connections = itertools.chain.from_iterable(_named(one, dataset) for one in joined)
        captured = [one.capture_id for one in joined]
        output.write(_connection_rows(connections, captured, parallel.workers(params)))
        output.write([_capture_rows(joined)])
        for one in joined:
            output.write(_refusal_rows(one))
            output.count(one)
    return output.report(len(paths))
