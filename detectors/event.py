"""Events for detectors: the sender's signals of a connection's subflows, one at a time, in time order."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from smartsbd.contracts.tables import RECOVERY

Int64Array = npt.NDArray[np.int64]


class Kind(IntEnum):
    """The kinds of events, and the meaning of their values. At the same time, lower kinds come first."""

    #: A change of congestion state: 0 Open, 1 Disorder, 2 CWR, 3 Recovery, 4 Loss.
    CA = 0
    #: A loss: number of packets.
    LOSS = 1
    #: An ACK: bytes acknowledged so far (snd_una).
    ACK = 2
    #: An ACK that echoes congestion (ECE): bytes that it is the first to acknowledge.
    MARK = 3
    #: An RTT sample, microseconds.
    RTT = 4
    #: A one-way delay, microseconds; its zero is unknown.
    OWD = 5


class Event(NamedTuple):
    """Something that happened to a subflow at the sender, or that the sender learnt from an ACK."""

    time_ns: int
    subflow_id: int
    kind: int
    value: int


#: Columns of the ``ack``, ``state`` and ``loss`` tables that events are made of.
ACK_COLUMNS = ("subflow_id", "time_ns", "acked_bytes", "rtt_us", "owd_us", "ece")
STATE_COLUMNS = ("subflow_id", "time_ns", "ca_state")
LOSS_COLUMNS = ("subflow_id", "time_ns", "packets")


def _observed(rows: pa.Table, kind: Kind, column: str) -> Int64Array:
    """Return the rows in which a column was observed: (4, events)."""
    known = rows.filter(pc.is_valid(rows.column(column)))
    names = ("time_ns", "subflow_id", column)
    time_ns, subflow_id, value = (known.column(name).to_numpy().astype(np.int64) for name in names)
    return np.stack([time_ns, subflow_id, np.full(len(value), kind, dtype=np.int64), value])


def _marks(acks: pa.Table) -> Int64Array:
    """Return the ACKs that echo congestion, with the bytes that each is the first to acknowledge."""
    parts = [np.empty((4, 0), dtype=np.int64)]
    for subflow_id in sorted(pc.unique(acks.column("subflow_id")).to_pylist()):
        subflow_acks = acks.filter(pc.equal(acks.column("subflow_id"), subflow_id))
        acked_bytes = subflow_acks.column("acked_bytes").to_numpy()
        newly_bytes = np.diff(np.maximum.accumulate(acked_bytes), prepend=0)
        echoes = pc.fill_null(subflow_acks.column("ece"), False)
        marked = subflow_acks.append_column("newly_bytes", pa.array(newly_bytes)).filter(echoes)
        parts.append(_observed(marked, Kind.MARK, "newly_bytes"))
    return np.concatenate(parts, axis=1)


def _losses(states: pa.Table, losses: pa.Table) -> Int64Array:
    """Return the losses; if an input has none, every entry into Recovery or Loss counts as one packet."""
    if len(losses):
        return _observed(losses, Kind.LOSS, "packets")
    entries = states.filter(pc.greater_equal(states.column("ca_state"), RECOVERY))
    return _observed(entries.append_column("packets", pa.array(np.ones(len(entries), np.int64))), Kind.LOSS, "packets")


def event_columns(acks: pa.Table, states: pa.Table, losses: pa.Table, kinds: Collection[Kind]) -> Int64Array:
    """Return the events of a connection in time order; of one moment by kind, then by subflow.

    Parameters
    ----------
    acks, states, losses : rows of the ``ack``, ``state`` and ``loss`` tables
        Of one connection, with :data:`ACK_COLUMNS`, :data:`STATE_COLUMNS` and :data:`LOSS_COLUMNS`.
    kinds : collection of Kind
        Those wanted.

    Returns
    -------
    (4, events) int64
        Time (ns), subflow, kind and value, as in :class:`Event`.
    """
    made = {
        Kind.CA: lambda: _observed(states, Kind.CA, "ca_state"),
        Kind.LOSS: lambda: _losses(states, losses),
        Kind.ACK: lambda: _observed(acks, Kind.ACK, "acked_bytes"),
        Kind.MARK: lambda: _marks(acks),
        Kind.RTT: lambda: _observed(acks, Kind.RTT, "rtt_us"),
        Kind.OWD: lambda: _observed(acks, Kind.OWD, "owd_us"),
    }
    columns = np.concatenate([np.empty((4, 0), dtype=np.int64), *(made[kind]() for kind in sorted(kinds))], axis=1)
    time_ns, subflow_id, kind, _ = columns
    return columns[:, np.lexsort((subflow_id, kind, time_ns))]


def events_of(acks: pa.Table, states: pa.Table, losses: pa.Table, kinds: Collection[Kind]) -> Iterator[Event]:
    """Yield the events of :func:`event_columns` one by one.

    Parameters
    ----------
    acks, states, losses, kinds
        As :func:`event_columns` takes them.

    Yields
    ------
    Event
        In time order.
    """
    yield from map(Event._make, zip(*event_columns(acks, states, losses, kinds).tolist(), strict=True))
