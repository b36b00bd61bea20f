"""A table of packets as tshark prints it: ``-T fields -E header=y`` with any separator between the fields.

Needed are ``frame.time_epoch``, ``ip.src`` and ``ip.dst`` or ``ipv6.src`` and ``ipv6.dst`` or all four,
``tcp.srcport``, ``tcp.dstport``, ``tcp.ack``, ``tcp.len`` and ``tcp.analysis.ack_rtt``; other fields are passed over.
Each TCP flow is a subflow, those of a table are one connection. Of a field with several values, as of a packet in a
tunnel, the last is taken: the innermost packet's. Where nothing but commas tells values from fields, that is done for
addresses alone.

``tcp.analysis.ack_rtt`` is the time from a segment to the ACK that answers it, where the table was recorded. Near the
sender of the data, what the receiver answers has been over the whole path: these are the RTT samples. Near the
receiver, its own answers take no time, and only what the sender answers has been over the path: in a download hardly
more than the handshake and the request. Where the table was recorded is inferred as for a capture.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from smartsbd.contracts.fault import printable
from smartsbd.traces import bounds, stored
from smartsbd.traces.assembly import Assembly, Event, Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Subflow
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.endpoint import Endpoint, Pseudonyms
from smartsbd.traces.formats import delimited
from smartsbd.traces.formats.iso_time import iso_time
from smartsbd.traces.quarantine import Refusal, UnreadableInputError
from smartsbd.traces.trace import Trace
from smartsbd.traces.vantage import RECEIVER, SENDER, UNKNOWN, vantage

SOURCE = "packet_table"

MALFORMED = "not a row of the header's fields"
#: Unused.
NOTHING = "packet that says nothing of a sender"

#: Values and fields that only commas are between.
SEVERAL = "more values than fields: print one of each with -E occurrence=l"

_TIME, _LENGTH, _ACK, _ACK_RTT = b"frame.time_epoch", b"tcp.len", b"tcp.ack", b"tcp.analysis.ack_rtt"
_PORTS = b"tcp.srcport", b"tcp.dstport"
_IPV4, _IPV6 = (b"ip.src", b"ip.dst"), (b"ipv6.src", b"ipv6.dst")
_NEEDED = (_TIME, _LENGTH, _ACK, _ACK_RTT, *_PORTS)
_WANTED = b", ".join((_TIME, *_IPV4, *_PORTS, _ACK, _LENGTH, _ACK_RTT)).decode()
_MAX_LINE_BYTES = 4096
_SECONDS = re.compile(rb"(\d{1,10})(?:\.(\d{1,9}))?")
_COUNT = re.compile(rb"\d{1,18}")
_ADDRESS = re.compile(rb"[0-9a-fA-F.:]{2,45}")
_OF_IPV4, _OF_IPV6 = re.compile(rb"\d{1,3}(?:\.\d{1,3}){3}"), re.compile(rb"(?=[^:]*:[^:]*:)[0-9a-fA-F.:]{2,45}")
_PORT = re.compile(rb"\d{1,5}")
_EPOCH = re.compile(rb"\d{9,10}\.\d{6,9}")
#: What may be between the values of a field (`-E aggregator`), and between the cells of a table without its names.
_BETWEEN_VALUES = re.compile(rb"[,; |]")
_SEPARATORS = (b"\t", b",", b";", b"|", b" ")
_FIELD = re.compile(rb"(?:frame|eth|sll|vlan|ip|ipv6|tcp|udp|mptcp|_ws)\.\w[\w.]*")
_HEADER = re.compile(rb"[\"']?[a-z_]\w*(?:\.\w+)+[\"']?([^\w.\"'])")
_MAX_PORT = 65535
_MAX_DIGITS = 10
_NS_PER_US = 1000
_NUMBERS = 1 << 32

#: Address and port.
_End = tuple[bytes, bytes]


@dataclass(frozen=True)
class _Fields:
    """The header of a table: where it is, its separator, and the names of the fields."""

    offset: int
    line: bytes
    separator: bytes
    names: tuple[bytes, ...]


def _fields(head: bytes) -> _Fields | None:
    """Return the header of a table of tshark's, None if there is none.

    Programs that print a table may say something before it.
    """
    for offset, line in delimited.first_lines(head, _MAX_LINE_BYTES):
        match = _HEADER.match(line)
        if match is None:
            continue
        names = delimited.cells(line, match[1])
        if sum(_FIELD.fullmatch(name) is not None for name in names) > len(names) // 2:
            return _Fields(offset, line, match[1], tuple(names))
    return None


def _is_without_names(head: bytes) -> bool:
    """Tell whether the first line is a row of such a table: a time, two addresses and two ports, in any order."""
    line = next((line for _, line in delimited.first_lines(head, _MAX_LINE_BYTES)), b"")
    for separator in _SEPARATORS:
        cells = delimited.cells(line, separator)
        addresses = [cell for cell in cells if _OF_IPV4.fullmatch(cell) or _OF_IPV6.fullmatch(cell)]
        ports = [cell for cell in cells if _is_port(cell)]
        if len(addresses) > 1 and len(ports) > 1 and any(_EPOCH.fullmatch(cell) for cell in cells):
            return True
    return False


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is such a table, or looks like one."""
    return _fields(head) is not None or _is_without_names(head)


def _last(cell: bytes) -> bytes:
    """Return the last of the values of a field."""
    return _BETWEEN_VALUES.split(cell)[-1].strip() if _BETWEEN_VALUES.search(cell) else cell


def _without_outer(cells: list[bytes], pairs: Sequence[int], separator: bytes) -> list[bytes]:
    """Return a row with one value in each field where addresses have several, and commas are between these too.

    Parameters
    ----------
    cells : list of bytes
    pairs : sequence of int
        Places of the first of two fields of addresses, one behind the other, in order.
    separator : bytes

    Returns
    -------
    list of bytes
        The same cells if it is not clear which field they belong to.
    """
    if separator != b",":
        return cells
    kept = list(cells)
    for first in pairs:
        family = next((of for of in (_OF_IPV4, _OF_IPV6) if first < len(kept) and of.fullmatch(kept[first])), None)
        if family is None:
            continue
        end = first
        while end < len(kept) and family.fullmatch(kept[end]):
            end += 1
        values, is_odd = divmod(end - first, 2)
        if is_odd:
            return cells
        kept[first:end] = [kept[first + values - 1], kept[end - 1]]
    return kept


def _is_port(cell: bytes) -> bool:
    return _PORT.fullmatch(cell) is not None and int(cell) <= _MAX_PORT


def _ns(cell: bytes) -> int | None:
    """Return seconds as nanoseconds, None if they are none; what has gone through pandas may have an exponent."""
    match = _SECONDS.fullmatch(cell)
    if match is not None:
        return int(match[1] + (match[2] or b"").ljust(9, b"0"))
    return None if len(cell.partition(b".")[0]) > _MAX_DIGITS or b"," in cell else delimited.scaled(cell, 9)


def _time_ns(cell: bytes) -> int | None:
    """Return a time as nanoseconds, None if it is none."""
    time_ns = _ns(cell)
    if time_ns is None and (iso := iso_time(cell)) is not None:
        return iso.ns
    return time_ns


@dataclass(frozen=True)
class _Packet:
    """A row; `ack` and `ack_rtt_ns` are None where the packet has none."""

    time_ns: int
    ends: tuple[_End, _End]
    payload_bytes: int
    ack: int | None
    ack_rtt_ns: int | None


@dataclass
class _Flow:
    """What a flow's packets say together; lists have a place for each end. It is read after all packets were seen."""

    ends: tuple[_End, _End]
    sent_bytes: list[int] = field(default_factory=lambda: [0, 0])
    soonest_ns: list[int | None] = field(default_factory=lambda: [None, None])

    def see(self, packet: _Packet) -> None:
        end = self.ends.index(packet.ends[0])
        self.sent_bytes[end] += packet.payload_bytes
        if packet.ack_rtt_ns is not None:
            self.soonest_ns[end] = min(packet.ack_rtt_ns, self.soonest_ns[end] or packet.ack_rtt_ns)

    @cached_property
    def sender(self) -> int:
        """Which end sent more; the one that opened it, where both sent as much."""
        return int(self.sent_bytes[1] > self.sent_bytes[0])

    @cached_property
    def vantage(self) -> str:
        return vantage(self.soonest_ns[self.sender], self.soonest_ns[1 - self.sender])


class _Table:
    """Rows of a file, read as often as they are asked for.

    Parameters
    ----------
    path : Path

    Raises
    ------
    UnreadableInputError
        If there are no names of fields, or a field is missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        fields = _fields(stored.head(path))
        if fields is None:
            why = f"looks like tshark's fields without their names: print them with -E header=y; needed are {_WANTED}"
            raise UnreadableInputError(path, 0, why)
        self._fields = fields
        names = fields.names
        self._families = [pair for pair in (_IPV4, _IPV6) if all(name in names for name in pair)]
        pair = _IPV6 if set(names) & set(_IPV6) else _IPV4
        wanted = _NEEDED if self._families else (*pair, *_NEEDED)
        missing = [name for name in wanted if name not in names]
        if missing:
            listed, again = b", ".join(missing).decode(), b" ".join(b"-e " + name for name in missing).decode()
            why = f"fields that are needed are missing: {listed}; print them again with {again} too"
            raise UnreadableInputError(path, fields.offset, why)
        self._at = {name: names.index(name) for name in names}
        #: Places of the addresses of either end, by family.
        self._sides = [(self._at[source], self._at[destination]) for source, destination in self._families]
        self._needed = [self._at[name] for name in _NEEDED]
        pairs = (sorted(self._at[name] for name in pair) for pair in self._families)
        self._pairs = sorted(first for first, second in pairs if second == first + 1)
        #: Lines that are no rows: what is said before the header, and the header said again.
        self.other_lines = 0

    def rows(self) -> Iterator[tuple[int, bytes, _Packet | None]]:
        """Yield offset and line of each row, and its packet; None if it has none."""
        self.other_lines = 0
        fields = self._fields
        for offset, line in stored.lines(self._path, _MAX_LINE_BYTES):
            if offset < fields.offset or (offset > fields.offset and line.rstrip(b"\r") == fields.line):
                self.other_lines += 1
            elif offset > fields.offset:
                yield offset, line, self._packet(line)

    def refused(self, line: bytes) -> Refused:
        """Return why a line that has no packet is refused."""
        has_more = len(line) <= _MAX_LINE_BYTES and len(self._cells(line)) > len(self._fields.names)
        return SEVERAL if has_more else MALFORMED, f"{len(line)} bytes"

    def _cells(self, line: bytes) -> list[bytes]:
        separator = self._fields.separator
        cells = delimited.cells(line, separator)
        return cells if len(cells) <= len(self._fields.names) else _without_outer(cells, self._pairs, separator)

    def _address(self, cells: Sequence[bytes], side: int) -> bytes | None:
        """Return the address of one side, both where a packet of one family is in one of the other; None if none."""
        if len(self._sides) == 1:
            value = _last(cells[self._sides[0][side]])
            return value if _ADDRESS.fullmatch(value) else None
        values = [_last(cells[places[side]]) for places in self._sides]
        filled = [value for value in values if value]
        return b" ".join(filled) if filled and all(_ADDRESS.fullmatch(value) for value in filled) else None

    def _packet(self, line: bytes) -> _Packet | None:
        cells = self._cells(line)
        if len(line) > _MAX_LINE_BYTES or len(cells) != len(self._fields.names):
            return None
        time, length, ack, ack_rtt, *ports = [_last(cells[at]) for at in self._needed]
        source, destination = self._address(cells, 0), self._address(cells, 1)
        time_ns, ack_rtt_ns = _time_ns(time), _ns(ack_rtt)
        if (
            time_ns is None
            or source is None
            or destination is None
            or not all(_is_port(port) for port in ports)
            or (source, ports[0]) == (destination, ports[1])
            or not _COUNT.fullmatch(length)
            or not (_COUNT.fullmatch(ack) or not ack)
            or (ack_rtt_ns is None and ack_rtt)
        ):
            return None
        ends = (source, ports[0]), (destination, ports[1])
        return _Packet(time_ns, ends, int(length), int(ack) if ack else None, ack_rtt_ns)


def _flows(table: _Table, most: Bounds) -> dict[tuple[_End, _End], _Flow]:
    """Return the first flows of a table by the ends of their first packets."""
    flows: dict[tuple[_End, _End], _Flow] = {}
    for _, _, packet in table.rows():
        if packet is None:
            continue
        flow = flows.get(packet.ends) or flows.get(packet.ends[::-1])
        if flow is None and len(flows) < most.subflows:
            flow = flows[packet.ends] = _Flow(packet.ends)
        if flow is not None:
            flow.see(packet)
    return flows


def _events(packet: _Packet, flow: _Flow) -> list[Event]:
    """Return what a packet says of its flow's sender."""
    by_receiver = packet.ends[0] != flow.ends[flow.sender]
    events: list[Event] = []
    if by_receiver and packet.ack is not None:
        events.append((b"UNA", packet.ack % _NUMBERS))
    # What the far end answers has been over the whole path.
    if packet.ack_rtt_ns is not None and flow.vantage == (SENDER if by_receiver else RECEIVER):
        events.append((b"RTT", max(1, packet.ack_rtt_ns // _NS_PER_US)))
    return events


def _describe(flows: Sequence[_Flow]) -> Iterator[tuple[int | None, str, str, int, int]]:
    names = Pseudonyms()
    for flow in flows:
        (local, local_port), (remote, remote_port) = flow.ends[flow.sender], flow.ends[1 - flow.sender]
        text = local.decode("ascii")
        yield (
            Endpoint(text, 0).family,
            names.of(text),
            names.of(remote.decode("ascii")),
            int(local_port),
            int(remote_port),
        )


def read(path: Path, _dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read such a table, plain or compressed: once for where it was recorded, and once for its rows.

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
        If the file as a whole cannot be read, the names of the fields or a field are missing.
    """
    table, trace, assembly = _Table(path), Trace(), Assembly(most)
    flows = _flows(table, most)
    #: Flows in order of their first accepted row.
    accepted: list[_Flow] = []
    for offset, line, packet in table.rows():
        trace.records_in += 1
        refused: Refused | None = None
        if packet is None:
            refused = table.refused(line)
        else:
            flow = flows.get(packet.ends) or flows.get(packet.ends[::-1])
            events = [] if flow is None else _events(packet, flow)
            if flow is None:
                refused = bounds.TOO_MANY_SUBFLOWS, f"{most.subflows} came before"
            elif not events:
                trace.unused[NOTHING] += 1
                continue
            else:
                number = next((at for at, known in enumerate(accepted) if known is flow), len(accepted))
                refused = assembly.accept(packet.time_ns, None, number, events)
                if refused is None and number == len(accepted):
                    accepted.append(flow)
        if refused is None:
            trace.take_row(path, most.rows)
        else:
            trace.refuse(path, Refusal(offset, refused[0], printable(refused[1]), line[:64]))
    trace.other_lines = table.other_lines
    described = list(_describe(accepted))

    def complete(number: int, subflow: Subflow) -> None:
        subflow.family, subflow.local_address, subflow.remote_address, local_port, remote_port = described[number]
        subflow.local_port, subflow.remote_port = local_port, remote_port

    where = {flow.vantage for flow in accepted} - {UNKNOWN}
    trace.connections = assembly.finish(complete, where.pop() if len(where) == 1 else UNKNOWN)
    return trace
