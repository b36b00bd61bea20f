"""The kinds of input and the parser of each. A new parser is one module and one line here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from traces import event_log
from traces.quarantine import CaptureError

#: Version written into the ``capture`` table; raised when a parser's result changes.
PARSER_VERSION = "1"

#: Suffix of the input's name without its compression, to (source, parser).
FORMATS: dict[str, tuple[str, Callable[[Path], event_log.EventLog]]] = {
    ".log": (event_log.SOURCE, event_log.read),
}

_COMPRESSIONS = {".gz", ".xz", ".zst"}


def format_of(path: Path) -> tuple[str, str, Callable[[Path], event_log.EventLog]]:
    """Return (source, name without its suffixes, parser) for an input by its name.

    Raises
    ------
    CaptureError
        If no parser is registered for the name.

    Examples
    --------
    >>> format_of(Path("2023.01.log.zst"))[:2]
    ('event_log', '2023.01')
    """
    plain = path.with_suffix("") if path.suffix in _COMPRESSIONS else path
    if plain.suffix not in FORMATS:
        known = f"known are {sorted(FORMATS)} and these with {sorted(_COMPRESSIONS)}"
        raise CaptureError(path, 0, f"no parser for this name; {known}")
    source, read = FORMATS[plain.suffix]
    return source, plain.stem, read
