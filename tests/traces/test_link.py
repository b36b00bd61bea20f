"""Link layers: where IP starts in a frame, that it holds none, or that it is cut before."""

from __future__ import annotations

import struct

import pytest

from tests.traces.comparison import assert_same_content
from tests.traces.naive.link import CUT, NOT_IP, start_of
from tests.traces.packets import IPV4, IPV6, Packet, cooked, cooked_v2, ethernet, pcap

ARP = 0x0806
FOUR, SIX = b"\x45" + bytes(19), b"\x60" + bytes(39)


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
