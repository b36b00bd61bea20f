"""From events of subflows, in time order, to connections with rows: every log of a sender is read in this way."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

import numpy as np
import numpy.typing as npt

from smartsbd.native import log_reading
from smartsbd.traces import bounds
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Acks, Subflow
from smartsbd.traces.log_connections import NO_TOKEN, EventOrder, LogConnections, SubflowColumns
from smartsbd.traces.vantage import SENDER

UNKNOWN_KIND = "unknown kind of event"
OUT_OF_RANGE = "value out of range"
BACKWARDS = "time runs backwards"

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
#: Kinds that no table holds: what the sender did, not what it saw.
UNUSED = {
    b"GROUP": (0, 2**15 - 1),
}
#: Kinds that belong to an ACK, and the column of each.
ATTRIBUTES = {b"RTT": "rtt_us", b"SRTT": "srtt_us", b"OWD": "owd_us", b"ECE": "ece", b"DACK": "data_ack"}
_NUMBER_OF_KIND = {name.encode(): number for number, name in enumerate(log_reading.KINDS)}

#: Reason and detail of a record that is refused.
Refused = tuple[str, str]
#: Kind and value.
Event = tuple[bytes, int]


def event_kinds() -> list[log_reading.NamedKind]:
    """Return the kinds of event lines, for what reads such lines."""
    of_tables = [(kind.decode(), kind.decode(), *limits, None) for kind, limits in LIMITS.items()]
    return of_tables + [(kind.decode(), None, *limits, None) for kind, limits in UNUSED.items()]


class Assembly:
    """Turns events into connections, one record at a time.

    Events stay in columns until their connection is asked for.

    Parameters
    ----------
    most : Bounds
        How many connections and subflows are taken in. All records of those that come later are refused.
    """

    def __init__(self, most: Bounds = bounds.DEFAULT) -> None:
        self._most = most
        #: Good records that no table holds, by kind.
        self.unused: Counter[str] = Counter()
        # Subflows have numbers, in order of their first record: the first one of each connection, and all others.
        self._first: dict[Hashable, int] = {}
        self._further: dict[tuple[Hashable, int], int] = {}
        self._subflow_id = array("h")
        self._connection = array("i")
        self._start_ns = array("q")
        self._end_ns = array("q")
        self._token = array("q")
        self._subflows_of_connection = array("i")
        # Of each event its time, its value, and the number of its subflow and that of its kind in one.
        self._event_ns = array("q")
        self._event_value = array("q")
        self._event_of = array("q")

    def __len__(self) -> int:
        return len(self._subflow_id)

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
            What distinguishes the connection from the others of the input.
        subflow_id : int
        events : sequence of (kind, value)
            Of the record; an ACK comes before what belongs to it.
        token : int, optional
            Of the connection.

        Returns
        -------
        (str, str) or None
            Reason and detail if the record is refused.
        """
        if not (0 <= time_ns <= MAX_TIME_NS and 0 <= subflow_id <= MAX_SUBFLOW):
            return _out_of_range(time_ns, subflow_id)
        for kind, value in events:
            limits = LIMITS.get(kind)
            if limits is None:
                return self._without_table(kind, value)
            if not limits[0] <= value <= limits[1]:
                return OUT_OF_RANGE, f"{kind.decode('ascii')} {value} is not in {limits}"
        # As number() does: a call would take a tenth of the time of all this.
        first = self._first.get(connection)
        if first is None or self._subflow_id[first] == subflow_id:
            subflow = first
        else:
            subflow = self._further.get((connection, subflow_id))
        if subflow is None:
            refused = self._beyond(first)
            if refused is not None:
                return refused
            subflow = self._new(time_ns, connection, subflow_id, first, token)
        elif time_ns < self._end_ns[subflow]:
            return BACKWARDS, f"{time_ns} follows {self._end_ns[subflow]} on subflow {subflow_id}"
        self._end_ns[subflow] = time_ns
        for kind, value in events:
            self._event_ns.append(time_ns)
            self._event_value.append(value)
            self._event_of.append(subflow * log_reading.MOST_KINDS + _NUMBER_OF_KIND[kind])
        return None

    def take_run(self, reader: log_reading.LineReader, content: bytes, start: int, end: int) -> int:
        """Take in lines up to the first that is not known to be good.

        Parameters
        ----------
        reader : log_reading.LineReader
            Has learnt the numbers of subflows of this assembly.
        content : bytes
        start, end : int
            Where the first of the lines begins, and behind the end of the last.

        Returns
        -------
        int
            Where the first line that is not taken begins.
        """
        return reader.take(content, start, end, self._end_ns, self._event_ns, self._event_value, self._event_of)

    def _without_table(self, kind: bytes, value: int) -> Refused | None:
        """Count a record of a kind that no table holds; refuse one of an unknown kind."""
        limits = UNUSED.get(kind)
        if limits is None:
            return UNKNOWN_KIND, kind.decode("ascii", "replace")
        if not limits[0] <= value <= limits[1]:
            return OUT_OF_RANGE, f"{kind.decode('ascii')} {value} is not in {limits}"
        self.unused[kind.decode("ascii")] += 1
        return None

    def number(self, connection: Hashable, subflow_id: int) -> int | None:
        """Return the number of a subflow, None if nothing of it was accepted: they count from 0 in that order."""
        first = self._first.get(connection)
        if first is None or self._subflow_id[first] == subflow_id:
            return first
        return self._further.get((connection, subflow_id))

    def _beyond(self, first: int | None) -> Refused | None:
        """Refuse one more connection, or one more subflow of the one with this first subflow, if there is no room."""
        if first is None:
            if len(self._token) < self._most.connections:
                return None
            return bounds.TOO_MANY_CONNECTIONS, f"{self._most.connections} came before"
        if self._subflows_of_connection[self._connection[first]] < self._most.subflows:
            return None
        return bounds.TOO_MANY_SUBFLOWS, f"{self._most.subflows} came before"

    def _new(self, time_ns: int, connection: Hashable, subflow_id: int, first: int | None, token: int | None) -> int:
        number = len(self)
        if first is None:
            self._first[connection] = number
            self._connection.append(len(self._token))
            self._token.append(NO_TOKEN if token is None else token)
            self._subflows_of_connection.append(1)
        else:
            self._further[connection, subflow_id] = number
            self._connection.append(self._connection[first])
            self._subflows_of_connection[self._connection[first]] += 1
        self._subflow_id.append(subflow_id)
        self._start_ns.append(time_ns)
        self._end_ns.append(time_ns)
        return number

    def finish(self, complete: Callable[[int, Subflow], None] | None = None, vantage: str = SENDER) -> LogConnections:
        """Return the connections, in order of their first record; nothing is accepted after that.

        Parameters
        ----------
        complete : callable, optional
            Receives a subflow's number and the subflow; adds to it what is in no event.
        vantage : str
            Where the log was recorded.

        Returns
        -------
        LogConnections
            Each is built when it is asked for.
        """
        # No more records come: the keys that their subflows were known by are not needed.
        self._first, self._further = {}, {}
        columns = (self._event_ns, self._event_value, self._event_of)
        time_ns, value, of = (_column(column).astype(np.int64, copy=False) for column in columns)
        where = EventOrder.of(of // log_reading.MOST_KINDS, len(self))

        def built(number: int) -> Subflow:
            subflow = Subflow(self._subflow_id[number], self._start_ns[number], self._end_ns[number])
            acks, states, losses, subflow.retransmissions = log_reading.rows(where.own(number), time_ns, value, of)
            subflow.acks = Acks(*(array("q", column) for column in acks))
            subflow.state_time_ns, subflow.state_ca_state = array("q", states[0]), array("b", states[1])
            subflow.loss_time_ns, subflow.loss_packets = array("q", losses[0]), array("q", losses[1])
            subflow.loss_kind = losses[2]
            if complete is not None:
                complete(number, subflow)
            return subflow

        return LogConnections(SubflowColumns(_column(self._connection), _column(self._token)), built, vantage)


def _out_of_range(time_ns: int, subflow_id: int) -> Refused:
    """Say which of the two is out of range."""
    if not 0 <= time_ns <= MAX_TIME_NS:
        return OUT_OF_RANGE, f"time {time_ns} is not in {(0, MAX_TIME_NS)}"
    return OUT_OF_RANGE, f"subflow {subflow_id} is not in {(0, MAX_SUBFLOW)}"


def _column(numbers: array[int]) -> npt.NDArray[np.integer]:
    """Return numbers as an array, which shares their memory."""
    return np.frombuffer(numbers, dtype=f"i{numbers.itemsize}") if numbers else np.zeros(0, dtype=np.int64)
