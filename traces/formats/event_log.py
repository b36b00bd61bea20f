"""Event lines: what the simulator writes, and a kernel log after its prefixes.

One line is one record of the five fields of SmartSBD's Fig. 1::

    <ns> C=<token, hex> SF=<n> V=<RTT|SRTT|CA|ACK|UNA|DUP|LOSS|RTX|ECE|OWD|DACK|GROUP> <value>

``ACK`` carries the cumulatively acknowledged bytes (``UNA``: ``snd_una`` itself, 32 bits), ``DUP`` the bytes a
duplicate ACK SACKed first, ``RTT`` and ``OWD`` microseconds, ``SRTT`` the smoothed RTT, ``CA`` the congestion state,
``LOSS`` the segments marked lost on entering the current state, ``RTX`` segments sent again, ``ECE`` 1, ``DACK``
data-level bytes, ``GROUP`` the number of the group that the sender couples the subflow in from then on (no table
holds it, and it is counted). RTT, SRTT, OWD, ECE and DACK belong to the ACK of the same subflow and time; without one
they make a row of their own, whose acknowledged bytes are those known so far.

A kernel log has ``smartsbd:`` and a space before each record, after whatever prefix the log is kept with, or after the
rest of a line that was cut; lines without it are not ours, and counted. A bare log, the simulator's, has nothing but
records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from pathlib import Path

from smartsbd.contracts.fault import printable
from smartsbd.native import log_reading
from smartsbd.traces import bounds, stored, unread_content
from smartsbd.traces.assembly import OUT_OF_RANGE, Assembly, Event, Refused, event_kinds
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.dialect import OURS, TIME_UNITS_NS, VALUE_KINDS, Dialect, LinePattern
from smartsbd.traces.formats import kernel_log, line_runs
from smartsbd.traces.quarantine import RAW_BYTES, Refusal, UnreadableInputError
from smartsbd.traces.trace import Trace

SOURCE = "event_log"

#: A longer line is refused without being held in memory whole.
MAX_LINE_BYTES = 1 << 14

MALFORMED = "not an event line"
NO_TIME = "neither the record nor its line's prefix has a time of microseconds"
BROKEN_JSON = "a broken journal entry"
_TOO_LONG = "longer than allowed"
_NO_START = "its start is cut off"
_NO_END = "its end may be cut off"

_BARE = re.compile(rb"(\d{1,18}) C=([0-9a-f]{1,8}) SF=(\d{1,4}) V=([A-Z]{1,8}) (\d{1,18})\r?")
_BEGINS_BARE = re.compile(rb"^\d{1,18} C=[0-9a-f]{1,8} SF=\d{1,4} V=", re.MULTILINE)
#: What is left of a record of ours whose marker was cut off.
_REMAINS = re.compile(rb"C=[0-9a-f]{1,8} SF=\d{1,4} V=[A-Z]")
# Of a number in a record: what an int64 holds.
_MAX_NUMBER = 2**63 - 1
_MAX_DIGITS = 18
_MAX_SUBFLOW = 9999
_MAX_TOKEN = 2**32 - 1


class _Records:
    """Takes in records of a log, many at once where they are known to be good.

    Parameters
    ----------
    most : Bounds
    reader : log_reading.EventLines or None
        None if every line is to be looked at by itself.
    """

    def __init__(self, most: Bounds, reader: log_reading.EventLines | None) -> None:
        self.trace = Trace()
        self._assembly = Assembly(most)
        self._reader = reader
        self._sequence: int | None = None

    def lines_left(self, path: Path) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that are to be looked at."""
        reader = self._reader
        if reader is None:
            return stored.lines(path, MAX_LINE_BYTES)

        def take(content: bytes, start: int, end: int) -> int:
            return self._assembly.take_run(reader, content, start, end)

        return line_runs.left(path, MAX_LINE_BYTES, take)

    def accept(self, time_ns: int, token: int | None, subflow_id: int, events: Sequence[Event]) -> Refused | None:
        """Take in one record, as :meth:`smartsbd.traces.assembly.Assembly.accept` does."""
        known = len(self._assembly)
        refused = self._assembly.accept(time_ns, token, subflow_id, events, token=token)
        if self._reader is not None and token is not None and len(self._assembly) > known:
            self._reader.learn(token, subflow_id, known)
        return refused

    def missing_before(self, sequence: int) -> int:
        """Take the number of a message in /dev/kmsg; return how many are missing before it."""
        last = self._sequence
        if isinstance(self._reader, log_reading.KernelLines):
            last, self._reader.sequence = self._reader.sequence, sequence
        self._sequence = sequence
        return 0 if last is None else max(0, sequence - last - 1)

    def finish(self) -> Trace:
        """Return what was taken in; records that no table holds became part of nothing."""
        trace, unused = self.trace, self._assembly.unused
        if self._reader is not None:
            unused.update(self._reader.unused)
            trace.records_in += self._reader.records
            trace.records_out += self._reader.records
            trace.other_lines += self._reader.other_lines
        trace.connections = self._assembly.finish()
        trace.unused += unused
        trace.records_out -= unused.total()
        return trace


def _read_bare_log(path: Path, most: Bounds) -> Trace:
    """Read a log of records and nothing else."""
    records = _Records(most, log_reading.EventLines(event_kinds()))
    trace = records.trace
    for offset, line in records.lines_left(path):
        trace.records_in += 1
        match = _BARE.fullmatch(line)
        if match is None:
            detail = f"{len(line)} bytes" if len(line) <= MAX_LINE_BYTES else _TOO_LONG
            refused: Refused | None = (MALFORMED, detail)
        else:
            refused = records.accept(int(match[1]), int(match[2], 16), int(match[3]), ((match[4], int(match[5])),))
        if refused is None:
            trace.records_out += 1
        else:
            trace.refuse(path, Refusal(offset, *refused, line[:64]))
    return records.finish()


def _number(text: bytes, scale: int) -> int | None:
    """Return a number times `scale`, truncated; None if it is none or no int64."""
    if b"_" in text:  # Python's own: 1_000
        return None
    try:
        if text.isdigit() and len(text) <= _MAX_DIGITS:
            return int(text) * scale
        if text[:2] in {b"0x", b"0X"}:
            number = Decimal(int(text, 16) * scale) if len(text) <= _MAX_DIGITS else Decimal("inf")
        else:
            number = Decimal(text.decode("ascii")) * scale
        return int(number) if abs(number) <= _MAX_NUMBER else None
    except (ValueError, DecimalException, OverflowError):
        return None


def _record_time_ns(match: re.Match[bytes], printed_ns: int | None) -> int | Refused | None:
    for group, unit_ns in TIME_UNITS_NS.items():
        if group in match.re.groupindex and match[group] is not None:
            time_ns = _number(match[group], unit_ns)
            if time_ns is None:
                return OUT_OF_RANGE, f"{group} {match[group].decode('ascii', 'replace')}"
            return time_ns
    return printed_ns


def _record_events(match: re.Match[bytes]) -> list[Event] | Refused:
    fields: list[tuple[bytes, bytes, int]] = []
    for group, text in match.groupdict().items():
        if text is None:
            continue
        if group == "kind":
            fields.append((text, match["value"] or b"", 1))
        elif group in VALUE_KINDS:
            fields.append((VALUE_KINDS[group], text, 1000 if group == "rtt_ms" else 1))
    events = []
    # The order of the kinds: an ACK before what belongs to it, a state before its losses.
    order = {kind: place for place, kind in enumerate(VALUE_KINDS.values())}
    for kind, text, scale in sorted(fields, key=lambda kind_and_text: order.get(kind_and_text[0], 0)):
        value = _number(text, scale)
        if value is None:
            return OUT_OF_RANGE, f"{kind.decode('ascii', 'replace')} {text.decode('ascii', 'replace')} is no number"
        events.append((kind, value))
    return events or (MALFORMED, "no value")


def _identity(match: re.Match[bytes]) -> tuple[int | None, int] | Refused:
    """Return token and subflow of a record."""
    groups = match.groupdict()
    if b"_" in (groups.get("token") or b"") + (groups.get("subflow") or b""):
        return MALFORMED, "token or subflow is no number"
    try:
        token = int(groups["token"], 16) if groups.get("token") else None
        subflow_id = int(groups["subflow"]) if groups.get("subflow") else 0
    except ValueError:
        return MALFORMED, "token or subflow is no number"
    if not 0 <= subflow_id <= _MAX_SUBFLOW or not 0 <= (token or 0) <= _MAX_TOKEN:
        return OUT_OF_RANGE, "token or subflow"
    return token, subflow_id


def _accept_match(records: _Records, match: re.Match[bytes], printed_ns: int | None) -> Refused | None:
    time_ns = _record_time_ns(match, printed_ns)
    if time_ns is None:
        return NO_TIME, ""
    identity, events = _identity(match), _record_events(match)
    if isinstance(time_ns, tuple):
        return time_ns
    if isinstance(events, tuple):
        return events
    if isinstance(identity[0], str):
        return identity[0], str(identity[1])
    return records.accept(time_ns, identity[0], int(identity[1]), events)


@dataclass(frozen=True)
class _Record:
    """What may be a record in a message: where it is, what stands before it, and which of its ends is cut off."""

    at: int
    before: bytes
    text: bytes
    cut: str = ""


def _records(text: bytes, marker: bytes, remains: re.Pattern[bytes] | None, *, cut: bool) -> Iterator[_Record]:
    """Yield the records of a message whose end is cut off or not.

    One message can hold several: a console writes into a line that another has begun.
    """
    first, *rest = text.split(marker) if marker else [b"", text]
    if remains is not None and remains.search(first):
        yield _Record(0, b"", first, _NO_START)
    at, before = len(first), first
    for place, piece in enumerate(rest, 1):
        yield _Record(at, before, piece, _NO_END if cut or place < len(rest) else "")
        at, before = at + len(marker) + len(piece), piece


def _read_kernel_log(path: Path, pattern: LinePattern, most: Bounds) -> Trace:
    """Read a log in which records stand among other lines."""
    reader = log_reading.KernelLines(event_kinds(), MAX_LINE_BYTES) if pattern == OURS else None
    taken = _Records(most, reader)
    trace = taken.trace
    marker, expression = pattern.marker.encode(), pattern.compiled()
    remains = _REMAINS if pattern == OURS else None
    for offset, line in taken.lines_left(path):
        message = kernel_log.message_of(line)
        if message is None:
            # Part of an entry that was cut, or text that begins with a brace.
            if marker and marker not in line and len(line) <= MAX_LINE_BYTES:
                trace.other_lines += 1
            else:
                trace.records_in += 1
                trace.refuse(path, Refusal(offset, BROKEN_JSON, f"{len(line)} bytes", line[:64]))
            continue
        if message.sequence is not None:
            jumped_over = taken.missing_before(message.sequence)
            trace.gaps += jumped_over > 0
            trace.messages_lost += jumped_over
        overlong = len(line) > MAX_LINE_BYTES
        records = list(_records(message.text, marker, remains, cut=overlong))
        if overlong and not records:
            # What the rest holds is not known.
            trace.records_in += 1
            trace.refuse(path, Refusal(offset, MALFORMED, _TOO_LONG, line[:RAW_BYTES]))
            continue
        # Old kernels print how many were dropped before the next record, in its line.
        missing = kernel_log.lost(records[0].before if records else message.text)
        trace.gaps += missing is not None
        trace.messages_lost += missing or 0
        trace.other_lines += not records
        prefixed = bool(marker) and message.text == line
        printed_ns = None if prefixed else message.time_ns
        # Where the message begins; in a journal entry its text is not the line's, but no longer.
        start = len(line) - len(message.text) if message.text and line.endswith(message.text) else 0
        for record in records:
            trace.records_in += 1
            prefix_ns = kernel_log.last_time_ns(record.before) if prefixed else None
            printed_ns = printed_ns if prefix_ns is None else prefix_ns
            match = None if record.cut == _NO_START else expression.match(record.text)
            if match is None or (record.cut and match.end() == len(record.text)):
                refused: Refused | None = (MALFORMED, record.cut or f"{len(record.text)} bytes")
            else:
                refused = _accept_match(taken, match, printed_ns)
            if refused is None:
                trace.records_out += 1
            else:
                raw = record.text if record.cut == _NO_START else marker + record.text
                reason, detail = refused
                trace.refuse(path, Refusal(offset + start + record.at, reason, printable(detail), raw[:RAW_BYTES]))
    return taken.finish()


def is_bare(head: bytes) -> bool:
    """Tell by its first bytes whether a log holds nothing but records of ours, without the marker."""
    return OURS.marker.encode() not in head and _BEGINS_BARE.search(head) is not None


def recognises(head: bytes) -> bool:
    """Tell whether an input may be a log: any text may be one, records come when they come."""
    return b"\x00" not in head


def read(path: Path, dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read an event log or a kernel log, plain or compressed.

    Parameters
    ----------
    path : Path
    dialect : Dialect
    most : Bounds
        What is beyond is refused.

    Returns
    -------
    Trace
        Connections, counts and refused lines.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read, or holds no event line. Refused lines do not raise; they are returned.
    """
    if dialect.line == OURS and is_bare(stored.head(path)):
        return _read_bare_log(path, most)
    trace = _read_kernel_log(path, dialect.line, most)
    if not trace.records_in:
        known = unread_content.in_words(stored.head(path))
        raise UnreadableInputError(path, 0, f"no event line among {trace.other_lines} lines: {known}")
    return trace
