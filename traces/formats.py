"""The kinds of input and the parser of each. A new parser is one module and one line here.

What an input is, its content says, not its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from traces import event_log, socket_stats, state_log, stored, tcp_probe
from traces.dialect import Dialect
from traces.quarantine import CaptureError
from traces.trace import Trace

#: Version written into the ``capture`` table; raised when a parser's result changes.
PARSER_VERSION = "2"

_COMPRESSIONS = {".gz", ".xz", ".zst"}


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
    """

    source: str
    recognises: Callable[[bytes], bool]
    read: Callable[[Path, Dialect], Trace]


#: In the order they are asked; any text may be a log, so that comes last.
FORMATS = (
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
