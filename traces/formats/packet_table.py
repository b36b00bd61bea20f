"""A table of packets as tshark prints it: ``-T fields -E header=y`` with a comma or a tab between the fields.

Needed are ``frame.time_epoch``, ``ip.src``, ``ip.dst``, ``tcp.srcport``, ``tcp.dstport``, ``tcp.ack``, ``tcp.len`` and
``tcp.analysis.ack_rtt``; other fields are passed over. Each TCP flow is a subflow, those of a table are one connection.

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
from smartsbd.traces.quarantine import Refusal, UnreadableInputError
from smartsbd.traces.trace import Trace
from smartsbd.traces.vantage import RECEIVER, SENDER, UNKNOWN, vantage

SOURCE = "packet_table"

MALFORMED = "not a row of the header's fields"
#: Unused.
NOTHING = "packet that says nothing of a sender"

_TIME, _LENGTH, _ACK, _ACK_RTT = b"frame.time_epoch", b"tcp.len", b"tcp.ack", b"tcp.analysis.ack_rtt"
_ENDS = (b"ip.src", b"tcp.srcport"), (b"ip.dst", b"tcp.dstport")
_NEEDED = (_TIME, _LENGTH, _ACK, _ACK_RTT, *_ENDS[0], *_ENDS[1])
_MAX_LINE_BYTES = 4096
_SECONDS = re.compile(rb"(\d{1,10})(?:\.(\d{1,9}))?")
_COUNT = re.compile(rb"\d{1,18}")
_ADDRESS = re.compile(rb"[0-9a-fA-F.:]{2,45}")
_PORT = re.compile(rb"\d{1,5}")
_MAX_PORT = 65535
_NS_PER_US = 1000
_NUMBERS = 1 << 32

#: Address and port.
_End = tuple[bytes, bytes]


def _split(line: bytes, separator: bytes) -> list[bytes]:
    return [cell.strip(b'" \r') for cell in line.split(separator)]


def _header(head: bytes) -> tuple[bytes, list[bytes]]:
    """Return the separator and the names of the fields."""
    line = head.partition(b"\n")[0][:_MAX_LINE_BYTES]
    separator = b"\t" if b"\t" in line else b","
    return separator, _split(line, separator)


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is such a table."""
    return {_TIME, _ACK_RTT} <= set(_header(head)[1])


def _is_port(cell: bytes) -> bool:
    return _PORT.fullmatch(cell) is not None and int(cell) <= _MAX_PORT


def _ns(cell: bytes) -> int | None:
    match = _SECONDS.fullmatch(cell)
    return None if match is None else int(match[1]) * 1_000_000_000 + int((match[2] or b"").ljust(9, b"0"))


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
    """Rows of a file, read as often as they are asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._separator, names = _header(stored.head(path))
        missing = [name.decode() for name in _NEEDED if name not in names]
        if missing:
            raise UnreadableInputError(path, 0, f"fields that are needed are missing: {', '.join(missing)}")
        self._fields = len(names)
        self._at = {name: names.index(name) for name in _NEEDED}

    def rows(self) -> Iterator[tuple[int, bytes, _Packet | None]]:
        """Yield offset and line of each row, and its packet; None if it has none."""
        for offset, line in stored.lines(self._path, _MAX_LINE_BYTES):
            if offset:
                yield offset, line, self._packet(line)

    def _packet(self, line: bytes) -> _Packet | None:
        cells = _split(line, self._separator)
        if len(line) > _MAX_LINE_BYTES or len(cells) != self._fields:
            return None
        cell_of = {name: cells[at] for name, at in self._at.items()}
        ends = [(cell_of[address], cell_of[port]) for address, port in _ENDS]
        time_ns, ack_rtt_ns = _ns(cell_of[_TIME]), _ns(cell_of[_ACK_RTT])
        if (
            time_ns is None
            or not all(_ADDRESS.fullmatch(address) and _is_port(port) for address, port in ends)
            or ends[0] == ends[1]
            or not _COUNT.fullmatch(cell_of[_LENGTH])
            or not (_COUNT.fullmatch(cell_of[_ACK]) or not cell_of[_ACK])
            or (ack_rtt_ns is None and cell_of[_ACK_RTT])
        ):
            return None
        ack = int(cell_of[_ACK]) if cell_of[_ACK] else None
        return _Packet(time_ns, (ends[0], ends[1]), int(cell_of[_LENGTH]), ack, ack_rtt_ns)


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
        If the file as a whole cannot be read, or a field is missing.
    """
    table, trace, assembly = _Table(path), Trace(), Assembly(most)
    flows = _flows(table, most)
    #: Flows in order of their first accepted row.
    accepted: list[_Flow] = []
    for offset, line, packet in table.rows():
        trace.records_in += 1
        refused: Refused | None = None
        if packet is None:
            refused = MALFORMED, f"{len(line)} bytes"
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
            trace.records_out += 1
        else:
            trace.refuse(path, Refusal(offset, refused[0], printable(refused[1]), line[:64]))
    described = list(_describe(accepted))

    def complete(number: int, subflow: Subflow) -> None:
        subflow.family, subflow.local_address, subflow.remote_address, local_port, remote_port = described[number]
        subflow.local_port, subflow.remote_port = local_port, remote_port

    where = {flow.vantage for flow in accepted} - {UNKNOWN}
    trace.connections = assembly.finish(complete, where.pop() if len(where) == 1 else UNKNOWN)
    return trace
