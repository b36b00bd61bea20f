"""One input read outside the pipeline: its connections, their signals and their windows, as the stages make them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from features.pair import PairWindow, pair_windows
from features.reading import Reading
from features.series import signals_of
from features.window import Rejected
from traces import connection as rows_of
from traces import tables
from traces.connection import Connection
from traces.dialect import Dialect
from traces.formats import format_of, stem_of
from traces.trace import Trace


@dataclass(frozen=True)
class Recording:
    """One input.

    Attributes
    ----------
    path : Path
    source : str
        What kind of input it is.
    trace : Trace
        What it holds.
    """

    path: Path
    source: str
    trace: Trace

    def connections(self) -> Iterator[tuple[str, Connection]]:
        """Yield each connection with its name: the input's, and its number in it."""
        stem = stem_of(self.path.name)
        for ordinal, connection in enumerate(self.trace.connections):
            yield f"{stem}#{ordinal}", connection


@dataclass(frozen=True)
class Pair:
    """Two subflows of a connection: the windows there are, and those that were looked for in vain."""

    subflow_a: int
    subflow_b: int
    windows: list[PairWindow]
    rejected: list[Rejected]


def read(path: Path, dialect: Dialect) -> Recording:
    """Read an input, whatever kind it is.

    Raises
    ------
    CaptureError
        If it cannot be read as a whole.
    """
    one = format_of(path)
    return Recording(path, one.source, one.read(path, dialect))


def pairs(connection: Connection, rule: str, reading: Reading) -> list[Pair]:
    """Return every pair of a connection's subflows with its windows.

    Parameters
    ----------
    connection : Connection
    rule : str
        How windows are placed.
    reading : Reading
    """
    acks = tables.ACK.build(rows_of.ack_columns("", connection))
    states = tables.STATE.build(rows_of.state_columns("", connection))
    signals = {
        subflow.subflow_id: signals_of(
            acks,
            states,
            subflow.subflow_id,
            reading,
            on_wifi=None if subflow.path is None else subflow.path == "wifi",
        )
        for subflow in connection.ordered()
    }
    _, end_ns = connection.span_ns()
    return [
        Pair(a, b, *pair_windows(signals[a], signals[b], end_ns, [rule], reading))
        for a, b in itertools.combinations(signals, 2)
    ]
