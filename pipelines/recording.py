"""Inputs read outside the pipeline: connections, their signals and their windows, as the stages make them."""

from __future__ import annotations

import itertools
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from features.pair import PairWindow, pair_windows
from features.reading import Reading
from features.series import SubflowSignals, signals_of
from features.window import Rejected
from traces import connection as rows_of
from traces import formats, tables
from traces.capture import ELSEWHERE
from traces.connection import Connection
from traces.dialect import Dialect
from traces.fault import UsageFault
from traces.formats import stem_of
from traces.quarantine import CaptureError
from traces.trace import Trace

#: Stands for standard input among the inputs of a command.
STANDARD_INPUT = Path("-")
#: What a command says of its inputs.
INPUTS = "log of a sender or capture of packets, plain or compressed; - is standard input"


class NoStandardInputError(UsageFault):
    """Standard input is to be read, and there is none."""


@dataclass(frozen=True)
class Recording:
    """One input.

    Attributes
    ----------
    path : Path
    source : str
        What kind of input it is.
    trace : Trace
        What it holds; a connection that goes over several inputs is in the one with its first subflow.
    """

    path: Path
    source: str
    trace: Trace

    def is_part(self) -> bool:
        """Tell whether it holds subflows, all of connections that other inputs begin or have too."""
        return not self.trace.connections and bool(self.trace.records_out or self.trace.unused[ELSEWHERE])

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


@contextmanager
def _stored(paths: Sequence[Path]) -> Iterator[dict[Path, Path]]:
    """Yield where each input lies: standard input, which is read once, in a file while this lasts."""
    with tempfile.TemporaryDirectory(prefix="sbd-") as folder:
        places = {path: path for path in paths}
        if STANDARD_INPUT in places:
            places[STANDARD_INPUT] = Path(folder) / "standard input"
            if sys.stdin is None:
                raise NoStandardInputError("standard input is closed")
            with places[STANDARD_INPUT].open("wb") as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy)
        yield places


def read_all(paths: Sequence[Path], dialect: Dialect) -> Iterator[Recording | CaptureError]:
    """Yield every input read, or why it cannot be, whatever kind it is; those of one connection together.

    Parameters
    ----------
    paths : sequence of Path
        ``-`` stands for standard input.
    dialect : Dialect
    """
    with _stored(paths) as places:
        for path, one in zip(places, formats.read(list(places.values()), dialect), strict=True):
            if isinstance(one.outcome, CaptureError):
                yield CaptureError(path, one.outcome.offset, one.outcome.why)
            else:
                yield Recording(path, one.source, one.outcome)


def read(path: Path, dialect: Dialect) -> Recording:
    """Read one input, whatever kind it is.

    Raises
    ------
    CaptureError
        If it cannot be read as a whole.
    """
    one = formats.format_of(path)
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
    found = signals(connection, reading)
    _, end_ns = connection.span_ns()
    return [
        Pair(a, b, *pair_windows(found[a], found[b], end_ns, [rule], reading))
        for a, b in itertools.combinations(found, 2)
    ]


def rows(connection: Connection) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Return the rows of a connection in the ``ack``, ``state`` and ``loss`` tables."""
    acks = tables.ACK.build(rows_of.ack_columns(list(rows_of.ack_pieces("", connection))))
    states = tables.STATE.build(rows_of.state_columns([("", connection)]))
    return acks, states, tables.LOSS.build(rows_of.loss_columns([("", connection)]))


def signals(connection: Connection, reading: Reading) -> dict[int, SubflowSignals]:
    """Return the signals of a connection's subflows, by number.

    Parameters
    ----------
    connection : Connection
    reading : Reading
    """
    acks, states, _ = rows(connection)
    return {
        subflow.subflow_id: signals_of(
            acks,
            states,
            subflow.subflow_id,
            reading,
            on_wifi=None if subflow.path is None else subflow.path == "wifi",
        )
        for subflow in connection.ordered()
    }
