"""How much inputs hold, counted: of each, and of all."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.recording import Recording


@dataclass(frozen=True)
class InputCounts:
    """One input.

    ``records_in == records_out + sum(unused.values()) + sum(refused.values())``; those of a capture are its packets.

    Attributes
    ----------
    input : str
    source : str or None
        What kind of input it is; None if it cannot be read.
    unreadable : str or None
        Why it cannot be read.
    connections, subflows : int
        A connection that goes over several inputs counts in the one with its first subflow.
    records_in, records_out : int
        Records read, and records that became part of a connection.
    unused, refused : mapping of str to int
        The other records: good ones by kind, refused ones by reason.
    """

    input: str
    source: str | None = None
    unreadable: str | None = None
    connections: int = 0
    subflows: int = 0
    records_in: int = 0
    records_out: int = 0
    unused: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class TotalCounts:
    """All inputs together: each is of one source, or cannot be read for one reason.

    Attributes
    ----------
    inputs : int
        ``inputs == sum(sources.values()) + sum(unreadable.values())``
    sources, unreadable : Counter of str
        Inputs by kind, and those that cannot be read by the reason.
    connections, subflows, records_in, records_out : int
    unused, refused : Counter of str
    """

    inputs: int
    sources: Counter[str]
    unreadable: Counter[str]
    connections: int
    subflows: int
    records_in: int
    records_out: int
    unused: Counter[str]
    refused: Counter[str]


def counted(outcome: Recording | UnreadableInputError) -> InputCounts:
    """Count what an input holds."""
    if isinstance(outcome, UnreadableInputError):
        return InputCounts(str(outcome.path), unreadable=outcome.placed())
    trace = outcome.trace
    subflows = [len(connection.subflows) for connection in trace.connections]
    return InputCounts(
        input=str(outcome.path),
        source=outcome.source,
        connections=len(subflows),
        subflows=sum(subflows),
        records_in=trace.records_in,
        records_out=trace.records_out,
        unused=dict(sorted(trace.unused.items())),
        refused=trace.refused(),
    )


def total(counts: Sequence[InputCounts]) -> TotalCounts:
    """Add up the counts of inputs.

    Returns
    -------
    TotalCounts
        Sums, and the numbers of inputs by source and by the reason why they cannot be read.

    Examples
    --------
    >>> read = InputCounts("a.log", "event_log", None, 1, 2, 9, 8, {}, {"not an event line": 1})
    >>> totals = total([read, read, InputCounts("b.log", unreadable="is empty")])
    >>> totals.inputs, dict(totals.sources), dict(totals.unreadable), totals.subflows, dict(totals.refused)
    (3, {'event_log': 2}, {'is empty': 1}, 4, {'not an event line': 2})
    """
    unused: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for input_counts in counts:
        unused.update(input_counts.unused)
        refused.update(input_counts.refused)
    return TotalCounts(
        inputs=len(counts),
        sources=Counter(input_counts.source for input_counts in counts if input_counts.source is not None),
        unreadable=Counter(input_counts.unreadable for input_counts in counts if input_counts.unreadable is not None),
        connections=sum(input_counts.connections for input_counts in counts),
        subflows=sum(input_counts.subflows for input_counts in counts),
        records_in=sum(input_counts.records_in for input_counts in counts),
        records_out=sum(input_counts.records_out for input_counts in counts),
        unused=unused,
        refused=refused,
    )


def _raise(error: OSError) -> None:
    raise error


def files_of(folder: Path) -> list[Path]:
    """Return all that is in a folder and in those below it, sorted; a link to a folder is not followed, but is there.

    A folder without a file stands for itself: it is counted among what cannot be read.

    Returns
    -------
    list of Path
        Paths of files and links; the folder itself if there are none.

    Raises
    ------
    OSError
        If a folder cannot be read.
    """
    paths: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=_raise):
        links = [name for name in folders if Path(place, name).is_symlink()]
        paths += [Path(place, name) for name in (*names, *links)]
    return sorted(paths) or [folder]
