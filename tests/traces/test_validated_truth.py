"""Truth and connections find each other, and each rule judges the labels by what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import Table, write_table
from smartsbd.traces.truth import CSV_COLUMNS, TruthError, write_csv
from smartsbd.traces.validated_truth import read_joined, verdicts
from smartsbd.traces.validation import Criteria

S = 1_000_000_000
CRITERIA = Criteria(alpha=0.8, desired_quantile=1.0, min_utilisation=0.9, min_drop_share=0.9)
#: Name, input, token of the sender and of the receiver; of `one.log` there is one, of `two.log` there are two.
CONNECTIONS = [("d/one#0", "one.log", 1, 11), ("d/two#0", "two.log", 2, 22), ("d/two#1", "two.log", 3, None)]
#: Bytes that each subflow gets acknowledged in a second.
BYTES = {("d/one#0", 0): 1_000_000, ("d/one#0", 1): 1_000_000, ("d/two#0", 0): 1_000_000, ("d/two#0", 1): 100_000}


def write(rows: list[dict[str, Any]], table: Table, folder: Path) -> None:
    columns = {column.name: [row.get(column.name) for row in rows] for column in table.columns}
    write_table(table, columns, folder / f"{table.name}.parquet")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inputs = {"one.log": "a" * 16, "two.log": "b" * 16}
    captures = [
        {"capture_id": own, "source": "event_log", "name": name, "size_bytes": 1, "parser_version": "6"}
        for name, own in inputs.items()
    ]
    write(captures, tables.CAPTURE, tmp_path)
    links = [
        {"connection_id": name, "capture_id": inputs[path], "vantage": "sender"} for name, path, _, _ in CONNECTIONS
    ]
    write(links, tables.CONNECTION_CAPTURE, tmp_path)
    rows = [
        {"connection_id": name, "token": token, "remote_token": other, "start_ns": 0, "end_ns": S}
        for name, _, token, other in CONNECTIONS
    ]
    write(rows, tables.CONNECTION, tmp_path)
    acks = [
        {"connection_id": name, "subflow_id": subflow, "ack_no": number, "time_ns": number * S, "acked_bytes": acked}
        for (name, subflow), count in BYTES.items()
        for number, acked in enumerate((0, count))
    ]
    write(acks, tables.ACK, tmp_path)
    return tmp_path


def truth(path: str, token: str, **values: Any) -> dict[str, Any]:
    known = {"input": path, "token": token, "subflow_a": 0, "subflow_b": 1, "from_ns": 0, "shared": False}
    return dict.fromkeys(CSV_COLUMNS) | known | {"scenario": "made", "congestion_control": "lia"} | values


def joined(folder: Path, *rows: dict[str, Any]) -> tuple[list[str], int, int]:
    write_csv(list(rows), folder / "truth.csv")
    found = read_joined(folder / "truth.csv", folder)
    return [row["connection_id"] for row in found.rows], found.without_connection, found.without_truth


def test_a_token_of_either_end_names_a_connection(folder: Path) -> None:
    rows = (truth("one.log", "b"), truth("two.log", "2"), truth("two.log", "3"))
    assert joined(folder, *rows) == (["d/one#0", "d/two#0", "d/two#1"], 0, 0)


def test_without_a_token_an_input_has_one_connection(folder: Path) -> None:
    assert joined(folder, truth("one.log", ""), truth("two.log", "")) == (["d/one#0"], 1, 2)


def test_a_token_of_another_input_names_nothing(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    assert joined(folder, truth("one.log", "2"), truth("one.log", "1")) == (["d/one#0"], 1, 2)
    assert "no connection with token 2 in one.log" in caplog.text


def test_a_truth_of_nothing_is_refused(folder: Path) -> None:
    with pytest.raises(TruthError, match="none of 1 rows names a connection of"):
        joined(folder, truth("three.log", "1"))


@pytest.mark.parametrize(
    ("rule", "valid"),
    [
        ("given", [True, True, True]),
        # The second is below 0.8 of what the first reaches; of the third nothing is acknowledged.
        ("achieved", [True, False, False]),
        # The third is not filled; of the second too few of the drops are at its bottleneck.
        ("filled", [True, True, False]),
        ("bottleneck", [True, False, False]),
    ],
)
def test_each_rule_judges_by_its_own_measure(rule: str, valid: list[bool], folder: Path) -> None:
    filled = {"utilisation_a": 0.95, "utilisation_b": 0.95, "drop_share_a": 1.0, "drop_share_b": 1.0}
    rows = (
        truth("one.log", "1", **filled),
        truth("two.log", "2", **filled | {"drop_share_b": 0.5}),
        truth("two.log", "3", **filled | {"utilisation_a": 0.5}),
    )
    write_csv(list(rows), folder / "truth.csv")
    found = read_joined(folder / "truth.csv", folder).rows
    assert [one.valid for one in verdicts(found, folder, rule, CRITERIA)] == valid
