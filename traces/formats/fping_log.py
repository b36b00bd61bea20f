"""Output of ``fping -D -l``: a path for each target, an RTT sample for each echo that was answered.

A line is ``[<date>] <target> : [<n>], 64 bytes, <ms> ms (...)``. Without ``-D`` a line has no time, and is refused, if
no other program put one before it. With ``-J`` a line is a JSON object that says the same. What fping counts at its end
is no record.
"""

from __future__ import annotations

import re
from pathlib import Path

from smartsbd.traces import bounds, stored
from smartsbd.traces.assembly import Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats.echo_paths import EchoPaths, shown
from smartsbd.traces.formats.json_lists import integer, parsed
from smartsbd.traces.formats.line_dates import LineDate, LineDates
from smartsbd.traces.quarantine import Refusal, UnreadableInputError
from smartsbd.traces.trace import Trace

SOURCE = "fping"

MALFORMED = "not a line of fping's"
NO_TIME = "no time: run fping with -D"
#: Unused.
TIMED_OUT = "timed out"
DUPLICATE = "answered a second time"
#: Why an input is unreadable.
NO_TIMES = "fping's output without times: run fping -D -l -p 10 HOST..., see docs/questions.md"
NO_LINES = "fping's output without a line for each echo: run fping -D -l -p 10 HOST..., see docs/questions.md"
NOTHING_ANSWERED = "fping's output in which no echo is answered: see that the hosts answer, or ping others"

_MAX_LINE_BYTES = 512
_MOST_NUMBERS = 10**9
_TARGET = rb"(?P<target>[^\s:\[\]{}\"][^\s\[\]{}\"]{0,254}(?: \([^\s()]{1,60}\))?) *: "
_ECHO = re.compile(_TARGET + rb"(?P<again>duplicate for )?\[(?:(?P<number>\d{1,9})\], )?")
_RTT = re.compile(rb"\d{1,5} bytes, (?P<ms>\d{1,7})(?:\.(?P<fraction>\d{1,6}))? ms\b")
_JSON_ECHO = re.compile(rb'\{"(?P<kind>resp|timeout)": ?\{')
_BEGINS = re.compile(
    rb"^(?:[^\n]{1,60} )?" + _TARGET + rb"(?:duplicate for )?\[\d{1,9}\], (?:\d{1,5} bytes, |timed out)"
    rb'|^\{"(?:resp|timeout)": ?\{[^\n]{0,100}"host":',
    re.MULTILINE,
)
_OTHER_OUTPUT = re.compile(
    rb"^\S{1,255} +: (?:xmt/rcv/%(?:loss|return) = |(?:(?:\d{1,7}(?:\.\d{1,6})?|-) ){0,99}(?:\d{1,7}(?:\.\d{1,6})?|-)$)"
    rb"|^\S{1,255} is (?:alive|unreachable)(?: \(\S{1,12} ms\))?$",
    re.MULTILINE,
)


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is such output."""
    return _BEGINS.search(head) is not None or _OTHER_OUTPUT.match(head) is not None


def _rtt_us(match: re.Match[bytes]) -> int:
    return int(match["ms"]) * 1000 + int((match["fraction"] or b"").ljust(3, b"0")[:3])


class _FpingLines:
    """Takes lines in."""

    def __init__(self, path: Path, most: Bounds) -> None:
        self.path = path
        self.trace = Trace()
        self._paths = EchoPaths(path, most)
        self._dates = LineDates()
        self._undated = 0

    def take(self, offset: int, line: bytes) -> None:
        """Take a line in."""
        line = line.rstrip(b"\r")
        dated = self._dates.before(line) if len(line) <= _MAX_LINE_BYTES else None
        text = line[dated.end :] if dated else line
        echo, in_json = _ECHO.match(text), _JSON_ECHO.match(text)
        if echo is None and in_json is None:
            self.trace.other_lines += 1
            return
        self.trace.records_in += 1
        unused, refused = "", None
        if len(line) > _MAX_LINE_BYTES:
            refused = MALFORMED, f"{len(line)} bytes"
        elif in_json is not None:
            unused, refused = self._object(text)
        elif echo is not None:
            unused, refused = self._echo(dated, text, echo)
        if refused is not None:
            self.trace.refuse(self.path, Refusal(offset, *refused, line[:64]))
        elif unused:
            self.trace.unused[unused] += 1
        else:
            self.trace.records_out += 1

    def _echo(self, dated: LineDate | None, text: bytes, echo: re.Match[bytes]) -> tuple[str, Refused | None]:
        """Take a line of an echo; return why it is unused, or refused."""
        if echo["number"] is None:
            return "", (MALFORMED, f"{len(text)} bytes")
        if echo["again"]:
            return DUPLICATE, None
        if text.startswith(b"timed out", echo.end()):
            return TIMED_OUT, None
        rtt = _RTT.match(text, echo.end())
        if rtt is None:
            return "", (MALFORMED, f"{len(text)} bytes")
        return "", self._answered(echo["target"], int(echo["number"]), dated, _rtt_us(rtt))

    def _object(self, text: bytes) -> tuple[str, Refused | None]:
        """Take a line of JSON."""
        kind, event = next(iter((parsed(text) or {}).items()), ("", None))
        if kind == "timeout":
            return TIMED_OUT, None
        event = event if isinstance(event, dict) else {}
        host, number, rtt_us = event.get("host"), integer(event.get("seq")), integer(event.get("rtt"), 3)
        if not isinstance(host, str) or not host or number is None or not 0 <= number < _MOST_NUMBERS or rtt_us is None:
            return "", (MALFORMED, f"{len(text)} bytes")
        date = event.get("timestamp")
        dated = self._dates.alone(date.encode(errors="replace")) if isinstance(date, str) else None
        return "", self._answered(host.encode(errors="replace"), number, dated, rtt_us)

    def _answered(self, target: bytes, number: int, dated: LineDate | None, rtt_us: int) -> Refused | None:
        if dated is None:
            self._undated += 1
            return NO_TIME, ""
        name = shown(target)
        return self._paths.answered(target, (name, name), number, dated, rtt_us)

    def finish(self) -> Trace:
        """Return what the input holds.

        Raises
        ------
        UnreadableInputError
            If there is no answer with a time in it.
        """
        if not self.trace.records_out:
            if self._undated:
                raise UnreadableInputError(self.path, 0, NO_TIMES)
            raise UnreadableInputError(self.path, 0, NOTHING_ANSWERED if self.trace.records_in else NO_LINES)
        self._paths.finish(self.trace)
        return self.trace


def read(path: Path, _dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read what fping printed, plain or compressed.

    Parameters
    ----------
    path : Path
    _dialect : Dialect
    most : Bounds
        What is beyond is refused.

    Returns
    -------
    Trace
        One connection, whose subflows are the targets, counts and refused lines.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read, if it holds no answer with a time, or if the answers of two runs to one
        target are mixed in it.
    """
    echoes = _FpingLines(path, most)
    for offset, line in stored.lines(path, _MAX_LINE_BYTES):
        echoes.take(offset, line)
    return echoes.finish()
