"""A connection as a parser hands it over: the sender's signals of each subflow, in time order."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Any

#: Stands for "not observed" in the integer arrays below; written as null.
NOT_OBSERVED = -(2**63)


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
        return min((rtt_us for rtt_us in self.ack_rtt_us if rtt_us != NOT_OBSERVED), default=None)


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


def _observed(values: array[int]) -> list[int | None]:
    return [None if value == NOT_OBSERVED else value for value in values]


def _flags(values: array[int]) -> list[bool | None]:
    return [None if value == NOT_OBSERVED else bool(value) for value in values]


def connection_columns(connection_id: str, connection: Connection) -> dict[str, Any]:
    """Return the connection's row of the ``connection`` table."""
    start_ns, end_ns = connection.span_ns()
    return {
        "connection_id": [connection_id],
        "token": [connection.token],
        "remote_token": [connection.remote_token],
        "mptcp_version": [connection.mptcp_version],
        "start_ns": [start_ns],
        "end_ns": [end_ns],
        "congestion_control": [connection.congestion_control],
    }


def subflow_columns(connection_id: str, connection: Connection) -> dict[str, Any]:
    """Return the connection's rows of the ``subflow`` table."""
    subflows = connection.ordered()
    names = ("path", "loc_id", "rem_id", "family", "local_address", "remote_address", "local_port", "remote_port")
    return {
        "connection_id": [connection_id] * len(subflows),
        "subflow_id": [subflow.subflow_id for subflow in subflows],
        **{name: [getattr(subflow, name) for subflow in subflows] for name in names},
        "min_rtt_us": [subflow.min_rtt_us() for subflow in subflows],
        "retransmissions": [subflow.retransmissions for subflow in subflows],
        "start_ns": [subflow.start_ns for subflow in subflows],
        "end_ns": [subflow.end_ns for subflow in subflows],
    }


def ack_columns(connection_id: str, connection: Connection) -> dict[str, Any]:
    """Return the connection's rows of the ``ack`` table."""
    columns: dict[str, Any] = {
        name: []
        for name in (
            "subflow_id",
            "ack_no",
            "time_ns",
            "acked_bytes",
            "rtt_us",
            "srtt_us",
            "is_dup",
            "newly_sacked_bytes",
            "ece",
            "owd_us",
            "data_ack",
        )
    }
    for subflow in connection.ordered():
        count = len(subflow.ack_time_ns)
        columns["subflow_id"] += [subflow.subflow_id] * count
        columns["ack_no"] += range(count)
        columns["time_ns"] += subflow.ack_time_ns
        columns["acked_bytes"] += subflow.ack_acked_bytes
        columns["rtt_us"] += _observed(subflow.ack_rtt_us)
        columns["srtt_us"] += _observed(subflow.ack_srtt_us)
        columns["is_dup"] += _flags(subflow.ack_is_dup)
        columns["newly_sacked_bytes"] += _observed(subflow.ack_newly_sacked_bytes)
        columns["ece"] += _flags(subflow.ack_ece)
        columns["owd_us"] += _observed(subflow.ack_owd_us)
        columns["data_ack"] += _observed(subflow.ack_data_ack)
    return {"connection_id": [connection_id] * len(columns["time_ns"]), **columns}


def state_columns(connection_id: str, connection: Connection) -> dict[str, Any]:
    """Return the connection's rows of the ``state`` table."""
    columns: dict[str, Any] = {name: [] for name in ("subflow_id", "state_no", "time_ns", "ca_state")}
    for subflow in connection.ordered():
        count = len(subflow.state_time_ns)
        columns["subflow_id"] += [subflow.subflow_id] * count
        columns["state_no"] += range(count)
        columns["time_ns"] += subflow.state_time_ns
        columns["ca_state"] += subflow.state_ca_state
    rows = len(columns["time_ns"])
    return {
        "connection_id": [connection_id] * rows,
        **columns,
        "inferred": [connection.states_inferred] * rows,
    }


def loss_columns(connection_id: str, connection: Connection) -> dict[str, Any]:
    """Return the connection's rows of the ``loss`` table."""
    columns: dict[str, Any] = {name: [] for name in ("subflow_id", "loss_no", "time_ns", "kind", "packets")}
    for subflow in connection.ordered():
        count = len(subflow.loss_time_ns)
        columns["subflow_id"] += [subflow.subflow_id] * count
        columns["loss_no"] += range(count)
        columns["time_ns"] += subflow.loss_time_ns
        columns["kind"] += subflow.loss_kind
        columns["packets"] += subflow.loss_packets
    return {"connection_id": [connection_id] * len(columns["time_ns"]), **columns}
