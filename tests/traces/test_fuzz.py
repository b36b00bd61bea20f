"""Whatever an input holds, it becomes valid rows, or is counted, or cannot be read; nothing else."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smartsbd.traces import bounds, formats
from smartsbd.traces.dialect import Dialect, LinePattern
from smartsbd.traces.formats import (
    Read,
    capture,
    event_log,
    fping_log,
    iperf3_log,
    irtt_log,
    packet_table,
    ping_log,
    qlog,
    rtt_table,
    socket_stats,
    state_log,
    tcp_probe,
)
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace
from tests.fuzz import oracle, targets
from tests.fuzz.targets import CORPUS
from tests.traces import packets
from tests.traces.comparison import assert_same
from tests.traces.packets import ACK, ECE, FIN, PSH, RST, Packet, Talk

Reader = Callable[[Path, Dialect], Trace]

BARE = b"""\
1000 C=7f3a91c2 SF=0 V=CA 3
2000 C=7f3a91c2 SF=0 V=ACK 1400
2000 C=7f3a91c2 SF=0 V=RTT 24511
2100 C=7f3a91c2 SF=1 V=UNA 4294967290
3000 C=7f3a91c2 SF=0 V=LOSS 2
3000 C=7f3a91c3 SF=0 V=DUP 1448
"""
KERNEL = b"""\
[   91.328292] smartsbd: 1000 C=7f3a91c2 SF=0 V=ACK 1400
<6>[   91.328292] smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 24511
6,1234,91328292,-;smartsbd: 3000 C=7f3a91c2 SF=0 V=SRTT 24511
 SUBSYSTEM=net
6,1239,91328292,-;smartsbd: x smartsbd: 3000 C=7f3a91c2 SF=0 V=RTX 9
{ "_SOURCE_MONOTONIC_TIMESTAMP" : "108101136410", "MESSAGE" : "smartsbd: 5000 C=7f3a91c2 SF=1 V=UNA 7" }
{ "MESSAGE" : [115,109,97,114,116,115,98,100,58,32,57], "PRIORITY" : "2" }
** 7 printk messages dropped ** [   91.328292] smartsbd: 6000 C=7f3a91c2 SF=0 V=DACK 9
"""
LAB = b"""\
[   91.328292] sbd tok=0xab12 pi=1 rtt=24.511 una=0xfffffff0 st=3 lost=2
6,1234,91428292,-;sbd tok=ab12 pi=1 rtt=25 una=16 st=0 lost=1
{ "_SOURCE_MONOTONIC_TIMESTAMP" : "108101136410", "MESSAGE" : "sbd tok=1 pi=2 rtt=3 una=7 st=4 lost=1" }
[   91.328292] sbd t=92.5 tok=0xab12 pi=1 rtt=1e3 una=0xfffffff0 st=3 lost=2
"""
STATE = b"""\
t,sf,var,value
1795231448.953986,0,rtt_us,154773
1795231448.953986,0,ack,4294967000
1795231448.953986,0,cwnd,10
1795231449.069923,0,ack,104
1795231449.08,1,ca_state,3
1795231449.08,0,retrans,1
"""
MODULE = b"""\
2.088625684 10.0.1.1:48068 10.0.2.2:5100 32 0xdbd7ccfc 0xfffffff0 45 45 204032 257 26884
2.088698571 10.0.1.1:48068 10.0.2.2:5100 32 0xdbd8c1af 0x10 45 45 204032 254 26884
11.30814 [::ffff:192.168.123.42]:35120 [2001:db8::99]:80 1472 0x259a6f5 0x259a6f5 10 2147483647 19840 36604
"""
TRACEPOINT = b"""\
  iperf3-3829  [003] .... 1892945.576997: tcp_probe: src=10.0.1.1:58760 dest=10.0.0.1:5201 mark=0x0 data_len=0\
 snd_nxt=0x35a5a298 snd_una=0x35a4a298 snd_cwnd=10 ssthresh=2147483647 snd_wnd=65536 srtt=105 rcv_wnd=65536
CPU:3 [LOST 12 EVENTS]
 irq/69 19366 [003] 1892946.473448: tcp:tcp_probe: family=AF_INET6 src=[2001:db8::1]:44404 dest=[2001:db8::2]:443\
 mark=0 data_len=0 snd_nxt=0x66d5014 snd_una=0x66d5014 snd_cwnd=16 ssthresh=21 snd_wnd=1 srtt=0 rcv_wnd=1
"""
SOCKETS = b"""\
1700000000.25
ESTAB 0 0 10.0.1.1:1 10.0.2.2:2 cubic rtt:0.034/0.017 bytes_acked:5 retrans:0/3 token:1f(id:7)/3a1e0d3c(id:8)
ESTAB 0 0 10.0.1.1:3 10.0.2.2:2
\t cubic rtt:71.53/1.068 bytes_acked:19591
2024-04-10T10:15:57.163826-07:00
ESTAB 0 0 10.0.1.1:1 10.0.2.2:2 cubic rtt:0.034/0.017 bytes_acked:9 retrans:1/4 token:1f(id:7)/3a1e0d3c(id:8)
"""
LAB_LINE = LinePattern(
    "sbd ",
    r"(?:t=(?P<time_s>\S*) )?tok=(?P<token>\S*) pi=(?P<subflow>\S*) rtt=(?P<rtt_ms>\S*) una=(?P<snd_una>\S*)"
    r" st=(?P<ca_state>\S*) lost=(?P<lost_packets>\S*)",
)


@dataclass(frozen=True)
class Kind:
    read: Reader
    good: bytes
    dialect: Dialect = field(default_factory=Dialect)


KINDS = {
    "bare": Kind(event_log.read, BARE),
    "kernel": Kind(event_log.read, KERNEL),
    "lab": Kind(event_log.read, LAB, Dialect(LAB_LINE)),
    "any line": Kind(
        event_log.read, BARE, Dialect(LinePattern("", r"(?P<time_ns>\S+) .*V=(?P<kind>\S+) (?P<value>\S+)"))
    ),
    "state": Kind(state_log.read, STATE),
    "module": Kind(tcp_probe.read, MODULE, Dialect(tcpprobe_srtt="ms")),
    "tracepoint": Kind(tcp_probe.read, TRACEPOINT),
    "sockets": Kind(socket_stats.read, SOCKETS),
    "table": Kind(rtt_table.read, (CORPUS / "rtt_table/good").read_bytes()),
    "ping": Kind(ping_log.read, (CORPUS / "ping/good").read_bytes()),
    "ping of busybox": Kind(ping_log.read, (CORPUS / "ping/good-busybox").read_bytes()),
    "ping of Windows": Kind(ping_log.read, (CORPUS / "ping/good-windows-utf-16").read_bytes()),
    "fping": Kind(fping_log.read, (CORPUS / "fping/good").read_bytes()),
    "irtt": Kind(irtt_log.read, (CORPUS / "irtt/good").read_bytes()),
    "iperf3": Kind(iperf3_log.read, (CORPUS / "iperf3/good").read_bytes()),
    "packet table": Kind(packet_table.read, (CORPUS / "packet_table/good-at-the-sender").read_bytes()),
    "qlog": Kind(qlog.read, (CORPUS / "qlog/good").read_bytes()),
    "qlog, lines": Kind(qlog.read, (CORPUS / "qlog/good-lines").read_bytes()),
}


def rich(version: int, *, addresses: Sequence[tuple[str, str]]) -> list[Packet]:
    """Two subflows with all that a sender meets: SACK, segments sent again, ECE, a closed window, RST."""
    keys = b"clients!", b"server's"
    option = packets.option
    talks = []
    for number, (client, server) in enumerate(addresses):
        talk = Talk((client, 1000 + number), (server, 80), isn=(2**32 - 2000, 77), origin_ms=1000 + 7 * number)
        options = (packets.v0, packets.v1)[version](*keys)
        if number:
            options = packets.join(packets.token_of(keys[1], version), (number, 9))
        stamps = [packets.timestamps(place, place and 5) for place in range(3)]
        begun = [option(2, b"\x05\xb4") + option(4), option(2, b"\x05\xb4") + option(4), b""]
        talk.open(0, [one + two + three for one, two, three in zip(begun, stamps, options, strict=True)])
        talk.data(0, (100, 101, 102))
        start = talk.sent[0]
        for place in range(5):
            talk.say(0, 200 + place, size=1000, options=packets.timestamps(200 + place, 7))
        for place in range(1, 4):
            holes = packets.sack((start + 1000, start + 1000 * (place + 1)))
            talk.say(1, 240 + place, ack=start, options=holes + packets.timestamps(9, 200 + place))
        talk.say(0, 245, seq=start, size=1000, flags=PSH | ACK, options=packets.timestamps(245, 9))
        long_ack = option(30, packets.dss_body(packets.first_data_of(keys[0], version) + 5000, ack_bytes=8))
        talk.say(1, 285, flags=ACK | ECE, options=packets.timestamps(10, 245) + long_ack)
        talk.say(0, 300, size=500)
        talk.say(0, 800, seq=talk.sent[0] - 500, size=500)
        talk.say(1, 840, options=packets.add_addr(3))
        talk.say(1, 850, size=300, options=packets.dss(5, seq=9, length=300))
        talk.say(0, 860, flags=FIN | ACK)
        talk.say(1, 900, flags=(FIN, RST)[number % 2] | ACK)
        talks.append(talk)
    return sorted((packet for talk in talks for packet in talk.packets), key=lambda packet: packet.time_ns)


FOUR = rich(0, addresses=[("10.0.0.1", "10.0.0.2"), ("10.1.0.1", "10.0.0.2")])
SIX = rich(1, addresses=[("2001:db8::1", "2001:db8::2"), ("2001:db8::3", "2001:db8::2")])
CAPTURES = {
    "pcap": Kind(capture.read, packets.pcap([packet.cut(130) for packet in FOUR])),
    "pcap in ns": Kind(capture.read, packets.pcap([packet.cut(150) for packet in SIX], order=">", tick_ns=1)),
    "pcapng": Kind(capture.read, packets.pcapng([packet.cut(150) for packet in SIX])),
    "pcapng of two sections": Kind(
        capture.read, packets.pcapng(FOUR[:20]) + packets.pcapng([packet.cut(200) for packet in FOUR[20:]], order=">")
    ),
}
GZIPPED = gzip.compress(KERNEL * 3, mtime=0)
#: What is put in place of a number: the ends of what tables, int64 and Python itself hold, and texts that are none.
NUMBERS = [
    str(number).encode()
    for number in (0, 1, 5, 255, 256, 9999, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**63, 2**64)
] + [b"-1", b"1e400", b"NaN", b"9" * 9, b"9" * 10, b"9" * 17, b"9" * 18, b"9" * 19, b"9" * 5000, b"0" * 18, b"0x8", b""]
PIECES = [b"smartsbd: ", b"sbd ", b"\n", b"\r", b" ", b"{", b'"', b"\x00", b"\xff", b"tcp_probe: ", b"ESTAB 0 0 ", b">"]


@st.composite
def mutated(draw: st.DrawFn, good: bytes) -> bytes:
    content = good * draw(st.integers(1, 2))
    for _ in range(draw(st.integers(1, 5))):
        how = draw(st.sampled_from(["insert", "delete", "replace", "number", "number", "repeat"]))
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 40)))
        if how == "insert":
            content = content[:start] + draw(st.sampled_from(PIECES) | st.binary(max_size=8)) + content[start:]
        elif how == "delete":
            content = content[:start] + content[end:]
        elif how == "replace":
            content = content[:start] + draw(st.binary(max_size=end - start)) + content[end:]
        elif how == "repeat":
            content = content[:end] + content[start:]
        else:
            digits = [place for place in range(len(content)) if content[place : place + 1].isdigit()]
            if digits:
                start = end = draw(st.sampled_from(digits))
                while content[start - 1 : start].isdigit():
                    start -= 1
                while content[end : end + 1].isdigit():
                    end += 1
                content = content[:start] + draw(st.sampled_from(NUMBERS)) + content[end:]
    return content


CAPTURE_MAGICS = (*(packets.pcap([], order=order, tick_ns=ns)[:4] for order in "<>" for ns in (1, 1000)), b"\n\r\r\n")


def checked(read: Reader, path: Path, dialect: Dialect, content: bytes, *, thorough: bool = True) -> Trace | None:
    """Read an input with a parser, whether it would recognise it or not, and check what comes out."""
    path.write_bytes(content)
    if content.startswith(CAPTURE_MAGICS):
        assert_same(path)
    try:
        found = Read(path, "any", read(path, dialect))
    except UnreadableInputError as error:
        found = Read(path, "any", error)
    oracle.check_read([found], sizes=[oracle.size_of(path, 1 << 32)], thorough=thorough)
    return found.outcome if isinstance(found.outcome, Trace) else None


def read_any(path: Path, dialect: Dialect) -> Trace:
    return formats.format_of(path).read(path, dialect, bounds.DEFAULT)


@pytest.mark.parametrize("name", KINDS | CAPTURES)
def test_the_good_inputs_are_good(tmp_path: Path, name: str) -> None:
    kind = (KINDS | CAPTURES)[name]
    trace = checked(kind.read, tmp_path / "a", kind.dialect, kind.good)
    assert trace is not None and trace.records_out >= 2


@pytest.mark.parametrize("name", KINDS)
@given(st.data())
@settings(max_examples=15, suppress_health_check=list(HealthCheck), deadline=None)
def test_a_damaged_log_gives_rows_or_quarantine(tmp_path: Path, name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    content = data.draw(mutated(kind.good))
    for read in (kind.read, read_any):
        checked(read, tmp_path / "a", kind.dialect, content)


@pytest.mark.parametrize("name", KINDS | CAPTURES)
@given(st.binary(max_size=200))
@settings(max_examples=10, suppress_health_check=list(HealthCheck), deadline=None)
def test_any_bytes_give_rows_or_quarantine(tmp_path: Path, name: str, content: bytes) -> None:
    kind = (KINDS | CAPTURES)[name]
    for read in (kind.read, read_any):
        checked(read, tmp_path / "a", kind.dialect, content)


@pytest.mark.parametrize("packed", [GZIPPED, zstandard.ZstdCompressor().compress(KERNEL * 3)], ids=["gzip", "zstd"])
@given(st.data())
@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
def test_damaged_compression_gives_rows_or_a_capture_error(tmp_path: Path, packed: bytes, data: st.DataObject) -> None:
    content = data.draw(st.just(packed) | mutated(packed))
    checked(read_any, tmp_path / "a", Dialect(), content)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_every_number_may_be_any_number(tmp_path: Path, name: str) -> None:
    kind = KINDS[name]
    read = 0
    for found in re.finditer(rb"\d+", kind.good):
        for number in NUMBERS:
            content = kind.good[: found.start()] + number + kind.good[found.end() :]
            read += checked(kind.read, tmp_path / "a", kind.dialect, content, thorough=False) is not None
    assert read > 100


def test_more_sockets_of_a_token_than_a_connection_may_have_are_refused(tmp_path: Path) -> None:
    line = b"ESTAB 0 0 10.0.1.1:%d 10.0.2.2:2 rtt:1/1 token:1f(id:7)/3a1e0d3c(id:8)\n"
    content = b"1700000000.25\n" + b"".join(line % port for port in range(32_800))
    trace = checked(socket_stats.read, tmp_path / "a", Dialect(), content)
    assert trace is not None
    assert (trace.records_in, trace.records_out) == (32_800, 64)
    assert trace.refused() == {bounds.TOO_MANY_SUBFLOWS: 32_736}


#: What is put in place of a field: the ends of what it holds, and lengths that are a little or far too long or short.
FIELDS = [0, 1, 2, 4, 7, 8, 12, 20, 40, 64, 127, 128, 255, 256, 1500, 2**15, 2**16 - 1, 2**19, 2**24, 2**31, 2**32 - 1]


@st.composite
def overwritten(draw: st.DrawFn, content: bytes) -> bytes:
    """Flip a bit, put a field in place of another, insert, delete or cut."""
    how = draw(st.sampled_from(["flip", "flip", "field", "field", "insert", "delete", "cut"]))
    at = draw(st.integers(0, max(0, len(content) - 1)))
    if how == "flip":
        flipped = bytes([content[at] ^ 1 << draw(st.integers(0, 7))]) if content else b""
        return content[:at] + flipped + content[at + 1 :]
    if how == "field":
        size = draw(st.sampled_from([1, 2, 4, 8]))
        value = draw(st.sampled_from(FIELDS) | st.integers(0, 2**64 - 1)) % (1 << 8 * size)
        return content[:at] + value.to_bytes(size, draw(st.sampled_from(["big", "little"]))) + content[at + size :]
    if how == "insert":
        return content[:at] + draw(st.binary(min_size=1, max_size=40)) + content[at:]
    return content[:at] if how == "cut" else content[:at] + content[at + draw(st.integers(1, 40)) :]


@st.composite
def disturbed(draw: st.DrawFn, good: list[Packet]) -> list[Packet]:
    """Damage, drop, repeat, move, or change the time or length of single packets: the framing stays."""
    found = list(good)
    for _ in range(draw(st.integers(1, 8))):
        at = draw(st.integers(0, len(found) - 1))
        how = draw(st.sampled_from(["damage", "damage", "damage", "drop", "repeat", "move", "time", "wire"]))
        if how == "damage":
            found[at] = found[at]._replace(data=draw(overwritten(found[at].data)))
        elif how == "drop":
            del found[at : at + draw(st.integers(1, min(5, len(found) - 1)))]
            found = found or good[:1]
        elif how == "repeat":
            found.insert(draw(st.integers(0, len(found))), found[at])
        elif how == "move":
            found.insert(draw(st.integers(0, len(found) - 1)), found.pop(at))
        elif how == "time":
            moved = draw(st.sampled_from([0, 2**32 * 10**9 - 1]) | st.integers(0, 3 * 10**9))
            found[at] = found[at]._replace(time_ns=moved)
        else:
            found[at] = found[at]._replace(wire_bytes=draw(st.sampled_from(FIELDS)))
    return found


@pytest.mark.parametrize("name", CAPTURES)
@given(st.data())
@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
def test_a_damaged_capture_gives_rows_or_quarantine(tmp_path: Path, name: str, data: st.DataObject) -> None:
    content = CAPTURES[name].good
    for _ in range(data.draw(st.integers(1, 5))):
        content = data.draw(overwritten(content))
    checked(read_any, tmp_path / "a", Dialect(), content)


@pytest.mark.slow
@pytest.mark.parametrize("good", [FOUR, SIX], ids=["version 0", "version 1"])
@given(st.data())
@settings(max_examples=80, suppress_health_check=list(HealthCheck), deadline=None)
def test_disturbed_packets_in_several_captures_give_rows_or_quarantine(
    tmp_path: Path, good: list[Packet], data: st.DataObject
) -> None:
    found = data.draw(disturbed(good))
    files, run = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 30))
    write = data.draw(st.sampled_from([packets.pcap, packets.pcapng]))
    paths = [tmp_path / str(number) for number in range(files)]
    for number, path in enumerate(paths):
        path.write_bytes(write([one for place, one in enumerate(found) if place // run % files == number]))
    for path in paths:
        assert_same(path)
    read = targets.check_inputs(paths, Dialect())
    traces = [one.outcome for one in read if isinstance(one.outcome, Trace)]
    assert len(traces) == len(paths)
    assert sum(trace.records_in for trace in traces) == len(found)


@pytest.mark.slow
@pytest.mark.parametrize("version", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_every_byte_of_a_packet_may_be_any(tmp_path: Path, version: int) -> None:
    good = [packet.cut(130) for packet in (FOUR, SIX)[version]][:5]
    content = packets.pcap(good)
    read = 0
    for at in range(len(content)):
        for value in (content[at] ^ 1, content[at] ^ 255):
            changed = content[:at] + bytes([value]) + content[at + 1 :]
            read += checked(capture.read, tmp_path / "a", Dialect(), changed, thorough=False) is not None
    assert read > 500


@pytest.mark.parametrize("value", [0, 1, 2**31, 2**62, 2**63 - 1, 2**63, 2**64 - 1])
def test_a_data_acknowledgement_may_be_any_number(tmp_path: Path, value: int) -> None:
    """Counted from the first byte of the connection, it may be nearly as large as a table holds."""
    first = packets.first_data_of(b"A" * 8, 1)
    talk = Talk()
    talk.open(0, packets.v1(b"A" * 8, b"B" * 8))
    talk.say(0, 99, size=10)
    for step in range(3):
        ack = (first + value + step * 2**30) % 2**64
        talk.say(1, 100 + step, options=packets.option(30, packets.dss_body(ack, ack_bytes=8)))
    trace = checked(capture.read, tmp_path / "a", Dialect(), packets.pcap(talk.packets))
    assert trace is not None and trace.records_out == trace.records_in
