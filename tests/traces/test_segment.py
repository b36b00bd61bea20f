"""From a frame to a segment: numbers, flags, payload and options, or why it is none."""

from __future__ import annotations

import struct

import pytest

from smartsbd.traces import recorded
from tests.traces import packets
from tests.traces.comparison import assert_same_content
from tests.traces.naive import segment
from tests.traces.naive.pcap import Frame
from tests.traces.naive.segment import Options, Segment, UnusableError
from tests.traces.packets import ACK, FIN, IPV6, PSH, SYN, ethernet, ipv4, ipv6, option, tcp

RAW, ETHERNET = 101, 1
CLIENT, SERVER = (bytes([10, 0, 0, 1]), 1000), (bytes([10, 0, 0, 2]), 80)
CLIENT_6 = (bytes.fromhex("20010db8000000000000000000000001"), 1000)
SERVER_6 = (bytes.fromhex("20010db8000000000000000000000002"), 80)
# SYN of a Linux host, from its first option on: MSS 1460, SACK permitted, timestamps, NOP, window scale 7.
LINUX_SYN = bytes.fromhex("020405b4 0402 080a 00000001 00000000 01 030307")
UDP = struct.pack("!HHHH", 53, 53, 8, 0)


def read(data: bytes, *, link: int = RAW, wire: int | None = None) -> Segment:
    assert_same_content(packets.pcap([packets.Packet(77, data, wire)], link=link, tick_ns=1))
    return segment.segment(Frame(0, 77, link, data, len(data) if wire is None else wire))


def unusable(data: bytes, *, link: int = RAW, wire: int | None = None) -> tuple[str, bool]:
    with pytest.raises(UnusableError) as caught:
        read(data, link=link, wire=wire)
    return caught.value.reason, caught.value.refused


def test_a_segment_written_by_hand() -> None:
    data = bytes.fromhex(
        "45000036 00070000 40060000 0a000001 0a000002"
        "03e8 0050 fffffffe 00001389 8019 01f4 0000 0000"
        "01 01 08 0a 80000000 00000005"
        "7061"
    )
    assert read(data) == Segment(
        77, CLIENT, SERVER, 0xFFFF_FFFE, 5001, FIN | PSH | ACK, 500, 2, Options(timestamps=(2**31, 5))
    )


@pytest.mark.parametrize(
    ("flags", "size", "end"), [(ACK, 0, 9), (ACK, 5, 14), (SYN, 0, 10), (FIN | ACK, 5, 15), (SYN | FIN, 0, 11)]
)
def test_syn_and_fin_take_a_number_each(flags: int, size: int, end: int) -> None:
    one = read(ipv4(tcp(bytes(size), seq=9, flags=flags)))
    assert (one.seq, one.flags, one.payload_bytes, one.end) == (9, flags, size, end)


@pytest.mark.parametrize("options_bytes", [0, 4, 24, 40])
def test_ipv4_options_are_passed(options_bytes: int) -> None:
    one = read(ipv4(tcp(b"abc"), options=b"\x01" * options_bytes))
    assert (one.source, one.destination, one.payload_bytes) == (CLIENT, SERVER, 3)


@pytest.mark.parametrize("link_bytes", [0, 14])
@pytest.mark.parametrize("captured", [None, 60])
def test_a_length_of_zero_is_that_of_the_frame(link_bytes: int, captured: int | None) -> None:
    """The segment is longer than the field can tell: the network card is to cut it."""
    link = {0: RAW, 14: ETHERNET}[link_bytes]
    packet = ipv4(tcp(bytes(70_000), options=packets.timestamps(1, 2)), total=0)
    data = ethernet(packet) if link_bytes else packet
    assert read(data[:captured], link=link, wire=len(data)).payload_bytes == 70_000
    packet = ipv6(tcp(bytes(70_000)), length=0)
    data = ethernet(packet, kind=IPV6) if link_bytes else packet
    assert read(data[: captured and 80], link=link, wire=len(data)).payload_bytes == 70_000


@pytest.mark.parametrize("size", range(7))
def test_padding_of_a_short_frame_is_no_payload(size: int) -> None:
    frame = ethernet(ipv4(tcp(bytes(size)))).ljust(60, b"\0")
    assert read(frame, link=ETHERNET).payload_bytes == size
    padded = ethernet(ipv6(tcp(bytes(size))), kind=IPV6) + bytes(4)
    assert read(padded, link=ETHERNET).payload_bytes == size


def test_payload_that_was_not_captured_counts() -> None:
    data = ipv4(tcp(bytes(1000), options=packets.timestamps(1, 2)))
    one = read(data[:52], wire=len(data))
    assert (one.payload_bytes, one.options) == (1000, Options(timestamps=(1, 2)))


def test_ipv6() -> None:
    one = read(ipv6(tcp(b"abc", seq=1)))
    assert (one.source, one.destination, one.seq, one.payload_bytes) == (CLIENT_6, SERVER_6, 1, 3)


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (0, packets.extension(6, tcp(b"abc"))),
        (43, packets.extension(6, tcp(b"abc"), words=2)),
        (60, packets.extension(6, tcp(b"abc"), words=1)),
        (51, packets.authentication(6, tcp(b"abc"))),
        (44, packets.fragment(6, tcp(b"abc"))),
        (0, packets.extension(43, packets.extension(60, packets.extension(6, tcp(b"abc"))), words=2)),
        (0, packets.extension(44, packets.fragment(51, packets.authentication(6, tcp(b"abc"))), words=1)),
    ],
    ids=["hop-by-hop", "routing", "destination", "authentication", "whole fragment", "three", "three others"],
)
def test_extension_headers_are_passed(kind: int, payload: bytes) -> None:
    packet = ipv6(payload, kind=kind)
    one = read(packet)
    assert (one.source, one.destination, one.payload_bytes) == (CLIENT_6, SERVER_6, 3)
    # All that comes before the payload is needed, and not more.
    assert read(packet[:-3], wire=len(packet)).payload_bytes == 3
    cut = [unusable(packet[:size], wire=len(packet)) for size in range(1, len(packet) - 3)]
    assert set(cut) == {(recorded.CUT_HEADERS, True)}


@pytest.mark.parametrize(
    ("packet", "reason"),
    [
        (ipv4(UDP, protocol=17), recorded.NOT_TCP),
        (ipv4(bytes(8), protocol=1), recorded.NOT_TCP),
        (ipv6(UDP, kind=17), recorded.NOT_TCP),
        (ipv6(b"", kind=59), recorded.NOT_TCP),
        (ipv6(packets.extension(58, bytes(8)), kind=0), recorded.NOT_TCP),
        (ipv6(packets.extension(17, UDP), kind=0), recorded.NOT_TCP),
        (ipv4(tcp(), fragment=0x2000), recorded.FRAGMENT),
        (ipv4(tcp(), fragment=0x0001), recorded.FRAGMENT),
        (ipv4(tcp(), fragment=0x1FFF), recorded.FRAGMENT),
        (ipv6(packets.fragment(6, tcp(), more=True), kind=44), recorded.FRAGMENT),
        (ipv6(packets.fragment(6, bytes(8), offset=1), kind=44), recorded.FRAGMENT),
        (ipv6(packets.extension(44, packets.fragment(6, bytes(8), offset=185)), kind=0), recorded.FRAGMENT),
    ],
)
def test_what_is_no_segment_is_unused(packet: bytes, reason: str) -> None:
    assert unusable(packet) == (reason, False)


def test_may_not_be_fragmented_is_no_fragment() -> None:
    assert read(ipv4(tcp(), fragment=0x4000)).payload_bytes == 0


@pytest.mark.parametrize("link", [ETHERNET, 113, 276])
def test_another_protocol_is_unused(link: int) -> None:
    wrap = {ETHERNET: ethernet, 113: packets.cooked, 276: packets.cooked_v2}[link]
    assert unusable(wrap(bytes(28), kind=0x0806), link=link) == (recorded.NOT_IP, False)


@pytest.mark.parametrize(
    ("data", "link", "reason"),
    [
        (ipv4(tcp()), 147, "link type 147 (USER0) is not read"),
        (ipv4(tcp()), 4711, recorded.UNKNOWN_LINK),
        (ethernet(b"", kind=IPV6), ETHERNET, recorded.CUT_HEADERS),
        (ethernet(b"\x55" + bytes(40)), ETHERNET, recorded.BAD_IP),
        (b"\x44" + ipv4(tcp())[1:], RAW, recorded.BAD_IP),
        (ipv4(tcp(), total=19), RAW, recorded.BAD_IP),
        (ipv4(tcp(), options=bytes(4), total=20), RAW, recorded.BAD_IP),
        (ipv4(tcp(offset=4)), RAW, recorded.BAD_TCP),
        (ipv4(tcp(offset=0)), RAW, recorded.BAD_TCP),
        (ipv4(tcp(offset=6)), RAW, recorded.BAD_TCP),
        (ipv4(tcp(bytes(39), offset=15)), RAW, recorded.BAD_TCP),
        (ipv4(tcp(), total=39), RAW, recorded.BAD_TCP),
        (ipv6(tcp(), length=19), RAW, recorded.BAD_TCP),
        (ipv6(packets.extension(6, tcp(), words=200), kind=0, length=100), RAW, recorded.BAD_IP),
    ],
)
def test_what_cannot_be_is_refused(data: bytes, link: int, reason: str) -> None:
    assert unusable(data, link=link) == (reason, True)


@pytest.mark.parametrize("size", range(54))
def test_a_cut_before_the_options_is_refused(size: int) -> None:
    data = ethernet(ipv4(tcp(b"abc")))
    assert unusable(data[:size], link=ETHERNET, wire=len(data)) == (recorded.CUT_HEADERS, True)
    assert read(data[:54], link=ETHERNET, wire=len(data)).payload_bytes == 3


@pytest.mark.parametrize(
    ("kept", "found"),
    [
        (0, Options(malformed="cut options")),
        (1, Options(malformed="cut options")),
        (3, Options(malformed="cut options")),
        (4, Options(mss=1460, malformed="cut options")),
        (5, Options(mss=1460, malformed="cut options")),
        (6, Options(mss=1460, sack_permitted=True, malformed="cut options")),
        (15, Options(mss=1460, sack_permitted=True, malformed="cut options")),
        (16, Options(mss=1460, sack_permitted=True, timestamps=(1, 0), malformed="cut options")),
        (17, Options(mss=1460, sack_permitted=True, timestamps=(1, 0), malformed="cut options")),
        (20, Options(mss=1460, sack_permitted=True, timestamps=(1, 0))),
    ],
)
def test_options_before_a_cut_are_read(kept: int, found: Options) -> None:
    data = ipv4(tcp(flags=SYN, options=LINUX_SYN))
    one = read(data[: 40 + kept], wire=len(data))
    assert (one.options, one.flags, one.payload_bytes) == (found, SYN, 0)


SACKS = ((100, 200), (300, 400), (500, 600), (2**32 - 5, 5))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_sack_blocks(count: int) -> None:
    one = read(ipv4(tcp(options=packets.sack(*SACKS[:count]))))
    assert one.options == Options(sack=SACKS[:count])


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (b"", Options()),
        (b"\x01\x01\x01\x01", Options()),
        (option(2, b"\x05\xb4"), Options(mss=1460)),
        (option(4), Options(sack_permitted=True)),
        (packets.timestamps(2**32 - 1, 2**32 - 2), Options(timestamps=(2**32 - 1, 2**32 - 2))),
        (option(3, b"\x07") + option(254, b"abc") + option(2, b"\x02\x18"), Options(mss=536)),
        (b"\x01\x01" + packets.timestamps(3, 4) + b"\x01\x01" + packets.sack((1, 2)), Options((3, 4), ((1, 2),))),
        # The end of options: what follows is padding.
        (b"\x00" + option(2, b"\x05\xb4"), Options()),
        (option(4) + b"\x00\xff\xff", Options(sack_permitted=True)),
        # Of a length that says nothing.
        (option(8, bytes(7)), Options()),
        (option(5, bytes(9)), Options()),
        (option(2, b"\x05"), Options()),
        (option(30), Options(mptcp=(b"",))),
        (packets.capable(1), Options(mptcp=(b"\x01\x81",))),
        (packets.add_addr(3) + packets.dss(1), Options(mptcp=(b"\x34\x03\xc0\x00\x02\x09", b"\x20\x01\0\0\0\x01"))),
        (option(4) + b"\x08\x00" + bytes(8), Options(sack_permitted=True, malformed=segment.BAD_LENGTH)),
        (option(4) + b"\x08\x01" + bytes(8), Options(sack_permitted=True, malformed=segment.BAD_LENGTH)),
        (option(4) + b"\x1e\xff" + bytes(8), Options(sack_permitted=True, malformed=segment.BAD_LENGTH)),
        (option(4) + b"\x02\x04\x05", Options(sack_permitted=True, malformed=segment.BAD_LENGTH)),
        (b"\x01\x01\x01\x05", Options(malformed=segment.BAD_LENGTH)),
    ],
)
def test_options(options: bytes, found: Options) -> None:
    assert segment.options_of(options, len(options)) == found
