"""From a connection to its subflows' signals, and to the windows of its pairs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from smartsbd.contracts import tables
from smartsbd.features.pair import PairWindow, pair_windows
from smartsbd.features.reading import Reading
from smartsbd.features.series import SubflowSignals, signals_of
from smartsbd.features.window import Rejected
from smartsbd.traces import connection as rows_of
from smartsbd.traces.connection import Connection


@dataclass(frozen=True)
class Pair:
    """Two subflows of a connection, with their windows and the windows that could not be made."""

    subflow_a: int
    subflow_b: int
    windows: list[PairWindow]
    rejected: list[Rejected]


def pairs(connection: Connection, rule: str, reading: Reading) -> Iterator[Pair]:
    """Yield every pair of a connection's subflows with its windows.

    Parameters
    ----------
    connection : Connection
    rule : str
        How windows are placed.
    reading : Reading

    Yields
    ------
    Pair
        In the order of the subflows.
    """
    of_subflow = signals(connection, reading)
    _, end_ns = connection.span_ns()
    for a, b in itertools.combinations(of_subflow, 2):
        yield Pair(a, b, *pair_windows(of_subflow[a], of_subflow[b], end_ns, [rule], reading))


def rows(connection: Connection) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Return the rows of a connection in the ``ack``, ``state`` and ``loss`` tables."""
    acks = tables.ACK.build(rows_of.ack_columns(list(rows_of.ack_pieces("", connection))))
    states = tables.STATE.build(rows_of.state_columns([("", connection)]))
    return acks, states, tables.LOSS.build(rows_of.loss_columns([("", connection)]))


def signals(connection: Connection, reading: Reading) -> dict[int, SubflowSignals]:
    """Return the signals of a connection's subflows, by number.

    Parameters
    ----------
    connection : Connection
    reading : Reading

    Returns
    -------
    dict of int to SubflowSignals
    """
    acks, states, _ = rows(connection)
    return {
        subflow.subflow_id: signals_of(
            acks,
            states,
            subflow.subflow_id,
            reading,
            on_wifi=None if subflow.path is None else subflow.path == "wifi",
        )
        for subflow in connection.ordered()
    }
