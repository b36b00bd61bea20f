"""Link layers and tunnels: where IP starts in a frame, that it holds none, or that it is cut before."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path

import pytest

from smartsbd.traces import bounds, link_types, recorded, recording, stored
from smartsbd.traces.dialect import Dialect
from tests.traces.comparison import assert_same, assert_same_content
from tests.traces.naive.link import AGGREGATED, CUT, DAMAGED, ENCRYPTED, FRAGMENTED, NOT_IP, UNKNOWN, start_of
from tests.traces.packets import (
    IPV4,
    IPV6,
    Packet,
    authentication,
    cooked,
    cooked_v2,
    ethernet,
    extension,
    fragment,
    ipv4,
    ipv6,
    pcap,
    pcap_record,
    tcp,
)

ARP = 0x0806
FOUR, SIX = b"\x45" + bytes(19), b"\x60" + bytes(39)
PPPOE, MPLS = 0x8864, 0x8847
LINKS = Path(__file__).parent / "samples/public/links"
SNAP = bytes.fromhex("aaaa03000000")


def pppoe(packet: bytes, kind: int = 0x21) -> bytes:
    return struct.pack("!BBHHH", 0x11, 0, 7, len(packet) + 2, kind) + packet


def mpls(packet: bytes, labels: int = 1) -> bytes:
    stack = [label << 12 | (label == labels - 1) << 8 | 64 for label in range(labels)]
    return struct.pack(f"!{labels}I", *stack) + packet


def snap(packet: bytes, kind: int = IPV4) -> bytes:
    return SNAP + struct.pack("!H", kind) + packet


def wireless(
    packet: bytes, *, control: int = 0x08, flags: int = 1, sequence: int = 0, qos: int = 0, body: bytes = SNAP
) -> bytes:
    """An 802.11 frame; `body` is what stands between its header and the EtherType."""
    head = struct.pack("<BBH", control, flags, 0) + bytes(18) + struct.pack("<H", sequence)
    head += bytes(6) if flags & 3 == 3 else b""
    head += struct.pack("<H", qos) if control & 0x80 else b""
    head += bytes(4) if control & 0x80 and flags & 0x80 else b""
    return head + body + struct.pack("!H", IPV4) + packet


def radiotap(frame: bytes, *, present: int = 0, fields: bytes = b"") -> bytes:
    return struct.pack("<BBHI", 0, 0, 8 + len(fields), present) + fields + frame


def pktap(frame: bytes, *, link: int = 1, size: int = 108, record: int = 1, named_first: bool = False) -> bytes:
    name, number = b"en0".ljust(24, b"\0"), struct.pack("<I", link)
    head = struct.pack("<II", size, record) + (name + number if named_first else number + name)
    return head.ljust(size, b"\0") + frame


def nflog(packet: bytes, *, order: str = "<") -> bytes:
    def attribute(kind: int, value: bytes) -> bytes:
        return struct.pack(order + "HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)

    return b"\x02\0\0\x1e" + attribute(10, b"log\0\0") + attribute(1, bytes(4)) + attribute(9, packet)


def gre(packet: bytes, *, flags: int = 0, kind: int = IPV4) -> bytes:
    words = bool(flags & 0xC000) + bool(flags & 0x2000) + bool(flags & 0x1000) + bool(flags & 0x80)
    return struct.pack("!HH", flags, kind) + bytes(4 * words) + packet


def udp(port: int, payload: bytes) -> bytes:
    return struct.pack("!HHHH", 40000, port, 8 + len(payload), 0) + payload


@pytest.mark.parametrize(
    ("link", "frame", "start"),
    [
        (1, ethernet(FOUR), 14),
        (1, ethernet(SIX, kind=IPV6), 14),
        (1, ethernet(FOUR, tags=[0x8100]), 18),
        (1, ethernet(FOUR, tags=[0x88A8]), 18),
        (1, ethernet(SIX, kind=IPV6, tags=[0x88A8, 0x8100]), 22),
        (1, ethernet(FOUR, tags=[0x8100, 0x8100]), 22),
        (1, ethernet(FOUR, tags=[0x9100, 0x8100]), 22),
        (1, ethernet(bytes(28), kind=ARP), NOT_IP),
        (1, ethernet(bytes(28), kind=ARP, tags=[0x8100]), NOT_IP),
        (1, ethernet(bytes(60), kind=0x88CC), NOT_IP),
        (1, ethernet(bytes(60), kind=0x0026), NOT_IP),
        (113, cooked(FOUR), 16),
        (113, cooked(SIX, kind=IPV6), 16),
        (113, cooked(FOUR, tags=[0x8100]), 20),
        (113, cooked(bytes(28), kind=ARP), NOT_IP),
        (276, cooked_v2(FOUR), 20),
        (276, cooked_v2(SIX, kind=IPV6), 20),
        (276, cooked_v2(FOUR, tags=[0x8100]), 24),
        (276, cooked_v2(SIX, kind=IPV6, tags=[0x88A8, 0x8100]), 28),
        (276, cooked_v2(bytes(28), kind=ARP), NOT_IP),
        (276, cooked_v2(bytes(28), kind=ARP, tags=[0x8100]), NOT_IP),
        (9, b"\x00\x21" + FOUR, 2),
        (9, b"\x00\x57" + SIX, 2),
        (9, b"\xff\x03\x00\x21" + FOUR, 4),
        (9, b"\xff\x03\x00\x57" + SIX, 4),
        (9, b"\x21" + FOUR, 1),
        (9, b"\xff\x03\x57" + SIX, 3),
        (9, b"\xff\x03\xc0\x21\x01\x01\x00\x04", NOT_IP),
        (9, b"\xc0\x21\x01\x01\x00\x04", NOT_IP),
        (9, b"\x00\x3d" + bytes(20), NOT_IP),
        (50, b"\xff\x03\x00\x21" + FOUR, 4),
        (0, struct.pack("<I", 2) + FOUR, 4),
        (0, struct.pack(">I", 2) + FOUR, 4),
        *((0, struct.pack(order + "I", family) + SIX, 4) for order in "<>" for family in (10, 24, 28, 30)),
        (0, struct.pack("<I", 16) + bytes(20), NOT_IP),
        (0, struct.pack("<I", 0) + bytes(20), NOT_IP),
        (108, struct.pack(">I", 2) + FOUR, 4),
        (108, struct.pack(">I", 24) + SIX, 4),
        (108, struct.pack(">I", 7) + FOUR, NOT_IP),
        *((link, FOUR, 0) for link in (12, 14, 101, 228)),
        *((link, SIX, 0) for link in (12, 14, 101, 229)),
        (101, b"\x10" + bytes(20), NOT_IP),
    ],
)
def test_where_ip_starts(link: int, frame: bytes, start: int) -> None:
    assert start_of(link, frame) == start
    assert_same_content(pcap([Packet(0, frame)], link=link))


@pytest.mark.parametrize(
    ("link", "frame", "header_bytes"),
    [
        (1, ethernet(FOUR), 14),
        (1, ethernet(FOUR, tags=[0x8100]), 18),
        (1, ethernet(SIX, kind=IPV6, tags=[0x88A8, 0x8100]), 22),
        (113, cooked(FOUR), 16),
        (113, cooked(FOUR, tags=[0x8100]), 20),
        (276, cooked_v2(FOUR), 20),
        (276, cooked_v2(FOUR, tags=[0x8100]), 24),
        (9, b"\x00\x21" + FOUR, 2),
        (9, b"\xff\x03\x00\x21" + FOUR, 4),
        (9, b"\xff\x03\x21" + FOUR, 3),
        (0, struct.pack("<I", 2) + FOUR, 4),
        (108, struct.pack(">I", 2) + FOUR, 4),
        (101, FOUR, 1),
    ],
)
def test_a_header_that_is_cut(link: int, frame: bytes, header_bytes: int) -> None:
    assert [start_of(link, frame[:size]) for size in range(header_bytes)] == [CUT] * header_bytes
    assert start_of(link, frame[:header_bytes]) >= 0
    assert_same_content(pcap([Packet(0, frame[:size]) for size in range(len(frame))], link=link))


def test_ethernet_is_the_default_of_the_builder() -> None:
    assert ethernet(b"")[12:] == IPV4.to_bytes(2, "big")


@pytest.mark.parametrize(
    ("link", "frame", "start"),
    [
        (1, ethernet(pppoe(FOUR), kind=PPPOE), 22),
        (1, ethernet(pppoe(SIX, 0x57), kind=PPPOE), 22),
        (1, ethernet(pppoe(FOUR), kind=PPPOE, tags=[0x8100]), 26),
        (1, ethernet(pppoe(FOUR), kind=PPPOE, tags=[0x88A8, 0x8100]), 30),
        (1, ethernet(pppoe(b"\x01\x01\x00\x04", 0xC021), kind=PPPOE), NOT_IP),
        (1, ethernet(b"\x11\x09" + pppoe(FOUR)[2:], kind=PPPOE), NOT_IP),
        (1, ethernet(pppoe(FOUR), kind=0x8863), NOT_IP),
        (113, cooked(pppoe(FOUR), kind=PPPOE), 24),
        (113, cooked(pppoe(FOUR), kind=PPPOE, tags=[0x8100]), 28),
        (276, cooked_v2(pppoe(FOUR), kind=PPPOE), 28),
        (276, cooked_v2(pppoe(FOUR), kind=PPPOE, tags=[0x8100]), 32),
        (51, pppoe(FOUR), 8),
        (1, ethernet(mpls(FOUR), kind=MPLS), 18),
        (1, ethernet(mpls(SIX, 3), kind=0x8848, tags=[0x8100]), 30),
        (1, ethernet(mpls(b"\0" * 20), kind=MPLS), NOT_IP),
        (276, cooked_v2(mpls(FOUR), kind=MPLS), 24),
        (1, ethernet(snap(FOUR), kind=28), 22),
        (1, ethernet(SNAP[:5] + b"\xf8" + struct.pack("!H", IPV6) + SIX, kind=48), 22),
        (1, ethernet(snap(ethernet(FOUR)[12:], 0x8100), kind=28), NOT_IP),
        (1, ethernet(b"\x42\x42\x03" + bytes(35), kind=38), NOT_IP),
        (113, cooked(snap(FOUR), kind=4), 24),
        (1, ethernet(bytes(6) + struct.pack("!H", IPV4) + FOUR, kind=0xDADA), 22),
        (281, bytes(12) + bytes(4) + struct.pack("!H", IPV4) + FOUR, 18),
        (282, bytes(4) + ethernet(FOUR), 18),
        (284, bytes(12) + bytes(4) + struct.pack("!HHH", 0x8100, 1, IPV4) + FOUR, 22),
        (285, bytes(12) + bytes(8) + struct.pack("!H", IPV4) + FOUR, 22),
        (258, pktap(ethernet(FOUR)), 122),
        (258, pktap(struct.pack("<I", 30) + SIX, link=0), 112),
        (258, pktap(FOUR, link=12, size=156), 156),
        (258, pktap(ethernet(FOUR), named_first=True), 122),
        (258, pktap(ethernet(FOUR), record=0), NOT_IP),
        (258, pktap(FOUR, link=195), UNKNOWN),
        (258, pktap(ethernet(FOUR), size=8), NOT_IP),
        (149, pktap(ethernet(FOUR)), 122),
        (149, ethernet(FOUR), UNKNOWN),
        (239, nflog(FOUR), 28),
        (239, nflog(SIX, order=">"), 28),
        (239, nflog(b"\x10" + bytes(27)), NOT_IP),
        (239, b"\x02\0\0\0" + struct.pack("<HH", 3, 1) + bytes(8), NOT_IP),
        (105, wireless(FOUR), 32),
        (105, wireless(FOUR, control=0x88), 34),
        (105, wireless(FOUR, control=0x88, flags=0x83), 44),
        (105, wireless(FOUR, flags=0x41), 32),
        (105, wireless(FOUR, flags=0x41, body=bytes(8) + SNAP), 40),
        (105, wireless(FOUR, flags=0x41, body=b"\x01\x02\x03\x20" + bytes(4) + b"\x99" * 6), ENCRYPTED),
        (105, wireless(FOUR, flags=0x05), FRAGMENTED),
        (105, wireless(FOUR, sequence=1), FRAGMENTED),
        (105, wireless(FOUR, control=0x88, qos=0x80), AGGREGATED),
        (105, wireless(FOUR, control=0x48), NOT_IP),
        (105, wireless(FOUR, control=0x80), NOT_IP),
        (105, wireless(FOUR, control=0xB4), NOT_IP),
        (127, radiotap(wireless(FOUR)), 40),
        (127, radiotap(wireless(FOUR), present=2, fields=b"\x10"), 41),
        (127, radiotap(wireless(FOUR), present=3, fields=bytes(8) + b"\x10"), 49),
        (127, radiotap(wireless(FOUR), present=3, fields=bytes(8) + b"\x40"), DAMAGED),
        (127, radiotap(wireless(FOUR, control=0x88, body=bytes(2) + SNAP), present=2, fields=b"\x20"), 45),
        (127, radiotap(wireless(FOUR), present=1 << 31 | 3, fields=bytes(4) + bytes(4) + bytes(8) + b"\x40"), DAMAGED),
        (127, b"\x01" + radiotap(wireless(FOUR))[1:], NOT_IP),
        (119, struct.pack("<II", 0x44, 144) + bytes(136) + wireless(FOUR), 176),
        (163, struct.pack(">II", 0x80211001, 64) + bytes(56) + wireless(FOUR), 96),
        (192, struct.pack("<BBHI", 0, 0, 8, 105) + wireless(FOUR), 40),
        (192, struct.pack("<BBHI", 0, 0, 12, 1) + bytes(4) + ethernet(FOUR), 26),
        (100, snap(FOUR), 8),
        (104, b"\x0f\0" + struct.pack("!H", IPV4) + FOUR, 4),
        (205, b"\x01\x0f\0" + struct.pack("!H", IPV6) + SIX, 5),
        (109, struct.pack("<III", 2, 0, 0) + FOUR, 12),
        (117, b"\x3d" + bytes(63) + FOUR, 64),
        (138, bytes(16) + struct.pack("!H", IPV4) + FOUR, 18),
        (166, b"\x01\x03\x00\x21" + FOUR, 4),
        (204, b"\x01\xff\x03\x00\x21" + FOUR, 5),
        (204, b"\x00\x21" + FOUR, 2),
        (226, bytes(24) + FOUR, 24),
        *((link, FOUR, UNKNOWN) for link in (147, 195, 197, 253, 4711)),
    ],
)
def test_where_ip_starts_behind_less_common_links(link: int, frame: bytes, start: int) -> None:
    assert start_of(link, frame) == start
    # Also where it is cut anywhere.
    assert_same_content(pcap([Packet(0, frame), *(Packet(0, frame[:size]) for size in range(len(frame)))], link=link))


INNER = ipv4(tcp(b"abc"), source="192.0.2.1", destination="192.0.2.2")


@pytest.mark.parametrize(
    ("packet", "start"),
    [
        (ipv4(INNER, protocol=4), 20),
        (ipv4(INNER, protocol=4, options=bytes(8)), 28),
        (ipv4(ipv4(INNER, protocol=4), protocol=4), 40),
        (ipv4(ipv6(tcp()), protocol=41), 20),
        (ipv6(INNER, kind=4), 40),
        (ipv6(extension(4, INNER), kind=60), 48),
        (ipv6(authentication(4, INNER), kind=51), 64),
        (ipv6(fragment(41, ipv6(tcp())), kind=44), 48),
        (ipv4(gre(INNER), protocol=47), 24),
        (ipv4(gre(INNER, flags=0x8000), protocol=47), 28),
        (ipv4(gre(INNER, flags=0xB000), protocol=47), 36),
        (ipv6(gre(ipv6(tcp()), kind=IPV6), kind=47), 44),
        (ipv4(gre(ethernet(INNER, tags=[0x8100]), kind=0x6558), protocol=47), 42),
        (ipv4(gre(mpls(INNER, 2), kind=MPLS), protocol=47), 32),
        (ipv4(gre(b"\xff\x03\x00\x21" + INNER, flags=0x3081, kind=0x880B), protocol=47), 40),
        (ipv4(b"\x30\0" + ethernet(INNER), protocol=97), 36),
        (ipv4(mpls(INNER), protocol=137), 24),
        (ipv4(udp(4789, b"\x08" + bytes(7) + ethernet(INNER)), protocol=17), 50),
        (ipv4(udp(8472, b"\x08" + bytes(7) + ethernet(INNER)), protocol=17), 50),
        (ipv4(udp(2152, b"\x30\xff" + bytes(6) + INNER), protocol=17), 36),
        (ipv4(udp(2152, b"\x32\xff" + bytes(10) + INNER), protocol=17), 40),
        (ipv4(udp(2152, b"\x34\xff" + bytes(9) + b"\x85\x01" + bytes(3) + INNER), protocol=17), 44),
        # What carries no packet is where it is: whoever reads it says what is wrong.
        (ipv4(gre(INNER, flags=0x4000), protocol=47), 0),
        (ipv4(gre(INNER, flags=0x2001, kind=0x880B), protocol=47), 0),
        (ipv4(gre(bytes(28), kind=ARP), protocol=47), 0),
        (ipv4(INNER, protocol=4, fragment=0x2000), 0),
        (ipv4(INNER, protocol=50), 0),
        (ipv4(udp(53, INNER), protocol=17), 0),
        (ipv4(udp(4789, b"\x00" + bytes(7) + ethernet(INNER)), protocol=17), 0),
        (ipv4(udp(2152, b"\x30\x01" + bytes(6) + INNER), protocol=17), 0),
        # The outer packet is TCP's: what it carries is payload.
        (ipv4(tcp(INNER)), 0),
        (ipv6(extension(6, tcp(INNER)), kind=0), 0),
    ],
)
def test_the_innermost_packet_counts_where_the_outer_is_no_tcp(packet: bytes, start: int) -> None:
    assert start_of(101, packet) == start
    assert start_of(1, ethernet(packet, kind=IPV6 if packet[0] >> 4 == 6 else IPV4)) == start + 14
    assert_same_content(pcap([Packet(0, packet), *(Packet(0, packet[:size]) for size in range(len(packet)))], link=101))


def test_layers_without_end_are_read_one_after_the_other() -> None:
    deep = b"".join([ipv4(b"", protocol=4, total=60000)] * 20_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "deep.pcap"
        path.write_bytes(pcap([Packet(0, deep)], link=101))
        assert recorded.record(path, Path(folder)).refusals[1] == 1


@pytest.mark.parametrize("order", "<>")
def test_records_of_the_modified_form_are_longer(order: str) -> None:
    head = struct.pack(order + "IHHiIII", 0xA1B2CD34, 2, 4, 0, 0, 65535, 101)
    packets = [Packet(1_000_000 * time, ipv4(tcp(b"abc"))) for time in range(3)]
    records = [pcap_record(packet, order=order) for packet in packets]
    content = head + b"".join(one[:16] + struct.pack(order + "IHBB", 2, IPV4, 0, 0) + one[16:] for one in records)
    for size in range(len(head) - 3, len(content) + 1):
        assert_same_content(content[:size])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "modified.pcap"
        path.write_bytes(content)
        assert recording.read(path, Dialect()).trace.unused == {recorded.PLAIN: 3}


@pytest.mark.parametrize(
    "name", ["113_sll_pppoe", "127_radiotap", "1_gre", "1_pppoe", "1_vlan_pppoe", "239_nflog", "258_pktap"]
)
def test_one_connection_behind_every_link_is_the_same(name: str, tmp_path: Path) -> None:
    def read(name: str) -> recording.Recording:
        path = tmp_path / f"{name}.pcap"
        path.write_bytes(b"".join(stored.blocks(LINKS / f"{name}.pcap.zst")))
        assert_same(path)
        return recording.read(path, Dialect())

    found, plain = read(name), read("1_ethernet")
    assert found.trace.signals == plain.trace.signals == {"DSS": 54, "MP_CAPABLE": 5, "MP_JOIN": 1}
    (connection,), (expected,) = found.trace.connections, plain.trace.connections
    assert connection.token == expected.token == 0x7AD870B3
    for one, other in zip(connection.ordered(), expected.ordered(), strict=True):
        assert one.all_acks() == other.all_acks()
        assert (one.start_ns, one.end_ns, one.local_port) == (other.start_ns, other.end_ns, other.local_port)


def test_tcp_headers_that_are_cut_are_no_plain_tcp() -> None:
    trace = recording.read(LINKS / "snap68.pcap.zst", Dialect()).trace
    assert trace.unused == {"TCP headers are cut: capture with -s 128": 60}


@pytest.mark.parametrize(("link", "reason"), [(195, "link type 195 (IEEE802_15_4_WITHFCS) is not read"), (999, None)])
def test_a_link_that_is_not_read_is_named(link: int, reason: str | None, tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap([Packet(0, FOUR)] * 2, link=link))
    trace = recording.read(path, Dialect(), bounds.DEFAULT).trace
    assert trace.refused() == {reason or link_types.UNKNOWN: 2}
    assert {refusal.detail for refusal in trace.refusals} == {str(link)}


def test_inner_and_outer_packets_of_a_tunnel_are_one(tmp_path: Path) -> None:
    content = b"".join(stored.blocks(LINKS / "1_ethernet.pcap.zst"))
    both, at = [], 24
    while at < len(content):
        seconds, microseconds, size, _ = struct.unpack_from("<IIII", content, at)
        inner = content[at + 16 + 14 : at + 16 + size]
        wire = struct.unpack_from("!H", inner, 2)[0]
        time_ns = seconds * 10**9 + microseconds * 1000
        outer = ipv4(gre(inner), source="198.51.100.1", destination="198.51.100.2", protocol=47, total=wire + 24)
        # Incoming packets come by the outer interface first; here the host sends: the inner one is first.
        for later_us, interface, packet in ((0, 3, inner), (9, 2, outer)):
            head = struct.pack("!HHIHBB8s", IPV4, 0, interface, 1, 4, 6, b"\x02\0\0\0\0\x01\0\0")
            both.append(Packet(time_ns + later_us * 1000, head + packet))
        at += 16 + size
    path = tmp_path / "any.pcap"
    path.write_bytes(pcap(both, link=276))
    assert_same(path)
    trace = recording.read(path, Dialect()).trace
    assert trace.signals == {"DSS": 54, "MP_CAPABLE": 5, "MP_JOIN": 1}
    assert trace.unused == {recorded.SEEN_TWICE: 60}
