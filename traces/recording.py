"""Inputs read outside the pipeline, and the connections they hold."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from smartsbd.contracts.fault import InputFault, UsageFault
from smartsbd.traces import bounds, formats
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Connection
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import stem_of
from smartsbd.traces.formats.capture import ELSEWHERE
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace
from smartsbd.traces.unread_content import PAGE

#: Stands for standard input among the inputs of a command.
STANDARD_INPUT = Path("-")
#: What is said of an input of which nothing was taken.
NO_CONNECTION = "no connection"
#: Of docs/questions.md, where it is told how to record each kind.
_SECTIONS = {
    "pcap": "packets-at-the-sender",
    "socket_stats": "ss",
    "ping": "ping",
    "fping": "ping",
    "irtt": "ping",
    "iperf3": "what-you-have-what-is-read",
    "tcp_probe": "tcp_probe",
    "rtt_table": "a-table-of-rtts",
    "packet_table": "tsharks-fields",
    "qlog": "qlog",
}
#: Help text for the inputs of a command.
INPUTS = "log of a sender, capture of packets or table of RTTs, plain or compressed; - is standard input"


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

    def why_nothing(self) -> str:
        """Return why no connection was taken of it: what became of its records, and where it is told what to record.

        Returns
        -------
        str
            Empty if a connection was taken, or its subflows are of connections in other inputs.

        Examples
        --------
        >>> trace = Trace(records_in=60, unused=Counter({"not IP": 60}))
        >>> Recording(Path("a.pcap"), "pcap", trace).why_nothing()
        'no connection: of 60 records nothing was taken: not IP 60 (docs/questions.md#packets-at-the-sender)'
        """
        trace = self.trace
        if trace.connections or self.is_part():
            return ""
        counts = trace.unused + Counter(trace.refused())
        listed = ", ".join(f"{reason} {count:,}" for reason, count in counts.most_common())
        section = f"#{_SECTIONS[self.source]}" if self.source in _SECTIONS else ""
        why = f"of {trace.records_in:,} records nothing was taken: {listed}" if listed else "it holds no record"
        return f"{NO_CONNECTION}: {why} ({PAGE}{section})"

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
                name = subflow.name or (stem_of(recording.path.name) if len(inputs) > 1 else None)
                whole.subflows[number] = replace(subflow, subflow_id=number, name=name)
    held = [[whole] if place == first else [] for place in range(len(inputs))]
    return [
        replace(recording, trace=replace(recording.trace, connections=connections))
        for recording, connections in zip(inputs, held, strict=True)
    ]


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
