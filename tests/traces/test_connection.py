"""Connections as a parser hands them over: rows of short ones together, of long ones in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader, read_table
from smartsbd.native import packet_recording
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.stages import parse
from smartsbd.traces import connection as rows_of
from smartsbd.traces import joined_captures
from smartsbd.traces.connection import AckColumns, Acks, Connection, Named, Subflow
from smartsbd.traces.recorded import record
from tests.traces.comparison import assert_same
from tests.traffic import write_captures

ROOT = Path(__file__).parents[2]


def made(rows: int, first_ns: int = 0) -> Acks:
    acks = Acks()
    for number in range(rows):
        acks.append(first_ns + number, number, rtt_us=1000 + number)
    return acks


def named(name: str, *subflows: Subflow) -> Named:
    return name, Connection(1, {0: "sender"}, True, subflows={one.subflow_id: one for one in subflows})


class Pieces:
    """ACKs that are stored."""

    def __init__(self, *pieces: int) -> None:
        starts = np.cumsum([0, *pieces]).tolist()
        self._pieces = [made(rows, start) for rows, start in zip(pieces, starts, strict=False)]
        self.rows = sum(pieces)

    def __iter__(self) -> Iterator[Acks]:
        return iter(self._pieces)

    @staticmethod
    def together(stored: Sequence[Pieces]) -> AckColumns:
        times = [list(Subflow(0, 0, 1, stored_acks=one).all_acks().time_ns) for one in stored]
        return AckColumns([len(own) for own in times], {"time_ns": np.concatenate(times)})

    def min_rtt_us(self) -> int | None:
        return min(one for one in (piece.min_rtt_us() for piece in self) if one is not None)


def stored(subflow_id: int, *pieces: int) -> Subflow:
    return Subflow(subflow_id, 0, 1, stored_acks=Pieces(*pieces))


def test_a_part_of_a_sender_is_as_much_as_a_batch() -> None:
    assert packet_recording.PART_ROWS == rows_of._ROWS


def test_connections_without_acks_fill_batches_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_of, "_ROWS", 10)
    silent = [named(f"{number}", Subflow(0, 0, 1), Subflow(1, 0, 1)) for number in range(12)]
    assert [len(batch.named) for batch in rows_of.batches(silent)] == [5, 5, 2]


def test_short_connections_are_built_together_until_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_of, "_ROWS", 10)
    some = [named(name, Subflow(0, 0, 1, acks=made(4)), Subflow(1, 0, 1, acks=made(2))) for name in "abc"]
    found = list(rows_of.batches(some))
    # Six rows and six are more than ten; and one connection is never divided.
    assert [[name for name, _ in batch.named] for batch in found] == [["a"], ["b"], ["c"]]
    assert [[(one.name, one.subflow_id, one.first) for one in batch.pieces] for batch in found] == [
        [(name, 0, 0), (name, 1, 0)] for name in "abc"
    ]
    monkeypatch.setattr(rows_of, "_ROWS", 12)
    assert [len(batch.named) for batch in rows_of.batches(some)] == [2, 1]
    assert list(rows_of.batches([])) == []


def test_a_long_connection_that_is_stored_is_built_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_of, "_ROWS", 10)
    short = named("short", stored(0, 3), stored(1, 2, 4))
    long = named("long", stored(0, 8, 8, 1), stored(2, 1, 9))
    found = list(rows_of.batches([short, long, short]))
    assert [[name for name, _ in batch.named] for batch in found] == [["short"], ["long"], [], [], [], ["short"]]
    # Of a short one, what is stored is read when it is built.
    assert [(one.subflow_id, one.first, one.acks) for one in found[0].pieces] == [
        (0, 0, short[1].subflows[0].stored_acks),
        (1, 0, short[1].subflows[1].stored_acks),
    ]
    columns = rows_of.ack_columns(found[0].pieces)
    assert columns["subflow_id"].to_pylist() == [0] * 3 + [1] * 6
    assert columns["ack_no"].to_pylist() == columns["time_ns"].to_pylist() == [*range(3), *range(6)]
    assert columns["rtt_us"].null_count == 9
    pieces = [
        [(one.subflow_id, one.first, len(one.acks)) for one in batch.pieces if isinstance(one.acks, Acks)]
        for batch in found[1:-1]
    ]
    assert pieces == [[], [(0, 0, 8)], [(0, 8, 8), (0, 16, 1), (2, 0, 1)], [(2, 1, 9)]]
    columns = rows_of.ack_columns(found[3].pieces)
    assert columns["subflow_id"].to_pylist() == [0] * 9 + [2]
    assert columns["ack_no"].to_pylist() == columns["time_ns"].to_pylist() == [*range(8, 17), 0]
    assert columns["rtt_us"].to_pylist() == [*range(1000, 1008), 1000, 1000]


def test_a_long_connection_in_memory_is_built_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_of, "_ROWS", 10)
    some = [named(name, Subflow(0, 0, 1, acks=made(rows))) for name, rows in (("a", 4), ("b", 30), ("c", 4))]
    assert [[name for name, _ in batch.named] for batch in rows_of.batches(some)] == [["a"], ["b"], ["c"]]


def test_stored_rows_and_others_are_not_built_together() -> None:
    one, other = named("a", stored(0, 3)), named("b", Subflow(0, 0, 1, acks=made(3)))
    (batch,) = rows_of.batches([one, other])
    with pytest.raises(ValueError, match="all in memory, or none"):
        rows_of.ack_columns(batch.pieces)


def test_a_subflow_has_the_same_acks_in_memory_and_stored() -> None:
    whole, in_pieces = Subflow(0, 0, 1, acks=made(17)), stored(0, 8, 8, 1)
    assert list(in_pieces.all_acks().time_ns) == list(whole.all_acks().time_ns) == list(range(17))
    assert [len(piece) for piece in in_pieces.ack_pieces()] == [8, 8, 1]
    assert (in_pieces.min_rtt_us(), whole.min_rtt_us(), Subflow(0, 0, 1).min_rtt_us()) == (1000, 1000, None)
    assert (in_pieces.most_acks(), whole.most_acks()) == (17, 17)
    assert len(Subflow(0, 0, 1).all_acks()) == 0


@pytest.mark.slow
def test_a_capture_of_one_long_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joined_captures, "_ROWS", 1 << 16)
    inputs = tmp_path / "raw" / "inputs"
    inputs.mkdir(parents=True)
    path = inputs / "long.pcap"
    write_captures([path], packets=260_000, connections=1)
    flows = record(path, tmp_path).flows()
    assert max(sender.parts[1] for flow in flows for sender in flow.senders) > 1
    # Row by row as plain Python has them, across the parts.
    expected = assert_same(path, part_rows=1000)
    arguments = ["--params", str(ROOT / "params.yaml"), "--dataset", "made", "--raw", str(tmp_path / "raw"), "-q"]
    arguments += ["--tables", str(tmp_path / "tables"), "--report", str(tmp_path / "report.json")]
    assert stage.main("parse", parse, arguments) == stage.EXIT_OK
    acks = tmp_path / "tables" / "ack.parquet"
    groups = pq.ParquetFile(acks).metadata
    assert groups.num_row_groups > 1
    assert (
        max(groups.row_group(number).num_rows for number in range(groups.num_row_groups)) <= packet_recording.PART_ROWS
    )
    rows = TableReader(tables.ACK, acks).rows_of("made/long#0")
    subflows = read_table(tables.SUBFLOW, tmp_path / "tables" / "subflow.parquet").to_pylist()
    assert len(subflows) == len(expected) == 2
    for number, (subflow, ends) in enumerate(zip(subflows, expected, strict=True)):
        own = rows.filter(np.array(rows.column("subflow_id")) == number)
        # The client, which opened it, is a receiver here.
        acks_of_sender = max(ends.values(), key=lambda one: sum(one.acks.acked_bytes)).acks
        assert own.column("time_ns").to_pylist() == list(acks_of_sender.time_ns)
        assert own.column("acked_bytes").to_pylist() == list(acks_of_sender.acked_bytes)
        assert own.column("ack_no").to_pylist() == list(range(len(acks_of_sender)))
        assert subflow["min_rtt_us"] == min(value for value in own.column("rtt_us").to_pylist() if value is not None)
