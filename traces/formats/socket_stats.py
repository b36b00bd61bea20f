"""Samples of ``ss -tin``, each after a line with its time: ``date +%s.%N; ss -tinO`` in a loop.

A socket's entry carries the smoothed RTT, the bytes acknowledged and the segments sent again so far; no RTT sample and
no congestion state. Sockets with one local MPTCP token are one connection; where the kernel does not give that token,
as for a subflow that joins at the side that opened it, the socket is a connection of its own.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from smartsbd.contracts.fault import printable
from smartsbd.traces import bounds, stored
from smartsbd.traces.assembly import Assembly, Event, Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.endpoint import Sockets, endpoint, socket_name
from smartsbd.traces.quarantine import Refusal
from smartsbd.traces.trace import Trace

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
_NO_IDS = -1


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input has entries of ss."""
    return _BEGINS_ENTRY.search(head) is not None


def _time_ns(line: bytes) -> int | None:
    """Return the time that a line gives, None if it gives none."""
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

    def __init__(self, path: Path, most: Bounds) -> None:
        self.path = path
        self.trace = Trace()
        self.time_ns: int | None = None
        self._assembly = Assembly(most)
        # Connection and subflow of each socket, except of those that are a connection each.
        self._place: dict[str, tuple[int | str, int]] = {}
        self._subflows: Counter[int | str] = Counter()
        # By number of the subflow.
        self._sockets = Sockets()
        self._retransmissions = array("q")
        self._ids = array("i")

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
        return self._accept(time_ns, entry, socket_name(local, remote), events)

    def _accept(self, time_ns: int, entry: bytes, socket: str, events: list[Event]) -> Refused | None:
        named = _TOKEN.search(entry)
        token = int(named["loc"], 16) if named else 0
        place = self._place.get(socket)
        if place is None:
            # The first entry of a socket says which connection it is of.
            alone = not token or self._assembly.number(socket, 0) is not None
            place = (socket, 0) if alone else (token, self._subflows[token])
        refused = self._assembly.accept(time_ns, *place, events, token=token or None)
        if refused is not None and refused[0] in bounds.REASONS:
            # Nothing is kept of what there is no room for.
            return refused
        if socket not in self._place and (refused is not None or place[0] == token):
            self._place[socket] = place
            self._subflows[place[0]] += 1
        if refused is not None:
            return refused
        self.trace.records_out += 1
        if len(self._assembly) > len(self._sockets):
            self._sockets.add(socket)
            self._retransmissions.append(0)
            self._ids.append((int(named["loc_id"]) & 255) << 8 | int(named["rem_id"]) & 255 if named else _NO_IDS)
        retrans = _RETRANS.search(entry)
        if retrans:
            # ss leaves the field out while nothing was sent again.
            self._retransmissions[self._assembly.number(*place) or 0] = int(retrans[1])
        return None

    def _describe(self, number: int, subflow: Subflow) -> None:
        """Add to a subflow what is in no event."""
        self._sockets.describe(number, subflow)
        subflow.retransmissions = self._retransmissions[number]
        subflow.at_intervals = True
        ids = self._ids[number]
        if ids != _NO_IDS:
            subflow.loc_id, subflow.rem_id = ids >> 8, ids & 255

    def finish(self) -> Trace:
        """Return what the input holds."""
        self.trace.connections = self._assembly.finish(self._describe)
        return self.trace


def read(path: Path, _dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read sampled output of ss, plain or compressed.

    Parameters
    ----------
    path : Path
    _dialect : Dialect
    most : Bounds
        What is beyond is refused.

    Returns
    -------
    Trace
        Connections, counts and refused entries.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read.
    """
    samples = _SocketSamples(path, most)
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
    return samples.finish()
