"""What one input of a dataset becomes: rows of the tables, and counts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from smartsbd.contracts import tables
from smartsbd.contracts.regular_file import size_bytes
from smartsbd.traces import bounds, formats, joined_captures
from smartsbd.traces import connection as rows_of
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Batch, Named
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import PARSER_VERSION, InputPart, Read, stem_of
from smartsbd.traces.joined_captures import CaptureConnections, JoinedBatch
from smartsbd.traces.quarantine import Refusal, UnreadableInputError, quarantine_columns
from smartsbd.traces.stored import capture_id, capture_id_by_name
from smartsbd.traces.trace import Trace

#: Reason for which an input that cannot be read at all is refused.
UNREADABLE = "unreadable input"
#: Table and rows.
Chunk = tuple[str, pa.Table]
#: A map like Python's own, which may work on some batches at once.
BatchMap = Callable[
    [Callable[[Batch | JoinedBatch], list[Chunk]], Iterable[Batch | JoinedBatch]], Iterable[list[Chunk]]
]
_OF_CONNECTIONS = (
    tables.CONNECTION,
    tables.CONNECTION_CAPTURE,
    tables.SUBFLOW,
    tables.ACK,
    tables.STATE,
    tables.LOSS,
)
_SHORTER = "cannot be read: it became shorter while it was read"
# Rows of the quarantine table that are built at once.
_REFUSALS = 1 << 14


@dataclass
class ParsedInput:
    """One input that was read, or could not be.

    Attributes
    ----------
    path : Path
    capture_id : str
    size_bytes : int
        0 of what is no regular file.
    source : str
        What kind of input it is.
    trace : Trace
        Its counts. Its connections too, unless their rows are in `chunks`.
    chunks : list of Chunk
        Its rows; none where its rows are on disk.
    unreadable : bool
        It could not be read at all, which counts as one refused record.
    """

    path: Path
    capture_id: str
    size_bytes: int
    source: str
    trace: Trace
    chunks: list[Chunk] = field(default_factory=list)
    unreadable: bool = False

    def named(self, dataset: str) -> Iterator[Named]:
        """Yield its connections, each with its name in a dataset."""
        for ordinal, connection in enumerate(self.trace.connections):
            yield f"{dataset}/{stem_of(self.path.name)}#{ordinal}", connection


def capture_rows(inputs: Sequence[ParsedInput]) -> Chunk:
    """Return the rows of some inputs in the ``capture`` table."""
    columns = {
        "capture_id": [parsed.capture_id for parsed in inputs],
        "source": [parsed.source for parsed in inputs],
        "name": [parsed.path.name for parsed in inputs],
        "size_bytes": [parsed.size_bytes for parsed in inputs],
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


def _built(batch: Batch | JoinedBatch, captures: Sequence[str]) -> list[Chunk]:
    """Return rows of every table."""
    if isinstance(batch, JoinedBatch):
        columns = batch.columns(captures)
        return [(table.name, table.build(columns[table.name])) for table in _OF_CONNECTIONS]
    named = batch.named
    # First: reading the ACKs of short connections finds the smallest RTT of their subflows too.
    acks = tables.ACK.build(rows_of.ack_columns(batch.pieces))
    return [
        ("connection", tables.CONNECTION.build(rows_of.connection_columns(named))),
        ("connection_capture", tables.CONNECTION_CAPTURE.build(_links(named, captures))),
        ("subflow", tables.SUBFLOW.build(rows_of.subflow_columns(named))),
        ("ack", acks),
        ("state", tables.STATE.build(rows_of.state_columns(named))),
        ("loss", tables.LOSS.build(rows_of.loss_columns(named))),
    ]


def connection_rows(
    connections: Iterable[Named], captures: Sequence[str], build_map: BatchMap = map
) -> Iterator[Chunk]:
    """Return the rows of some connections in all their tables, some at a time.

    Parameters
    ----------
    connections : iterable of Named
    captures : sequence of str
        Identifiers of the inputs, by the numbers in ``Connection.vantages``.
    build_map : callable
        Builds the rows of each batch of connections.

    Returns
    -------
    iterator of Chunk
        Rows of one table, table after table for each batch.
    """
    return itertools.chain.from_iterable(build_map(partial(_built, captures=captures), rows_of.batches(connections)))


def joined_rows(inputs: Sequence[ParsedInput], dataset: str, build_map: BatchMap = map) -> Iterator[Chunk]:
    """Return the rows of the connections of inputs that were joined, some at a time.

    Parameters
    ----------
    inputs : sequence of ParsedInput
        All that :func:`joined` returned.
    dataset : str
        What the names of connections begin with.
    build_map : callable
        Builds the rows of each batch of connections.

    Returns
    -------
    iterator of Chunk
        Rows of one table, table after table for each batch.
    """
    connections = [
        parsed.trace.connections for parsed in inputs if isinstance(parsed.trace.connections, CaptureConnections)
    ]
    batches = joined_captures.batches(connections, [f"{dataset}/{stem_of(parsed.path.name)}#" for parsed in inputs])
    build = partial(_built, captures=[parsed.capture_id for parsed in inputs])
    return itertools.chain.from_iterable(build_map(build, batches))


def refusal_rows(parsed: ParsedInput) -> Iterator[Chunk]:
    """Yield an input's rows in the ``quarantine`` table, some at a time."""
    refusals = iter(parsed.trace.refusals)
    while batch := list(itertools.islice(refusals, _REFUSALS)):
        yield "quarantine", tables.QUARANTINE.build(quarantine_columns(parsed.capture_id, "parse", batch))


def parse_input(
    path: Path, dataset: str, dialect: Dialect, folder: Path, most: Bounds = bounds.DEFAULT
) -> ParsedInput | InputPart:
    """Read one input of a dataset, and build its rows.

    Parameters
    ----------
    path : Path
    dataset : str
        What the names of connections begin with.
    dialect : Dialect
    folder : Path
        Folder for the spool of an input that is to be joined with others.
    most : Bounds

    Returns
    -------
    ParsedInput or InputPart
        The latter of an input that is to be joined with others: :func:`joined` goes on with it.
    """
    size = size_bytes(path) or 0
    result = formats.read_alone(path, dialect, folder, most)
    if isinstance(result, InputPart):
        if result.recorded.size_bytes >= size:
            return result
        result.recorded.spool.unlink()
        result = Read(path, result.source, UnreadableInputError(path, 0, _SHORTER))
    outcome = result.outcome
    try:
        identifier = capture_id(path)
        before, size = size, size_bytes(path) or 0
        if size < before:
            raise UnreadableInputError(path, 0, _SHORTER)
    except UnreadableInputError as gone:
        # The file has changed since it was read, if it could be read.
        identifier = capture_id_by_name(path)
        outcome = outcome if isinstance(outcome, UnreadableInputError) else gone
    if isinstance(outcome, UnreadableInputError):
        trace = Trace(records_in=1, refusals=[Refusal(outcome.offset, UNREADABLE, outcome.why, b"")])
        parsed = ParsedInput(path, identifier, size, result.source, trace, unreadable=True)
    else:
        parsed = ParsedInput(path, identifier, size, result.source, outcome)
    parsed.chunks = [
        *connection_rows(parsed.named(dataset), [identifier]),
        capture_rows([parsed]),
        *refusal_rows(parsed),
    ]
    # The rows are in the chunks: they need not travel twice.
    parsed.trace.connections = []
    return parsed


def joined(parts: Sequence[InputPart], most: Bounds = bounds.DEFAULT) -> list[ParsedInput]:
    """Return inputs that were waiting to be joined; their rows are on disk until they are asked for."""
    return [
        ParsedInput(part.path, part.recorded.capture_id, part.recorded.size_bytes, part.source, trace)
        for part, trace in zip(parts, formats.joined(parts, most), strict=True)
    ]
