"""Connections that the compiled parser puts together are those of plain Python, one by one and as rows of tables."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from smartsbd.contracts import tables
from smartsbd.native import packet_recording
from smartsbd.traces import connection as rows_of
from smartsbd.traces import joined_captures
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.formats import capture
from smartsbd.traces.joined_captures import CaptureConnections, JoinedBatch, batches
from smartsbd.traces.recorded import record
from smartsbd.traces.trace import Trace
from tests.traces import packets
from tests.traces.comparison import in_memory
from tests.traces.naive import connections as naive
from tests.traces.packets import ACK, FIN, MS, Packet, Talk

SAMPLES = sorted((Path(__file__).parent / "samples/captures").glob("*.pcap*"))
DRAWS = 40
KEYS = [bytes([value]) * 8 for value in range(1, 9)]
OF_CONNECTIONS = {
    table.name: table
    for table in (tables.CONNECTION, tables.CONNECTION_CAPTURE, tables.SUBFLOW, tables.ACK, tables.STATE, tables.LOSS)
}


def drawn_talk(rng: random.Random) -> list[Packet]:
    """One TCP connection between few addresses and ports, with few keys: some are of the same MPTCP connection."""
    version = rng.randrange(2)
    addresses = rng.choice([("10.0.0.1", "10.0.0.9"), ("2001:db8::1", "::ffff:10.0.0.9"), ("10.0.0.2", "10.0.0.9")])
    ports = 1000 + rng.randrange(3), 80
    ends = list(zip(addresses, ports, strict=True))
    rng.shuffle(ends)
    talk = Talk(
        ends[0], ends[1], isn=(rng.choice([5, 70_000]), rng.choice([9, 90_000])), origin_ms=1000 + rng.randrange(2000)
    )
    one, other = rng.sample(KEYS[:4], 2)
    permitted = packets.option(4)
    if rng.random() < 0.5:
        shake = (packets.v0, packets.v1)[version](one, other)
    else:
        token = packets.token_of(rng.choice(KEYS[:5]), version)
        shake = packets.join(token, (rng.randrange(3), rng.randrange(3)))
    talk.open(0, [shake[0] + permitted, shake[1] + permitted, shake[2]])
    talk.data(rng.randrange(2), range(100, 100 + 10 * rng.randrange(6), 10))
    if rng.random() < 0.4:
        lost = talk.sent[0]
        for number in range(1, 5):
            talk.say(0, 300 + number, size=1000, seq=lost + 1000 * number, options=packets.dss(5))
            talk.say(1, 340 + number, ack=lost, options=packets.sack((lost + 1000, lost + 1000 * (number + 1))))
        talk.say(0, 360, size=1000, seq=lost, options=packets.dss(5))
        talk.say(1, 400, ack=lost + 5000, options=packets.dss(5))
    if rng.random() < 0.2:
        talk.say(0, 500, flags=FIN | ACK)
    # Of some the handshake, or a part of it, is missing.
    return talk.packets[rng.choice([0, 0, 0, 0, 1, 2, 3]) :]


def drawn_captures(folder: Path, seed: int) -> list[Path]:
    """A few captures: what one has may be in others too, seen there earlier or later, whole or not."""
    rng = random.Random(seed)  # noqa: S311 - test data
    held: list[list[Packet]] = [[] for _ in range(rng.choice([1, 1, 2, 4]))]
    for _ in range(rng.randrange(2, 14)):
        talk = drawn_talk(rng)
        for own in rng.sample(held, rng.choice([1, 1, 1, len(held)])):
            delay_ns = rng.choice([0, 0, 1, 15]) * MS
            seen = talk if rng.random() < 0.7 else talk[: rng.randrange(1, len(talk) + 1)]
            own.extend(packet._replace(time_ns=packet.time_ns + delay_ns) for packet in seen)
    paths = [folder / f"{number}.pcap" for number in range(len(held))]
    for path, own in zip(paths, held, strict=True):
        path.write_bytes(packets.pcap(sorted(own, key=lambda packet: packet.time_ns), tick_ns=1))
    return paths


def read_both(paths: Sequence[Path], folder: Path, most: Bounds) -> tuple[list[Trace], list[Trace]]:
    """Return what the compiled parser makes of captures, and what plain Python does."""
    return tuple(join([record(path, folder) for path in paths], most) for join in (capture.join, naive.join))  # type: ignore[return-value]


def rows_by_connection(traces: Sequence[Trace], names: Sequence[str]) -> dict[str, pa.Table]:
    """Return the rows of all connections, built from each by itself."""
    named = [
        (f"{name}{number}", one)
        for name, trace in zip(names, traces, strict=True)
        for number, one in enumerate(trace.connections)
    ]
    links = [(name, place, said) for name, one in named for place, said in sorted(one.vantages.items())]
    found: dict[str, dict[str, Any]] = {
        table: getattr(rows_of, f"{table}_columns")(named) for table in ("connection", "subflow", "state", "loss")
    }
    found["connection_capture"] = {
        "connection_id": [name for name, _, _ in links],
        "capture_id": [str(place) for _, place, _ in links],
        "vantage": [said for _, _, said in links],
    }
    found["ack"] = rows_of.ack_columns([piece for name, one in named for piece in rows_of.ack_pieces(name, one)])
    return {name: table.build(found[name]) for name, table in OF_CONNECTIONS.items()}


def rows_together(traces: Sequence[Trace], names: Sequence[str]) -> dict[str, pa.Table]:
    """Return the same rows, built from many connections at once."""
    parts: dict[str, list[pa.Table]] = {name: [] for name in OF_CONNECTIONS}
    own = [trace.connections for trace in traces if isinstance(trace.connections, CaptureConnections)]
    for batch in batches(own, names):
        assert isinstance(batch, JoinedBatch)
        for name, columns in batch.columns([str(place) for place in range(len(traces))]).items():
            parts[name].append(OF_CONNECTIONS[name].build(columns))
    return {name: pa.concat_tables(some).combine_chunks() for name, some in parts.items()}


def assert_both_agree(paths: Sequence[Path], folder: Path, most: Bounds) -> list[Trace]:
    found, expected = read_both(paths, folder, most)
    for one, other in zip(found, expected, strict=True):
        assert in_memory(one.connections) == in_memory(other.connections)
        for name in ("records_in", "records_out", "unused", "beyond_bounds", "signals"):
            assert getattr(one, name) == getattr(other, name), name
        assert list(one.refusals) == list(other.refusals)
    names = [f"{number}#" for number in range(len(paths))]
    if any(trace.connections for trace in expected):
        together, apart = rows_together(found, names), rows_by_connection(expected, names)
        for name in OF_CONNECTIONS:
            assert together[name].equals(apart[name].combine_chunks()), name
    return found


@pytest.mark.parametrize("seed", range(DRAWS))
def test_drawn_captures(tmp_path: Path, seed: int) -> None:
    assert_both_agree(drawn_captures(tmp_path, seed), tmp_path, Bounds(subflows=(64, 2)[seed % 4 == 0]))


def test_draws_have_what_is_to_be_told_apart(tmp_path: Path) -> None:
    connections = elsewhere = beyond = losses = several = 0
    for seed in range(DRAWS):
        for trace in capture.read_together(drawn_captures(tmp_path, seed), Bounds(subflows=(64, 2)[seed % 4 == 0])):
            connections += len(trace.connections)
            elsewhere += trace.unused[capture.ELSEWHERE]
            beyond += trace.beyond_bounds.total()
            for one in trace.connections:
                losses += sum(len(subflow.loss_time_ns) for subflow in one.subflows.values())
                several += len(one.vantages) > 1
    assert min(connections, elsewhere, beyond, losses, several) > 10


def test_public_captures_together_and_alone(tmp_path: Path) -> None:
    traces = assert_both_agree(SAMPLES, tmp_path, Bounds())
    assert sum(len(trace.connections) for trace in traces) > 1
    for path in SAMPLES:
        assert_both_agree([path], tmp_path, Bounds())


@pytest.mark.parametrize("seed", range(4))
def test_captures_with_the_same_opening(tmp_path: Path, seed: int) -> None:
    """Many connections have the same ends and SYN, other keys, and captures that lack a part of these."""
    rng = random.Random(seed)  # noqa: S311 - test data
    keys = [rng.randbytes(8) for _ in range(50)]
    paths = [tmp_path / f"{number}.pcap" for number in range(90)]
    for path in paths:
        talk = Talk(("10.0.0.1", 1000), ("10.0.0.9", 80), isn=(5, 9), origin_ms=1000)
        talk.open(0, rng.choice([packets.v0, packets.v1])(*rng.sample(keys, 2)))
        path.write_bytes(packets.pcap(talk.packets[: rng.choice([1, 2, 2, 3])]))
    assert sum(len(trace.connections) for trace in assert_both_agree(paths, tmp_path, Bounds())) > 20


def test_each_of_many_flows_with_the_same_opening_is_looked_up(tmp_path: Path) -> None:
    """Compared with each other, they would be ten billion pairs."""
    talk = Talk(("10.0.0.1", 1000), ("10.0.0.9", 80), isn=(5, 9), origin_ms=1000)
    talk.open(0, packets.v1(*KEYS[:2]))
    path = tmp_path / "0.pcap"
    path.write_bytes(packets.pcap(talk.packets))
    flows = np.repeat(record(path, tmp_path).summaries, 100_000)
    captures = []
    for number in range(2):
        tokens = np.zeros(flows.size, packet_recording.FLOW_TOKENS)
        tokens["token"] = np.arange(2 * flows.size).reshape(-1, 2) + 2 * number * flows.size
        captures.append((flows, tokens))
    started_s = time.process_time()
    connections = packet_recording.group(captures, 64)[0]
    assert time.process_time() - started_s < 10
    assert connections.size == 2 * flows.size


def test_rows_come_in_the_batches_of_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection with too many rows for a batch comes in parts, between those that come together."""
    for most in (1, 7, 20):
        monkeypatch.setattr(rows_of, "_ROWS", most)
        monkeypatch.setattr(joined_captures, "_ROWS", most)
        for seed in range(8):
            traces = capture.read_together(drawn_captures(tmp_path, seed))
            own = [trace.connections for trace in traces if isinstance(trace.connections, CaptureConnections)]
            names = [f"{number}#" for number in range(len(own))]
            named = [
                (f"{name}{number}", one)
                for name, trace in zip(names, traces, strict=True)
                for number, one in enumerate(trace.connections)
            ]
            found = [
                batch.names.to_pylist() if isinstance(batch, JoinedBatch) else [name for name, _ in batch.named]
                for batch in batches(own, names)
            ]
            assert found == [[name for name, _ in batch.named] for batch in rows_of.batches(named)]


def test_no_captures_have_no_rows() -> None:
    assert list(batches([], [])) == []
    assert capture.join([]) == []


def test_losses_count_among_the_rows_of_a_connection(tmp_path: Path) -> None:
    talk = Talk(("10.0.0.1", 1000), ("10.0.0.9", 80), isn=(5, 9), origin_ms=1000)
    talk.open(0, packets.v1(*KEYS[:2]))
    for number in range(300):
        talk.say(0, 100 + 300 * number, size=1000, seq=6)
    path = tmp_path / "0.pcap"
    path.write_bytes(packets.pcap(talk.packets))
    (connection,) = capture.read_together([path])[0].connections
    (subflow,) = connection.ordered()
    assert subflow.most_rows() == len(subflow.loss_time_ns) > 100 > subflow.most_acks()
