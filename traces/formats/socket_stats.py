"""Samples of ``ss -tin``, each with its time: ``date +%s.%N; ss -tinO`` in a loop.

A time is a line before the sample, or stands before each line (``ss -tin | ts``); its forms are those of
:mod:`smartsbd.traces.formats.line_dates`. A socket's entry carries the smoothed RTT, the bytes acknowledged and the
segments sent again so far; no RTT sample and no congestion state. Its state is left out where a filter selects one.
Sockets with one local MPTCP token are one connection; where the kernel does not give that token, as for a subflow that
joins at the side that opened it, the socket is a connection of its own.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from decimal import Decimal
from pathlib import Path

from smartsbd.contracts.fault import printable
from smartsbd.traces import bounds, stored
from smartsbd.traces.assembly import Assembly, Event, Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.endpoint import Sockets, endpoint, socket_name
from smartsbd.traces.formats.line_dates import LineDate, LineDates
from smartsbd.traces.quarantine import Refusal, UnreadableInputError
from smartsbd.traces.trace import Trace

SOURCE = "socket_stats"

NO_TIME = "no line with a time before the sample"
NO_ENDPOINT = "an endpoint is no address and port"
BEHIND_TEXT = "text before the socket that is no time"
TOO_LONG = "longer than allowed"
#: Unused: sockets that have not sent anything.
IDLE = "socket without rtt and bytes_acked"
#: Among the signals.
COARSE = "date of whole seconds"
REPEATED = "socket again, without another time before it"

#: What an input looks like of which nothing can be used, why that is, and what to run instead.
_RUN = "run: while sleep 0.02; do date +%s.%N; ss -tinO; done > ss.log (docs/questions.md has more)"
UNDATED = f"samples of ss without their times, which nothing puts in order; {_RUN}"
WITHOUT_INFO = "ss printed no RTTs: add -i (ss -tin), or -p too with iproute2 6.7, which prints none without it"
WITHOUT_SOCKETS = f"RTTs of ss without the lines of their sockets, which nothing tells apart; keep all lines: {_RUN}"
NO_TCP = f"ss printed no TCP socket: its filter found none, or it was another kind (-M, -u); {_RUN}"
ONLY_RECEIVES = "this end only receives (bytes_acked {acked}): sample at the server, where the data is sent from"

_MAX_LINE_BYTES = 4096
_STATE = (
    rb"(?:ESTAB|(?:NEW-)?SYN-RECV|SYN-SENT|FIN-WAIT-[12]|TIME-WAIT|UNCONN|CLOSE-WAIT|LAST-ACK|LISTEN|CLOSING"
    rb"|BOUND-INACTIVE|UNKNOWN)"
)
_QUEUES = rb"\d{1,10} +\d{1,10}"
# Without a state, it is the colons that make an entry of it.
_BARE_ENDS = rb"\S{1,253}:\S{1,40} +\S{1,253}:\S{1,40}(?!\S)"
_ENTRY = re.compile(
    rb"(?:tcp +)?(?:" + _STATE + rb" +" + _QUEUES + rb" +\S{3,300} +\S{3,300}(?!\S)"
    rb"|" + _QUEUES + rb" +" + _BARE_ENDS + rb")"
)
_ENDS = re.compile(
    rb"(?:tcp +)?(?:" + _STATE + rb" +)?" + _QUEUES + rb" +(?P<local>\S{3,300}) +(?P<peer>\S{3,300})(?!\S)"
)
# Where the lines of a sample were joined to one, as `echo $(ss -tin)` does.
_JOINED = re.compile(rb"(?<!\S)(?<!mptcp )(?<!udp )(?:tcp +)?(?:" + _STATE + rb" +)?" + _QUEUES + rb" +" + _BARE_ENDS)
# Lines of what is no TCP.
_OTHER_KIND = re.compile(rb"(?:mptcp|udp|raw|nl|xdp|tipc|dccp|sctp|icmp6?|[upv]_[a-z]{2,4}|\?\?\?) ")
_HEADER = re.compile(
    rb"(?:Netid\s+)?(?:State\s+)?Recv-Q\s+Send-Q\s+Local\s+Address\s*:\s*Port\s+Peer\s+Address\s*:\s*Port"
    rb"(?:\s*Process)?\s*"
)
_ANY_ENTRY = re.compile(rb"(?<!\S)" + _STATE + rb" +" + _QUEUES + rb" +\S{3,300} +\S{3,300}(?!\S)")
_ANY_BARE_ENTRY = re.compile(rb"(?<!\S)" + _QUEUES + rb" +" + _BARE_ENDS)
_INFO = re.compile(rb"(?<!\S)(?:rtt|cwnd|rto|mss|wscale):\d")
# No other tool prints a smoothed RTT and its deviation like this.
_RTT_ALONE = re.compile(
    rb"(?<!\S)rtt:\d{1,9}(?:\.\d{1,6})?/\d{1,9}(?:\.\d{1,6})?(?:\s*$| [^\n]{0,400}\bcwnd:\d)", re.MULTILINE
)
# What -p prints: programs have any names. No group is given back, so that the time is that of one pass.
_PROGRAMS = re.compile(rb" users:\((?:\(\"[^\n]{0,64}?\",pid=\d{1,10},[a-z_]{2,9}=[^)]{0,200}\),?)++\)")
_SRTT = re.compile(rb" rtt:(\d{1,9}(?:\.\d{1,6})?)/")
_ACKED = re.compile(rb" bytes_acked:(\d{1,18})(?= |$)")
_RECEIVED = re.compile(rb" bytes_received:(\d{1,18})(?= |$)")
_RETRANS = re.compile(rb" retrans:\d{1,9}/(\d{1,9})(?= |$)")
_TOKEN = re.compile(
    rb" token:(?P<rem>[0-9a-f]{1,8})\(id:(?P<rem_id>\d{1,3})\)/(?P<loc>[0-9a-f]{1,8})\(id:(?P<loc_id>\d{1,3})\)"
)
_US_PER_MS = 1000
_NS_PER_S = 1_000_000_000
_NO_IDS = -1
#: An end only receives if it got so many times what it sent, and so many bytes, and its RTT changed less often than a
#: verdict needs.
_MOSTLY = 10
_FEW_RTTS = 10
_LEAST_BYTES = 10_000


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input has entries of ss, or what was picked from them."""
    if _ANY_ENTRY.search(head) or _RTT_ALONE.search(head):
        return True
    header = _HEADER.search(head)
    return header is not None or (_INFO.search(head) is not None and _ANY_BARE_ENTRY.search(head) is not None)


class _Directions:
    """How much each socket sent and received, and how often its RTT changed."""

    def __init__(self) -> None:
        # By number of the subflow: the first and the last number of bytes acknowledged, the same of bytes received.
        self._bytes = tuple(array("q") for _ in range(4))
        self._srtt_us = array("q")
        self._changes = array("i")

    def take(self, number: int, acked: int, received: int, srtt_us: int) -> None:
        """Take a sample of a socket: the next number, or one that was there."""
        _, last_acked, _, last_received = self._bytes
        if number == len(self._changes):
            for column, value in zip(self._bytes, (acked, acked, received, received), strict=True):
                column.append(value)
            self._srtt_us.append(srtt_us)
            self._changes.append(1)
            return
        self._changes[number] += (last_acked[number], self._srtt_us[number]) != (acked, srtt_us)
        last_acked[number], last_received[number], self._srtt_us[number] = acked, received, srtt_us

    def only_receives(self, number: int) -> bool:
        """Tell whether next to nothing was sent on a socket while data came."""
        first_acked, last_acked, first_received, last_received = (column[number] for column in self._bytes)
        came = last_received - first_received
        least = max(_LEAST_BYTES, _MOSTLY * (last_acked - first_acked))
        return came > least and self._changes[number] < _FEW_RTTS

    def why_few(self, number: int) -> str | None:
        """Return why a socket has few RTTs, and what to do; None if it is not for its direction."""
        return ONLY_RECEIVES.format(acked=self._bytes[1][number]) if self.only_receives(number) else None


class _SocketSamples:
    """Takes lines in: times, and entries with the time of their sample."""

    def __init__(self, path: Path, most: Bounds) -> None:
        self.path = path
        self.trace = Trace()
        self._dates = LineDates()
        self._time_ns: int | None = None
        # How many dates there were, and at which each socket was seen last, by number of the subflow.
        self._dates_taken = 0
        self._seen = array("q")
        # How often it was there, and how often again at the same date.
        self._rows = array("q")
        self._repeated = array("q")
        # Of the finest date: digits that are zero may be left out.
        self._resolution_ns = _NS_PER_S
        # The entry that lines are still added to, where it began, its time, and the number of its date.
        self._entry: bytes | None = None
        self._entry_offset = 0
        self._entry_ns: int | None = None
        self._entry_date = 0
        self._has_info = False
        self._has_rtts_alone = False
        self._assembly = Assembly(most)
        # Connection and subflow of each socket, except of those that are a connection each.
        self._place: dict[str, tuple[int | str, int]] = {}
        self._subflows: Counter[int | str] = Counter()
        # By number of the subflow.
        self._sockets = Sockets()
        self._retransmissions = array("q")
        self._ids = array("i")
        self._directions = _Directions()

    def line(self, offset: int, line: bytes) -> None:
        """Take in the next line."""
        if self._entry is not None and line[:1] in (b" ", b"\t"):
            self._go_on(offset, line)
        elif _ENTRY.match(line):
            self._begin(offset, line)
        elif (date := self._dates.alone(line)) is not None:
            self._end_entry()
            self._dated(date)
        elif (date := self._dates.before(line)) is not None:
            self._after_date(offset + date.end, line[date.end :], date)
        else:
            self._undated(offset, line)

    def _after_date(self, offset: int, rest: bytes, date: LineDate) -> None:
        """Take in what a line has behind its date."""
        if _ENTRY.match(rest):
            self._dated(date)
            self._begin(offset, rest)
        elif self._entry is not None and rest[:1] in (b" ", b"\t"):
            self._go_on(offset, rest)
        else:
            if _HEADER.match(rest):
                self._dated(date)
            self._undated(offset, rest)

    def _undated(self, offset: int, line: bytes) -> None:
        """Take in a line that is no entry and no date."""
        header = _HEADER.match(line)
        if header and _ENTRY.match(line, header.end()):
            self._begin(offset + header.end(), line[header.end() :])
            return
        has_entry = header is None and _JOINED.search(line) is not None and not _OTHER_KIND.match(line)
        if self._entry is not None and not has_entry and _INFO.search(line):
            # White space before it was lost.
            self._go_on(offset, line)
            return
        self._end_entry()
        if has_entry:
            self.trace.records_in += 1
            self.trace.refuse(self.path, Refusal(offset, BEHIND_TEXT, "", line[:64]))
            return
        self.trace.other_lines += 1
        self._has_rtts_alone |= _RTT_ALONE.search(line) is not None

    def _dated(self, date: LineDate) -> None:
        self._time_ns = date.time_ns
        self._dates_taken += 1
        self._resolution_ns = min(self._resolution_ns, date.resolution_ns)

    def _begin(self, offset: int, line: bytes) -> None:
        """Begin an entry; of several in a line, the last is gone on with."""
        if b" users:((" in line:
            line = _PROGRAMS.sub(lambda programs: b" " * len(programs[0]), line)
        begin, first = 0, _ENTRY.match(line)
        for further in _JOINED.finditer(line, first.end() if first else 0):
            self._begin_entry(offset + begin, line[begin : further.start()])
            begin = further.start()
        self._begin_entry(offset + begin, line[begin:])

    def _begin_entry(self, offset: int, entry: bytes) -> None:
        self._end_entry()
        self._entry, self._entry_offset = entry, offset
        self._entry_ns, self._entry_date = self._time_ns, self._dates_taken

    def _go_on(self, offset: int, line: bytes) -> None:
        if self._entry is None or len(self._entry) > _MAX_LINE_BYTES:
            self._end_entry()
            self.trace.other_lines += 1
            return
        self._entry += b" " + line.strip()

    def _end_entry(self) -> None:
        if self._entry is not None:
            self._take(self._entry_offset, self._entry)
            self._entry = None

    def _take(self, offset: int, entry: bytes) -> None:
        self.trace.records_in += 1
        refused = self._refused(entry)
        if refused is not None:
            self.trace.refuse(self.path, Refusal(offset, *refused, entry[:64]))

    def _refused(self, entry: bytes) -> Refused | None:
        if len(entry) > _MAX_LINE_BYTES:
            return TOO_LONG, f"{len(entry)} bytes"
        self._has_info = self._has_info or _INFO.search(entry) is not None
        time_ns = self._entry_ns
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
        match = _ENDS.match(entry)
        ends = [match[name].decode("ascii", "replace") for name in ("local", "peer")] if match else ["", ""]
        local, remote = (endpoint(text, named=True) for text in ends)
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
            self._seen.append(-1)
            self._rows.append(0)
            self._repeated.append(0)
            self._ids.append((int(named["loc_id"]) & 255) << 8 | int(named["rem_id"]) & 255 if named else _NO_IDS)
        number = self._assembly.number(*place) or 0
        if self._seen[number] == self._entry_date:
            self.trace.signals[REPEATED] += 1
            self._repeated[number] += 1
        self._rows[number] += 1
        self._seen[number] = self._entry_date
        retrans, received = _RETRANS.search(entry), _RECEIVED.search(entry)
        if retrans:
            # ss leaves the field out while nothing was sent again.
            self._retransmissions[number] = int(retrans[1])
        values = dict(events)
        self._directions.take(
            number, values.get(b"ACK", 0), int(received[1]) if received else 0, values.get(b"SRTT", 0)
        )
        return None

    def _describe(self, number: int, subflow: Subflow) -> None:
        """Add to a subflow what is in no event."""
        self._sockets.describe(number, subflow)
        subflow.retransmissions = self._retransmissions[number]
        subflow.at_intervals = True
        # Of samples most of which have no date of their own, times tell nothing.
        is_dated = 2 * self._repeated[number] <= self._rows[number]
        subflow.resolution_ns = self._resolution_ns if is_dated else max(self._resolution_ns, _NS_PER_S)
        subflow.few_rtts = self._directions.why_few(number)
        ids = self._ids[number]
        if ids != _NO_IDS:
            subflow.loc_id, subflow.rem_id = ids >> 8, ids & 255

    def finish(self) -> Trace:
        """Return what the input holds.

        Raises
        ------
        UnreadableInputError
            If nothing of it can be used.
        """
        self._end_entry()
        why = self._why_nothing()
        if why is not None:
            raise UnreadableInputError(self.path, self.trace.refusals[0].offset if self.trace.refusals else 0, why)
        if self._resolution_ns == _NS_PER_S:
            self.trace.signals[COARSE] = self.trace.records_out
        self.trace.connections = self._assembly.finish(self._describe)
        return self.trace

    def _why_nothing(self) -> str | None:
        """Return why nothing of the input can be used, None if something can."""
        if self.trace.records_out:
            receives = all(map(self._directions.only_receives, range(len(self._sockets))))
            return f"samples of ss: {self._directions.why_few(0)}" if receives else None
        if not self.trace.records_in:
            return WITHOUT_SOCKETS if self._has_rtts_alone else NO_TCP
        refused = self.trace.refused()
        if not self._has_info and BEHIND_TEXT not in refused:
            return WITHOUT_INFO
        if set(refused) == {NO_TIME}:
            return UNDATED
        if not refused:
            return f"samples of ss: sockets that sent nothing; {_RUN}"
        return f"samples of ss: none of {self.trace.records_in} entries can be used: {', '.join(refused)}; {_RUN}"


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
        If the file as a whole cannot be read, or nothing in it can be used.
    """
    samples = _SocketSamples(path, most)
    for offset, line in stored.lines(path, _MAX_LINE_BYTES):
        samples.line(offset, line)
    return samples.finish()
