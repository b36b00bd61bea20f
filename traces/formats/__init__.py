"""The kinds of input and the parser of each. A new parser is one module and one line here.

The content of an input decides, not its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from smartsbd.traces import bounds, stored, unread_content
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import (
    capture,
    event_log,
    fping_log,
    iperf3_log,
    irtt_log,
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
PARSER_VERSION = "8"
#: Source of an input whose content no parser knows.
UNKNOWN = "unknown"

_COMPRESSIONS = {".gz", ".bz2", ".xz", ".zst", ".zip"}


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
        Tells from an input's first (decompressed) bytes whether it is of this kind.
    read : callable
        Reads it, within bounds; raises UnreadableInputError if the file as a whole cannot be read.
    joint : Joint or None
        None: a connection is in one input.
    """

    source: str
    recognises: Callable[[bytes], bool]
    read: Callable[[Path, Dialect, Bounds], Trace]
    joint: Joint | None = None


#: In the order in which they are asked; any text may be a log, so logs come last.
FORMATS = (
    Format(capture.SOURCE, capture.recognises, capture.read, Joint(record, capture.join)),
    Format(state_log.SOURCE, state_log.recognises, state_log.read),
    Format(rtt_table.SOURCE, rtt_table.recognises, rtt_table.read),
    Format(packet_table.SOURCE, packet_table.recognises, packet_table.read),
    Format(qlog.SOURCE, qlog.recognises, qlog.read),
    Format(tcp_probe.SOURCE, tcp_probe.recognises, tcp_probe.read),
    Format(socket_stats.SOURCE, socket_stats.recognises, socket_stats.read),
    Format(fping_log.SOURCE, fping_log.recognises, fping_log.read),
    Format(irtt_log.SOURCE, irtt_log.recognises, irtt_log.read),
    Format(iperf3_log.SOURCE, iperf3_log.recognises, iperf3_log.read),
    Format(ping_log.SOURCE, ping_log.recognises, ping_log.read),
    Format(event_log.SOURCE, event_log.recognises, event_log.read),
)


def format_of(path: Path) -> Format:
    """Return the format of an input.

    Returns
    -------
    Format
        The first one that recognises the content.

    Raises
    ------
    UnreadableInputError
        If the input is empty or of no known kind.
    """
    head = stored.head(path)
    if not head:
        raise UnreadableInputError(path, 0, "is empty")
    for input_format in FORMATS:
        if input_format.recognises(head):
            return input_format
    raise UnreadableInputError(path, 0, f"no parser knows this content: {unread_content.in_words(head)}")


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

    Returns
    -------
    Read or InputPart
        The latter of an input that is to be joined with others.
    """
    source = UNKNOWN
    try:
        input_format = format_of(path)
        source = input_format.source
        if input_format.joint is not None:
            return InputPart(path, source, input_format.joint.record(path, folder, most))
        return Read(path, source, input_format.read(path, dialect, most))
    except UnreadableInputError as error:
        # Without its frames, which hold blocks of the input.
        return Read(path, source, UnreadableInputError(error.path, error.offset, error.why))


def joined(parts: Sequence[InputPart], most: Bounds = bounds.DEFAULT) -> list[Trace]:
    """Return the traces of inputs that may have connections in common, in the order given.

    The numbers in ``Connection.vantages`` count the inputs of one kind, in this order.

    Returns
    -------
    list of Trace
        One for each input.
    """
    traces_by_path: dict[Path, Trace] = {}
    for input_format in FORMATS:
        format_parts = [part for part in parts if part.source == input_format.source]
        if input_format.joint is not None and format_parts:
            traces = input_format.joint.join([part.recorded for part in format_parts], most)
            traces_by_path |= zip((part.path for part in format_parts), traces, strict=True)
    return [traces_by_path[part.path] for part in parts]


def read(paths: Sequence[Path], dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Iterator[Read]:
    """Yield inputs, in the order given; those that may have connections in common are read together.

    Parameters
    ----------
    paths : sequence of Path
    dialect : Dialect
    most : Bounds

    Yields
    ------
    Read
        Kind and outcome of each input.
    """
    with TemporaryDirectory(prefix="sbd-") as name:
        folder = Path(name)
        alone = [read_alone(path, dialect, folder, most) for path in paths if is_joint(path)]
        parts = [result for result in alone if isinstance(result, InputPart)]
        results = {result.path: result for result in alone if isinstance(result, Read)}
        for part, trace in zip(parts, joined(parts, most), strict=True):
            results[part.path] = Read(part.path, part.source, trace)
        for path in paths:
            if path in results:
                yield results.pop(path)
                continue
            result = read_alone(path, dialect, folder, most)
            yield Read(path, result.source, joined([result], most)[0]) if isinstance(result, InputPart) else result


def is_joint(path: Path) -> bool:
    """Tell whether an input may have connections in common with others."""
    try:
        return format_of(path).joint is not None
    except UnreadableInputError:
        return False


def stem_of(name: str) -> str:
    """Return an input's name without the suffixes of compression and kind.

    Returns
    -------
    str
        What the input's connections are named after.

    Examples
    --------
    >>> stem_of("2023.01.log.zst"), stem_of("101.state.csv.zst")
    ('2023.01', '101.state')
    """
    path = Path(name)
    plain = path.with_suffix("") if path.suffix in _COMPRESSIONS else path
    return plain.stem
