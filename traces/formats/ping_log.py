r"""Output of ping, whatever its language and system: an RTT sample for each echo that was answered, path by path.

iputils, busybox, macOS, the BSDs and others print a number and an RTT in a line: ``icmp_seq=<n>``, ``icmp_req=<n>`` or
``seq=<n>``, and then ``<word>=<ms> ms``. Windows prints no number, but ``TTL=<n>`` at the end. The time of a line is
that of ``ping -D`` (iputils) or ``--apple-time`` (macOS), or what another program put before it; without one the line
is refused. A date alone in a line is that of the next answer, as where a loop prints the date and pings once. A path is
what one header and one answering address have in common, so two pings in one file are two paths.

Echoes without an answer are counted: those whose number is missing between the first and the last that was answered.
``no answer yet``, which ``ping -O`` prints, is counted apart, as the answer may still come.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from smartsbd.traces import bounds
from smartsbd.traces.assembly import Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import text_lines
from smartsbd.traces.formats.echo_paths import NO_ANSWER, EchoPaths, shown
from smartsbd.traces.formats.line_dates import LineDate, LineDates
from smartsbd.traces.quarantine import Refusal, UnreadableInputError
from smartsbd.traces.trace import Trace

__all__ = ["NO_ANSWER", "SOURCE", "read", "recognises"]

SOURCE = "ping"

MALFORMED = "not a line of ping's"
NO_RTT = "an answer without an RTT: ping with 16 bytes or more (-s)"
OTHER_UNIT = "an RTT that is not in ms"
#: Unused.
NO_ANSWER_YET = "no answer yet"
DUPLICATE = "answered a second time"
ERROR = "an error in place of an answer"
TOO_SHORT = "an RTT below what is printed"
#: Why an input is unreadable that holds no answer.
NOTHING_ANSWERED = "ping's output in which no echo is answered: see that the host answers, or ping another"

_IPUTILS, _BSD, _BUSYBOX, _WINDOWS = "iputils", "macOS or BSD", "busybox", "Windows"
NO_TIME = {
    _IPUTILS: "no time: run ping with -D",
    _BSD: "no time: run ping with --apple-time, or put the time before each line",
    _BUSYBOX: "no time: put the time before each line",
    _WINDOWS: "no time: put the time before each line of Windows' ping",
}
#: How lines get their times. On macOS and the BSDs, -D sets Don't Fragment.
_REMEDY = {
    _IPUTILS: "run ping -D",
    _BSD: "run ping --apple-time on macOS, elsewhere ping HOST | ts '%.s'",
    _BUSYBOX: 'run ping HOST | while read -r l; do read -r t _ < /proc/uptime; echo "$t $l"; done',
    _WINDOWS: "in PowerShell run ping -t HOST | % { \"$(Get-Date -f 'yyyy-MM-ddTHH:mm:ss.fff') $_\" }",
}

_MAX_LINE_BYTES = 512
_NUMBER = re.compile(rb"(?:(?P<icmp>icmp_(?:seq|req))|(?<![\w;])seq)(?:=| (?=\d))(?P<number>\d{1,5}(?!\d))?")
# Milliseconds in any script: other letters than those of ASCII are taken for them, except for a micro sign.
_UNIT = (
    rb"(?P<unit>(?i:m(?:illi)?s(?:ec(?:onds?|s)?)?)(?![\w=])"
    rb"|(?!\xc2?\xb5s|\xce\xbcs)[\x80-\xff][\w\x80-\xff]{0,24}(?! ?[=<]))"
)
_RTT = re.compile(
    rb"(?<![tT][tT][lL])(?<!hlim)(?P<less> ?[=<]{1,2}) ?(?P<ms>\d{1,7})(?:[.,](?P<fraction>\d{1,9}))? ?" + _UNIT
)
_OTHER_UNIT = re.compile(rb"=\d{1,9}(?:[.,]\d{1,9})? ?(?:[\xc2\xce]?[\xb5\xbc]s|[un]s|s)\b")
_WINDOWS_ANSWER = re.compile(
    rb"[=<](?: ?)(?P<ms>\d{1,7}) ?(?:(?i:ms)|[\x80-\xff][\w\x80-\xff]{0,24})(?: +TTL ?= ?\d{1,3}\s*|\s*)$"
)
_V4 = rb"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)"
_V6 = rb"(?<![\w:.])(?=[\da-fA-F:.]*:[\da-fA-F.]*:)[\da-fA-F:]{2,39}(?:\.\d{1,3}){0,3}(?:%[\w.-]{1,16})?"
_ADDRESS = re.compile(rb"(?:" + _V4 + rb"|" + _V6 + rb")")
_ANSWERS_WITH_BYTES = re.compile(rb"(?P<bytes>\d{1,5}) ?[^\d\s=]")
_HEADER = re.compile(rb"PING6?[ (]|Ping \S+ \(")
_WINDOWS_HEADER = re.compile(rb"(?i:ping)")
_SIZE = re.compile(rb"(?<![\w.:])\d{1,5}(?![\w.:])")
_INTERFACE = re.compile(rb"[^\s:]{1,16}(?= ?:)")
_REMARK = re.compile(rb"\((?:[^()]{1,80}!|DUP[^()]{0,20})\)")
# Seconds since something else than 1970, as /proc/uptime and `ts -s '%.s'` count them.
_SECONDS = re.compile(rb"(?P<s>\d{1,9})\.(?P<fraction>\d{1,9})[:,;]?[ \t]+(?=\S)")
_BEGINS = re.compile(
    rb"(?:icmp_seq|icmp_req)[= ]\d|(?<![\w;])seq=\d{1,5} (?:ttl|hlim)=\d"
    rb"|^(?:[^\n]{1,40} )?PING6?[ (][^\n]{1,200}\d"
    rb"|\d{1,3}(?:\.\d{1,3}){3}[^\n]{0,60}[=<] ?\d{1,7} ?[^\d\s=]{1,12} TTL ?= ?\d{1,3}\s*$"
    rb"|^[^\n]{0,60}: [^\n=]{1,24}[=<]\d{1,7} ?ms\s*$",
    re.MULTILINE,
)
# Smaller echoes have no room for a time.
_LEAST_BYTES = 24
_BSD_DIGITS, _BSD_LEAST_MS = 3, 10
# Headers whose ping may have answers yet.
_MOST_HEADERS = 64


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is such output."""
    return _BEGINS.search(text_lines.utf8(head)) is not None


@dataclass(frozen=True)
class _PingHeader:
    """What ping prints first: where it sends to, where from, and the interface, if it was told one."""

    target: bytes
    source: bytes = b""
    interface: bytes = b""

    @classmethod
    def of(cls, text: bytes) -> _PingHeader | None:
        """Return a header, None if the line is none."""
        addresses = list(_ADDRESS.finditer(text))
        if _HEADER.match(text):
            if b" --> " in text:
                return cls(addresses[-1][0], addresses[0][0]) if addresses else None
            if not addresses:
                return cls(b"")
            target = addresses[0]
            in_parentheses = [match for match in addresses if text[match.start() - 1 : match.start()] == b"("]
            target = in_parentheses[0] if in_parentheses else target
            sources = [match for match in addresses if match.start() > target.end()]
            if not sources:
                return cls(target[0])
            named = _INTERFACE.match(text, sources[0].end() + 1)
            return cls(target[0], sources[0][0], named[0] if named else b"")
        if addresses and text.rstrip().endswith(b":") and _WINDOWS_HEADER.search(text):
            # Its statistics begin with a similar line that has no size.
            rest = text[: addresses[0].start()] + text[addresses[0].end() :]
            return cls(addresses[0][0]) if _SIZE.search(rest) else None
        return None


@dataclass(frozen=True)
class _Answer:
    """An answer: what came before the number is where the address is, and what comes behind the RTT are remarks."""

    address: bytes
    number: int | None
    rtt_us: int
    remark: bytes
    system: str


def _address(text: bytes) -> bytes:
    """Return the address in what stands before a number, or the last word of it.

    Examples
    --------
    >>> _address(b"64 bytes from a.example (192.0.2.1): "), _address(b"64 bytes from 2001:db8::1: ")
    (b'192.0.2.1', b'2001:db8::1')
    >>> _address(b"64 bytes from a: ")
    b'a'
    """
    addresses = _ADDRESS.findall(text)
    if addresses:
        last: bytes = addresses[-1]
        return last.removesuffix(b":") if b"%" not in last and not last.endswith(b":::") else last[:-1]
    words = text.split()
    return words[-1].rstrip(b":,") if words else b""


def _rtt_us(match: re.Match[bytes]) -> int:
    fraction = (match.groupdict().get("fraction") or b"").ljust(3, b"0")[:3]
    return int(match["ms"]) * 1000 + int(fraction)


def _answer(text: bytes, mark: re.Match[bytes] | None) -> _Answer | Refused | None:
    """Return the answer in a line without its date, why it is refused, or None if it is none."""
    if mark is None:
        match = _WINDOWS_ANSWER.search(text)
        if match is None or not _ADDRESS.search(text, 0, match.start()):
            return None
        rtt_us = 0 if text[match.start() : match.start() + 1] == b"<" else _rtt_us(match)
        return _Answer(_address(text[: match.start()].rpartition(b": ")[0] + b" "), None, rtt_us, b"", _WINDOWS)
    if mark["number"] is None:
        return MALFORMED, f"{len(text)} bytes"
    rtt = _RTT.search(text, mark.end())
    if rtt is None:
        if _OTHER_UNIT.search(text, mark.end()):
            return OTHER_UNIT, ""
        return None
    system = _IPUTILS if mark["icmp"] else _BUSYBOX
    if mark["icmp"] and len(rtt["fraction"] or b"") == _BSD_DIGITS and int(rtt["ms"]) >= _BSD_LEAST_MS:
        system = _BSD
    rtt_us = 0 if b"<" in rtt["less"] else _rtt_us(rtt)
    remarks = b"".join(_REMARK.findall(text, rtt.end()))
    is_less = b"<" in rtt["less"]
    return _Answer(_address(text[: mark.start()]), int(mark["number"]), 0 if is_less else rtt_us, remarks, system)


class _PingLines:
    """Takes lines in."""

    def __init__(self, path: Path, most: Bounds) -> None:
        self.path = path
        self.trace = Trace()
        self.paths = EchoPaths(path, most)
        self.undated: Counter[str] = Counter()
        self._dates = LineDates()
        # A date alone in a line, until it is used.
        self._alone: LineDate | None = None
        # Headers by where they send to, the path that answers from an address belong to, and headers not used yet.
        self._headers: dict[bytes, _PingHeader] = {}
        self._unused: set[bytes] = set()
        self._headers_in = 0
        self._keys: dict[bytes, tuple[bytes, int]] = {}
        self._header_of: dict[bytes, _PingHeader | None] = {}
        self._only: _PingHeader | None = None
        self._is_bsd = False

    def take(self, offset: int, line: bytes) -> None:
        """Take a line in."""
        line = line.rstrip(b"\r")
        is_long = len(line) > _MAX_LINE_BYTES
        dated = None if is_long else self._dated(line)
        text = line if dated is None else line[dated.end :]
        mark = _NUMBER.search(text)
        answer = _answer(text, mark)
        if answer is None and mark is None:
            self.trace.other_lines += 1
            self._other(line, text)
            return
        self.trace.records_in += 1
        unused, refused = "", None
        if is_long:
            refused = MALFORMED, f"{len(line)} bytes"
        elif isinstance(answer, tuple):
            refused = answer
        elif dated is None and line[:1] == b"[":
            # A date of another form.
            refused = MALFORMED, f"{len(line)} bytes"
        elif answer is not None:
            unused, refused = self._answered(dated, answer)
        elif mark is not None:
            unused, refused = _without_answer(text, mark)
        if refused is not None:
            self.trace.refuse(self.path, Refusal(offset, *refused, line[:64]))
        elif unused:
            self.trace.unused[unused] += 1
        else:
            self.trace.records_out += 1

    def _dated(self, line: bytes) -> LineDate | None:
        dated = self._dates.before(line)
        if dated is None and (match := _SECONDS.match(line)):
            time_ns = int(match["s"]) * 1_000_000_000 + int(match["fraction"].ljust(9, b"0"))
            return LineDate(time_ns, 10 ** (9 - len(match["fraction"])), match.end())
        return dated

    def _other(self, line: bytes, text: bytes) -> None:
        """Take what is no record: a header, a date alone, or another line."""
        header = _PingHeader.of(text) if len(line) <= _MAX_LINE_BYTES else None
        if header is not None:
            self._is_bsd |= b"(" not in text.partition(b")")[2] and text.rstrip().endswith(b"data bytes")
            self._headers_in += 1
            self._only = header if self._headers_in == 1 else None
            if header.target in self._headers or len(self._headers) < _MOST_HEADERS:
                self._headers[header.target] = header
                self._unused.add(header.target)
            return
        alone = self._dates.alone(line)
        if alone is not None:
            self._alone = alone

    def _key(self, address: bytes, time_ns: int) -> tuple[tuple[bytes, int], _PingHeader | None]:
        """Return what distinguishes the path of an answer from others, and the header of its ping."""
        key = self._keys.get(address, (address, 0))
        if address not in self._unused:
            return key, self._header_of.get(address)
        header = self._headers[address]
        if key not in self.paths:
            return key, header
        if header == self._header_of.get(address) and time_ns >= self.paths.last_ns(key):
            # The same ping, begun again.
            self.paths.begin_again(key)
            return key, header
        return (address, key[1] + 1), header

    def _answered(self, dated: LineDate | None, answer: _Answer) -> tuple[str, Refused | None]:
        """Take an answer; return why it is unused, or refused."""
        if not answer.rtt_us and answer.system == _WINDOWS:
            return TOO_SHORT, None
        if b"DUP" in answer.remark:
            return DUPLICATE, None
        if dated is None and self._alone is not None:
            # When ping was started.
            since = self._alone
            dated = LineDate(since.time_ns + 1000 * answer.rtt_us, since.resolution_ns, since.end)
        self._alone = None
        if dated is None:
            system = _BSD if self._is_bsd and answer.system == _IPUTILS else answer.system
            self.undated[system] += 1
            return "", (NO_TIME[system], "")
        key, header = self._key(answer.address, dated.time_ns)
        if answer.remark and answer.number is not None and self.paths.was_answered(key, answer.number):
            # In other languages, too.
            return DUPLICATE, None
        header = header or (self._only if not self._header_of else None)
        name = shown(header.interface) if header and header.interface else None
        alone_name = shown((header.source if header else b"") or answer.address) or None
        refused = self.paths.answered(key, (name, alone_name), answer.number, dated, answer.rtt_us)
        if refused is None:
            self._keys[answer.address], self._header_of[answer.address] = key, header
            self._unused.discard(answer.address)
        return "", refused

    def finish(self) -> Trace:
        """Return what the input holds.

        Raises
        ------
        UnreadableInputError
            If there is no answer in it, or none with a time.
        """
        if not self.trace.records_out:
            raise UnreadableInputError(self.path, 0, self._why_nothing())
        self.paths.finish(self.trace)
        return self.trace

    def _why_nothing(self) -> str:
        if self.undated:
            ((system, _),) = self.undated.most_common(1)
            total = self.undated.total()
            return (
                f"ping's output of {system} without times that are read ({total:,} answers): {_REMEDY[system]};"
                " see docs/questions.md"
            )
        refused = self.trace.refused()
        if refused or self.trace.unused[TOO_SHORT]:
            why = refused or {TOO_SHORT: self.trace.unused[TOO_SHORT]}
            reasons = ", ".join(f"{count} {reason}" for reason, count in why.items())
            return f"ping's output in which no line is an answer with time and RTT: {reasons}; see docs/questions.md"
        return NOTHING_ANSWERED


def _without_answer(text: bytes, mark: re.Match[bytes]) -> tuple[str, Refused | None]:
    """Tell what a line with a number and without an RTT is."""
    size = _ANSWERS_WITH_BYTES.match(text)
    if size:
        is_small = int(size["bytes"]) < _LEAST_BYTES and text.rstrip()[-1:].isdigit()
        return "", (NO_RTT if is_small else MALFORMED, f"{len(text)} bytes")
    if text.startswith(b"From ") or _ADDRESS.search(text, 0, mark.start()):
        return ERROR, None
    if b"=" in text[mark.end() :] or text[:1] == b"[":
        return "", (MALFORMED, f"{len(text)} bytes")
    return NO_ANSWER_YET, None


def read(path: Path, _dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read what ping printed, plain or compressed.

    Parameters
    ----------
    path : Path
    _dialect : Dialect
    most : Bounds
        What is beyond is refused.

    Returns
    -------
    Trace
        One connection, whose subflows are the paths, counts and refused lines.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read, if it holds no answer with a time and an RTT, or if the answers of two
        pings to one address are mixed in it.
    """
    pings = _PingLines(path, most)
    for offset, line in text_lines.lines(path, _MAX_LINE_BYTES):
        pings.take(offset, line)
    return pings.finish()
