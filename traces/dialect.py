"""How one lab's logs are written, where they differ from ours: set in params.yaml, no code needed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from smartsbd.contracts.fault import UsageFault

#: Named groups that give a time, and their unit in nanoseconds.
TIME_UNITS_NS = {"time_ns": 1, "time_us": 1_000, "time_ms": 1_000_000, "time_s": 1_000_000_000}
#: Named groups that give a value, and the kind of event it is; ``rtt_ms`` may have a fraction.
VALUE_KINDS = {
    "acked_bytes": b"ACK",
    "snd_una": b"UNA",
    "dup_bytes": b"DUP",
    "rtt_us": b"RTT",
    "rtt_ms": b"RTT",
    "srtt_us": b"SRTT",
    "owd_us": b"OWD",
    "ece": b"ECE",
    "data_ack": b"DACK",
    "ca_state": b"CA",
    "lost_packets": b"LOSS",
    "sent_again": b"RTX",
}
_OTHER_GROUPS = {"token", "subflow", "kind", "value"}


class DialectError(UsageFault):
    """A line pattern that cannot be used; the message says what is wrong with it."""


@dataclass(frozen=True)
class LinePattern:
    """The form of a record within a line of a log.

    Attributes
    ----------
    marker : str
        Text that every record starts with: a line without it is no record, a line with it that does not fit is refused.
        Empty: every line is a record.
    expression : str
        Regular expression of what follows the marker, up to white space, a quote or the line's end. Named groups:
        one of ``time_ns``, ``time_us``, ``time_ms``, ``time_s`` (without one, the time in the log's prefix counts);
        ``token`` (hexadecimal; without one, the log holds one connection), ``subflow`` (a number);
        and ``kind`` with ``value``, or any of :data:`VALUE_KINDS`. Values are decimal, hexadecimal after ``0x``.

    Raises
    ------
    DialectError
        If the expression is not a regular expression, or its groups do not make a record.
    """

    marker: str
    expression: str

    def __post_init__(self) -> None:
        try:
            groups = set(self.compiled().groupindex)
        except (re.error, ValueError, OverflowError, RecursionError) as error:
            raise DialectError(f"line pattern {self.expression!r} is no regular expression: {error}") from error
        known = {*TIME_UNITS_NS, *VALUE_KINDS, *_OTHER_GROUPS}
        if groups - known:
            raise DialectError(f"line pattern: groups {sorted(groups - known)} are unknown, known are {sorted(known)}")
        if len(groups & set(TIME_UNITS_NS)) > 1:
            raise DialectError(f"line pattern: more than one time: {sorted(groups & set(TIME_UNITS_NS))}")
        if ("kind" in groups) != ("value" in groups):
            raise DialectError("line pattern: groups kind and value need each other")
        if not groups & {"kind", *VALUE_KINDS}:
            raise DialectError(f"line pattern: no value: name kind and value, or any of {sorted(VALUE_KINDS)}")

    def compiled(self) -> re.Pattern[bytes]:
        """Return the expression for bytes, with the end of a record."""
        return re.compile(rb"(?:" + self.expression.encode() + rb")(?=[\s\"]|$)", re.ASCII)


#: The line of ``kernel/module``, the five fields of SmartSBD's Fig. 1.
OURS = LinePattern(
    marker="smartsbd: ",
    expression=r"(?P<time_ns>\d{1,18}) C=(?P<token>[0-9a-f]{1,8}) SF=(?P<subflow>\d{1,4})"
    r" V=(?P<kind>[A-Z]{1,8}) (?P<value>\d{1,18})",
)


@dataclass(frozen=True)
class Dialect:
    """How logs are written.

    Attributes
    ----------
    line : LinePattern
        Of event lines.
    tcpprobe_srtt : str or None
        Unit of srtt in /proc/net/tcpprobe, ``us`` or ``ms``: it depends on the kernel and the file does not say.
        None: srtt is not taken.
    rtt_unit : str or None
        Unit of RTTs in a table whose columns do not name it: ``s``, ``ms``, ``us`` or ``ns``. None: such a table is not
        read.
    """

    line: LinePattern = OURS
    tcpprobe_srtt: str | None = None
    rtt_unit: str | None = None
