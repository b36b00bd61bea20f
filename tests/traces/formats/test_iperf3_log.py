"""Smoothed RTTs of iperf3's intervals, where its sender is Linux."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import format_of, iperf3_log
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

T_S = 1796010624


def start(streams: int = 1, **timestamp: int) -> dict[str, Any]:
    """Return what iperf 3.12 says first."""
    ends = {"local_host": "192.0.2.7", "remote_host": "192.0.2.1", "remote_port": 5201}
    return {
        "connected": [{"socket": 5 + 2 * place, "local_port": 46846 + place} | ends for place in range(streams)],
        "version": "iperf 3.12",
        "system_info": "Linux host 6.1.0 [x] x86_64",
        "timestamp": {"time": "Mon, 30 Nov 2026 03:50:24 GMT", "timesecs": T_S} | timestamp,
        "test_start": {"protocol": "TCP", "num_streams": streams, "reverse": 0},
    }


def stream(place: int, number: int = 0, rtt_us: int = 24_511, **more: Any) -> dict[str, Any]:
    """Return a stream in an interval of 0.1 s."""
    return {
        "socket": 5 + 2 * number,
        "start": place / 10,
        "end": place / 10 + 0.1,
        "bytes": 131072,
        "retransmits": place,
        "snd_cwnd": 966656,
        "rtt": rtt_us,
        "rttvar": 19,
        "omitted": False,
        "sender": True,
    } | more


def document(intervals: list[list[dict[str, Any]]], begun: dict[str, Any] | None = None) -> bytes:
    of_test = {"start": begun or start(), "intervals": [{"streams": one, "sum": {"rtt": 7}} for one in intervals]}
    return json.dumps(of_test | {"end": {"streams": [{"sender": {"socket": 5}}]}}, indent="\t").encode()


def read(tmp_path: Path, content: bytes) -> Trace:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    assert format_of(path).source == iperf3_log.SOURCE
    return iperf3_log.read(path, Dialect())


def test_intervals_are_smoothed_rtts_at_their_ends(tmp_path: Path) -> None:
    trace = read(
        tmp_path, document([[stream(0), stream(0, 1, 80_000)], [stream(1, 0, 25_000), stream(1, 1)]], start(2))
    )
    (connection,) = trace.connections
    first, second = connection.ordered()
    assert list(first.acks.time_ns) == [T_S * 10**9 + 100_000_000, T_S * 10**9 + 200_000_000]
    assert (list(first.acks.srtt_us), list(second.acks.srtt_us)) == ([24_511, 25_000], [80_000, 24_511])
    assert (first.acks.min_rtt_us(), first.retransmissions, first.local_port) == (None, 1, 46846)
    assert (second.local_port, first.remote_port, first.resolution_ns) == (46847, 5201, 10**9)
    assert (trace.records_in, trace.records_out) == (4, 4)


def test_milliseconds_of_newer_versions_count(tmp_path: Path) -> None:
    trace = read(tmp_path, document([[stream(0)]], start(timemillisecs=T_S * 1000 + 345)))
    (subflow,) = trace.connections[0].ordered()
    assert (list(subflow.acks.time_ns), subflow.resolution_ns) == ([T_S * 10**9 + 445_000_000], 10**6)


def test_times_that_begin_anew_after_what_is_omitted_go_on(tmp_path: Path) -> None:
    omitted = [[stream(place, omitted=True)] for place in range(10)]
    trace = read(tmp_path, document([*omitted, *([stream(place)] for place in range(3))]))
    times_ns = list(trace.connections[0].ordered()[0].acks.time_ns)
    assert (len(times_ns), trace.refused()) == (13, {})
    assert [round((time_ns - T_S * 10**9) / 1e8) for time_ns in times_ns] == list(range(1, 14))


def test_lines_of_events_say_the_same(tmp_path: Path) -> None:
    intervals = [[stream(place)] for place in range(3)]
    events = [{"event": "start", "data": start()}]
    events += [{"event": "interval", "data": {"streams": streams}} for streams in intervals]
    events.append({"event": "end", "data": {}})
    lines = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    streamed, whole = read(tmp_path, lines), read(tmp_path, document(intervals))
    assert list(streamed.connections) == list(whole.connections)
    assert read(tmp_path, lines + b'{"event": "interval", "da').refused() == {iperf3_log.MALFORMED: 1}


def test_tests_in_one_file_are_a_connection_each(tmp_path: Path) -> None:
    trace = read(tmp_path, document([[stream(0)]]) + document([[stream(0, 0, 9)]]))
    assert [list(one.ordered()[0].acks.srtt_us) for one in trace.connections] == [[24_511], [9]]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (document([[{"socket": 5, "start": 0, "end": 1, "sender": False}]]), "run iperf3 -J -i 0.1 where the data is"),
        (document([[{"socket": 5, "start": 0, "end": 1, "packets": 9, "sender": True}]]), iperf3_log.ONLY_WITHOUT),
        (document([[stream(0, 0, 0)]]), iperf3_log.ONLY_WITHOUT),
        (document([]), iperf3_log.NO_INTERVAL),
        (document([[stream(0)]]).replace(b'"timesecs"', b'"time_s"'), iperf3_log.NO_TIME),
    ],
)
def test_what_cannot_be_used_says_why(tmp_path: Path, content: bytes, why: str) -> None:
    with pytest.raises(UnreadableInputError) as raised:
        read(tmp_path, content)
    assert why in raised.value.why


def test_broken_intervals_are_refused(tmp_path: Path) -> None:
    content = document([[stream(0)], [5, {}], [stream(2, 0, 2**40)], [stream(3)]])  # type: ignore[list-item]
    trace = read(tmp_path, content[: content.rindex(b'"sum"')])
    assert trace.records_out == 1
    assert trace.refused() == {iperf3_log.MALFORMED: 2, "its end is cut off": 1, "value out of range": 1}


def test_streams_that_receive_are_unused(tmp_path: Path) -> None:
    trace = read(tmp_path, document([[stream(0), {"socket": 7, "start": 0, "end": 0.1, "sender": False}]]))
    assert (trace.records_out, trace.unused) == (1, {iperf3_log.RECEIVES: 1})
