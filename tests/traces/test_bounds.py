"""Of one input so much is held at once; what is beyond is refused and counted, and what is held takes few bytes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from smartsbd.traces import bounds, formats
from smartsbd.traces.bounds import TOO_MANY_CONNECTIONS, TOO_MANY_FLOWS, TOO_MANY_SUBFLOWS, Bounds
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace
from tests.night import few_now
from tests.traces.formats.test_packet_table import HEADER, talk
from tests.traces.naive import log as naive
from tests.traces.packets import (
    SYN,
    Packet,
    capable,
    ethernet,
    ipv4,
    join_syn,
    pcap,
    pcap_record,
    tcp,
    token_of,
)

ROOT = Path(__file__).parents[2]
SS_TIME = "1700000000.25\n"
KEY = b"abcdefgh"


def address(number: int) -> str:
    return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def bare_line(number: int) -> str:
    return f"{1 + number} C={1 + number:x} SF=0 V=RTT 9\n"


def kernel_line(number: int) -> str:
    return f"[   91.328292] smartsbd: {bare_line(number)}"


def tcp_probe_line(number: int) -> str:
    time = f"{number // 1000}.{number % 1000:09d}"
    return f"{time} {address(number)}:40000 10.255.0.1:80 32 0x1 0x1 10 20 30 40\n"


def ss_line(number: int) -> str:
    return f"ESTAB 0 0 {address(number)}:40000 10.255.0.1:80 rtt:1/1 bytes_acked:1\n"


def with_ss_time(lines: Iterable[str]) -> str:
    return SS_TIME + "".join(lines)


#: A line of a connection of its own, and what makes a log of lines.
LOGS: dict[str, tuple[Callable[[int], str], Callable[[Iterable[str]], str]]] = {
    "bare log": (bare_line, "".join),
    "kernel log": (kernel_line, "".join),
    "tcp_probe": (tcp_probe_line, "".join),
    "socket_stats": (ss_line, with_ss_time),
}


def log_of(path: Path, kind: str, connections: int) -> Path:
    line, whole = LOGS[kind]
    path.write_text(whole(line(number) for number in range(connections)))
    return path


def syn(number: int, options: bytes) -> Packet:
    segment = tcp(ports=(1000 + number % 60_000, 80), seq=5, flags=SYN, options=options)
    return Packet((1000 + number) * 10**6, ethernet(ipv4(segment, source=address(number // 60_000))))


def read(path: Path, most: Bounds = bounds.DEFAULT) -> Trace:
    (one,) = formats.read([path], Dialect(), most)
    assert isinstance(one.outcome, Trace)
    trace = one.outcome
    refused = sum(trace.refused().values())
    assert trace.records_in == trace.records_out + sum(trace.unused.values()) + refused
    return trace


def measured(*paths: Path) -> list[dict[str, Any]]:
    """Read inputs in a process of their own, which may map little memory; return what each became and took."""
    command = [sys.executable, "-m", "tests.fuzz.bounds", *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("kind", few_now(LOGS, now=["bare log"]))
def test_a_connection_of_an_idle_line_takes_less_than_500_bytes(tmp_path: Path, kind: str) -> None:
    count = bounds.DEFAULT.connections
    few, many = log_of(tmp_path / "few", kind, 100), log_of(tmp_path / "many", kind, count)
    first, second = measured(few, many)
    assert second["outcome"].endswith(f": {count} read")
    assert second["grown_bytes"] - first["grown_bytes"] < 500 * count


@pytest.mark.parametrize("kind", LOGS)
def test_of_more_connections_the_first_are_held_and_all_others_counted(tmp_path: Path, kind: str) -> None:
    line, whole = LOGS[kind]
    path = tmp_path / "a"
    path.write_text(whole(line(number) for number in (0, 1, 2, 3, 4, 1, 2, 3)))
    trace = read(path, Bounds(connections=3))
    assert len(trace.connections) == 3
    assert (trace.records_out, trace.refused()) == (5, {TOO_MANY_CONNECTIONS: 3})
    assert list(trace.refusals) == []
    with naive.plain():
        assert read(path, Bounds(connections=3)) == trace
    assert len(read(path).connections) == 5


@pytest.mark.parametrize("before", ["", "[ 1.0] smartsbd: "])
def test_of_more_subflows_the_first_are_held_and_all_records_of_others_counted(tmp_path: Path, before: str) -> None:
    lines = [f"{before}{1 + number} C=1 SF={number % 5} V=RTT 9\n" for number in range(50)]
    (tmp_path / "a").write_text("".join(lines))
    trace = read(tmp_path / "a", Bounds(subflows=3))
    (connection,) = trace.connections
    assert {subflow.subflow_id: len(subflow.acks) for subflow in connection.ordered()} == {0: 10, 1: 10, 2: 10}
    assert (trace.records_out, trace.refused()) == (30, {TOO_MANY_SUBFLOWS: 20})
    assert read(tmp_path / "a", Bounds(subflows=5)).refused() == {}


def parquet(count: int) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"time_s": list(range(count)), "rtt_ms": [5] * count}), sink)
    return sink.getvalue()


def wide(count: int) -> bytes:
    """Each row has the samples of two paths, but the last of an odd number has one."""
    rows = [f"{row},5,{'' if row == count // 2 else 5}\n" for row in range((count + 1) // 2)]
    return ("time_s,a_rtt_ms,b_rtt_ms\n" + "".join(rows)).encode()


TABLES: dict[str, Callable[[int], bytes]] = {
    "long": lambda count: ("time_s,rtt_ms\n" + "".join(f"{row},5\n" for row in range(count))).encode(),
    "wide": wide,
    "Parquet": parquet,
    "packets": lambda count: HEADER + talk(at_sender=True, packets=count),
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_with_more_rows_of_a_connection_is_refused_in_a_line(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(TABLES[kind](5))
    assert read(path, Bounds(rows=5)).records_out == 5
    (refused,) = formats.read([path], Dialect(), Bounds(rows=4))
    assert isinstance(refused.outcome, UnreadableInputError)
    assert str(refused.outcome) == f"{path}: has more than 4 rows of one connection: cut it in parts"


@pytest.mark.slow
def test_rows_beyond_the_bound_take_no_memory(tmp_path: Path) -> None:
    """Three megabytes of Parquet have three times as many rows as a connection may."""
    count = 3 * bounds.DEFAULT.rows
    rtt_us = np.random.default_rng(0).integers(5000, 5016, count)
    rows = pa.table({"time_ns": np.arange(count) * 1000 + 1_700_000_000_000_000_000, "rtt_us": rtt_us})
    path = tmp_path / "many.parquet"
    deltas = {"time_ns": "DELTA_BINARY_PACKED"}
    pq.write_table(rows, path, compression="zstd", use_dictionary=["rtt_us"], column_encoding=deltas)
    assert path.stat().st_size < 4e6
    (found,) = measured(path)
    assert found["outcome"].endswith("has more than 2,097,152 rows of one connection: cut it in parts")
    assert found["grown_bytes"] < 128 << 20


def test_sockets_of_a_token_after_so_many_are_refused_with_all_their_samples(tmp_path: Path) -> None:
    sample = "".join(f"ESTAB 0 0 10.0.0.1:{port} 10.0.0.2:80 rtt:1/1 token:1f(id:7)/aa(id:8)\n" for port in range(1, 6))
    (tmp_path / "a").write_text("".join(f"170000000{second}.0\n{sample}" for second in range(4)))
    trace = read(tmp_path / "a", Bounds(subflows=3))
    (connection,) = trace.connections
    assert [(subflow.local_port, len(subflow.acks)) for subflow in connection.ordered()] == [(1, 4), (2, 4), (3, 4)]
    assert (trace.records_out, trace.refused()) == (12, {TOO_MANY_SUBFLOWS: 8})


def test_joins_of_a_capture_take_little_memory_and_64_become_subflows(tmp_path: Path) -> None:
    joins = 60_000
    token = token_of(KEY, 0)
    packets = [syn(0, capable(0, KEY)), *(syn(1 + number, join_syn(token, number & 255)) for number in range(joins))]
    few, many = tmp_path / "few.pcap", tmp_path / "many.pcap"
    few.write_bytes(pcap(packets[:100]))
    many.write_bytes(pcap(packets))
    first, second = measured(few, many)
    assert first["outcome"] == f"pcap: 64 read, 36 refused: {TOO_MANY_SUBFLOWS}"
    assert second["outcome"] == f"pcap: 64 read, {joins + 1 - 64} refused: {TOO_MANY_SUBFLOWS}"
    assert second["grown_bytes"] < 4000 * joins
    assert second["cpu_s"] < 10


def test_of_more_flows_of_a_capture_the_first_are_held_and_all_segments_of_others_counted(tmp_path: Path) -> None:
    packets = [syn(number, capable(1)) for number in (0, 1, 2, 3, 4)]
    # Sent again: two segments of a flow.
    packets += [Packet(packet.time_ns + 10**9, packet.data) for packet in packets]
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap(packets))
    trace = read(path, Bounds(connections=3))
    ports = [subflow.local_port for one in trace.connections for subflow in one.ordered()]
    assert ports == [1000, 1001, 1002]
    assert (trace.records_out, trace.refused()) == (6, {TOO_MANY_FLOWS: 4})
    assert list(trace.refusals) == []


def test_refused_records_behind_a_segment_that_waits_take_little_memory(tmp_path: Path) -> None:
    """A segment of a later time stays behind all others; nothing that was refused meanwhile is held for its sake."""
    first = syn(0, capable(1))
    late = Packet(first.time_ns + 10**18, first.data)
    cut = Packet(first.time_ns, first.data[:20])
    few, many = tmp_path / "few.pcap", tmp_path / "many.pcap"
    for path, count in ((few, 100), (many, 400_000)):
        path.write_bytes(pcap([late]) + pcap_record(cut) * count)
    of_few, of_many = measured(few, many)
    assert "400000 refused" in of_many["outcome"]
    assert of_many["grown_bytes"] - of_few["grown_bytes"] < 32 * 2**20
