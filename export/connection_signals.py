"""Connections of a dataset as the exported C is fed with them: lines of events, and the RTTs of two subflows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader, read_table
from smartsbd.export import header_program
from smartsbd.features.series import SubflowSignals

_ACK_COLUMNS = ("subflow_id", "time_ns", "acked_bytes", "rtt_us")
_STATE_COLUMNS = ("subflow_id", "time_ns", "ca_state")


@dataclass(frozen=True)
class Signals:
    """A connection as the replay reads it; `token` stands for its name."""

    token: int
    connection_id: str
    acks: pa.Table
    states: pa.Table
    end_ns: int

    def lines(self, windows: Sequence[tuple[int, int, int]] = ()) -> bytes:
        """Return its lines, with windows that begin anew."""
        return header_program.event_lines(self.token, self.acks, self.states, self.end_ns, windows)


def _connections(folder: Path) -> pa.Table:
    return read_table(tables.CONNECTION, folder / "connection.parquet")


def tokens(folder: Path) -> dict[str, int]:
    """Return the token of each connection's name, of a folder with a dataset's tables."""
    return {name: token for token, name in enumerate(_connections(folder).column("connection_id").to_pylist())}


def signals(folder: Path) -> Iterator[Signals]:
    """Yield the connections of a folder with a dataset's tables."""
    acks = TableReader(tables.ACK, folder / "ack.parquet", _ACK_COLUMNS)
    states = TableReader(tables.STATE, folder / "state.parquet", _STATE_COLUMNS)
    for token, connection in enumerate(_connections(folder).to_pylist()):
        name = connection["connection_id"]
        yield Signals(token, name, acks.rows_of(name), states.rows_of(name), connection["end_ns"])


def pairs_of_connections(folder: Path, most: int | None) -> Iterator[tuple[SubflowSignals, SubflowSignals]]:
    """Yield the RTTs of every two subflows that have any, of a dataset's first so many connections.

    Parameters
    ----------
    folder : Path
        Folder with the dataset's tables.
    most : int or None
        None for all connections.

    Yields
    ------
    (SubflowSignals, SubflowSignals)
        Lower subflow number first.
    """
    for connection in itertools.islice(signals(folder), most):
        sampled = connection.acks.filter(pc.is_valid(connection.acks.column("rtt_us")))
        ids, time_ns, rtt_us = (sampled.column(name).to_numpy() for name in ("subflow_id", "time_ns", "rtt_us"))
        by_subflow = {
            subflow_id: SubflowSignals.of_rtts(time_ns[ids == subflow_id], rtt_us[ids == subflow_id])
            for subflow_id in np.unique(ids).tolist()
        }
        for a, b in itertools.combinations(sorted(by_subflow), 2):
            yield by_subflow[a], by_subflow[b]
