"""The events of a qlog as its file has them: in a JSON document, or one record after another.

A document holds traces, each of them an object with a list of ``events``. What else the object holds says how to read
them, and JSON's members have no order: what comes behind the events is known only when they have passed. A sequence
has a header and then an event in each record. A record begins with the sign RS (JSON-SEQ) or on a line of its own
(NDJSON), and may go over several lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from smartsbd.traces import stored
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.formats.json_lists import CUT, TOO_LONG, Element
from smartsbd.traces.quarantine import UnreadableInputError

MALFORMED = "not an event of qlog"

#: Of an event, and of what else an object holds that has a list of events.
_MAX_EVENT_BYTES = 1 << 16
#: Of what is open around a list of events.
_MOST_DEEP = 32
_RECORD = b"\x1e"
_BLANK = b"\xef\xbb\xbf\x1e \t\r\n"
_SIGN = re.compile(rb'["\\\[\]{}\n]')
# A string that is cut off ends with the text.
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.?)*(?:"|\Z)|[\[\]{}]', re.DOTALL)
_EVENTS_KEY = re.compile(rb'"events"\s*:\s*$')
_LISTS = re.compile(rb'"(?:events|traces)"\s*:\s*\[\s*[^\]\s]')
_LIST_KEYS = re.compile(rb'"(?:events|traces)"\s*:\s*\[')
_MARKS = re.compile(
    rb'"(?:qlog_version|qlog_format)"\s*:|"file_schema"\s*:\s*"urn:ietf:params:qlog|"application/qlog\+json'
)
# Versions without other units than ms.
_IN_MS = re.compile(rb'"qlog_version"\s*:\s*"0\.|"file_schema"\s*:')
# Of a document whose version comes last, and of events whose header was left out.
_TRACES = re.compile(rb'"traces"\s*:\s*\[')
_TRACE_MEMBERS = re.compile(rb'"(?:vantage_point|event_fields|events|common_fields)"\s*:\s*[\[{]')
_LONE_EVENT = re.compile(
    rb'\s*\{[^{}\n]{0,256}"name"\s*:\s*"(?:connectivity|transport|quic|recovery|security)::?\w+"', re.IGNORECASE
)
_UNIT = re.compile(rb'"time_units?"\s*:\s*"([^"\n]{0,64})"')
_FIELDS = re.compile(rb'"event_fields"\s*:\s*\[([^\[\]{}]{0,512})\]')
_TIMES = re.compile(rb'"time_format"\s*:\s*"(\w{1,64})"')
_COMMON = re.compile(rb'"common_fields"\s*:\s*\{')
_PATH = re.compile(
    rb'(?:[^{}]|\{[^{}]{0,512}\}){0,2048}?"(?:path_id|path|tuple)"\s*:\s*(?:"([^"\\]{1,64})"|([0-9]{1,9})\b)'
)
_QUOTED = ' "\r\n\t'
# How many are open when the outermost object is.
_ROOT = 2
# An event is no header.
_EVENT_KEYS = re.compile(rb'"(?:time|data)"\s*:')
_BETWEEN = b"[], \t\r\n"
#: Times that count from the event before.
DELTAS = {"delta", "relative_to_previous_event"}


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is a qlog."""
    text = head.lstrip(_BLANK)
    if text[:1] != b"{":
        return False
    if _MARKS.search(text) or _LONE_EVENT.match(text):
        return True
    return _TRACES.search(text) is not None and _TRACE_MEMBERS.search(text) is not None


@dataclass(frozen=True)
class TraceHeader:
    """What a trace says of its events; what it does not say is None.

    Attributes
    ----------
    unit : str or None
        Of times, in small letters; empty if it may be in a part of the header that is too long, or cut off.
    fields : tuple of str or None
        Names of the places of an event that is an array.
    is_delta : bool or None
        Whether times count from the event before.
    path : str or None
        Of events that have none.
    """

    unit: str | None = None
    fields: tuple[str, ...] | None = None
    is_delta: bool | None = None
    path: str | None = None

    @classmethod
    def of(cls, text: bytes | bytearray, *, is_cut: bool) -> TraceHeader:
        """Return what the text of an object says."""
        unit, names, times, common = (sign.search(text) for sign in (_UNIT, _FIELDS, _TIMES, _COMMON))
        path = _PATH.match(text, common.end()) if common else None
        return cls(
            unit=unit[1].decode("utf-8", "replace").lower() if unit else "" if is_cut else None,
            fields=tuple(name.strip(_QUOTED).lower() for name in names[1].decode("utf-8", "replace").split(","))
            if names
            else None,
            is_delta=times[1].decode("ascii", "replace").lower() in DELTAS if times else None,
            path=(path[1] or path[2]).decode("utf-8", "replace") if path else None,
        )

    def over(self, other: TraceHeader) -> TraceHeader:
        """Return what this header says, and what the other one says where it says nothing."""
        return TraceHeader(
            unit=other.unit if self.unit is None else self.unit,
            fields=other.fields if self.fields is None else self.fields,
            is_delta=other.is_delta if self.is_delta is None else self.is_delta,
            path=other.path if self.path is None else self.path,
        )


_NOTHING = TraceHeader()


@dataclass
class _Open:
    """An object or a list that is open, outside of a list of events, and the text in it."""

    text: bytearray = field(default_factory=bytearray)
    is_cut: bool = False
    #: Numbers of the lists of events in it.
    lists: list[int] = field(default_factory=list)
    _taken_bytes: int = 0
    _read_bytes: int = -1
    _header: TraceHeader = _NOTHING

    def take(self, text: bytes | bytearray) -> None:
        """Keep the end of what it holds."""
        self._taken_bytes += len(text)
        self.text += text
        if len(self.text) > _MAX_EVENT_BYTES:
            self.is_cut = True
            del self.text[:-_MAX_EVENT_BYTES]

    def header(self) -> TraceHeader:
        """Return what it says so far."""
        if self._read_bytes != self._taken_bytes:
            self._read_bytes, self._header = self._taken_bytes, TraceHeader.of(self.text, is_cut=self.is_cut)
        return self._header


class Document:
    """Cuts the events out of a JSON document as it comes, holding no more than one.

    A string ends at a line's end, where JSON has none: what is broken there does not take the rest with it.

    Parameters
    ----------
    path : Path
    most : Bounds
    headers : sequence of TraceHeader, optional
        Of each list of events, from an earlier reading; without it, what comes before a list is its header.
    """

    def __init__(self, path: Path, most: Bounds, headers: Sequence[TraceHeader] | None = None) -> None:
        self._path = path
        self._most = most
        self._known = headers
        #: Of each list of events, with what comes behind it once :meth:`records` has ended.
        self.headers: list[TraceHeader] = []
        #: Whether what comes behind a list of events says something else than what comes before it.
        self.says_more = False
        self._is_cut = False
        self._depth = 0
        # What is not in any object, and what is open from there on, as far as it is followed.
        self._open = [_Open()]
        # What the object of each list of events says, of those in the outermost object that is open.
        self._own: dict[int, TraceHeader] = {}
        # Depth within the list of events that is open; 0 outside of one.
        self._list_depth = 0
        self._in_string = False
        self._escaped_at = -1
        self._kept = bytearray()
        self._kept_from = 0
        self._is_long = False

    def records(self) -> Iterator[Element | TraceHeader]:
        """Yield the events, and a header before each list of them.

        Yields
        ------
        Element or TraceHeader

        Raises
        ------
        UnreadableInputError
            If the file cannot be read, or holds more lists of events than connections may be.
        """
        at = 0
        for block in stored.blocks(self._path):
            yield from self._feed(block, at)
            at += len(block)
        if self._list_depth and self._depth > self._list_depth:
            yield self._element(CUT)
        elif self._list_depth:
            yield from self._between()
        self._is_cut = len(self._open) >= _ROOT
        while len(self._open) >= _ROOT:
            self._close()

    def _feed(self, block: bytes, at: int) -> Iterator[Element | TraceHeader]:
        """Yield what ends in a block, which begins at `at`."""
        done = 0
        for match in _SIGN.finditer(block):
            place, sign = match.start(), match[0]
            if at + place == self._escaped_at:
                continue
            if self._in_string:
                if sign == b"\\":
                    self._escaped_at = at + place + 1
                elif sign in b'"\n':
                    self._in_string = False
                continue
            if sign == b'"':
                self._in_string = True
            elif sign in b"[{":
                self._keep(block[done:place])
                done = place
                yield from self._open_bracket(sign, at + place)
            elif sign in b"]}":
                self._keep(block[done : place + 1])
                done = place + 1
                yield from self._close_bracket(at + done)
        self._keep(block[done:])

    def _open_bracket(self, sign: bytes, offset: int) -> Iterator[Element | TraceHeader]:
        """Take what opens at an offset; yield what lies before it in a list of events, or the header of a new one."""
        if self._list_depth:
            if self._depth == self._list_depth:
                yield from self._between()
                self._begin(offset)
        elif sign == b"[" and self._depth < len(self._open) and self._is_events():
            yield self._header(offset)
            self._list_depth = self._depth + 1
            self._begin(offset)
        elif self._depth + 1 == len(self._open) <= _MOST_DEEP:
            self._open.append(_Open())
        self._depth += 1

    def _close_bracket(self, offset: int) -> Iterator[Element]:
        """Take what closes before an offset; yield the event that it ends."""
        if not self._list_depth and self._depth and self._depth + 1 == len(self._open):
            self._close()
        self._depth = max(0, self._depth - 1)
        if self._list_depth and self._depth == self._list_depth:
            yield self._element()
            self._begin(offset)
        elif self._list_depth and self._depth < self._list_depth:
            yield from self._between()
            self._list_depth = 0
            self._kept.clear()
            self._open[-1].take(b"[]")

    def _is_events(self) -> bool:
        """Tell whether what opens is the value of ``events`` of what is open."""
        return _EVENTS_KEY.search(self._open[-1].text[-64:]) is not None

    def _header(self, offset: int) -> TraceHeader:
        """Return the header of a list that begins."""
        number = len(self.headers)
        if number == self._most.connections:
            raise UnreadableInputError(self._path, offset, f"holds more than {number:,} traces of qlog")
        innermost = self._open[-1]
        is_in_object = len(self._open) >= _ROOT
        # Objects have one list of events. What others say is read when the object closes.
        first = next(iter(innermost.lists), None)
        own = innermost.header() if first is None else self._own.get(first, self.headers[first])
        header = own.over(self._open[1].header()) if is_in_object else own
        # Equal ones are one object: there may be many.
        self.headers.append(self.headers[-1] if self.headers and self.headers[-1] == header else header)
        innermost.lists.append(number)
        if is_in_object:
            self._own[number] = own
        return header if self._known is None else self._known[number]

    def _close(self) -> None:
        """Close the innermost of what is open; what it says of the lists of events in it is complete."""
        closed = self._open[-1]
        if closed.lists:
            self._own |= dict.fromkeys(closed.lists, closed.header())
        if len(self._open) == _ROOT and self._own:
            outer = closed.header()
            for number, own in self._own.items():
                header = own.over(outer)
                if self._is_cut and header.unit is None and not _IN_MS.search(closed.text):
                    header = replace(header, unit="")
                if self.headers[number] != header:
                    self.headers[number], self.says_more = header, True
            self._own.clear()
        del self._open[-1]
        if not closed.lists:
            self._open[-1].take(closed.text)

    def _begin(self, offset: int) -> None:
        self._kept.clear()
        self._kept_from, self._is_long = offset, False

    def _keep(self, text: bytes) -> None:
        if not self._list_depth:
            self._open[-1].take(text)
            return
        self._kept += text
        if len(self._kept) > _MAX_EVENT_BYTES:
            self._is_long = True
            del self._kept[_MAX_EVENT_BYTES:]

    def _element(self, refused: str = "") -> Element:
        return Element(self._kept_from, bytes(self._kept), refused or (TOO_LONG if self._is_long else ""))

    def _between(self) -> Iterator[Element]:
        """Yield what lies between two events and is none, as one that is refused."""
        if self._kept.strip(_BETWEEN):
            yield self._element(MALFORMED)


def _pieces(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, text) of what ends with a line's end or where a record begins: the latter begins with its sign.

    Of a longer piece only its first bytes come, one more than an event may have.
    """
    offset, rest, skipped = 0, b"", 0
    for block in stored.blocks(path):
        pieces = (rest + block.replace(_RECORD, b"\n" + _RECORD)).split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            # No line's end was there.
            offset -= piece[:1] == _RECORD
            yield offset, piece[: _MAX_EVENT_BYTES + 1]
            offset += len(piece) + skipped + 1
            skipped = 0
        if len(rest) > _MAX_EVENT_BYTES:
            skipped += len(rest) - _MAX_EVENT_BYTES - 1
            rest = rest[: _MAX_EVENT_BYTES + 1]
    if rest:
        yield offset - (rest[:1] == _RECORD), rest


def _brackets(text: bytes) -> int:
    """Return how many more brackets open than close in a text, those in strings aside."""
    opening, closing = text.count(b"{") + text.count(b"["), text.count(b"}") + text.count(b"]")
    if opening == closing:
        return 0
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        sign = match[0]
        depth += 1 if sign in {b"{", b"["} else -1 if sign in {b"}", b"]"} else 0
    return depth


class _Sequence:
    """Puts records together that go over several lines.

    A record without RS ends where a line begins with a bracket, too: what is broken does not take the next with it.
    """

    def __init__(self) -> None:
        self._kept = bytearray()
        self._kept_from = 0
        self._depth = 0
        self._is_long = False
        self._is_open = False
        self._has_sign = False

    def take(self, offset: int, piece: bytes) -> Iterator[Element]:
        """Yield the records that a further piece ends."""
        has_sign, text = piece[:1] == _RECORD, piece.strip(_BLANK)
        if has_sign or (self._is_open and not self._has_sign and piece[:1] in {b"{", b"["}):
            yield from self.rest(MALFORMED)
        if not text and not has_sign:
            return
        if not self._is_open:
            self._kept.clear()
            self._kept_from, self._depth, self._has_sign = offset, 0, has_sign
            self._is_open, self._is_long = True, False
        self._kept += text if not self._kept else b"\n" + text
        self._depth += _brackets(text)
        if len(piece) > _MAX_EVENT_BYTES or len(self._kept) > _MAX_EVENT_BYTES:
            self._is_long = True
            del self._kept[_MAX_EVENT_BYTES:]
        # After a sign alone, the record is in the lines that follow.
        if self._kept and self._depth <= 0:
            yield from self.rest("")

    def rest(self, refused: str) -> Iterator[Element]:
        """Yield the record that is open, if one is."""
        if self._is_open and self._kept:
            refused = TOO_LONG if self._is_long else refused
            yield Element(self._kept_from, bytes(self._kept), refused)
        self._is_open = False


def in_sequence(path: Path) -> Iterator[Element | TraceHeader]:
    """Yield the events of a sequence, and each header.

    Yields
    ------
    Element or TraceHeader

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    """
    sequence = _Sequence()
    for offset, piece in _pieces(path):
        for element in sequence.take(offset, piece):
            yield _header_or_event(element)
    for element in sequence.rest(CUT):
        yield _header_or_event(element)


def _header_or_event(element: Element) -> Element | TraceHeader:
    text = element.text
    if b"qlog" in text and _MARKS.search(text) and not _EVENT_KEYS.search(text):
        return TraceHeader.of(text, is_cut=element.refused == TOO_LONG)
    return element


def _first_record(text: bytes) -> tuple[bytes, bool]:
    """Return the first object of a text, as far as it is there, and whether it is all there."""
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        sign = match[0]
        depth += 1 if sign in {b"{", b"["} else -1 if sign in {b"}", b"]"} else 0
        if not depth:
            return text[: match.end()], True
    return text, False


def is_document(head: bytes) -> bool:
    """Tell by its first bytes whether a qlog is a document: its first object holds traces or events."""
    first, is_whole = _first_record(head.lstrip(_BLANK))
    is_whole |= head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_RECORD)
    return (_LISTS if is_whole else _LIST_KEYS).search(first) is not None or (not is_whole and b'"trace"' not in first)
