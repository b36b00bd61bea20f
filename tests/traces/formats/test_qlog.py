"""Events of a qlog that carry an RTT, a state or a loss become rows of their path; others are counted."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from smartsbd.traces import stored
from smartsbd.traces.connection import NOT_OBSERVED
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import qlog
from smartsbd.traces.trace import Trace

PUBLIC = Path(__file__).parents[1] / "samples/public/picoquic-multipath_qlog_ref.txt.zst"
FIELDS = ["relative_time", "path_id", "category", "event", "data"]
RTT = [5, 1, "recovery", "metrics_updated", {"latest_rtt": 24511, "smoothed_rtt": 24000}]


def document(*events: Any, unit: str = "us", more: str = "") -> bytes:
    traces = {"event_fields": FIELDS, "configuration": {"time_units": unit}, "events": events}
    text = json.dumps({"qlog_version": "draft-00", "traces": [traces]})
    return (text[:-2] + more + text[-2:]).encode()


def lines(*events: Any, header: str = '"time_format": "relative"') -> bytes:
    first = '{"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "trace": {"common_fields": {%s}}}'
    return "".join(f"\x1e{one}\n" for one in (first % header, *map(json.dumps, events))).encode()


def read(tmp_path: Path, content: bytes) -> Trace:
    path = tmp_path / "a.qlog"
    path.write_bytes(content)
    assert qlog.recognises(content)
    return qlog.read(path, Dialect())


def test_a_public_log_of_two_paths() -> None:
    text = b"".join(stored.blocks(PUBLIC)).decode()
    trace = qlog.read(PUBLIC, Dialect())
    assert trace.refusals == []
    # An event begins a line.
    assert trace.records_in == len(re.findall(r"^\[\d+, \d", text, re.MULTILINE))
    (connection,) = trace.connections
    assert connection.vantages == {0: "sender"}
    for path, subflow in connection.subflows.items():
        own = re.findall(rf'^\[(\d+), {path}, "recovery", "metrics_updated", {{(.*)}}\]', text, re.MULTILINE)
        latest = [(int(at), int(found[1])) for at, said in own if (found := re.search(r'latest_rtt": (\d+)', said))]
        smoothed = [int(found[1]) for _, said in own if (found := re.search(r'smoothed_rtt": (\d+)', said))]
        acks = subflow.acks
        rows = [(at // 1000, rtt) for at, rtt in zip(acks.time_ns, acks.rtt_us, strict=True) if rtt != NOT_OBSERVED]
        assert rows == latest and len(latest) > 5
        assert [rtt for rtt in acks.srtt_us if rtt != NOT_OBSERVED] == smoothed
        # The log has no state of a controller.
        assert len(subflow.state_time_ns) == 0
    assert sum(len(subflow.loss_time_ns) for subflow in connection.ordered()) == text.count('"packet_lost"') == 1


def test_states_and_losses_are_taken_where_they_are_logged(tmp_path: Path) -> None:
    states = [
        [at, 1, "recovery", "congestion_state_updated", {"new": new}] for at, new in ((6, "recovery"), (9, "open"))
    ]
    lost = [7, 1, "recovery", "packet_lost", {"packet_number": 3}]
    trace = read(tmp_path, document(RTT, states[0], lost, states[1]))
    (subflow,) = trace.connections[0].ordered()
    assert (list(subflow.state_time_ns), list(subflow.state_ca_state)) == ([6000, 9000], [3, 0])
    assert (subflow.loss_kind, list(subflow.loss_packets)) == (["fast"], [1])


@pytest.mark.parametrize("path", [{"path_id": 3}, {"data": {"latest_rtt": 24.5, "path_id": 3}}])
def test_lines_of_events_with_names(tmp_path: Path, path: dict[str, Any]) -> None:
    event = {"time": 5.25, "name": "recovery:metrics_updated", "data": {"latest_rtt": 24.5}}
    trace = read(tmp_path, lines(event | path))
    (subflow,) = trace.connections[0].ordered()
    assert (subflow.subflow_id, list(subflow.acks.time_ns), list(subflow.acks.rtt_us)) == (3, [5_250_000], [24_500])


def test_times_may_count_from_the_event_before(tmp_path: Path) -> None:
    event = {"time": 5, "name": "recovery:metrics_updated", "data": {"latest_rtt": 20}}
    trace = read(tmp_path, lines(event, event, event, header='"time_format": "delta"'))
    assert list(trace.connections[0].subflows[0].acks.time_ns) == [5_000_000, 10_000_000, 15_000_000]


def test_every_trace_is_a_connection(tmp_path: Path) -> None:
    one = document(RTT).decode()
    inner = one[one.index('{"event_fields') : -2]
    trace = read(tmp_path, one.replace(inner, f"{inner}, {inner}").encode())
    assert len(trace.connections) == 2


def test_marks_in_strings_are_text(tmp_path: Path) -> None:
    odd = [4, 0, "info", "message", {"message": 'a "quote\\", ]}]} and "events": ['}]
    trace = read(tmp_path, document(odd, RTT))
    assert (trace.records_in, trace.records_out, trace.unused) == (2, 1, {qlog.OTHER: 1})


@pytest.mark.parametrize("block_bytes", [1, 7, 64])
def test_where_blocks_end_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block_bytes: int) -> None:
    odd = [4, 0, "info", "message", {"message": 'a "quote\\", ]}]} \\\\'}]
    content = document(odd, RTT, RTT)
    whole = read(tmp_path, content)
    monkeypatch.setattr("smartsbd.traces.stored._BLOCK_BYTES", block_bytes)
    pieces = read(tmp_path, content)
    assert pieces == whole and whole.records_out == 2


def test_what_is_no_event_is_refused_and_the_next_is_read(tmp_path: Path) -> None:
    late = [9, *RTT[1:]]
    broken = [
        [1, 2],
        {"time": True, "name": "metrics_updated", "data": {}},
        [7, 1, "recovery", "metrics_updated", {"latest_rtt": "fast"}],
        [7, 70000, "recovery", "metrics_updated", {"latest_rtt": 5}],
        [7, 1, "recovery", "metrics_updated", {"latest_rtt": 0}],
        [1, 1, "recovery", "metrics_updated", {"latest_rtt": 5}],
        [7, 1, "recovery", "metrics_updated", {"x": "y" * 70_000, "latest_rtt": 5}],
    ]
    trace = read(tmp_path, document(RTT, *broken, late))
    assert trace.refused() == {
        qlog.MALFORMED: 2,
        "value out of range": 3,
        "time runs backwards": 1,
        qlog.TOO_LONG: 1,
    }
    assert list(trace.connections[0].subflows[1].acks.rtt_us) == [24511, 24511]


def test_a_line_s_end_ends_a_string(tmp_path: Path) -> None:
    content = document(RTT, RTT, RTT).decode().replace('"recovery", "metrics', '"recovery\n, "metrics', 1)
    trace = read(tmp_path, content.encode())
    assert trace.records_in == 3 and trace.refused()[qlog.MALFORMED] == 1


def test_an_event_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    trace = read(tmp_path, document(RTT, RTT)[:-40])
    assert (trace.records_in, trace.records_out, trace.refused()) == (2, 1, {qlog.CUT: 1})
