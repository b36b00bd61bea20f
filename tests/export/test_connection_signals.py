"""Connections as the C is fed with them: their names, their pairs, and the headers that are made of models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import Table, write_table
from smartsbd.export.connection_signals import pairs_of_connections, signals, tokens
from smartsbd.export.signal_agreement import headers_of_models

#: Subflows of each connection; those with a minus have no RTT sample.
CONNECTIONS = {"d/a#0": (0, 1, 4), "d/b#0": (0, -2, 3), "d/c#0": (0,)}


def write(rows: list[dict[str, Any]], table: Table, folder: Path) -> None:
    columns = {column.name: [row.get(column.name) for row in rows] for column in table.columns}
    write_table(table, columns, folder / f"{table.name}.parquet")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"connection_id": name, "start_ns": 0, "end_ns": 9} for name in CONNECTIONS]
    write(rows, tables.CONNECTION, tmp_path)
    acks = [
        {"connection_id": name, "subflow_id": abs(own), "ack_no": number, "time_ns": number, "acked_bytes": number}
        | {"rtt_us": None if own < 0 or number == 1 else 100 * (1 + abs(own)) + number}
        for name, subflows in CONNECTIONS.items()
        for own in subflows
        for number in range(3)
    ]
    write(acks, tables.ACK, tmp_path)
    write([], tables.STATE, tmp_path)
    return tmp_path


def test_a_token_stands_for_each_name(folder: Path) -> None:
    assert (
        tokens(folder)
        == {one.connection_id: one.token for one in signals(folder)}
        == {"d/a#0": 0, "d/b#0": 1, "d/c#0": 2}
    )


def test_a_pair_is_of_two_subflows_with_samples(folder: Path) -> None:
    def found(most: int | None) -> list[tuple[list[int], list[int]]]:
        return [(x.rtt_us.tolist(), y.rtt_us.tolist()) for x, y in pairs_of_connections(folder, most)]

    first = [([100, 102], [200, 202]), ([100, 102], [500, 502]), ([200, 202], [500, 502])]
    assert found(1) == first
    assert found(None) == [*first, ([100, 102], [400, 402])]


def test_headers_of_models_are_those_that_hold_one(tmp_path: Path) -> None:
    for name in (
        "smartsbd.h",
        "sbd_loaded.h",
        "sbd_lag_excess.h",
        "sbd_common_lag.h",
        "sbd_tree_paper.h",
        "sbd_tree_paper.md",
        "sbd_b.h",
    ):
        (tmp_path / name).touch()
    assert headers_of_models(tmp_path) == ["sbd_b", "sbd_tree_paper"]
