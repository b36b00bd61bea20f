"""Event lines: what the simulator writes, and a kernel log after its prefix.

One line is one record of the five fields of SmartSBD's Fig. 1::

    <ns> C=<token, hex> SF=<n> V=<RTT|CA|ACK|DUP|LOSS|ECE|OWD|DACK> <value>

``ACK`` carries the cumulatively acknowledged bytes, ``DUP`` the bytes a duplicate ACK SACKed first,
``RTT`` and ``OWD`` microseconds, ``CA`` the congestion state, ``LOSS`` the segments marked lost on
entering the current state, ``ECE`` 1, ``DACK`` data-level bytes. RTT, OWD, ECE and DACK belong to
the ACK of the same subflow and time; without one they make a row of their own, whose acknowledged
bytes are those known so far.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from traces.connection import Connection, Subflow
from traces.quarantine import Refusal
from traces.stored import blocks

SOURCE = "event_log"

#: A longer line is refused without being held in memory whole.
MAX_LINE_BYTES = 4096

MALFORMED = "not an event line"
UNKNOWN_KIND = "unknown kind of event"
OUT_OF_RANGE = "value out of range"
BACKWARDS = "time runs backwards"

_LINE = re.compile(rb"(\d{1,18}) C=([0-9a-f]{1,8}) SF=(\d{1,4}) V=([A-Z]{1,8}) (\d{1,18})\r?")
_CA_RECOVERY, _CA_LOSS = 3, 4
_LIMITS = {
    b"RTT": (1, 2**31 - 1),
    b"CA": (0, 4),
    b"ACK": (0, 2**62),
    b"DUP": (0, 2**32 - 1),
    b"LOSS": (1, 2**31 - 1),
    b"ECE": (1, 1),
    b"OWD": (0, 2**31 - 1),
    b"DACK": (0, 2**62),
}
_ATTRIBUTES = {b"RTT": "rtt_us", b"OWD": "owd_us", b"ECE": "ece", b"DACK": "data_ack"}


@dataclass
class EventLog:
    """What one log holds.

    Attributes
    ----------
    connections : list of Connection
        In order of their first record.
    records_in, records_out : int
        Lines read, and lines that became part of a connection.
    refusals : list of Refusal
        The other lines; ``records_in == records_out + len(refusals)``.
    """

    connections: list[Connection] = field(default_factory=list)
    records_in: int = 0
    records_out: int = 0
    refusals: list[Refusal] = field(default_factory=list)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, line) without line ends; of an overlong line only the first bytes."""
    offset = 0
    rest = b""
    skipped = 0
    for block in blocks(path):
        pieces = (rest + block).split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            yield offset, piece
            offset += len(piece) + skipped + 1
            skipped = 0
        if len(rest) > MAX_LINE_BYTES:
            skipped += len(rest) - MAX_LINE_BYTES - 1
            rest = rest[: MAX_LINE_BYTES + 1]
    if rest:
        yield offset, rest


class _PendingAck:
    """The ACK whose attributes are still being read, for one subflow."""

    def __init__(self, time_ns: int, values: dict[str, int]) -> None:
        self.time_ns = time_ns
        self.values = values


class _Reader:
    """Turns records into connections, one line at a time."""

    def __init__(self) -> None:
        self.connections: dict[int, Connection] = {}
        self._pending: dict[tuple[int, int], _PendingAck] = {}
        self._acked_bytes: dict[tuple[int, int], int] = {}

    def accept(self, line: bytes) -> tuple[str, str] | None:
        """Take one line in; return None, or (reason, detail) if it is refused."""
        match = _LINE.fullmatch(line) if len(line) <= MAX_LINE_BYTES else None
        if match is None:
            return MALFORMED, f"{len(line)} bytes" if len(line) <= MAX_LINE_BYTES else "longer than allowed"
        kind = match[4]
        limits = _LIMITS.get(kind)
        if limits is None:
            return UNKNOWN_KIND, kind.decode("ascii")
        time_ns, token, subflow_id, value = int(match[1]), int(match[2], 16), int(match[3]), int(match[5])
        if not limits[0] <= value <= limits[1]:
            return OUT_OF_RANGE, f"{kind.decode('ascii')} {value} is not in {limits}"
        connection = self.connections.get(token)
        subflow = connection.subflows.get(subflow_id) if connection is not None else None
        if subflow is not None and time_ns < subflow.end_ns:
            return BACKWARDS, f"{time_ns} follows {subflow.end_ns} on subflow {subflow_id}"
        if connection is None:
            connection = Connection(token=token, vantage="sender", states_inferred=False)
            self.connections[token] = connection
        if subflow is None:
            subflow = Subflow(subflow_id=subflow_id, start_ns=time_ns, end_ns=time_ns)
            connection.subflows[subflow_id] = subflow
        subflow.end_ns = time_ns
        self._take((token, subflow_id), subflow, time_ns, kind, value)
        return None

    def _take(self, key: tuple[int, int], subflow: Subflow, time_ns: int, kind: bytes, value: int) -> None:
        if kind == b"ACK":
            self._flush(key, subflow)
            self._acked_bytes[key] = max(value, self._acked_bytes.get(key, 0))
            self._pending[key] = _PendingAck(time_ns, {"is_dup": 0})
        elif kind == b"DUP":
            self._flush(key, subflow)
            self._pending[key] = _PendingAck(time_ns, {"is_dup": 1, "newly_sacked_bytes": value})
        elif kind in _ATTRIBUTES:
            self._attribute(key, subflow, time_ns, _ATTRIBUTES[kind], value)
        elif kind == b"CA":
            subflow.state_time_ns.append(time_ns)
            subflow.state_ca_state.append(value)
        else:
            subflow.loss_time_ns.append(time_ns)
            subflow.loss_kind.append(_loss_kind(subflow))
            subflow.loss_packets.append(value)

    def _attribute(self, key: tuple[int, int], subflow: Subflow, time_ns: int, name: str, value: int) -> None:
        pending = self._pending.get(key)
        if pending is None or pending.time_ns != time_ns or name in pending.values:
            self._flush(key, subflow)
            pending = self._pending[key] = _PendingAck(time_ns, {})
        pending.values[name] = value

    def _flush(self, key: tuple[int, int], subflow: Subflow) -> None:
        pending = self._pending.pop(key, None)
        if pending is not None:
            subflow.append_ack(pending.time_ns, self._acked_bytes.get(key, 0), **pending.values)

    def finish(self) -> list[Connection]:
        for token, connection in self.connections.items():
            for subflow_id, subflow in connection.subflows.items():
                self._flush((token, subflow_id), subflow)
        return list(self.connections.values())


def _loss_kind(subflow: Subflow) -> str:
    """Tell the kind of a loss event by the state the sender is in: Recovery, Loss or neither."""
    if subflow.state_ca_state and subflow.state_ca_state[-1] == _CA_RECOVERY:
        return "fast"
    if subflow.state_ca_state and subflow.state_ca_state[-1] == _CA_LOSS:
        return "rto"
    return "tlp"


def read(path: Path) -> EventLog:
    """Read an event log, plain or compressed.

    Raises
    ------
    CaptureError
        If the file as a whole cannot be read. Refused lines do not raise; they are returned.
    """
    reader = _Reader()
    result = EventLog()
    for offset, line in _lines(path):
        result.records_in += 1
        refused = reader.accept(line)
        if refused is None:
            result.records_out += 1
        else:
            result.refusals.append(Refusal(offset, refused[0], refused[1], line[:64]))
    result.connections = reader.finish()
    return result
