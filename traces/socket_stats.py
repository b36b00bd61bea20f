"""Samples of ``ss -tin``, each after a line with its time: ``date +%s.%N; ss -tinO`` in a loop.

A socket's entry carries the smoothed RTT, the bytes acknowledged and the segments sent again so far; no RTT sample and
no congestion state. Sockets with one local MPTCP token are one connection; where the kernel does not say that token, as
for a subflow that joins at the side that opened it, the socket is a connection of its own.
"""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from contracts.fault import printable
from traces import stored
from traces.assembly import Assembly, Event, Refused
from traces.dialect import Dialect
from traces.endpoint import Endpoint, Pseudonyms, endpoint
from traces.quarantine import Refusal
from traces.trace import Trace

SOURCE = "socket_stats"

NO_TIME = "no line with a time before the sample"
NO_ENDPOINT = "an endpoint is no address and port"
TOO_LONG = "longer than allowed"
#: Unused: sockets that have not sent anything.
IDLE = "socket without rtt and bytes_acked"

_MAX_LINE_BYTES = 4096
_EPOCH = re.compile(rb"#? ?(\d{9,10}\.\d{1,9})\s*")
_ISO = re.compile(rb"#? ?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d{1,9}(?:Z|[+-]\d\d:?\d\d))\s*")
_ENTRY = re.compile(
    rb"(?:tcp +)?(?:ESTAB|SYN-SENT|SYN-RECV|FIN-WAIT-[12]|TIME-WAIT|UNCONN|CLOSE-WAIT|LAST-ACK|LISTEN|CLOSING)"
    rb" +\d{1,10} +\d{1,10} +(?P<local>\S{3,60}) +(?P<peer>\S{3,60})(?: |$)"
)
_BEGINS_ENTRY = re.compile(rb"^" + _ENTRY.pattern, re.MULTILINE)
_SRTT = re.compile(rb" rtt:(\d{1,9}(?:\.\d{1,6})?)/")
_ACKED = re.compile(rb" bytes_acked:(\d{1,18})(?= |$)")
_RETRANS = re.compile(rb" retrans:\d{1,9}/(\d{1,9})(?= |$)")
_TOKEN = re.compile(
    rb" token:(?P<rem>[0-9a-f]{1,8})\(id:(?P<rem_id>\d{1,3})\)/(?P<loc>[0-9a-f]{1,8})\(id:(?P<loc_id>\d{1,3})\)"
)
_US_PER_MS = 1000


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input has entries of ss."""
    return _BEGINS_ENTRY.search(head) is not None


def _time_ns(line: bytes) -> int | None:
    """Return the time a line says, None if it is no such line."""
    epoch, iso = _EPOCH.fullmatch(line), _ISO.fullmatch(line)
    if epoch:
        return int(Decimal(epoch[1].decode("ascii")) * 1_000_000_000)
    if iso:
        whole, _, rest = iso[1].decode("ascii").replace(",", ".").partition(".")
        digits = re.match(r"\d+", rest)
        zone = rest[digits.end() :] if digits else ""
        try:
            seconds = int(datetime.fromisoformat(whole + zone).timestamp())
        except (ValueError, OverflowError):
            return None
        return seconds * 1_000_000_000 + int(rest[: digits.end()].ljust(9, "0")) if digits and seconds >= 0 else None
    return None


class _SocketSamples:
    """Takes entries in, with the time of their sample."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.assembly = Assembly()
        self.trace = Trace()
        self.time_ns: int | None = None
        self._place: dict[tuple[Endpoint, Endpoint], tuple[int | tuple[Endpoint, Endpoint], int]] = {}
        self._subflows: dict[int | tuple[Endpoint, Endpoint], int] = {}
        self._pseudonyms = Pseudonyms()

    def take(self, offset: int, entry: bytes) -> None:
        self.trace.records_in += 1
        refused = self._refused(entry)
        if refused is not None:
            self.trace.refuse(self.path, Refusal(offset, *refused, entry[:64]))

    def _refused(self, entry: bytes) -> Refused | None:
        if len(entry) > _MAX_LINE_BYTES:
            return TOO_LONG, f"{len(entry)} bytes"
        time_ns = self.time_ns
        if time_ns is None:
            return NO_TIME, ""
        events: list[Event] = []
        acked, srtt = _ACKED.search(entry), _SRTT.search(entry)
        if acked:
            events.append((b"ACK", int(acked[1])))
        if srtt and (srtt_us := int(Decimal(srtt[1].decode("ascii")) * _US_PER_MS)):
            events.append((b"SRTT", srtt_us))
        if not events:
            self.trace.unused[IDLE] += 1
            return None
        match = _ENTRY.match(entry)
        ends = [match[name].decode("ascii", "replace") for name in ("local", "peer")] if match else ["", ""]
        local, remote = (endpoint(text) for text in ends)
        if local is None or remote is None:
            return NO_ENDPOINT, printable(" ".join(ends))
        return self._accept(time_ns, entry, (local, remote), events)

    def _accept(
        self, time_ns: int, entry: bytes, socket: tuple[Endpoint, Endpoint], events: list[Event]
    ) -> Refused | None:
        local, remote = socket
        named = _TOKEN.search(entry)
        token = int(named["loc"], 16) if named else 0
        if socket not in self._place:
            key = token or socket
            self._place[socket] = key, self._subflows.get(key, 0)
            self._subflows[key] = self._subflows.get(key, 0) + 1
        key, subflow_id = self._place[socket]
        refused = self.assembly.accept(time_ns, key, subflow_id, events, token=token or None)
        if refused is not None:
            return refused
        self.trace.records_out += 1
        subflow = self.assembly.subflow(key, subflow_id)
        retrans = _RETRANS.search(entry)
        # ss leaves the field out while nothing was sent again.
        subflow.retransmissions = int(retrans[1]) if retrans else subflow.retransmissions or 0
        if subflow.local_address is None:
            subflow.family = local.family
            subflow.local_address = self._pseudonyms.of(local.address)
            subflow.remote_address = self._pseudonyms.of(remote.address)
            subflow.local_port, subflow.remote_port = local.port, remote.port
            if named:
                subflow.loc_id, subflow.rem_id = int(named["loc_id"]) & 255, int(named["rem_id"]) & 255
        return None


def read(path: Path, _dialect: Dialect) -> Trace:
    """Read sampled output of ss, plain or compressed.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read.
    """
    samples = _SocketSamples(path)
    entry: bytes | None = None
    entry_offset = 0
    for offset, line in stored.lines(path, _MAX_LINE_BYTES):
        if entry is not None and line[:1] in (b" ", b"\t") and len(entry) <= _MAX_LINE_BYTES:
            entry += b" " + line.strip()
            continue
        if entry is not None:
            samples.take(entry_offset, entry)
            entry = None
        time_ns = _time_ns(line)
        if time_ns is not None:
            samples.time_ns = time_ns
        elif _ENTRY.match(line):
            entry, entry_offset = line, offset
        else:
            samples.trace.other_lines += 1
    if entry is not None:
        samples.take(entry_offset, entry)
    samples.trace.connections = samples.assembly.finish()
    return samples.trace
