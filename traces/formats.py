"""The kinds of input and the parser of each. A new parser is one module and one line here.

What an input is, its content says, not its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from traces import capture, event_log, socket_stats, state_log, stored, tcp_probe
from traces.dialect import Dialect
from traces.quarantine import CaptureError
from traces.trace import Trace

#: Version written into the ``capture`` table; raised when a parser's result changes.
PARSER_VERSION = "3"
#: Source of an input that nothing knows.
UNKNOWN = "unknown"

_COMPRESSIONS = {".gz", ".xz", ".zst"}


@dataclass(frozen=True)
class Joint:
    """How inputs are read whose connections may have subflows in more than one of them.

    Attributes
    ----------
    tokens : callable
        Tells the MPTCP tokens in an input: those with one in common are read together.
    read : callable
        Reads them, one trace an input.
    """

    tokens: Callable[[Path], set[int]]
    read: Callable[[Sequence[Path]], list[Trace]]


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
        Reads it; raises CaptureError if the file as a whole cannot be read.
    joint : Joint or None
        None: a connection is in one input.
    """

    source: str
    recognises: Callable[[bytes], bool]
    read: Callable[[Path, Dialect], Trace]
    joint: Joint | None = None


#: In the order they are asked; any text may be a log, so that comes last.
FORMATS = (
    Format(capture.SOURCE, capture.recognises, capture.read, Joint(capture.tokens, capture.read_together)),
    Format(state_log.SOURCE, state_log.recognises, state_log.read),
    Format(tcp_probe.SOURCE, tcp_probe.recognises, tcp_probe.read),
    Format(socket_stats.SOURCE, socket_stats.recognises, socket_stats.read),
    Format(event_log.SOURCE, event_log.recognises, event_log.read),
)


def format_of(path: Path) -> Format:
    """Return the format of an input.

    Raises
    ------
    CaptureError
        If the input is empty or of no known kind.
    """
    head = stored.head(path)
    if not head:
        raise CaptureError(path, 0, "is empty")
    for one in FORMATS:
        if one.recognises(head):
            return one
    raise CaptureError(path, 0, f"no parser knows this content; known are {[one.source for one in FORMATS]}")


def together(paths: Sequence[Path]) -> list[list[Path]]:
    """Return inputs in the groups they are to be read in, in order of the first of each.

    An input that cannot be read stands alone: whoever reads it will say why.
    """
    groups: list[list[Path]] = []
    by_token: dict[int, list[Path]] = {}
    for path in paths:
        found = _tokens(path) if len(paths) > 1 else set()
        joined = [path]
        for group in {id(by_token[token]): by_token[token] for token in found if token in by_token}.values():
            joined = group + joined
            groups.remove(group)
            found |= {token for token, own in by_token.items() if own is group}
        groups.append(joined)
        by_token.update(dict.fromkeys(found, joined))
    order = {path: number for number, path in enumerate(paths)}
    return sorted((sorted(group, key=order.__getitem__) for group in groups), key=lambda group: order[group[0]])


def _tokens(path: Path) -> set[int]:
    try:
        one = format_of(path)
        return set() if one.joint is None else one.joint.tokens(path)
    except CaptureError:
        return set()


@dataclass(frozen=True)
class Read:
    """One input of a group.

    Attributes
    ----------
    path : Path
    source : str
        What kind of input it is, ``unknown`` where nothing knows it.
    outcome : Trace or CaptureError
        What it holds, or why it cannot be read.
    """

    path: Path
    source: str
    outcome: Trace | CaptureError


def read(group: Sequence[Path], dialect: Dialect) -> list[Read]:
    """Read inputs that :func:`together` put into one group; one that cannot be read does not keep the others from it.

    Returns
    -------
    list of Read
        In the order given. The numbers in ``Connection.vantages`` count those that could be read.
    """
    unreadable: dict[Path, Read] = {}
    traces: dict[Path, Trace] = {}
    source = UNKNOWN
    while readable := [path for path in group if path not in unreadable]:
        try:
            one = format_of(readable[0])
            source = one.source
            if one.joint is not None:
                traces = dict(zip(readable, one.joint.read(readable), strict=True))
            else:
                traces = {path: one.read(path, dialect) for path in readable}
            break
        except CaptureError as error:
            unreadable[error.path] = Read(error.path, source, error)
    return [unreadable.get(path) or Read(path, source, traces[path]) for path in group]


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
