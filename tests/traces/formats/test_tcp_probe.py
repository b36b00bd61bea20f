"""Lines of tcp_probe become rows or quarantine; what the source does not carry is null."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.traces import assembly
from smartsbd.traces.connection import NOT_OBSERVED, Connection
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import tcp_probe
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

MODULE = b"""\
2.088625684 172.31.8.176:48068 172.31.6.120:5100 32 0xdbd7ccfc 0xfffffff0 45 45 204032 257 26884
2.088698571 172.31.8.176:48068 172.31.6.120:5100 32 0xdbd8c1af 0x10 45 45 204032 254 26884
11.30814 [::ffff:192.168.123.42]:35120 [2001:db8::99]:80 1472 0x259a6f5 0x259a6f5 10 2147483647 19840 36604
11.4 172.31.8.176:48068 172.31.6.120:5100 32 0xdbd8c1af 0x20 45 45 204032 0 26884
"""
FTRACE = b"""\
# tracer: nop
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
           iperf3-3829  [003] .... 1892945.576997: tcp_probe: src=10.0.1.1:58760 dest=10.0.0.1:5201 mark=0x0\
 data_len=0 snd_nxt=0x35a5a298 snd_una=0x35a4a298 snd_cwnd=10 ssthresh=2147483647 snd_wnd=65536 srtt=105\
 rcv_wnd=65536 sock_cookie=ab41
               <idle>-0     [004] ..s7  1892945.823798: tcp_probe: src=10.0.0.10:54326 dest=198.51.100.193:80 mark=0x0\
 length=32 snd_nxt=0xe3ae2ff5 snd_una=0xe3ae2ecd snd_cwnd=10 ssthresh=2147483647 snd_wnd=28960 srtt=19604\
 rcv_wnd=29312
CPU:3 [LOST 12 EVENTS]
<idle>-0       [190] ..s8. 1892946.976850: tcp_probe: family=AF_INET6 src=[::ffff:192.168.8.74]:2049\
 dest=[2001:db8::4]:33960 mark=0x0 data_len=0 snd_nxt=0xa7288b3f snd_una=0xa727e7bf snd_cwnd=44 ssthresh=33\
 snd_wnd=41856 srtt=0 rcv_wnd=0 sock_cookie=31703
           iperf3-3829  [003] .... 1892947.000001: tcp_probe: src=10.0.1.1:58760 dest=10.0.0.1:5201 mark=0x0\
 data_len=0 snd_nxt=0x35a5a298 snd_una=0x35a4a2a8 snd_cwnd=10 ssthresh=2147483647 snd_wnd=65536 srtt=106\
 rcv_wnd=65536 sock_cookie=ab41 skbaddr=00000000d5a704a6 skaddr=00000000b5aabc31
"""
PERF = b"""\
 irq/69-brcmf_pc 19366 [003] 99975.473448: tcp:tcp_probe: src=192.168.1.21:44404 dest=203.0.113.9:443 mark=0 data_len=0\
 snd_nxt=0x66d5014 snd_una=0x66d5014 snd_cwnd=16 ssthresh=21 snd_wnd=501 srtt=30500 rcv_wnd=64128 sock_cookie=9
"""
PERF_CUT = b"""\
 irq/69-brcmf_pc 19366 [003] 99975.473448: tcp:tcp_probe: src=192.168.1.21:44404 dest=203.0.113.9:443 mark=0 data_len=0\
 snd_nxt=0x66d5014 snd_una=0x66d5014 snd_cwnd=16 ssthresh=21>
"""


def read(tmp_path: Path, content: bytes, srtt: str | None = None) -> Trace:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    assert tcp_probe.recognises(content[:65536])
    return tcp_probe.read(path, Dialect(tcpprobe_srtt=srtt))


def ends(connection: Connection) -> tuple[int | None, str | None, int | None, str | None, int | None]:
    (subflow,) = connection.ordered()
    return subflow.family, subflow.local_address, subflow.local_port, subflow.remote_address, subflow.remote_port


@pytest.mark.parametrize(
    ("unit", "first", "second"),
    [
        ("us", [257, 254, NOT_OBSERVED], [36604]),
        ("ms", [257000, 254000, NOT_OBSERVED], [36604000]),
        (None, [NOT_OBSERVED] * 3, [NOT_OBSERVED]),
    ],
)
def test_rows_of_the_module(tmp_path: Path, unit: str | None, first: list[int], second: list[int]) -> None:
    trace = read(tmp_path, MODULE, unit)
    assert (trace.records_in, trace.records_out, trace.refusals, trace.other_lines) == (4, 4, [], 0)
    one, other = trace.connections
    assert list(one.subflows[0].acks.time_ns) == [2_088_625_684, 2_088_698_571, 11_400_000_000]
    assert list(one.subflows[0].acks.acked_bytes) == [0, 32, 48]
    assert list(one.subflows[0].acks.srtt_us) == first
    assert list(other.subflows[0].acks.time_ns) == [11_308_140_000]
    assert list(other.subflows[0].acks.acked_bytes) == [0]
    assert list(other.subflows[0].acks.srtt_us) == second
    assert ends(one) == (4, "address 0", 48068, "address 1", 5100)
    assert ends(other) == (4, "address 2", 35120, "address 3", 80)


def test_rows_of_the_tracepoint(tmp_path: Path) -> None:
    trace = read(tmp_path, FTRACE, "ms")
    assert (trace.records_in, trace.records_out, trace.refusals) == (4, 4, [])
    assert (trace.other_lines, trace.gaps, trace.messages_lost) == (4, 1, 12)
    first, second, third = (connection.subflows[0] for connection in trace.connections)
    assert list(first.acks.time_ns) == [1892945_576997000, 1892947_000001000]
    assert list(first.acks.acked_bytes) == [0, 16]
    assert list(first.acks.srtt_us) == [105, 106]
    assert list(second.acks.time_ns) == [1892945_823798000]
    assert list(second.acks.srtt_us) == [19604]
    assert list(third.acks.srtt_us) == [NOT_OBSERVED]
    assert [ends(connection) for connection in trace.connections] == [
        (4, "address 0", 58760, "address 1", 5201),
        (4, "address 2", 54326, "address 3", 80),
        (4, "address 4", 2049, "address 5", 33960),
    ]


@pytest.mark.parametrize("content", [MODULE, FTRACE, PERF], ids=["module", "ftrace", "perf"])
def test_what_the_source_does_not_carry_is_null(tmp_path: Path, content: bytes) -> None:
    trace = read(tmp_path, content, "us")
    assert trace.connections
    for connection in trace.connections:
        assert connection.token is None
        (subflow,) = connection.ordered()
        assert set(subflow.acks.rtt_us) == set(subflow.acks.is_dup) == set(subflow.acks.data_ack) == {NOT_OBSERVED}
        assert (len(subflow.state_time_ns), len(subflow.loss_time_ns), subflow.min_rtt_us()) == (0, 0, None)
        assert (subflow.retransmissions, subflow.loc_id, subflow.rem_id) == (None, None, None)


@pytest.mark.parametrize(
    ("mark", "gaps", "lost"),
    [
        (b"CPU:3 [LOST 12 EVENTS]\n", 1, 12),
        (b"CPU:3 [LOST 12 EVENTS]\nCPU:0 [LOST 1 EVENTS]\n", 2, 13),
        (b"CPU:3 [LOST EVENTS]\n", 1, 0),
        (b"nothing LOST\n", 0, 0),
    ],
)
def test_lost_events_are_counted(tmp_path: Path, mark: bytes, gaps: int, lost: int) -> None:
    trace = read(tmp_path, PERF + mark)
    assert (trace.records_in, trace.gaps, trace.messages_lost) == (1, gaps, lost)


def test_rows_of_perf(tmp_path: Path) -> None:
    trace = read(tmp_path, PERF)
    assert (trace.records_in, trace.records_out) == (1, 1)
    (connection,) = trace.connections
    assert list(connection.subflows[0].acks.time_ns) == [99975_473448000]
    assert list(connection.subflows[0].acks.srtt_us) == [30500]
    assert ends(connection) == (4, "address 0", 44404, "address 1", 443)


def test_a_line_cut_by_a_pager_is_refused(tmp_path: Path) -> None:
    trace = read(tmp_path, PERF + PERF_CUT + PERF)
    assert (trace.records_in, trace.records_out) == (3, 2)
    (refusal,) = trace.refusals
    assert (refusal.offset, refusal.reason, refusal.raw) == (len(PERF), tcp_probe.MALFORMED, PERF_CUT[:64])


@pytest.mark.parametrize("cut", [b"srtt=30>", b"srtt=>", b"snd_una=0x66>", b"dest=203.0.113.9:4>"])
def test_no_value_is_taken_from_a_cut(tmp_path: Path, cut: bytes) -> None:
    name = cut.partition(b"=")[0] + b"="
    trace = read(tmp_path, PERF + PERF[: PERF.index(name)] + cut + b"\n")
    assert (trace.records_in, trace.records_out) == (2, 1)


@pytest.mark.parametrize(
    ("source", "family"),
    [
        (b"10.0.0.1:1", 4),
        (b"[::ffff:10.0.0.1]:1", 4),
        (b"[2001:db8::1]:1", 6),
        (b"[fe80::1%eth0]:1", 6),
        (b"203.0.xx.xx:1", None),
    ],
)
def test_the_family_is_the_addresses(tmp_path: Path, source: bytes, family: int | None) -> None:
    (connection,) = read(tmp_path, PERF.replace(b"192.168.1.21:44404", source)).connections
    assert ends(connection)[:3] == (family, "address 0", 1)


def test_the_event_s_name_may_be_padded(tmp_path: Path) -> None:
    assert read(tmp_path, PERF.replace(b"tcp_probe: ", b"tcp_probe:            ")).records_out == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", tcp_probe.MALFORMED),
        (b"3.0 172.31.8.176:48068 172.31.6.120:5100 32 0x1 0x1 45 45 204032", tcp_probe.MALFORMED),
        (b"3.0 172.31.8.176:48068 172.31.6.120:5100 32 0x1 0x1 45 45 204032 1 2 3", tcp_probe.MALFORMED),
        (b"3.0 172.31.8.176:48068 172.31.6.120:5100 32 0x1 0x1 45 45 204032 1 2" + b" 3" * 5, tcp_probe.MALFORMED),
        (b"3.0 172.31.8.176:48068 172.31.6.120:5100 32 0x1 0x1 45 45 204032 1 2" + b" 3" * 7, tcp_probe.MALFORMED),
        (b"3.0 172.31.8.176:48068 172.31.6.120:5100 32 0x1 0x1ffffffff 45 45 204032 1 2", tcp_probe.MALFORMED),
        (b"-3.0 172.31.8.176:48068 172.31.6.120:5100 32 0x1 0x1 45 45 204032 1 2", tcp_probe.MALFORMED),
        (b"3.0" + b" " * 2000 + b"172.31.8.176:48068", tcp_probe.MALFORMED),
        (b"3.0 172.31.8.176 172.31.6.120:5100 32 0x1 0x1 45 45 204032 1 2", tcp_probe.NO_ENDPOINT),
        (b"3.0 172.31.8.176:65536 172.31.6.120:5100 32 0x1 0x1 45 45 204032 1 2", tcp_probe.NO_ENDPOINT),
        (b"3.0 172.31.8.176:48068 172.31.6.120:http 32 0x1 0x1 45 45 204032 1 2", tcp_probe.NO_ENDPOINT),
        (b"2.0 172.31.8.176:48068 172.31.6.120:5100 32 0x1 0x1 45 45 204032 1 2", assembly.BACKWARDS),
        (b"3.0 172.31.8.176:48068 172.31.6.120:5100 32 0x1 0x1 45 45 204032 9999999999 2", assembly.OUT_OF_RANGE),
        (b"9999999999.0 172.31.8.176:48068 172.31.6.120:5100 32 0x1 0x1 45 45 204032 1 2", assembly.OUT_OF_RANGE),
    ],
)
def test_a_bad_line_is_refused_with_its_place(tmp_path: Path, line: bytes, reason: str) -> None:
    trace = read(tmp_path, MODULE[: MODULE.index(b"11.3")] + line + b"\n", "us")
    assert (trace.records_in, trace.records_out) == (3, 2)
    (refusal,) = trace.refusals
    assert (refusal.offset, refusal.reason, refusal.raw) == (MODULE.index(b"11.3"), reason, line[:64])


def test_sockets_are_told_apart_by_both_endpoints(tmp_path: Path) -> None:
    line = b"3.0 10.0.0.1:%d 10.0.0.2:%d 32 0x1 0x1 45 45 204032 1 2\n"
    trace = read(tmp_path, line % (1, 2) + line % (1, 3) + line % (2, 2) + line % (1, 2))
    assert [ends(connection)[2:] for connection in trace.connections] == [
        (1, "address 1", 2),
        (1, "address 1", 3),
        (2, "address 1", 2),
    ]
    assert [len(connection.subflows[0].acks.time_ns) for connection in trace.connections] == [2, 1, 1]


PUBLIC = Path(__file__).parents[1] / "samples/public"


def test_seventeen_fields_of_a_kernel_with_mptcp_are_read() -> None:
    trace = tcp_probe.read(PUBLIC / "tcp_probe-module-17-fields.txt", Dialect(tcpprobe_srtt="us"))
    assert (trace.records_in, trace.records_out) == (3, 3)
    (connection,) = trace.connections
    assert list(connection.subflows[0].acks.srtt_us) == [24511] * 3
    assert connection.subflows[0].acks.time_ns[0] == 1700000000_123456789
    assert ends(connection) == (4, "address 0", 40001, "address 1", 5001)


def test_a_unit_that_is_not_given_is_asked_for_by_its_name() -> None:
    path = PUBLIC / "tcp_probe-module.txt"
    trace = tcp_probe.read(path, Dialect())
    assert trace.signals == {tcp_probe.SRTT_WITHOUT_UNIT: trace.records_out}
    assert {connection.subflows[0].few_rtts for connection in trace.connections} == {tcp_probe.UNIT}
    assert "parse.tcpprobe_srtt" in tcp_probe.UNIT
    trace = tcp_probe.read(path, Dialect(tcpprobe_srtt="us"))
    assert not trace.signals
    assert {connection.subflows[0].few_rtts for connection in trace.connections} == {None}
    assert trace.connections[0].subflows[0].acks.srtt_us[0] == 154_773


def test_times_without_a_unit_are_refused_with_the_clock_to_use() -> None:
    path = PUBLIC / "tcp_probe-no-point.txt"
    assert tcp_probe.recognises(path.read_bytes())
    with pytest.raises(UnreadableInputError, match="echo mono > /sys/kernel/tracing/trace_clock"):
        tcp_probe.read(path, Dialect())


def test_some_times_without_a_unit_are_refused_by_themselves(tmp_path: Path) -> None:
    trace = read(tmp_path, PERF + PERF.replace(b"99975.473448", b"99975473448"))
    assert (trace.records_in, trace.records_out, trace.refused()) == (2, 1, {tcp_probe.NO_UNIT: 1})


def test_lines_of_which_none_can_be_used_say_why(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match=f"none of 2 lines can be used: {tcp_probe.MALFORMED}"):
        read(tmp_path, PERF_CUT.replace(b"srtt", b"x") * 2)
