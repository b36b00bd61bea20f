"""The recorder's log of a real sender: CSV with the columns ``t,sf,var,value``.

``t`` is in seconds. ``var`` is ``rtt_us`` (a sample given to the congestion controller), ``ack`` (``snd_una``),
``ca_state``, ``retrans`` (a segment sent again), ``cwnd`` or ``ssthresh``; the last two are in no table and are counted
as unused. A log holds one connection and does not give its token.
"""

from __future__ import annotations

import re
from pathlib import Path

from smartsbd.native import log_reading
from smartsbd.traces import bounds
from smartsbd.traces.assembly import LIMITS, Assembly
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import line_runs
from smartsbd.traces.quarantine import Refusal
from smartsbd.traces.trace import Trace

SOURCE = "state_log"

MALFORMED = "not a row of t,sf,var,value"
UNKNOWN_VARIABLE = "unknown variable"

_HEADER = b"t,sf,var,value"
_MAX_LINE_BYTES = 256
_ROW = re.compile(rb"(\d{1,10})\.(\d{1,9}),(\d{1,4}),([a-z_]{1,16}),(\d{1,18})\r?")
_KINDS = {b"rtt_us": b"RTT", b"ack": b"UNA", b"ca_state": b"CA"}
_RETRANSMITTED = b"retrans"
_UNUSED = {b"cwnd", b"ssthresh"}
_MOST_OF_ANY = 10**18 - 1


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is such a log."""
    return head.startswith(_HEADER)


def read(path: Path, _dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read a sender's log, plain or compressed.

    Parameters
    ----------
    path : Path
    _dialect : Dialect
    most : Bounds
        What is beyond is refused.

    Returns
    -------
    Trace
        One connection, its counts and refused rows.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read.
    """
    assembly, trace, reader = Assembly(most), Trace(), log_reading.StateLines(_kinds())

    def take(content: bytes, start: int, end: int) -> int:
        return assembly.take_run(reader, content, start, end)

    for offset, line in line_runs.left(path, _MAX_LINE_BYTES, take):
        if offset == 0:
            # The header.
            continue
        trace.records_in += 1
        refused = _take(assembly, trace, reader, line)
        if refused is not None:
            trace.refuse(path, Refusal(offset, *refused, line[:64]))
    trace.records_in += reader.records
    trace.unused.update(reader.unused)
    trace.records_out = trace.records_in - sum(trace.refused().values()) - sum(trace.unused.values())
    trace.connections = assembly.finish(_count_retransmissions)
    return trace


def _count_retransmissions(_number: int, subflow: Subflow) -> None:
    """Count zero if there was none: the log has every segment that was sent again."""
    subflow.retransmissions = subflow.retransmissions or 0


def _kinds() -> list[log_reading.NamedKind]:
    """Return the variables, for what reads such rows."""
    of_tables = [(name.decode(), kind.decode(), *LIMITS[kind], None) for name, kind in _KINDS.items()]
    unused = [(name.decode(), None, 0, _MOST_OF_ANY, None) for name in sorted(_UNUSED)]
    return [*of_tables, (_RETRANSMITTED.decode(), "RTX", 1, 1, 1), *unused]


def _take(assembly: Assembly, trace: Trace, reader: log_reading.StateLines, line: bytes) -> tuple[str, str] | None:
    """Take one row in; return None, or (reason, detail) if it is refused."""
    row = _ROW.fullmatch(line) if len(line) <= _MAX_LINE_BYTES else None
    if row is None:
        return MALFORMED, f"{len(line)} bytes"
    variable, value = row[4], int(row[5])
    if variable in _UNUSED:
        trace.unused[variable.decode("ascii")] += 1
        return None
    if variable == _RETRANSMITTED:
        kind, value = b"RTX", 1
    elif variable in _KINDS:
        kind = _KINDS[variable]
    else:
        return UNKNOWN_VARIABLE, variable.decode("ascii")
    time_ns = int(row[1]) * 1_000_000_000 + int(row[2].ljust(9, b"0"))
    known = len(assembly)
    refused = assembly.accept(time_ns, None, int(row[3]), [(kind, value)])
    if len(assembly) > known:
        reader.learn(int(row[3]), known)
    return refused
