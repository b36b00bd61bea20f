"""Another lab's lines are read by a pattern; a pattern that makes no record is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.traces import assembly
from smartsbd.traces.connection import NOT_OBSERVED, Subflow
from smartsbd.traces.dialect import Dialect, DialectError, LinePattern
from smartsbd.traces.formats import event_log
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

ONE_LINE = LinePattern(
    "mptcp_sbd ",
    r"tok=(?P<token>0x[0-9a-f]+) pi=(?P<subflow>\d+) rtt=(?P<rtt_us>\d+) una=(?P<snd_una>0x[0-9a-f]+)"
    r" st=(?P<ca_state>\d)",
)


def read(tmp_path: Path, content: bytes, pattern: LinePattern) -> Trace:
    path = tmp_path / "a.log"
    path.write_bytes(content)
    return event_log.read(path, Dialect(pattern))


def only_subflow(trace: Trace) -> Subflow:
    (connection,) = trace.connections
    (subflow,) = connection.ordered()
    return subflow


def test_one_line_with_all_values(tmp_path: Path) -> None:
    content = (
        b"[   91.328292] net/mptcp/mptcp_sbd.c: mptcp_sbd tok=0xab12 pi=1 rtt=24511 una=0xfffffff0 st=3\n"
        b"[   91.400000] mptcp_add_sock: token 0xab12 pi 2\n"
        b"[   91.428292] net/mptcp/mptcp_sbd.c: mptcp_sbd tok=0xab12 pi=1 rtt=25000 una=0x10 st=0\n"
        b"[   91.500000] net/mptcp/mptcp_sbd.c: mptcp_sbd tok=0xab13 pi=2 rtt=1 una=0x10 st=0\n"
    )
    trace = read(tmp_path, content, ONE_LINE)
    assert (trace.records_in, trace.records_out, trace.other_lines) == (3, 3, 1)
    first, second = trace.connections
    assert (first.token, second.token) == (0xAB12, 0xAB13)
    assert list(first.subflows) == [1] and list(second.subflows) == [2]
    subflow = first.subflows[1]
    assert list(subflow.acks.time_ns) == [91_328_292_000, 91_428_292_000]
    assert list(subflow.acks.rtt_us) == [24511, 25000]
    assert list(subflow.acks.acked_bytes) == [0, 32]
    assert list(subflow.state_time_ns) == [91_328_292_000, 91_428_292_000]
    assert list(subflow.state_ca_state) == [3, 0]


@pytest.mark.parametrize(
    ("group", "text", "time_ns"),
    [
        ("time_ns", b"91328292001", 91_328_292_001),
        ("time_us", b"91328292", 91_328_292_000),
        ("time_us", b"91328292.5", 91_328_292_500),
        ("time_ms", b"91328", 91_328_000_000),
        ("time_ms", b"91328.292", 91_328_292_000),
        ("time_s", b"91.328292", 91_328_292_000),
        ("time_s", b"1700000000.123456789", 1_700_000_000_123_456_789),
        ("time_s", b"91", 91_000_000_000),
    ],
)
def test_a_time_in_the_record_counts(tmp_path: Path, group: str, text: bytes, time_ns: int) -> None:
    pattern = LinePattern("sbd: ", rf"t=(?P<{group}>[0-9.]+) rtt=(?P<rtt_us>\d+)")
    subflow = only_subflow(read(tmp_path, b"[    5.000000] sbd: t=" + text + b" rtt=7\n", pattern))
    assert list(subflow.acks.time_ns) == [time_ns]


def test_a_time_that_is_not_in_a_record_is_the_prefix_s(tmp_path: Path) -> None:
    pattern = LinePattern("sbd: ", r"(?:t=(?P<time_us>\d+) )?rtt=(?P<rtt_us>\d+)")
    subflow = only_subflow(read(tmp_path, b"[    5.000000] sbd: t=9 rtt=7\n[    6.000000] sbd: rtt=8\n", pattern))
    assert list(subflow.acks.time_ns) == [9000, 6_000_000_000]


@pytest.mark.parametrize(
    ("line", "times_ns"),
    [
        (b"[    5.000000] sbd: rtt=7 [    6.000000] sbd: rtt=8", [5_000_000_000, 6_000_000_000]),
        (b"[    5.000000] foo [    6.000000] sbd: rtt=7", [6_000_000_000]),
        (b"[    5.000000] sbd: rtt=7 sbd: rtt=8", [5_000_000_000, 5_000_000_000]),
        (b"[    5.000000][  T12] sbd: rtt=7", [5_000_000_000]),
        (b"6,1,5000001,-;[    7.000000] sbd: rtt=7", [5_000_001_000]),
        (b'{"MESSAGE":"[    7.000000] sbd: rtt=7","_SOURCE_MONOTONIC_TIMESTAMP":"5000001"}', [5_000_001_000]),
    ],
)
def test_the_time_is_of_the_prefix_before_the_record(tmp_path: Path, line: bytes, times_ns: list[int]) -> None:
    trace = read(tmp_path, line + b"\n", LinePattern("sbd: ", r"rtt=(?P<rtt_us>\d+)"))
    assert list(only_subflow(trace).acks.time_ns) == times_ns


@pytest.mark.parametrize(
    "line",
    [
        b"sbd: rtt=7",
        b"<3>sbd: rtt=7",
        b"[Mon Mar 12 20:15:54 2018] sbd: rtt=7",
        b"jan 13 14:17:13 localhost kernel: sbd: rtt=7",
        b"sbd: rtt=7 [    5.000000] mptcp_add_sock: token 0xab12 pi 2",
        b'{ "__MONOTONIC_TIMESTAMP" : "108101422325", "MESSAGE" : "sbd: rtt=7" }',
    ],
)
def test_a_record_without_any_time_is_refused(tmp_path: Path, line: bytes) -> None:
    trace = read(tmp_path, line + b"\n[    5.000000] sbd: rtt=7\n", LinePattern("sbd: ", r"rtt=(?P<rtt_us>\d+)"))
    assert (trace.records_in, trace.records_out) == (2, 1)
    assert [refusal.reason for refusal in trace.refusals] == [event_log.NO_TIME]


@pytest.mark.parametrize(
    ("text", "rtt_us"),
    [(b"24.511", 24511), (b"24", 24000), (b"0.0349", 34), (b"24.5119", 24511), (b"2.4e1", 24000)],
)
def test_milliseconds_may_have_a_fraction(tmp_path: Path, text: bytes, rtt_us: int) -> None:
    pattern = LinePattern("sbd: ", r"rtt=(?P<rtt_ms>\S+)")
    assert list(only_subflow(read(tmp_path, b"[    5.000000] sbd: rtt=" + text, pattern)).acks.rtt_us) == [rtt_us]


def test_without_a_token_a_log_is_one_connection(tmp_path: Path) -> None:
    pattern = LinePattern("sbd: ", r"pi:(?P<subflow>\d+) rtt=(?P<rtt_us>\d+)")
    trace = read(tmp_path, b"[    5.000000] sbd: pi:1 rtt=7\n[    6.000000] sbd: pi:2 rtt=8\n", pattern)
    (connection,) = trace.connections
    assert connection.token is None
    assert [(subflow.subflow_id, list(subflow.acks.rtt_us)) for subflow in connection.ordered()] == [(1, [7]), (2, [8])]


def test_values_may_stand_in_lines_of_their_own(tmp_path: Path) -> None:
    pattern = LinePattern(
        "sbd ",
        r"(?:rtt (?P<rtt_us>\d+)|state (?P<ca_state>\d)|acked (?P<acked_bytes>\d+)|lost (?P<lost_packets>\d+)"
        r"|sack (?P<dup_bytes>\d+)|again (?P<sent_again>\d+)|ev (?P<kind>[A-Z]+)=(?P<value>\d+))",
    )
    lines = (
        b"[    1.000000] sbd acked 1400",
        b"[    1.000000] sbd rtt 24511",
        b"[    2.000000] sbd sack 1448",
        b"[    3.000000] sbd state 4",
        b"[    3.000000] sbd lost 9",
        b"[    4.000000] sbd again 2",
        b"[    5.000000] sbd ev RTT=30000",
        b"[    6.000000] sbd nothing of the kind",
        b"[    7.000000] sbd ev CWND=10",
    )
    trace = read(tmp_path, b"\n".join(lines), pattern)
    assert (trace.records_in, trace.records_out) == (9, 7)
    assert [refusal.reason for refusal in trace.refusals] == [event_log.MALFORMED, assembly.UNKNOWN_KIND]
    subflow = only_subflow(trace)
    assert list(subflow.acks.time_ns) == [1_000_000_000, 2_000_000_000, 5_000_000_000]
    assert list(subflow.acks.acked_bytes) == [1400, 1400, 1400]
    assert list(subflow.acks.rtt_us) == [24511, NOT_OBSERVED, 30000]
    assert list(subflow.acks.is_dup) == [0, 1, NOT_OBSERVED]
    assert list(subflow.acks.newly_sacked_bytes) == [NOT_OBSERVED, 1448, NOT_OBSERVED]
    assert (list(subflow.state_ca_state), subflow.loss_kind, list(subflow.loss_packets)) == ([4], ["rto"], [9])
    assert subflow.retransmissions == 2


def test_an_ack_and_a_state_come_first_whatever_the_order_of_groups(tmp_path: Path) -> None:
    pattern = LinePattern(
        "sbd ",
        r"srtt=(?P<srtt_us>\d+) owd=(?P<owd_us>\d+) ece=(?P<ece>1) dack=(?P<data_ack>\d+) lost=(?P<lost_packets>\d+)"
        r" rtt=(?P<rtt_us>\d+) una=(?P<snd_una>\d+) st=(?P<ca_state>\d)",
    )
    line = b"[    1.000000] sbd srtt=1 owd=2 ece=1 dack=3 lost=4 rtt=5 una=6 st=3\n"
    subflow = only_subflow(read(tmp_path, line, pattern))
    columns = (
        subflow.acks.acked_bytes,
        subflow.acks.srtt_us,
        subflow.acks.owd_us,
        subflow.acks.ece,
        subflow.acks.data_ack,
        subflow.acks.rtt_us,
    )
    assert [list(column) for column in columns] == [[0], [1], [2], [1], [3], [5]]
    assert subflow.loss_kind == ["fast"]


def test_without_a_marker_every_line_is_a_record(tmp_path: Path) -> None:
    pattern = LinePattern("", r"(?P<time_us>\d+),(?P<token>[0-9a-f]+),(?P<subflow>\d+),(?P<rtt_us>\d+)")
    trace = read(tmp_path, b"time,token,subflow,rtt\n10,ab12,0,24511\n\n20,ab12,1,30000\r\n{broken\n", pattern)
    assert (trace.records_in, trace.records_out, trace.other_lines) == (5, 2, 0)
    assert [(refusal.offset, refusal.reason) for refusal in trace.refusals] == [
        (0, event_log.MALFORMED),
        (39, event_log.MALFORMED),
        (57, event_log.BROKEN_JSON),
    ]
    assert [list(subflow.acks.rtt_us) for subflow in trace.connections[0].ordered()] == [[24511], [30000]]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (b"tok=ab12 pi=0 rtt=1e5000", assembly.OUT_OF_RANGE),
        (b"tok=ab12 pi=0 rtt=1e999999999", assembly.OUT_OF_RANGE),
        (b"tok=ab12 pi=0 rtt=NaN", assembly.OUT_OF_RANGE),
        (b"tok=ab12 pi=0 rtt=sNaN", assembly.OUT_OF_RANGE),
        (b"tok=ab12 pi=0 rtt=-Infinity", assembly.OUT_OF_RANGE),
        (b"tok=ab12 pi=0 rtt=-7", assembly.OUT_OF_RANGE),
        (b"tok=ab12 pi=0 rtt=\xff", assembly.OUT_OF_RANGE),
        (b"tok=ab12 pi=0 rtt=0xfffffffffffffffff", assembly.OUT_OF_RANGE),
        (b"tok=ab12 pi=0 rtt=0x", assembly.OUT_OF_RANGE),
        (b"tok=ab12 pi=0 rtt=" + b"9" * 5000, assembly.OUT_OF_RANGE),
        (b"tok=1ffffffff pi=0 rtt=7", assembly.OUT_OF_RANGE),
        (b"tok=-1 pi=0 rtt=7", assembly.OUT_OF_RANGE),
        (b"tok=xyz pi=0 rtt=7", event_log.MALFORMED),
        (b"tok=ab12 pi=x rtt=7", event_log.MALFORMED),
        (b"tok=ab12 pi=10000 rtt=7", assembly.OUT_OF_RANGE),
        (b"tok=ab12 pi=-1 rtt=7", assembly.OUT_OF_RANGE),
        (b"tok=ab12 pi=" + b"9" * 5000 + b" rtt=7", event_log.MALFORMED),
        (b"tok=ab12 pi=0 rtt=", event_log.MALFORMED),
    ],
)
def test_values_that_are_no_numbers_of_a_record_are_refused(tmp_path: Path, values: bytes, reason: str) -> None:
    pattern = LinePattern("sbd: ", r"tok=(?P<token>\S+) pi=(?P<subflow>\S+) rtt=(?P<rtt_us>\S+)")
    good = b"[    5.000000] sbd: tok=ab12 pi=0 rtt=7\n"
    trace = read(tmp_path, good + b"[    5.000000] sbd: " + values + b"\n" + good, pattern)
    assert (trace.records_in, trace.records_out) == (3, 2)
    assert [refusal.reason for refusal in trace.refusals] == [reason]
    assert list(only_subflow(trace).acks.rtt_us) == [7, 7]


@pytest.mark.parametrize(
    "line",
    [
        b"[9999999999.000000] sbd: rtt=7",
        b"6,1,999999999999999999,-;sbd: rtt=7",
        b'{"MESSAGE":"sbd: rtt=7","_SOURCE_MONOTONIC_TIMESTAMP":"999999999999999999"}',
        b"[    5.000000] sbd: rtt=7 t=99999999999",
        b"[    5.000000] sbd: rtt=7 t=-1",
        b"[    5.000000] sbd: rtt=7 t=1e400",
    ],
)
def test_a_time_no_table_holds_is_refused(tmp_path: Path, line: bytes) -> None:
    pattern = LinePattern("sbd: ", r"rtt=(?P<rtt_us>\d+)(?: t=(?P<time_s>\S+))?")
    trace = read(tmp_path, line, pattern)
    assert (trace.records_in, trace.records_out, trace.connections) == (1, 0, [])
    assert [refusal.reason for refusal in trace.refusals] == [assembly.OUT_OF_RANGE]


def test_a_record_with_one_bad_value_is_refused_whole(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        b"[    1.000000] x mptcp_sbd tok=0xab12 pi=1 rtt=24511 una=0x10 st=9\n"
        b"[    1.000000] x mptcp_sbd tok=0xab12 pi=1 rtt=24511 una=0x10 st=1\n",
        ONE_LINE,
    )
    assert [refusal.reason for refusal in trace.refusals] == [assembly.OUT_OF_RANGE]
    assert len(only_subflow(trace).acks.time_ns) == 1


def test_a_record_ends_with_white_space_a_quote_or_the_line(tmp_path: Path) -> None:
    pattern = LinePattern("sbd: ", r"rtt=(?P<rtt_us>\d+)")
    ends = (b"", b" x", b'" x', b"\t", b"\r", b"5x", b",")
    content = b"".join(b"[    1.000000] sbd: rtt=7" + end + b"\n" for end in ends)
    trace = read(tmp_path, content, pattern)
    assert (trace.records_out, len(trace.refusals)) == (5, 2)


def test_only_ours_may_lack_its_marker(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="no event line among 1 lines"):
        read(tmp_path, b"2000 C=7f3a91c2 SF=0 V=RTT 24511\n", ONE_LINE)


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        (r"rtt=(?P<rtt_us>\d+", "no regular expression"),
        (r"rtt=(?P<rtt_us>\u1234)", "no regular expression"),
        (r"(?i)rtt=(?P<rtt_us>\d+)", "no regular expression"),
        (r"(?P<rtt_us>\d{99999999999})", "no regular expression"),
        (r"(?u:a)(?P<rtt_us>\d+)", "no regular expression"),
        ("(?P<rtt_us>\\d+)\ud800", "no regular expression"),
        (r"(?P<rtt_us>\d+) (?P<cwnd>\d+)", r"groups \['cwnd'\] are unknown"),
        (r"(?P<time_s>\d+) (?P<time_us>\d+) (?P<rtt_us>\d+)", r"more than one time: \['time_s', 'time_us'\]"),
        (r"(?P<kind>[A-Z]+)", "kind and value need each other"),
        (r"(?P<value>\d+) (?P<rtt_us>\d+)", "kind and value need each other"),
        (r"(?P<token>\d+) (?P<subflow>\d+)", "no value"),
        ("", "no value"),
    ],
)
def test_a_pattern_that_makes_no_record_is_refused(expression: str, what: str) -> None:
    with pytest.raises(DialectError, match=what):
        LinePattern("sbd: ", expression)
