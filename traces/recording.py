"""Inputs read outside the pipeline, and the connections they hold."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from smartsbd.contracts.fault import InputFault, UsageFault
from smartsbd.traces import bounds, formats
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Connection, Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import stem_of
from smartsbd.traces.formats.capture import ELSEWHERE
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

#: Stands for standard input among the inputs of a command.
STANDARD_INPUT = Path("-")
#: Help text for the inputs of a command.
INPUTS = "log of a sender, capture of packets or table of RTTs, plain or compressed; - is standard input"
#: Units of RTTs in a table whose columns do not name one, and the help text for them.
RTT_UNITS = ("s", "ms", "us", "ns")
UNIT = "unit of RTTs in a table whose columns do not name it, such as rtt, or a column for each path"


class NoStandardInputError(UsageFault):
    """Standard input is to be read, and there is none."""


class TooManyPathsError(UsageFault):
    """Inputs with more subflows together than a connection may have."""


class NoPartnerError(InputFault):
    """A capture and a log that do not hold the same connection."""


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


def read_all(
    paths: Sequence[Path], dialect: Dialect, most: Bounds = bounds.DEFAULT
) -> Iterator[Recording | UnreadableInputError]:
    """Yield every input, of any kind, or why it cannot be read; inputs of one connection are read together.

    Parameters
    ----------
    paths : sequence of Path
        ``-`` stands for standard input.
    dialect : Dialect
    most : Bounds

    Yields
    ------
    Recording or UnreadableInputError
        One for each path, in order.
    """
    with _stored(paths) as places:
        for path, result in zip(places, formats.read(list(places.values()), dialect, most), strict=True):
            if isinstance(result.outcome, UnreadableInputError):
                yield UnreadableInputError(path, result.outcome.offset, result.outcome.why)
            else:
                yield Recording(path, result.source, result.outcome)


def as_one(inputs: Sequence[Recording], most: Bounds = bounds.DEFAULT) -> list[Recording]:
    """Return inputs that are all of one connection: the first that has any subflow has all of them, numbered anew.

    Parameters
    ----------
    inputs : sequence of Recording
    most : Bounds

    Returns
    -------
    list of Recording
        One for each input; at most one of them has a connection.

    Raises
    ------
    TooManyPathsError
        If they have more subflows than a connection may have.
    """
    whole = Connection(token=None, vantages={}, states_inferred=False)
    first: int | None = None
    for place, recording in enumerate(inputs):
        for _, connection in recording.connections():
            first = place if first is None else first
            whole.states_inferred |= connection.states_inferred
            for vantage in connection.vantages.values():
                whole.vantages[len(whole.vantages)] = vantage
            for subflow in connection.ordered():
                number = len(whole.subflows)
                if number == most.subflows:
                    raise TooManyPathsError(
                        f"{recording.path}: more than {most.subflows} subflows are no one connection"
                    )
                whole.subflows[number] = replace(
                    subflow, subflow_id=number, name=_path_name(subflow, recording.path, several=len(inputs) > 1)
                )
    held = [[whole] if place == first else [] for place in range(len(inputs))]
    return [
        replace(recording, trace=replace(recording.trace, connections=connections))
        for recording, connections in zip(inputs, held, strict=True)
    ]


def _path_name(subflow: Subflow, path: Path, *, several: bool) -> str | None:
    """Return the name of a path of a connection that one input or several hold."""
    if not several:
        return subflow.name
    stem = stem_of(path.name)
    # Ports tell the flows of one capture from each other.
    return f"{stem} {subflow.name}" if subflow.packets is not None and subflow.name else subflow.name or stem


def read(path: Path, dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Recording:
    """Read one input, whatever kind it is.

    Parameters
    ----------
    path : Path
    dialect : Dialect
    most : Bounds
        What is beyond is refused.

    Returns
    -------
    Recording
        Its kind, and what it holds.

    Raises
    ------
    UnreadableInputError
        If it cannot be read as a whole.
    """
    input_format = formats.format_of(path)
    return Recording(path, input_format.source, input_format.read(path, dialect, most))


def only_connection(paths: Sequence[Path], dialect: Dialect) -> Connection:
    """Return the only connection that some inputs hold together.

    Returns
    -------
    Connection
        With its subflows from all inputs.

    Raises
    ------
    UnreadableInputError
        If one of them cannot be read.
    NoPartnerError
        If they hold none, or several.
    """
    connections: list[Connection] = []
    for outcome in read_all(paths, dialect):
        if isinstance(outcome, UnreadableInputError):
            raise outcome
        connections += outcome.trace.connections
    if len(connections) != 1:
        raise NoPartnerError(f"{paths[0]}: {len(connections)} connections in {len(paths)} inputs, must be one")
    return connections[0]
