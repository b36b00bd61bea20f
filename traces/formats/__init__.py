"""The kinds of input and the parser of each. A new parser is one module and one line here.

The content of an input decides, not its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from smartsbd.traces import bounds, stored
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import (
    capture,
    event_log,
    packet_table,
    ping_log,
    qlog,
    rtt_table,
    socket_stats,
    state_log,
    tcp_probe,
)
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.recorded import Recorded, record
from smartsbd.traces.trace import Trace

#: Version written into the ``capture`` table; raised when a parser's result changes.
PARSER_VERSION = "7"
#: Source of an input that nothing knows.
UNKNOWN = "unknown"

_COMPRESSIONS = {".gz", ".xz", ".zst"}


@dataclass(frozen=True)
class Joint:
    """How inputs are read whose connections may have subflows in more than one of them.

    Attributes
    ----------
    record : callable
        Reads one by itself, within bounds; what it holds goes to a file in a folder.
    join : callable
        Makes the traces of all inputs together, one for each, within bounds.
    """

    record: Callable[[Path, Path, Bounds], Recorded]
    join: Callable[[Sequence[Recorded], Bounds], list[Trace]]


@dataclass(frozen=True)
class Format:
    """One kind of input.

    Attributes
    ----------
    source : str
        Its name in the ``capture`` table.
    recognises : callable
        Tells by an input's first (decompressed) bytes whether it is one.
    read : callable
        Reads it, within bounds; raises UnreadableInputError if the file as a whole cannot be read.
    joint : Joint or None
        None: a connection is in one input.
    """

    source: str
    recognises: Callable[[bytes], bool]
    read: Callable[[Path, Dialect, Bounds], Trace]
    joint: Joint | None = None


#: In the order they are asked; any text may be a log, so that comes last.
FORMATS = (
    Format(capture.SOURCE, capture.recognises, capture.read, Joint(record, capture.join)),
    Format(state_log.SOURCE, state_log.recognises, state_log.read),
    Format(rtt_table.SOURCE, rtt_table.recognises, rtt_table.read),
    Format(packet_table.SOURCE, packet_table.recognises, packet_table.read),
    Format(qlog.SOURCE, qlog.recognises, qlog.read),
    Format(tcp_probe.SOURCE, tcp_probe.recognises, tcp_probe.read),
    Format(socket_stats.SOURCE, socket_stats.recognises, socket_stats.read),
    Format(ping_log.SOURCE, ping_log.recognises, ping_log.read),
    Format(event_log.SOURCE, event_log.recognises, event_log.read),
)


def format_of(path: Path) -> Format:
    """Return the format of an input.

    Raises
    ------
    UnreadableInputError
        If the input is empty or of no known kind.
    """
    head = stored.head(path)
    if not head:
        raise UnreadableInputError(path, 0, "is empty")
    for one in FORMATS:
        if one.recognises(head):
            return one
    raise UnreadableInputError(path, 0, f"no parser knows this content; known are {[one.source for one in FORMATS]}")


@dataclass(frozen=True)
class Read:
    """One input.

    Attributes
    ----------
    path : Path
    source : str
        Kind of the input, ``unknown`` if no parser knows it.
    outcome : Trace or UnreadableInputError
        What it holds, or why it cannot be read.
    """

    path: Path
    source: str
    outcome: Trace | UnreadableInputError


@dataclass(frozen=True)
class InputPart:
    """One input, read by itself, whose connections may have subflows in others: :func:`joined` makes traces of them."""

    path: Path
    source: str
    recorded: Recorded


def read_alone(path: Path, dialect: Dialect, folder: Path, most: Bounds = bounds.DEFAULT) -> Read | InputPart:
    """Read one input, as far as it can be without the others.

    Parameters
    ----------
    path : Path
    dialect : Dialect
    folder : Path
        Folder for the files of those that are to be joined.
    most : Bounds
    """
    source = UNKNOWN
    try:
        one = format_of(path)
        source = one.source
        if one.joint is not None:
            return InputPart(path, source, one.joint.record(path, folder, most))
        return Read(path, source, one.read(path, dialect, most))
    except UnreadableInputError as error:
        return Read(path, source, error)


def joined(parts: Sequence[InputPart], most: Bounds = bounds.DEFAULT) -> list[Trace]:
    """Return the traces of inputs that may have connections in common, in the order given.

    The numbers in ``Connection.vantages`` count the inputs of one kind, in this order.
    """
    found: dict[Path, Trace] = {}
    for one in FORMATS:
        own = [part for part in parts if part.source == one.source]
        if one.joint is not None and own:
            traces = one.joint.join([part.recorded for part in own], most)
            found |= zip((part.path for part in own), traces, strict=True)
    return [found[part.path] for part in parts]


def read(paths: Sequence[Path], dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Iterator[Read]:
    """Yield inputs, in the order given; those that may have connections in common are read together.

    Parameters
    ----------
    paths : sequence of Path
    dialect : Dialect
    most : Bounds
    """
    with TemporaryDirectory(prefix="sbd-") as name:
        folder = Path(name)
        alone = [read_alone(path, dialect, folder, most) for path in paths if is_joint(path)]
        parts = [one for one in alone if isinstance(one, InputPart)]
        found = {one.path: one for one in alone if isinstance(one, Read)}
        for part, trace in zip(parts, joined(parts, most), strict=True):
            found[part.path] = Read(part.path, part.source, trace)
        for path in paths:
            if path in found:
                yield found.pop(path)
                continue
            one = read_alone(path, dialect, folder, most)
            yield Read(path, one.source, joined([one], most)[0]) if isinstance(one, InputPart) else one


def is_joint(path: Path) -> bool:
    """Tell whether an input may have connections in common with others."""
    try:
        return format_of(path).joint is not None
    except UnreadableInputError:
        return False


def stem_of(name: str) -> str:
    """Return an input's name without the suffixes of compression and kind.

    Examples
    --------
    >>> stem_of("2023.01.log.zst"), stem_of("101.state.csv.zst")
    ('2023.01', '101.state')
    """
    path = Path(name)
    plain = path.with_suffix("") if path.suffix in _COMPRESSIONS else path
    return plain.stem
