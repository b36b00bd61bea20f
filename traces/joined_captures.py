"""Connections that the compiled parser put together from captures: one by one, or the rows of many at once.

Of each connection and subflow there are some numbers in memory. What else is known of a subflow stays in the summaries
of its capture, and its rows in the spool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from smartsbd.contracts.columns import array_of, array_of_numbers, scalar_of
from smartsbd.contracts.tables import OPEN
from smartsbd.native import packet_recording
from smartsbd.traces import connection as rows_of
from smartsbd.traces import mptcp
from smartsbd.traces.connection import NOT_OBSERVED, Batch, Connection, Subflow
from smartsbd.traces.endpoint import Endpoint
from smartsbd.traces.recorded import (
    VANTAGES,
    Flow,
    FlowSummaries,
    Spool,
    StoredAcks,
    acks_of,
    flow_of,
    losses_of,
    states_of,
    write,
)

_Numbers = npt.NDArray[np.int64]
_Rows = npt.NDArray[np.void]

_IPV4, _IPV6 = 4, 6
# What the names of addresses begin with; no name leads back to its address.
_PSEUDONYM = "address "
# An IPv4 address in an IPv6 address.
_MAPPED = np.frombuffer(bytes(10) + b"\xff\xff", dtype=np.uint8)
# ACKs, or samples by echo, of connections whose rows are built at once: enough that most of the work is the rows'.
_ROWS = 1 << 18
# Keys that are hashed at once.
_AT_ONCE = 1 << 12


def tokens_of(summaries: _Rows) -> _Rows:
    """Return the tokens of flows, and what else follows from their keys, as native/packets/src/grouping.h has them."""
    tokens = np.zeros(len(summaries), dtype=packet_recording.FLOW_TOKENS)
    tokens["token"] = -1
    for start in range(0, len(summaries), _AT_ONCE):
        some, some_tokens = summaries[start : start + _AT_ONCE], tokens[start : start + _AT_ONCE]
        for version in np.unique(some["version"][some["version"] >= 0]).tolist():
            for end in (0, 1):
                (places,) = np.nonzero((some["version"] == version) & (some["hasKey"][:, end] != 0))
                keys = some["key"][places, end].tobytes()
                some_tokens["token"][places, end], some_tokens["firstData"][places, end] = mptcp.of_keys(keys, version)
    return tokens


def most_rows(summaries: Sequence[_Rows], connections: _Rows, members: _Rows) -> _Numbers:
    """Return for each connection a number of rows that it does not exceed in the largest table.

    Parameters
    ----------
    summaries : sequence of structured array
        Of the flows of each capture.
    connections, members : structured array
        As native/packets/src/grouping.h describes them.

    Returns
    -------
    (n,) int64
    """
    rows = np.zeros(len(members), dtype=np.int64)
    for capture, some in enumerate(summaries):
        in_capture = members["capture"] == capture
        flows = some[members["flow"][in_capture]]
        senders = _at(flows["senders"], members["end"][in_capture])
        states = senders["states"] + (flows["firstSyn"] >= 0)
        rows[in_capture] = np.maximum.reduce([senders["rows"], states, senders["losses"], np.ones_like(states)])
    return np.add.reduceat(rows, connections["firstMember"]) if len(rows) else rows


@dataclass(frozen=True, eq=False)
class JoinedCaptures:
    """The connections of some captures, as native/packets/src/grouping.h describes them.

    Attributes
    ----------
    paths : list of Path
        Of the captures.
    spools : list of Spool
    summaries : list of FlowSummaries
        Of the flows of each capture.
    connections, members, links : structured array
    most_rows : (n,) int64
        For each connection a number of rows that it does not exceed in the largest table.
    """

    paths: list[Path]
    spools: list[Spool]
    summaries: list[FlowSummaries]
    connections: _Rows
    members: _Rows
    links: _Rows
    most_rows: _Numbers

    def of_capture(self, capture: int) -> CaptureConnections:
        """Return the connections that count in a capture."""
        first, after = np.searchsorted(self.connections["capture"], [capture, capture + 1]).tolist()
        return CaptureConnections(self, range(first, after))

    def _rows(self, connections: range) -> _Rows:
        return self.connections[connections.start : connections.stop]

    def _members(self, connections: range) -> _Rows:
        """Return the subflows of connections that follow one another."""
        first = self.connections["firstMember"][connections.start]
        return self.members[first : first + self._rows(connections)["members"].sum()]

    def _links(self, connections: range) -> _Rows:
        first, after = np.searchsorted(self.links["connection"], [connections.start, connections.stop])
        return self.links[first:after]

    def _flows(self, members: _Rows) -> _Rows:
        """Return the summaries of subflows."""
        captures = np.unique(members["capture"]).tolist()
        if len(captures) == 1:
            only: _Rows = self.summaries[captures[0]].at(members["flow"])
            return only
        parts = [self.summaries[capture].at(members["flow"][members["capture"] == capture]) for capture in captures]
        flows = np.empty(len(members), dtype=parts[0].dtype)
        for capture, part in zip(captures, parts, strict=True):
            flows[members["capture"] == capture] = part
        return flows

    def connection(self, number: int) -> Connection:
        """Return one connection; its rows are read, except its ACKs."""
        only = range(number, number + 1)
        row = self.connections[number]
        sender = int(row["sender"])
        tokens, first_data = row["token"].tolist(), row["firstData"].tolist()
        known = [value if has else None for value, has in zip(first_data, row["hasFirstData"].tolist(), strict=True)]
        token, remote_token = (None if tokens[end] < 0 else tokens[end] for end in (sender, 1 - sender))
        connection = Connection(
            token=token,
            remote_token=remote_token,
            vantages={capture: VANTAGES[vantage] for _, capture, vantage in self._links(only).tolist()},
            states_inferred=True,
            mptcp_version=None if row["version"] < 0 else int(row["version"]),
            first_data=(known[sender], known[1 - sender]),
        )
        members = self._members(only)
        for place, (capture, _, end, _, addresses) in enumerate(members.tolist()):
            flow = flow_of(self._flows(members[place : place + 1]))
            connection.subflows[place] = self._subflow(place, capture, flow, end, addresses, known[sender])
        return connection

    def _subflow(
        self, number: int, capture: int, flow: Flow, end: int, addresses: Sequence[int], first_data: int | None
    ) -> Subflow:
        local, remote = flow.ends[end], flow.ends[1 - end]
        opened = flow.join_token is None and flow.keys[0] is not None
        subflow = Subflow(
            subflow_id=number,
            start_ns=flow.start_ns,
            end_ns=flow.end_ns,
            loc_id=0 if opened else flow.address_ids[end],
            rem_id=0 if opened else flow.address_ids[1 - end],
            family=Endpoint(str(ip_address(local[0])), 0).family,
            local_address=f"{_PSEUDONYM}{addresses[0]}",
            remote_address=f"{_PSEUDONYM}{addresses[1]}",
            local_port=local[1],
            remote_port=remote[1],
            name=f"port {local[1]} to {remote[1]}" if flow.plain else None,
        )
        if flow.first_syn is not None:
            # A socket starts in Open.
            subflow.state_time_ns.append(flow.start_ns)
            subflow.state_ca_state.append(OPEN)
        write(self.spools[capture], flow, end, subflow)
        subflow.packets = flow.packets(self.paths[capture], end)
        subflow.stored_acks = StoredAcks(self.spools[capture], flow, end, first_data)
        return subflow

    def columns(self, connections: range, names: pa.Array, captures: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the rows of connections that follow one another, in all tables.

        Parameters
        ----------
        connections : range
        names : string array
            Of each.
        captures : sequence of str
            Identifiers of the captures.

        Returns
        -------
        dict of str to dict
            For each table its columns by name.
        """
        rows, members, links = self._rows(connections), self._members(connections), self._links(connections)
        counts, sender = rows["members"], rows["sender"]
        starts = np.cumsum(counts) - counts
        flows, owners = self._flows(members), np.repeat(np.arange(len(rows)), counts)
        some = _Subflows(
            names=names,
            owners=owners,
            numbers=np.arange(len(members)) - starts[owners],
            flows=flows,
            ends=members["end"],
            senders=_at(flows["senders"], members["end"]),
            descriptor=self.spools[0].place[0],
            bases=np.array([spool.base for spool in self.spools])[members["capture"]],
        )
        first_data, knows_first = _at(rows["firstData"], sender)[owners], _at(rows["hasFirstData"], sender)[owners] != 0
        acked_before = _acked_before(some.senders, first_data, knows_first)
        acks, min_rtt_us = acks_of(some.senders, some.descriptor, some.bases, members["vantage"], acked_before)
        return {
            "connection": {
                "connection_id": names,
                "token": _known(_at(rows["token"], sender), pa.uint32()),
                "remote_token": _known(_at(rows["token"], 1 - sender), pa.uint32()),
                "mptcp_version": _known(rows["version"], pa.int8()),
                "start_ns": _all(np.minimum.reduceat(flows["startNs"], starts), pa.int64()),
                "end_ns": _all(np.maximum.reduceat(flows["endNs"], starts), pa.int64()),
                "congestion_control": pa.nulls(len(rows), pa.string()),
            },
            "connection_capture": {
                "connection_id": _taken(names, links["connection"] - connections.start),
                "capture_id": _taken(array_of(captures, pa.string()), links["capture"]),
                "vantage": _taken(array_of(VANTAGES, pa.string()), links["vantage"]),
            },
            "subflow": some.subflow_columns(members["address"], min_rtt_us),
            "ack": {**some.keys(np.array(acks.lengths, dtype=np.int64), "ack_no"), **rows_of.observed_columns(acks)},
            "state": some.state_columns(),
            "loss": some.loss_columns(),
        }


@dataclass(frozen=True)
class _Subflows:
    """Some subflows.

    Attributes
    ----------
    names : string array
        Of their connections.
    owners, numbers : int64 array
        Place of each one's connection in `names`, and the subflow's number there.
    flows, senders : structured array
        What is known of each, and of the end that is its sender.
    ends : int array
        Which end that is.
    descriptor : int
        Of the file that has their rows.
    bases : int64 array, bytes
        Where the spool of each one's capture begins.
    """

    names: pa.Array
    owners: _Numbers
    numbers: _Numbers
    flows: _Rows
    senders: _Rows
    ends: npt.NDArray[np.int32]
    descriptor: int
    bases: _Numbers

    def keys(self, lengths: _Numbers, number: str) -> dict[str, pa.Array]:
        """Return connection, subflow and number of rows: so many of each subflow, numbered from 0 on."""
        starts = np.cumsum(lengths) - lengths
        return {
            "connection_id": _taken(self.names, np.repeat(self.owners, lengths)),
            "subflow_id": _all(np.repeat(self.numbers.astype(np.int16), lengths), pa.int16()),
            number: _all((np.arange(lengths.sum()) - np.repeat(starts, lengths)).astype(np.int32), pa.int32()),
        }

    def subflow_columns(self, addresses: npt.NDArray[np.int32], min_rtt_us: _Numbers) -> dict[str, Any]:
        """Return the rows of the ``subflow`` table."""
        flows, local, remote = self.flows, self.ends, 1 - self.ends
        is_opening = (flows["joinToken"] < 0) & (flows["hasKey"][:, 0] != 0)
        loc_id, rem_id = (np.where(is_opening, 0, _at(flows["addressId"], end)) for end in (local, remote))
        heads = _at(flows["address"], local)[:, : len(_MAPPED)]
        is_mapped = (flows["family"] == _IPV6) & (heads == _MAPPED).all(axis=1)
        return {
            "connection_id": _taken(self.names, self.owners),
            "subflow_id": _all(self.numbers.astype(np.int16), pa.int16()),
            "path": pa.nulls(len(flows), pa.string()),
            "loc_id": _known(loc_id, pa.int16()),
            "rem_id": _known(rem_id, pa.int16()),
            "family": _all(np.where(is_mapped, _IPV4, flows["family"]), pa.int8()),
            "local_address": _numbered(_PSEUDONYM, addresses[:, 0]),
            "remote_address": _numbered(_PSEUDONYM, addresses[:, 1]),
            "local_port": _all(_at(flows["port"], local), pa.int32()),
            "remote_port": _all(_at(flows["port"], remote), pa.int32()),
            "min_rtt_us": rows_of.observed(min_rtt_us, pa.int64()),
            "retransmissions": _all(self.senders["resentSegments"], pa.int64()),
            "start_ns": _all(flows["startNs"], pa.int64()),
            "end_ns": _all(flows["endNs"], pa.int64()),
        }

    def state_columns(self) -> dict[str, Any]:
        """Return the rows of the ``state`` table."""
        changes_ns, changes = states_of(self.senders, self.descriptor, self.bases)
        # A socket starts in Open; without its SYN it is not known when.
        has_start = self.flows["firstSyn"] >= 0
        lengths = self.senders["states"] + has_start
        is_change = np.ones(lengths.sum(), dtype=np.bool_)
        is_change[(np.cumsum(lengths) - lengths)[has_start]] = False
        times_ns = np.empty(len(is_change), dtype=np.int64)
        times_ns[is_change], times_ns[~is_change] = changes_ns, self.flows["startNs"][has_start]
        states = np.full(len(is_change), OPEN, dtype=np.int64)
        states[is_change] = changes
        return {
            **self.keys(lengths, "state_no"),
            "time_ns": _all(times_ns, pa.int64()),
            "ca_state": _all(states, pa.int8()),
            "inferred": _all(np.ones(len(states), dtype=np.bool_), pa.bool_()),
        }

    def loss_columns(self) -> dict[str, Any]:
        """Return the rows of the ``loss`` table."""
        times_ns, kinds, packets = losses_of(self.senders, self.descriptor, self.bases)
        return {
            **self.keys(self.senders["losses"], "loss_no"),
            "time_ns": _all(times_ns, pa.int64()),
            "kind": kinds,
            "packets": _all(packets, pa.int32()),
        }


class CaptureConnections(Sequence[Connection]):
    """The connections that count in one of some captures; rows are read when one is asked for, each time anew.

    Parameters
    ----------
    joined : JoinedCaptures
    numbers : range
        Their numbers among all connections.
    """

    def __init__(self, joined: JoinedCaptures, numbers: range) -> None:
        self.joined = joined
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: int) -> Connection:  # type: ignore[override]
        return self.joined.connection(self.numbers[index])


@dataclass(frozen=True)
class JoinedBatch:
    """Rows of whole connections of captures, in all tables, that are built at once."""

    joined: JoinedCaptures
    numbers: range
    names: pa.Array

    def columns(self, captures: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return them, as :meth:`JoinedCaptures.columns` does."""
        return self.joined.columns(self.numbers, self.names, captures)


def batches(connections: Sequence[CaptureConnections], prefixes: Sequence[str]) -> Iterator[Batch | JoinedBatch]:
    """Yield the rows of all connections of captures that were joined, as ``connection.batches`` does.

    Parameters
    ----------
    connections : sequence of CaptureConnections
        Of every capture, in order.
    prefixes : sequence of str
        What the names of each capture's connections begin with; their numbers follow.

    Yields
    ------
    Batch or JoinedBatch
        The former of a connection with too many rows for one batch.
    """
    if not connections:
        return
    joined = connections[0].joined
    rows = joined.most_rows
    starts = [held.numbers.start for held in connections]
    for run in _batch_runs(rows):
        # Runs go over captures.
        parts = [
            _numbered(prefix, np.arange(max(run.start, held.numbers.start), min(run.stop, held.numbers.stop)) - start)
            for held, prefix, start in zip(connections, prefixes, starts, strict=True)
        ]
        names = pa.concat_arrays(parts)
        if rows[run.start] > _ROWS:
            yield from rows_of.in_parts(names[0].as_py(), joined.connection(run.start))
        else:
            yield JoinedBatch(joined, run, names)


def _batch_runs(rows: _Numbers) -> Iterator[range]:
    """Yield the connections whose rows are built at once, by how many rows each has.

    One with too many rows for a batch comes by itself.
    """
    until = np.cumsum(rows)
    first = 0
    while first < len(rows):
        before = until[first] - rows[first]
        after = max(first + 1, int(np.searchsorted(until, before + _ROWS, side="right")))
        yield range(first, after)
        first = after


def _numbered(prefix: str, numbers: npt.NDArray[Any]) -> pa.Array:
    """Return a text and a number after it, for each number."""
    written = array_of_numbers(np.ascontiguousarray(numbers), pa.int64()).cast(pa.string())
    return pc.binary_join_element_wise(scalar_of(prefix, pa.string()), written, scalar_of("", pa.string()))


def _taken(values: pa.Array, places: npt.NDArray[Any]) -> pa.Array:
    """Return the values at some places."""
    return values.take(array_of_numbers(np.ascontiguousarray(places), pa.int64()))


def _at(values: npt.NDArray[Any], places: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return of each row the element at its place."""
    elements: npt.NDArray[Any] = values[np.arange(len(values)), places]
    return elements


def _all(numbers: npt.NDArray[Any], dtype: pa.DataType) -> pa.Array:
    """Return a column without nulls."""
    return array_of_numbers(np.ascontiguousarray(numbers), dtype)


def _known(numbers: npt.NDArray[Any], dtype: pa.DataType) -> pa.Array:
    """Return a column, null where a number is negative: it is not known."""
    wide = numbers.astype(np.int64)
    missing = wide < 0
    if missing.all():
        return pa.nulls(len(wide), dtype)
    return array_of_numbers(np.where(missing, 0, wide), dtype, missing if missing.any() else None)


def _acked_before(senders: _Rows, first_data: npt.NDArray[np.uint64], knows_first: npt.NDArray[np.bool_]) -> _Numbers:
    """Return what :func:`smartsbd.traces.recorded.acked_before` does, of many."""
    bits = senders["firstDataAckBits"].astype(np.uint64)
    # Of 64 bits the difference wraps by itself.
    before = (senders["firstDataAck"] - first_data) & np.where(bits == 64, ~np.uint64(0), (1 << bits) - np.uint64(1))  # noqa: PLR2004
    is_known = knows_first & (bits > 0)
    is_known &= before < np.uint64(1) << (np.maximum(bits, 1) - np.uint64(1))
    return np.where(is_known, before.astype(np.int64), NOT_OBSERVED)
