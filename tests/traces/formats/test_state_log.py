"""The recorder's rows become rows or quarantine, or are counted as unused."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.traces import assembly
from smartsbd.traces.connection import NOT_OBSERVED
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import state_log
from smartsbd.traces.trace import Trace

SAMPLES = Path(__file__).parents[3] / "data/samples/kernel/inputs"
HEADER = b"t,sf,var,value\n"
GOOD = b"""\
t,sf,var,value
1795231448.953986,0,rtt_us,154773
1795231448.953986,0,ack,4294967000
1795231448.953986,0,cwnd,10
1795231448.953986,0,ssthresh,2147483647
1795231449.069923,0,ack,104
1795231449.069923,0,rtt_us,115707
1795231449.07,1,rtt_us,9000
1795231449.08,0,ca_state,3
1795231449.08,0,retrans,1
1795231449.08,0,retrans,1
1795231449.09,0,ack,104
1795231449.10,0,ca_state,0
1795231449.100000001,0,ack,1528
1795231449.100000001,0,rtt_us,120000
1795231449.100000001,0,rtt_us,120001
1795231449.2,0,cwnd,7
"""


def read(tmp_path: Path, content: bytes) -> Trace:
    path = tmp_path / "a.state.csv"
    path.write_bytes(content)
    return state_log.read(path, Dialect())


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_rows_of_a_known_log(tmp_path: Path, end: bytes) -> None:
    trace = read(tmp_path, GOOD.replace(b"\n", end))
    assert (trace.records_in, trace.records_out, trace.refusals) == (16, 13, [])
    assert trace.unused == {"cwnd": 2, "ssthresh": 1}
    assert (trace.other_lines, trace.gaps, trace.messages_lost) == (0, 0, 0)
    (connection,) = trace.connections
    assert (connection.token, connection.vantages, connection.states_inferred) == (None, {0: "sender"}, False)
    first, second = connection.ordered()
    assert list(first.acks.time_ns) == [
        1795231448_953986000,
        1795231449_069923000,
        1795231449_090000000,
        1795231449_100000001,
        1795231449_100000001,
    ]
    assert list(first.acks.rtt_us) == [154773, 115707, NOT_OBSERVED, 120000, 120001]
    assert list(first.acks.acked_bytes) == [0, 400, 400, 1824, 1824]
    assert set(first.acks.is_dup) == {NOT_OBSERVED}
    assert list(first.state_time_ns) == [1795231449_080000000, 1795231449_100000000]
    assert list(first.state_ca_state) == [3, 0]
    assert (first.retransmissions, first.loss_kind) == (2, [])
    assert (first.start_ns, first.end_ns) == (1795231448_953986000, 1795231449_100000001)
    assert list(second.acks.rtt_us) == [9000]
    assert second.retransmissions == 0


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", state_log.MALFORMED),
        (b"hello", state_log.MALFORMED),
        (b"3.0,0,rtt_us", state_log.MALFORMED),
        (b"3.0,0,rtt_us,5,6", state_log.MALFORMED),
        (b"3.0,0,rtt_us,-5", state_log.MALFORMED),
        (b"3.0,0,rtt_us,5.5", state_log.MALFORMED),
        (b"-3.0,0,rtt_us,5", state_log.MALFORMED),
        (b"3,0,rtt_us,5", state_log.MALFORMED),
        (b"3.0000000001,0,rtt_us,5", state_log.MALFORMED),
        (b"3.0,,rtt_us,5", state_log.MALFORMED),
        (b"3.0,0,rtt_us,5 ", state_log.MALFORMED),
        (b"t,sf,var,value", state_log.MALFORMED),
        (b"9" * 300, state_log.MALFORMED),
        (b"3.0,0,rtt_us," + b"1" * 2_000_000, state_log.MALFORMED),
        (b"\xff,0,rtt_us,5", state_log.MALFORMED),
        (b"3.0,0,srtt,5", state_log.UNKNOWN_VARIABLE),
        (b"1.9,0,rtt_us,5", assembly.BACKWARDS),
        (b"3.0,0,rtt_us,0", assembly.OUT_OF_RANGE),
        (b"3.0,0,rtt_us,2147483648", assembly.OUT_OF_RANGE),
        (b"3.0,0,ca_state,5", assembly.OUT_OF_RANGE),
        (b"3.0,0,ack,4294967296", assembly.OUT_OF_RANGE),
        (b"9999999999.0,0,rtt_us,5", assembly.OUT_OF_RANGE),
        (b"9999999999.0,1,rtt_us,5", assembly.OUT_OF_RANGE),
    ],
)
def test_a_bad_row_is_refused_with_its_place(tmp_path: Path, line: bytes, reason: str) -> None:
    head = HEADER + b"2.0,0,rtt_us,7\n"
    trace = read(tmp_path, head + line + b"\n4.0,0,rtt_us,8\n")
    assert (trace.records_in, trace.records_out) == (3, 2)
    (refusal,) = trace.refusals
    assert (refusal.offset, refusal.reason, refusal.raw) == (len(head), reason, line[:64])
    assert list(trace.connections[0].subflows[0].acks.rtt_us) == [7, 8]


def test_subflows_have_clocks_of_their_own(tmp_path: Path) -> None:
    trace = read(tmp_path, HEADER + b"5.0,1,rtt_us,7\n3.0,0,rtt_us,8\n4.9,1,rtt_us,9\n")
    assert [refusal.reason for refusal in trace.refusals] == [assembly.BACKWARDS]
    assert trace.connections[0].span_ns() == (3_000_000_000, 5_000_000_000)


def test_a_log_of_a_header_has_no_connection(tmp_path: Path) -> None:
    trace = read(tmp_path, HEADER)
    assert (trace.records_in, trace.connections) == (0, [])


def test_a_recorded_log_has_what_its_recorder_counted() -> None:
    trace = state_log.read(SAMPLES / "101.state.csv.zst", Dialect())
    assert (trace.records_in, trace.refusals) == (15799, [])
    assert trace.unused == {"cwnd": 651, "ssthresh": 17}
    first, second = trace.connections[0].ordered()
    for subflow, samples, acks, states, retransmissions, smallest_us in (
        (first, 3338, 3339, 30, 19, 113_100),
        (second, 4183, 4183, 12, 27, 169_900),
    ):
        assert sum(rtt_us != NOT_OBSERVED for rtt_us in subflow.acks.rtt_us) == samples
        assert len(subflow.acks.time_ns) == acks
        assert len(subflow.state_ca_state) == states
        assert subflow.retransmissions == retransmissions
        assert abs((subflow.min_rtt_us() or 0) - smallest_us) <= 50
