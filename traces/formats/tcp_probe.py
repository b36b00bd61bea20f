"""tcp_probe: the module's /proc/net/tcpprobe, and the tracepoint as ftrace and perf print it.

A line is a segment that reached the sender's socket: the time, both endpoints, ``snd_una`` and the smoothed RTT. It
carries no RTT sample, no congestion state and no MPTCP token: every socket is a connection of its own.
"""

from __future__ import annotations

import re
from pathlib import Path

from smartsbd.contracts.fault import printable
from smartsbd.native import log_reading
from smartsbd.traces import bounds, stored
from smartsbd.traces.assembly import Assembly, Event, Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.endpoint import Sockets, endpoint, socket_name
from smartsbd.traces.formats import line_runs
from smartsbd.traces.quarantine import Refusal, UnreadableInputError
from smartsbd.traces.trace import Trace

SOURCE = "tcp_probe"

MALFORMED = "not a line of tcp_probe"
NO_ENDPOINT = "an endpoint is no address and port"
#: Its trace_clock counts events, jiffies or cycles, and how long those are is not in the trace.
NO_UNIT = "a time without a point, which has no unit"
#: Among the signals: what the module wrote, of which the parameters do not tell the unit.
SRTT_WITHOUT_UNIT = "srtt without a unit (parse.tcpprobe_srtt)"

#: What is said where nothing or no RTT can be used.
CLOCK = (
    "tcp_probe with times that have no unit (trace_clock counter, uptime or x86-tsc):"
    " run echo mono > /sys/kernel/tracing/trace_clock, and trace again"
)
NOTHING = (
    "tcp_probe: none of {records} lines can be used: {reasons}; trace again, without a pager, and give the whole file"
    " (docs/questions.md, tcp_probe)"
)
UNIT = (
    "the unit of tcp_probe's srtt is not in the file: set parse.tcpprobe_srtt in params.yaml to us (Linux 3.15 on) or"
    " ms. From smoothed RTTs at every ACK there is no verdict: record with sbd record, or packets at the sender"
)

_MAX_LINE_BYTES = 1024
_MODULE = re.compile(
    rb"(?P<time>\d{1,10}\.\d{1,9}) (?P<src>\S{3,60}) (?P<dest>\S{3,60}) \d{1,10} 0x[0-9a-f]{1,8}"
    rb" 0x(?P<snd_una>[0-9a-f]{1,8}) \d{1,10} \d{1,10} \d{1,10} (?P<srtt>\d{1,10})"
    # Behind the receiver's window, an MPTCP kernel writes six numbers more, the first that of the path.
    rb"(?: \d{1,10}(?: (?:0x)?[0-9a-f]{1,16}){6}| \d{1,10})?\s*"
)
_BEGINS_MODULE = re.compile(rb"^" + _MODULE.pattern + rb"$", re.MULTILINE)
_TRACEPOINT = re.compile(
    rb"(?<!\S)(?P<time>\d{1,10}\.\d{1,9}): (?:tcp:)?tcp_probe: +(?:family=\S{1,16} )?src=(?P<src>\S{3,60})"
    rb" dest=(?P<dest>\S{3,60}) mark=\S{1,12} (?:data_len|length)=\d{1,10} snd_nxt=0x[0-9a-f]{1,8}"
    rb" snd_una=0x(?P<snd_una>[0-9a-f]{1,8}) snd_cwnd=\d{1,10} ssthresh=\d{1,10} snd_wnd=\d{1,10}"
    rb" srtt=(?P<srtt>\d{1,10})(?=\s|$)"
)
_NAME = b"tcp_probe: "
_POINTLESS = re.compile(rb"(?<!\S)\d{1,20}: (?:tcp:)?tcp_probe: ")
_LOST = re.compile(rb"\[LOST (?:(\d{1,9}) )?EVENTS\]")
_UNITS_US = {"us": 1, "ms": 1000}


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is one of the forms."""
    return (_NAME in head and b" snd_una=0x" in head) or _BEGINS_MODULE.search(head) is not None


def read(path: Path, dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read what tcp_probe wrote, plain or compressed.

    Parameters
    ----------
    path : Path
    dialect : Dialect
    most : Bounds
        What is beyond is refused.

    Returns
    -------
    Trace
        A connection for each socket, counts and refused lines.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read, or nothing in it can be used.
    """
    assembly, trace, sockets = Assembly(most), Trace(), Sockets()
    traced = _NAME in stored.head(path)
    unit_us = 1 if traced else _UNITS_US.get(dialect.tcpprobe_srtt or "")
    reader = log_reading.ProbeLines(traced, unit_us or 0, _MAX_LINE_BYTES)

    def take(content: bytes, start: int, end: int) -> int:
        return assembly.take_run(reader, content, start, end)

    for offset, line in line_runs.left(path, _MAX_LINE_BYTES, take):
        if traced and _NAME not in line:
            trace.other_lines += 1
            lost = _LOST.search(line)
            trace.gaps += lost is not None
            trace.messages_lost += int(lost[1] or 0) if lost else 0
            continue
        trace.records_in += 1
        match = (_TRACEPOINT.search if traced else _MODULE.fullmatch)(line) if len(line) <= _MAX_LINE_BYTES else None
        known = len(sockets)
        if match is None:
            is_counted = traced and _POINTLESS.search(line[:_MAX_LINE_BYTES]) is not None
            refused: Refused | None = (NO_UNIT if is_counted else MALFORMED, f"{len(line)} bytes")
        else:
            refused = _take(assembly, match, unit_us, sockets)
        if match is not None and len(sockets) > known:
            reader.learn(line[match.start("src") : match.end("dest")], known)
        if refused is None:
            trace.records_out += 1
        else:
            trace.refuse(path, Refusal(offset, *refused, line[:64]))
    trace.records_in += reader.records
    trace.records_out += reader.records
    trace.other_lines += reader.other_lines
    if trace.records_in and not trace.records_out:
        reasons = trace.refused()
        why = NOTHING.format(records=trace.records_in, reasons=", ".join(reasons))
        raise UnreadableInputError(path, trace.refusals[0].offset, CLOCK if set(reasons) == {NO_UNIT} else why)

    def describe(number: int, subflow: Subflow) -> None:
        sockets.describe(number, subflow)
        subflow.few_rtts = UNIT if unit_us is None else None

    if unit_us is None and trace.records_out:
        trace.signals[SRTT_WITHOUT_UNIT] = trace.records_out
    trace.connections = assembly.finish(describe)
    return trace


def _take(assembly: Assembly, match: re.Match[bytes], unit_us: int | None, sockets: Sockets) -> Refused | None:
    ends = [match[name].decode("ascii", "replace") for name in ("src", "dest")]
    local, remote = (endpoint(text) for text in ends)
    if local is None or remote is None:
        return NO_ENDPOINT, printable(" ".join(ends))
    seconds, _, fraction = match["time"].partition(b".")
    time_ns = int(seconds) * 1_000_000_000 + int(fraction.ljust(9, b"0"))
    events: list[Event] = [(b"UNA", int(match["snd_una"], 16))]
    srtt = int(match["srtt"])
    if unit_us is not None and srtt:
        # Zero: there is none yet.
        events.append((b"SRTT", srtt * unit_us))
    socket = socket_name(local, remote)
    refused = assembly.accept(time_ns, socket, 0, events)
    if len(assembly) > len(sockets):
        sockets.add(socket)
    return refused
