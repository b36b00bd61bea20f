"""A connection as a parser hands it over: the sender's signals of each subflow, in time order."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from traces.columns import array_of_bytes, array_of_numbers

#: Stands for "not observed" in the integer arrays below; written as null.
NOT_OBSERVED = -(2**63)

#: A connection and its name.
Named = tuple[str, "Connection"]
# Rows of the largest table that are built at once: enough that the work is the rows', few enough to stay in a cache.
_ROWS = 1 << 16


@dataclass
class Subflow:
    """The sender's signals of one subflow.

    The ``ack_*`` arrays are parallel, one element per ACK; so are ``state_*`` and ``loss_*``.
    :data:`NOT_OBSERVED` stands for null.
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
    ack_time_ns: array[int] = field(default_factory=lambda: array("q"))
    ack_acked_bytes: array[int] = field(default_factory=lambda: array("q"))
    ack_rtt_us: array[int] = field(default_factory=lambda: array("q"))
    ack_srtt_us: array[int] = field(default_factory=lambda: array("q"))
    ack_is_dup: array[int] = field(default_factory=lambda: array("q"))
    ack_newly_sacked_bytes: array[int] = field(default_factory=lambda: array("q"))
    ack_ece: array[int] = field(default_factory=lambda: array("q"))
    ack_owd_us: array[int] = field(default_factory=lambda: array("q"))
    ack_data_ack: array[int] = field(default_factory=lambda: array("q"))
    state_time_ns: array[int] = field(default_factory=lambda: array("q"))
    state_ca_state: array[int] = field(default_factory=lambda: array("b"))
    loss_time_ns: array[int] = field(default_factory=lambda: array("q"))
    loss_kind: list[str] = field(default_factory=list)
    loss_packets: array[int] = field(default_factory=lambda: array("q"))

    def append_ack(
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
        """Append one ACK."""
        self.ack_time_ns.append(time_ns)
        self.ack_acked_bytes.append(acked_bytes)
        self.ack_rtt_us.append(rtt_us)
        self.ack_srtt_us.append(srtt_us)
        self.ack_is_dup.append(is_dup)
        self.ack_newly_sacked_bytes.append(newly_sacked_bytes)
        self.ack_ece.append(ece)
        self.ack_owd_us.append(owd_us)
        self.ack_data_ack.append(data_ack)

    def min_rtt_us(self) -> int | None:
        """Return the smallest RTT sample, None if there is none."""
        rtt_us = _numbers(self.ack_rtt_us)
        observed = rtt_us[rtt_us != NOT_OBSERVED]
        return int(observed.min()) if len(observed) else None


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
    subflows : dict of int to Subflow
    """

    token: int | None
    vantages: dict[int, str]
    states_inferred: bool
    remote_token: int | None = None
    mptcp_version: int | None = None
    congestion_control: str | None = None
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


def batches(connections: Iterable[Named]) -> Iterator[list[Named]]:
    """Yield connections in batches, whose rows are built at once: of one connection or more."""
    batch: list[Named] = []
    rows = 0
    for name, connection in connections:
        own = sum(len(subflow.ack_time_ns) for subflow in connection.subflows.values())
        if batch and rows + own > _ROWS:
            yield batch
            batch, rows = [], 0
        batch.append((name, connection))
        rows += own
    if batch:
        yield batch


def _numbers(values: array[int]) -> npt.NDArray[np.int64]:
    return np.frombuffer(values, dtype=f"i{values.itemsize}") if values else np.zeros(0, dtype=np.int64)


def _observed(numbers: npt.NDArray[np.int64], dtype: pa.DataType) -> pa.Array:
    missing = numbers == NOT_OBSERVED
    if missing.all():
        return pa.nulls(len(numbers), dtype)
    values = numbers != 0 if dtype == pa.bool_() else numbers
    return array_of_numbers(values, dtype, missing if missing.any() else None)


def _repeated(names: Sequence[str], counts: Sequence[int]) -> pa.Array:
    """Return names, each as often as it is said."""
    encoded = [name.encode() for name in names]
    content = b"".join(name * count for name, count in zip(encoded, counts, strict=True))
    sizes = np.repeat([len(name) for name in encoded], counts)
    try:
        return array_of_bytes(content, sizes, pa.string())
    except OverflowError:
        return pa.array([name for name, count in zip(names, counts, strict=True) for _ in range(count)], pa.string())


class _Rows:
    """Rows of the subflows of some connections, one after the other."""

    def __init__(self, named: Sequence[Named], length: Callable[[Subflow], int]) -> None:
        self._names = [name for name, _ in named]
        self._subflows = [subflow for _, connection in named for subflow in connection.ordered()]
        self._lengths = [length(subflow) for subflow in self._subflows]
        self._of_connection = [
            sum(length(subflow) for subflow in connection.subflows.values()) for _, connection in named
        ]

    def key(self, number: str) -> dict[str, pa.Array]:
        """Return connection, subflow, and the number of the row in its subflow."""
        identifiers = [subflow.subflow_id for subflow in self._subflows]
        lengths = np.array(self._lengths, dtype=np.int64)
        starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        return {
            "connection_id": _repeated(self._names, self._of_connection),
            "subflow_id": array_of_numbers(np.repeat(np.array(identifiers, dtype=np.int16), lengths), pa.int16()),
            number: array_of_numbers((np.arange(len(starts)) - starts).astype(np.int32), pa.int32()),
        }

    def column(self, values: Callable[[Subflow], array[int]], dtype: pa.DataType) -> pa.Array:
        """Return one column, null where nothing was observed."""
        parts = [_numbers(values(subflow)) for subflow in self._subflows]
        return _observed(np.concatenate([np.zeros(0, dtype=np.int64), *parts]), dtype)

    def of_connections(self, values: Sequence[Any]) -> list[Any]:
        """Return a value of each connection for each of its rows."""
        return [value for value, count in zip(values, self._of_connection, strict=True) for _ in range(count)]


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
    subflows = [(name, subflow) for name, connection in named for subflow in connection.ordered()]
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


def ack_columns(named: Sequence[Named]) -> dict[str, Any]:
    """Return the rows of some connections in the ``ack`` table."""
    rows = _Rows(named, lambda subflow: len(subflow.ack_time_ns))
    return {
        **rows.key("ack_no"),
        "time_ns": rows.column(lambda subflow: subflow.ack_time_ns, pa.int64()),
        "acked_bytes": rows.column(lambda subflow: subflow.ack_acked_bytes, pa.int64()),
        "rtt_us": rows.column(lambda subflow: subflow.ack_rtt_us, pa.int64()),
        "srtt_us": rows.column(lambda subflow: subflow.ack_srtt_us, pa.int64()),
        "is_dup": rows.column(lambda subflow: subflow.ack_is_dup, pa.bool_()),
        "newly_sacked_bytes": rows.column(lambda subflow: subflow.ack_newly_sacked_bytes, pa.int64()),
        "ece": rows.column(lambda subflow: subflow.ack_ece, pa.bool_()),
        "owd_us": rows.column(lambda subflow: subflow.ack_owd_us, pa.int64()),
        "data_ack": rows.column(lambda subflow: subflow.ack_data_ack, pa.int64()),
    }


def state_columns(named: Sequence[Named]) -> dict[str, Any]:
    """Return the rows of some connections in the ``state`` table."""
    rows = _Rows(named, lambda subflow: len(subflow.state_time_ns))
    return {
        **rows.key("state_no"),
        "time_ns": rows.column(lambda subflow: subflow.state_time_ns, pa.int64()),
        "ca_state": rows.column(lambda subflow: subflow.state_ca_state, pa.int8()),
        "inferred": rows.of_connections([connection.states_inferred for _, connection in named]),
    }


def loss_columns(named: Sequence[Named]) -> dict[str, Any]:
    """Return the rows of some connections in the ``loss`` table."""
    rows = _Rows(named, lambda subflow: len(subflow.loss_time_ns))
    subflows = [subflow for _, connection in named for subflow in connection.ordered()]
    return {
        **rows.key("loss_no"),
        "time_ns": rows.column(lambda subflow: subflow.loss_time_ns, pa.int64()),
        "kind": [kind for subflow in subflows for kind in subflow.loss_kind],
        "packets": rows.column(lambda subflow: subflow.loss_packets, pa.int32()),
    }
