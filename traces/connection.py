"""A connection as a parser hands it over: the sender's signals of each subflow, in time order."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from smartsbd.contracts.columns import array_of_bytes, array_of_numbers

#: Stands for "not observed" in the integer arrays below; written as null.
NOT_OBSERVED = -(2**63)

#: A connection and its name.
Named = tuple[str, "Connection"]
_ACK_TYPES = {
    "time_ns": pa.int64(),
    "acked_bytes": pa.int64(),
    "rtt_us": pa.int64(),
    "srtt_us": pa.int64(),
    "is_dup": pa.bool_(),
    "newly_sacked_bytes": pa.int64(),
    "ece": pa.bool_(),
    "owd_us": pa.int64(),
    "data_ack": pa.int64(),
}
# Rows of the largest table that are built at once: enough that the work is the rows', few enough to stay in a cache.
_ROWS = 1 << 16


@dataclass
class Acks:
    """ACKs of a subflow, in time order: columns of the same length. :data:`NOT_OBSERVED` stands for null."""

    time_ns: array[int] = field(default_factory=lambda: array("q"))
    acked_bytes: array[int] = field(default_factory=lambda: array("q"))
    rtt_us: array[int] = field(default_factory=lambda: array("q"))
    srtt_us: array[int] = field(default_factory=lambda: array("q"))
    is_dup: array[int] = field(default_factory=lambda: array("q"))
    newly_sacked_bytes: array[int] = field(default_factory=lambda: array("q"))
    ece: array[int] = field(default_factory=lambda: array("q"))
    owd_us: array[int] = field(default_factory=lambda: array("q"))
    data_ack: array[int] = field(default_factory=lambda: array("q"))

    def __len__(self) -> int:
        return len(self.time_ns)

    def append(
        self,
        time_ns: int,
        acked_bytes: int,
        *,
        rtt_us: int = NOT_OBSERVED,
        srtt_us: int = NOT_OBSERVED,
        is_dup: int = NOT_OBSERVED,
        newly_sacked_bytes: int = NOT_OBSERVED,
        ece: int = NOT_OBSERVED,
        owd_us: int = NOT_OBSERVED,
        data_ack: int = NOT_OBSERVED,
    ) -> None:
        """Append an ACK.

        Parameters
        ----------
        time_ns : int, nanoseconds
        acked_bytes : int, bytes
            Acknowledged so far.
        rtt_us, srtt_us, owd_us : int, microseconds
            RTT sample, smoothed RTT and one-way delay.
        is_dup, ece : int
            1 if the ACK is a duplicate, or echoes congestion, else 0.
        newly_sacked_bytes : int, bytes
            Acknowledged selectively for the first time.
        data_ack : int, bytes
            Acknowledged so far at the level of the connection.
        """
        self.time_ns.append(time_ns)
        self.acked_bytes.append(acked_bytes)
        self.rtt_us.append(rtt_us)
        self.srtt_us.append(srtt_us)
        self.is_dup.append(is_dup)
        self.newly_sacked_bytes.append(newly_sacked_bytes)
        self.ece.append(ece)
        self.owd_us.append(owd_us)
        self.data_ack.append(data_ack)

    def min_rtt_us(self) -> int | None:
        """Return the smallest RTT sample, None if there is none."""
        rtt_us = _numbers(self.rtt_us)
        observed = rtt_us[rtt_us != NOT_OBSERVED]
        return int(observed.min()) if len(observed) else None


@dataclass(frozen=True)
class AckColumns:
    """ACKs of some subflows, one after the other.

    Attributes
    ----------
    lengths : list of int
        How many each subflow has.
    columns : dict of str to int64 array
        As :class:`Acks` has them; one that is not there was never observed.
    """

    lengths: list[int]
    columns: dict[str, npt.NDArray[np.int64]]


class StoredRows(Protocol):
    """ACKs of a subflow that are not in memory; they are read in pieces, each time that they are asked for."""

    rows: int

    def __iter__(self) -> Iterator[Acks]: ...

    @staticmethod
    def together(stored: Sequence[Any]) -> AckColumns:
        """Return the ACKs of several of its kind, one after the other."""

    def min_rtt_us(self) -> int | None:
        """Return the smallest RTT sample, None if there is none."""


@dataclass(frozen=True)
class PacketFlow:
    """Where the packets of a subflow are.

    Attributes
    ----------
    path : Path
        Of the capture.
    number : int
        Of the flow in it.
    sender : int
        Which end of the flow, 0 or 1, is the connection's sender.
    payload_bytes : int
        That both ends sent.
    """

    path: Path
    number: int
    sender: int
    payload_bytes: int


@dataclass
class Subflow:
    """The sender's signals of one subflow.

    The ``state_*`` arrays are parallel, one element per change; so are ``loss_*``.

    Attributes
    ----------
    name : str or None
        Of the path, as the input has it; in no table.
    at_intervals : bool
        Its RTTs are what a tool asked for from time to time, not one for each ACK; in no table.
    resolution_ns : int, nanoseconds
        What the last digit of its times counts; 0 where that is finer than what it dates. In no table.
    few_rtts : str or None
        Why it has few RTTs or none, and what to do, where that is known: the end of a sentence. In no table.
    acks : Acks
        Those in memory.
    stored_acks : StoredRows or None
        All of them, where they are not in memory.
    packets : PacketFlow or None
        Of a capture; in no table, and the same subflow in another capture is equal.
    """

    subflow_id: int
    start_ns: int
    end_ns: int
    path: str | None = None
    loc_id: int | None = None
    rem_id: int | None = None
    family: int | None = None
    local_address: str | None = None
    remote_address: str | None = None
    local_port: int | None = None
    remote_port: int | None = None
    retransmissions: int | None = None
    name: str | None = None
    at_intervals: bool = False
    resolution_ns: int = 0
    few_rtts: str | None = None
    acks: Acks = field(default_factory=Acks)
    stored_acks: StoredRows | None = None
    packets: PacketFlow | None = field(default=None, compare=False)
    state_time_ns: array[int] = field(default_factory=lambda: array("q"))
    state_ca_state: array[int] = field(default_factory=lambda: array("b"))
    loss_time_ns: array[int] = field(default_factory=lambda: array("q"))
    loss_kind: list[str] = field(default_factory=list)
    loss_packets: array[int] = field(default_factory=lambda: array("q"))

    def ack_pieces(self) -> Iterator[Acks]:
        """Yield its ACKs, some at a time."""
        yield from (self.acks,) if self.stored_acks is None else self.stored_acks

    def most_acks(self) -> int:
        """Return a number of ACKs that it does not exceed."""
        return len(self.acks) if self.stored_acks is None else self.stored_acks.rows

    def all_acks(self) -> Acks:
        """Return its ACKs, wherever they are; of a long connection they take much memory."""
        pieces = list(self.ack_pieces())
        if len(pieces) == 1:
            return pieces[0]
        whole = Acks()
        for column in fields(Acks):
            for piece in pieces:
                getattr(whole, column.name).extend(getattr(piece, column.name))
        return whole

    def most_rows(self) -> int:
        """Return a number of rows, one at least, that it does not exceed in the tables of ACKs, states and losses."""
        return max(1, self.most_acks(), len(self.state_time_ns), len(self.loss_time_ns))

    def min_rtt_us(self) -> int | None:
        """Return the smallest RTT sample, None if there is none."""
        return self.acks.min_rtt_us() if self.stored_acks is None else self.stored_acks.min_rtt_us()


@dataclass
class Connection:
    """One MPTCP connection.

    Attributes
    ----------
    token, remote_token : int or None
        Of the sender, and of its receiver.
    vantages : dict of int to str
        Where it was recorded, by the number of the input among those read together.
    states_inferred : bool
        Congestion states are derived from packets, not logged.
    mptcp_version : int or None
    congestion_control : str or None
        Controller, as the input names it.
    first_data : (int or None, int or None)
        Data sequence number of the first byte of the sender, and of its receiver; in no table.
    subflows : dict of int to Subflow
    """

    token: int | None
    vantages: dict[int, str]
    states_inferred: bool
    remote_token: int | None = None
    mptcp_version: int | None = None
    congestion_control: str | None = None
    first_data: tuple[int | None, int | None] = (None, None)
    subflows: dict[int, Subflow] = field(default_factory=dict)

    def span_ns(self) -> tuple[int, int]:
        """Return the times of the first and the last record."""
        return (
            min(subflow.start_ns for subflow in self.subflows.values()),
            max(subflow.end_ns for subflow in self.subflows.values()),
        )

    def ordered(self) -> list[Subflow]:
        """Return the subflows by number."""
        return [self.subflows[subflow_id] for subflow_id in sorted(self.subflows)]


@dataclass(frozen=True)
class AckPiece:
    """Some ACKs of a subflow of a connection: the first has the number `first`, and they are `most` or fewer."""

    name: str
    subflow_id: int
    first: int
    most: int
    acks: Acks | StoredRows


@dataclass(frozen=True)
class Batch:
    """Rows that are built at once.

    Attributes
    ----------
    named : list of Named
        Connections whose rows in all tables but ``ack`` they are.
    pieces : list of AckPiece
        Which rows of ``ack`` they are: all in memory, or none.
    """

    named: list[Named]
    pieces: list[AckPiece]


def ack_pieces(name: str, connection: Connection) -> Iterator[AckPiece]:
    """Yield the ACKs of a connection, subflow by subflow, some at a time, in memory."""
    for subflow in connection.ordered():
        first = 0
        for acks in subflow.ack_pieces():
            yield AckPiece(name, subflow.subflow_id, first, len(acks), acks)
            first += len(acks)


def in_parts(name: str, connection: Connection) -> Iterator[Batch]:
    """Yield the rows of a connection whose ACKs are stored, and too many for one batch."""
    yield Batch([(name, connection)], [])
    pieces: list[AckPiece] = []
    rows = 0
    for piece in ack_pieces(name, connection):
        if pieces and rows + piece.most > _ROWS:
            yield Batch([], pieces)
            pieces, rows = [], 0
        pieces.append(piece)
        rows += piece.most
    if pieces:
        yield Batch([], pieces)


def batches(connections: Iterable[Named]) -> Iterator[Batch]:
    """Yield the rows of connections, all stored or none, in batches; those of a long connection in several."""
    batch = Batch([], [])
    rows = 0
    for name, connection in connections:
        subflows = connection.ordered()
        subflow_rows = sum(subflow.most_rows() for subflow in subflows)
        if batch.named and rows + subflow_rows > _ROWS:
            yield batch
            batch, rows = Batch([], []), 0
        if subflow_rows > _ROWS and all(subflow.stored_acks is not None for subflow in subflows):
            yield from in_parts(name, connection)
            continue
        batch.named.append((name, connection))
        for subflow in subflows:
            acks = subflow.acks if subflow.stored_acks is None else subflow.stored_acks
            batch.pieces.append(AckPiece(name, subflow.subflow_id, 0, subflow.most_acks(), acks))
        rows += subflow_rows
    if batch.named:
        yield batch


def _numbers(values: array[int]) -> npt.NDArray[np.int64]:
    return np.frombuffer(values, dtype=f"i{values.itemsize}") if values else np.zeros(0, dtype=np.int64)


def observed(numbers: npt.NDArray[np.int64], dtype: pa.DataType) -> pa.Array:
    """Return numbers as a column, null where nothing was observed."""
    missing = numbers == NOT_OBSERVED
    if missing.all():
        return pa.nulls(len(numbers), dtype)
    values = numbers != 0 if dtype == pa.bool_() else numbers
    return array_of_numbers(values, dtype, missing if missing.any() else None)


def _repeated(names: Sequence[str], counts: Sequence[int]) -> pa.Array:
    """Return names, each as often as its count says."""
    encoded = [name.encode() for name in names]
    content = b"".join(name * count for name, count in zip(encoded, counts, strict=True))
    sizes = np.repeat([len(name) for name in encoded], counts)
    try:
        return array_of_bytes(content, sizes, pa.string())
    except OverflowError:
        return pa.array([name for name, count in zip(names, counts, strict=True) for _ in range(count)], pa.string())


def _key(
    subflows: Sequence[tuple[str, int]], lengths: Sequence[int], number: str, firsts: Sequence[int] | None = None
) -> dict[str, pa.Array]:
    """Return connection, subflow and number of rows: so many of each subflow, numbered from 0 or its first on."""
    counts = np.array(lengths, dtype=np.int64)
    starts = np.cumsum(counts) - counts - np.array(0 if firsts is None else firsts, dtype=np.int64)
    numbers = np.arange(counts.sum()) - np.repeat(starts, counts)
    identifiers = np.array([subflow_id for _, subflow_id in subflows], dtype=np.int16)
    return {
        "connection_id": _repeated([name for name, _ in subflows], lengths),
        "subflow_id": array_of_numbers(np.repeat(identifiers, counts), pa.int16()),
        number: array_of_numbers(numbers.astype(np.int32), pa.int32()),
    }


def _joined(parts: Iterable[array[int]]) -> npt.NDArray[np.int64]:
    return np.concatenate([np.zeros(0, dtype=np.int64), *(_numbers(part) for part in parts)])


def _column(parts: Iterable[array[int]], dtype: pa.DataType) -> pa.Array:
    """Return one column, null where nothing was observed."""
    return observed(_joined(parts), dtype)


def _subflows(named: Sequence[Named]) -> list[tuple[str, Subflow]]:
    return [(name, subflow) for name, connection in named for subflow in connection.ordered()]


def connection_columns(named: Sequence[Named]) -> dict[str, Any]:
    """Return the rows of some connections in the ``connection`` table."""
    spans = [connection.span_ns() for _, connection in named]
    names = ("token", "remote_token", "mptcp_version", "congestion_control")
    return {
        "connection_id": [name for name, _ in named],
        **{name: [getattr(connection, name) for _, connection in named] for name in names},
        "start_ns": [start_ns for start_ns, _ in spans],
        "end_ns": [end_ns for _, end_ns in spans],
    }


def subflow_columns(named: Sequence[Named]) -> dict[str, Any]:
    """Return the rows of some connections in the ``subflow`` table."""
    subflows = _subflows(named)
    names = (
        "subflow_id",
        "path",
        "loc_id",
        "rem_id",
        "family",
        "local_address",
        "remote_address",
        "local_port",
        "remote_port",
        "retransmissions",
        "start_ns",
        "end_ns",
    )
    return {
        "connection_id": [name for name, _ in subflows],
        **{name: [getattr(subflow, name) for _, subflow in subflows] for name in names},
        "min_rtt_us": [subflow.min_rtt_us() for _, subflow in subflows],
    }


def _together(acks: Sequence[Acks]) -> AckColumns:
    return AckColumns(
        [len(piece) for piece in acks],
        {column.name: _joined(getattr(piece, column.name) for piece in acks) for column in fields(Acks)},
    )


def ack_columns(pieces: Sequence[AckPiece]) -> dict[str, Any]:
    """Return some rows of the ``ack`` table.

    Returns
    -------
    dict
        Columns of the table by name, a row for each ACK.

    Raises
    ------
    ValueError
        If some of the ACKs are in memory and others are stored.
    """
    in_memory = [piece.acks for piece in pieces if isinstance(piece.acks, Acks)]
    stored = [piece.acks for piece in pieces if not isinstance(piece.acks, Acks)]
    if in_memory and stored:
        raise ValueError("ACKs of a batch are all in memory, or none")
    acks = stored[0].together(stored) if stored else _together(in_memory)
    subflows = [(piece.name, piece.subflow_id) for piece in pieces]
    return {**_key(subflows, acks.lengths, "ack_no", [piece.first for piece in pieces]), **observed_columns(acks)}


def observed_columns(acks: AckColumns) -> dict[str, pa.Array]:
    """Return the columns of the ``ack`` table that are no key."""
    rows = sum(acks.lengths)
    return {
        name: observed(acks.columns[name], dtype) if name in acks.columns else pa.nulls(rows, dtype)
        for name, dtype in _ACK_TYPES.items()
    }


def state_columns(named: Sequence[Named]) -> dict[str, Any]:
    """Return the rows of some connections in the ``state`` table."""
    subflows = _subflows(named)
    inferred = [connection.states_inferred for _, connection in named for _ in connection.subflows]
    lengths = [len(subflow.state_time_ns) for _, subflow in subflows]
    return {
        **_key([(name, subflow.subflow_id) for name, subflow in subflows], lengths, "state_no"),
        "time_ns": _column((subflow.state_time_ns for _, subflow in subflows), pa.int64()),
        "ca_state": _column((subflow.state_ca_state for _, subflow in subflows), pa.int8()),
        "inferred": [value for value, length in zip(inferred, lengths, strict=True) for _ in range(length)],
    }


def loss_columns(named: Sequence[Named]) -> dict[str, Any]:
    """Return the rows of some connections in the ``loss`` table."""
    subflows = _subflows(named)
    lengths = [len(subflow.loss_time_ns) for _, subflow in subflows]
    return {
        **_key([(name, subflow.subflow_id) for name, subflow in subflows], lengths, "loss_no"),
        "time_ns": _column((subflow.loss_time_ns for _, subflow in subflows), pa.int64()),
        "kind": [kind for _, subflow in subflows for kind in subflow.loss_kind],
        "packets": _column((subflow.loss_packets for _, subflow in subflows), pa.int32()),
    }
