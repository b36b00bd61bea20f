"""A log of event lines that grows: its RTT samples as they come, from standard input or a file."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from smartsbd.contracts import regular_file
from smartsbd.contracts.fault import InputFault, printable
from smartsbd.traces.assembly import LIMITS, MAX_TIME_NS, OUT_OF_RANGE, UNKNOWN_KIND, UNUSED
from smartsbd.traces.formats.event_log import MALFORMED, MAX_LINE_BYTES

STANDARD_INPUT = Path("-")
_MARKER = b"smartsbd: "
_RECORD = re.compile(rb"(\d{1,18}) C=([0-9a-f]{1,8}) SF=(\d{1,4}) V=([A-Z]{1,8}) (\d{1,18})\s*")
_BEGINS = re.compile(rb"\d{1,18} C=")
_PAUSE_S = 0.1


class GrowingLogError(InputFault):
    """The file cannot be read, or became shorter."""


class Sample(NamedTuple):
    """An RTT sample."""

    time_ns: int
    token: int
    subflow_id: int
    rtt_us: int


def sample_of(line: bytes, counts: Counter[str]) -> Sample | None:
    """Return the RTT sample of a line, None if it has none; lines without a sample are counted by reason.

    Returns
    -------
    Sample or None

    Examples
    --------
    >>> counts = Counter()
    >>> sample_of(b"smartsbd: 5 C=1a SF=2 V=RTT 900", counts)
    Sample(time_ns=5, token=26, subflow_id=2, rtt_us=900)
    >>> for line in (b"# a comment", b"6 C=1a SF=2 V=UNA 7", b"6 C=1a SF=2 V=RT"):
    ...     sample_of(line, counts)
    >>> dict(counts)
    {'other lines': 1, 'other kinds': 1, 'not an event line': 1}
    """
    _, marker, text = line.rpartition(_MARKER)
    record = _RECORD.fullmatch(text) if len(line) <= MAX_LINE_BYTES else None
    if record is None:
        is_record = marker or _BEGINS.match(text) or len(line) > MAX_LINE_BYTES
        counts[MALFORMED if is_record else "other lines"] += 1
        return None
    kind, value, time_ns = record[4], int(record[5]), int(record[1])
    limits = LIMITS.get(kind) or UNUSED.get(kind)
    if limits is None:
        counts[UNKNOWN_KIND] += 1
    elif not limits[0] <= value <= limits[1] or time_ns > MAX_TIME_NS:
        counts[OUT_OF_RANGE] += 1
    elif kind != b"RTT":
        counts["other kinds"] += 1
    else:
        return Sample(time_ns, int(record[2], 16), int(record[3]), value)
    return None


def _stream_lines(stream: IO[bytes]) -> Iterator[bytes]:
    while line := stream.readline(MAX_LINE_BYTES + 1):
        yield line
        while line and not line.endswith(b"\n"):
            # A line that is too long is one line, and is not held whole.
            line = stream.readline(MAX_LINE_BYTES + 1)


def _file_lines(path: Path) -> Iterator[bytes]:
    with regular_file.opened(path) as stream:
        kept = b""
        while True:
            piece = stream.readline(MAX_LINE_BYTES + 1)
            if not piece:
                if path.stat().st_size < stream.tell():
                    raise GrowingLogError(f"{printable(str(path))}: became shorter")
                time.sleep(_PAUSE_S)
                continue
            # The writer may be in the middle of a line.
            kept = (kept + piece)[: MAX_LINE_BYTES + 1]
            if piece.endswith(b"\n"):
                yield kept
                kept = b""


def lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of standard input until it ends, or of a file without end, as they come.

    Parameters
    ----------
    path : Path
        ``-`` is standard input.

    Yields
    ------
    bytes
        A line with its end, of at most :data:`~smartsbd.traces.formats.event_log.MAX_LINE_BYTES` and one byte.

    Raises
    ------
    NoRegularFileError
        If it is a pipe, a device or a folder.
    GrowingLogError
        If it cannot be read, or becomes shorter.
    """
    if path == STANDARD_INPUT:
        yield from _stream_lines(sys.stdin.buffer)
        return
    try:
        yield from _file_lines(path)
    except OSError as error:
        raise GrowingLogError(f"{printable(str(path))}: cannot be read: {error.strerror}") from error
