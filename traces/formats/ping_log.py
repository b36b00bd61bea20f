"""Output of iputils' ``ping -D``: one path, an RTT sample for each echo that was answered.

A line is ``[<seconds since 1970>] 64 bytes from <address>: icmp_seq=<n> ttl=<n> time=<ms> ms``. Without ``-D`` a line
has no time, and is refused. Echoes without an answer are counted: those whose number is missing between the first and
the last that was answered. ``no answer yet``, which ``ping -O`` prints, is counted apart, as the answer may still come.
"""

from __future__ import annotations

import re
from pathlib import Path

from smartsbd.traces import bounds, stored
from smartsbd.traces.assembly import Assembly, Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.quarantine import Refusal
from smartsbd.traces.trace import Trace

SOURCE = "ping"

MALFORMED = "not a line of ping's"
NO_TIME = "no time: run ping with -D"
#: Unused.
NO_ANSWER_YET = "no answer yet"
DUPLICATE = "answered a second time"
ERROR = "an error in place of an answer"
#: Among the signals.
NO_ANSWER = "echo without an answer"

_MAX_LINE_BYTES = 512
_STAMP = rb"(?:\[(?P<s>\d{1,10})\.(?P<fraction>\d{1,9})\] )?"
_ANSWER = re.compile(
    _STAMP + rb"\d{1,5} bytes from [^\n]{1,200}: icmp_seq=(?P<number>\d{1,5})(?: ttl=\d{1,3})?"
    rb" time=(?P<ms>\d{1,7})(?:\.(?P<ms_fraction>\d{1,3}))? ms(?P<rest>.{0,200})"
)
_WAITING = re.compile(_STAMP + rb"no answer yet for icmp_seq=\d{1,5}\s*")
_ERROR = re.compile(_STAMP + rb"From [^\n]{1,200} icmp_seq=\d{1,5} .{1,200}")
_MARK = b" icmp_seq="
_BEGINS = re.compile(rb"^" + _STAMP + rb"(?:\d{1,5} bytes from |From |no answer yet for icmp_seq=\d)", re.MULTILINE)
_INTERFACE = re.compile(rb"PING .{1,300} from \S{1,60} (?P<interface>[^\s:]{1,16}): .{0,100}")
# The number has 16 bits, and begins anew.
_WRAP = 1 << 16


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is such output."""
    return (_MARK in head and _BEGINS.search(head) is not None) or head.startswith(b"PING ")


class _Echoes:
    """Counts echoes that were answered, and those between them that were not."""

    def __init__(self) -> None:
        self._first: int | None = None
        self._last = 0
        self._answered = 0

    def answered(self, number: int) -> None:
        if self._first is None:
            self._first = self._last = number
        elif number < self._last - _WRAP // 2:
            number += (self._last - number + _WRAP // 2) // _WRAP * _WRAP
        self._first = min(self._first, number)
        self._last = max(self._last, number)
        self._answered += 1

    def missing(self) -> int:
        return 0 if self._first is None else max(0, self._last - self._first + 1 - self._answered)


def _take(assembly: Assembly, match: re.Match[bytes]) -> Refused | None:
    if match["s"] is None:
        return NO_TIME, ""
    time_ns = int(match["s"]) * 1_000_000_000 + int(match["fraction"].ljust(9, b"0"))
    rtt_us = int(match["ms"]) * 1000 + int((match["ms_fraction"] or b"").ljust(3, b"0"))
    return assembly.accept(time_ns, None, 0, [(b"RTT", rtt_us)])


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
        One connection of one subflow, counts and refused lines.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read.
    """
    assembly, trace, echoes = Assembly(most), Trace(), _Echoes()
    interface: str | None = None
    for offset, line in stored.lines(path, _MAX_LINE_BYTES):
        if b"icmp_seq=" not in line:
            # What ping prints first and last.
            trace.other_lines += 1
            named = _INTERFACE.fullmatch(line)
            interface = interface or (named["interface"].decode("ascii", "replace") if named else None)
            continue
        trace.records_in += 1
        match = _ANSWER.fullmatch(line) if len(line) <= _MAX_LINE_BYTES else None
        if match is None:
            unused = next(
                (why for form, why in ((_WAITING, NO_ANSWER_YET), (_ERROR, ERROR)) if form.fullmatch(line)), ""
            )
            refused: Refused | None = None if unused else (MALFORMED, f"{len(line)} bytes")
        elif b"(DUP!)" in match["rest"]:
            unused, refused = DUPLICATE, None
        else:
            unused, refused = "", _take(assembly, match)
        if refused is not None:
            trace.refuse(path, Refusal(offset, *refused, line[:64]))
        elif unused:
            trace.unused[unused] += 1
        else:
            trace.records_out += 1
            echoes.answered(int(match["number"]) if match else 0)
    trace.signals[NO_ANSWER] = echoes.missing()
    trace.signals = +trace.signals

    def named_by_interface(_number: int, subflow: Subflow) -> None:
        subflow.name, subflow.at_intervals = interface, True

    trace.connections = assembly.finish(named_by_interface)
    return trace
