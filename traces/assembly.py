"""From events of subflows, in time order, to connections with rows: every log of a sender is read in this way."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from traces.connection import Connection, Subflow
from traces.sequence import AckedBytes

UNKNOWN_KIND = "unknown kind of event"
OUT_OF_RANGE = "value out of range"
BACKWARDS = "time runs backwards"

_CA_RECOVERY, _CA_LOSS = 3, 4
# Times are added to later on: half of what an int64 holds, the year 2116 in nanoseconds since 1970.
MAX_TIME_NS = 2**62
MAX_SUBFLOW = 2**15 - 1
#: Least and largest value of each kind of event.
LIMITS = {
    b"RTT": (1, 2**31 - 1),
    b"SRTT": (1, 2**31 - 1),
    b"CA": (0, 4),
    b"ACK": (0, 2**62),
    b"UNA": (0, 2**32 - 1),
    b"DUP": (0, 2**32 - 1),
    b"LOSS": (1, 2**31 - 1),
    b"RTX": (1, 2**31 - 1),
    b"ECE": (1, 1),
    b"OWD": (0, 2**31 - 1),
    b"DACK": (0, 2**62),
}
#: Kinds that belong to an ACK, and the column of each.
ATTRIBUTES = {b"RTT": "rtt_us", b"SRTT": "srtt_us", b"OWD": "owd_us", b"ECE": "ece", b"DACK": "data_ack"}

#: Reason and detail of a record that is refused.
Refused = tuple[str, str]
#: Kind and value.
Event = tuple[bytes, int]


class Rows:
    """Turns the events of one subflow into its rows."""

    def __init__(self, subflow: Subflow) -> None:
        self.subflow = subflow
        self._acked = AckedBytes()
        self._row: dict[str, int] = {}
        self._row_ns = -1
        self._has_ack = False

    def take(self, time_ns: int, kind: bytes, value: int) -> None:
        """Take in an event; none is earlier than the last.

        Parameters
        ----------
        time_ns : int, nanoseconds
        kind : bytes
            A key of :data:`LIMITS`.
        value : int
            Within the limits of its kind.
        """
        subflow = self.subflow
        name = ATTRIBUTES.get(kind)
        if name is not None:
            if self._row_ns != time_ns or name in self._row:
                self._start(time_ns)
            self._row[name] = value
        elif kind == b"ACK":
            self._ack(time_ns, is_dup=0)
            self._acked.count(value)
        elif kind == b"UNA":
            self._ack(time_ns)
            self._acked.snd_una(value)
        elif kind == b"DUP":
            self._ack(time_ns, is_dup=1, newly_sacked_bytes=value)
        elif kind == b"CA":
            subflow.state_time_ns.append(time_ns)
            subflow.state_ca_state.append(value)
        elif kind == b"LOSS":
            subflow.loss_time_ns.append(time_ns)
            subflow.loss_kind.append(_loss_kind(subflow))
            subflow.loss_packets.append(value)
        else:
            subflow.retransmissions = (subflow.retransmissions or 0) + value

    def _start(self, time_ns: int) -> None:
        self.flush()
        self._row, self._row_ns, self._has_ack = {}, time_ns, False

    def _ack(self, time_ns: int, **values: int) -> None:
        """Begin the row of an ACK, or give it the attributes that stood before it."""
        if self._row_ns != time_ns or self._has_ack:
            self._start(time_ns)
        self._has_ack = True
        self._row.update(values)

    def flush(self) -> None:
        """Write the row that is being read."""
        if self._row_ns >= 0:
            self.subflow.acks.append(self._row_ns, self._acked.bytes, **self._row)
            self._row_ns = -1


def _loss_kind(subflow: Subflow) -> str:
    """Tell the kind of a loss event by the state the sender is in: Recovery, Loss or neither."""
    if subflow.state_ca_state and subflow.state_ca_state[-1] == _CA_RECOVERY:
        return "fast"
    if subflow.state_ca_state and subflow.state_ca_state[-1] == _CA_LOSS:
        return "rto"
    return "tlp"


class Assembly:
    """Turns events into connections, one record at a time."""

    def __init__(self) -> None:
        self._connections: dict[Hashable, Connection] = {}
        self._rows: dict[tuple[Hashable, int], Rows] = {}

    def accept(
        self,
        time_ns: int,
        connection: Hashable,
        subflow_id: int,
        events: Sequence[Event],
        *,
        token: int | None = None,
    ) -> Refused | None:
        """Take in one record, completely or not at all.

        Parameters
        ----------
        time_ns : int, nanoseconds
        connection : hashable
            What tells the connection from the others of the input.
        subflow_id : int
        events : sequence of (kind, value)
            What the record says; an ACK stands before what belongs to it.
        token : int, optional
            Of the connection.

        Returns
        -------
        (reason, detail) if the record is refused, else None
        """
        if not 0 <= time_ns <= MAX_TIME_NS:
            return OUT_OF_RANGE, f"time {time_ns} is not in {(0, MAX_TIME_NS)}"
        if not 0 <= subflow_id <= MAX_SUBFLOW:
            return OUT_OF_RANGE, f"subflow {subflow_id} is not in {(0, MAX_SUBFLOW)}"
        for kind, value in events:
            limits = LIMITS.get(kind)
            if limits is None:
                return UNKNOWN_KIND, kind.decode("ascii", "replace")
            if not limits[0] <= value <= limits[1]:
                return OUT_OF_RANGE, f"{kind.decode('ascii')} {value} is not in {limits}"
        rows = self._rows.get((connection, subflow_id))
        if rows is None:
            rows = self._new(time_ns, connection, subflow_id, token)
        elif time_ns < rows.subflow.end_ns:
            return BACKWARDS, f"{time_ns} follows {rows.subflow.end_ns} on subflow {subflow_id}"
        rows.subflow.end_ns = time_ns
        for kind, value in events:
            rows.take(time_ns, kind, value)
        return None

    def _new(self, time_ns: int, key: Hashable, subflow_id: int, token: int | None) -> Rows:
        connection = self._connections.get(key)
        if connection is None:
            connection = self._connections[key] = Connection(token=token, vantages={0: "sender"}, states_inferred=False)
        subflow = Subflow(subflow_id=subflow_id, start_ns=time_ns, end_ns=time_ns)
        connection.subflows[subflow_id] = subflow
        rows = self._rows[key, subflow_id] = Rows(subflow)
        return rows

    def subflow(self, connection: Hashable, subflow_id: int) -> Subflow:
        """Return a subflow of which a record was accepted."""
        return self._connections[connection].subflows[subflow_id]

    def finish(self) -> list[Connection]:
        """Return the connections, in order of their first record."""
        for rows in self._rows.values():
            rows.flush()
        return list(self._connections.values())
