"""Framing of captures: each packet with its time and link type, or one refusal where the frame is lost."""

from __future__ import annotations

import gzip
import lzma
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from smartsbd.traces import recorded
from smartsbd.traces.formats import capture
from smartsbd.traces.quarantine import RAW_BYTES, Refusal, UnreadableInputError
from tests.traces import packets
from tests.traces.comparison import assert_same
from tests.traces.naive import pcap
from tests.traces.naive.pcap import Frame
from tests.traces.packets import Packet

# Two packets, of 5 bytes and of 3 out of 70, at 1.000002 s and 2.000003 s, byte by byte.
BY_HAND = bytes.fromhex(
    "d4c3b2a1 0200 0400 00000000 00000000 ffff0000 65000000"
    "01000000 02000000 05000000 05000000 4500000102"
    "02000000 03000000 03000000 46000000 450001"
)
# The same of a section without options, an interface (RAW) and two enhanced packets, in big-endian order.
BY_HAND_NG = bytes.fromhex(
    "0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c"
    "00000001 00000014 0065 0000 00000000 00000014"
    "00000006 00000028 00000000 00000000 000f4242 00000005 00000005 4500000102000000 00000028"
    "00000006 00000024 00000000 00000000 001e8483 00000003 00000046 45000100 00000024"
)
PACKETS = [Packet(1_500_000_123_456_789, b"abcde"), Packet(1_500_000_123_456_790, bytes(range(64)), 1500)]
NG = packets.section() + packets.interface(resolution=9)


def read(tmp_path: Path, content: bytes) -> list[Frame | Refusal]:
    path = tmp_path / "a"
    path.write_bytes(content)
    assert pcap.recognises(content) and capture.recognises(content)
    assert_same(path)
    return list(pcap.frames(path))


def frames(tmp_path: Path, content: bytes) -> list[Frame]:
    found = read(tmp_path, content)
    good = [one for one in found if isinstance(one, Frame)]
    assert len(good) == len(found)
    return good


def split(found: list[Frame | Refusal]) -> tuple[int, Refusal]:
    """Return how many packets come before the only refusal, which is last."""
    *before, refusal = found
    assert isinstance(refusal, Refusal) and all(isinstance(one, Frame) for one in before)
    assert len(refusal.raw) <= RAW_BYTES
    return len(before), refusal


@pytest.mark.parametrize(("content", "offsets"), [(BY_HAND, [24, 45]), (BY_HAND_NG, [48, 88])], ids=["pcap", "pcapng"])
def test_packets_written_by_hand(tmp_path: Path, content: bytes, offsets: list[int]) -> None:
    assert read(tmp_path, content) == [
        Frame(offsets[0], 1_000_002_000, 101, bytes.fromhex("4500000102"), 5),
        Frame(offsets[1], 2_000_003_000, 101, bytes.fromhex("450001"), 70),
    ]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("tick_ns", [1000, 1])
def test_four_magics_of_pcap(tmp_path: Path, order: str, tick_ns: int) -> None:
    found = frames(tmp_path, packets.pcap(PACKETS, order=order, tick_ns=tick_ns, link=276))
    assert [one.time_ns for one in found] == [one.time_ns // tick_ns * tick_ns for one in PACKETS]
    assert [(one.data, one.wire_bytes) for one in found] == [(b"abcde", 5), (bytes(range(64)), 1500)]
    assert {one.link for one in found} == {276}


def test_length_of_a_check_sequence_is_no_link_type(tmp_path: Path) -> None:
    (found,) = frames(tmp_path, packets.pcap(PACKETS[:1], link=0x4400_0001))
    assert found.link == 1


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstandard.ZstdCompressor().compress])
@pytest.mark.parametrize("content", [BY_HAND, BY_HAND_NG], ids=["pcap", "pcapng"])
def test_compressed_captures(tmp_path: Path, pack: Callable[[bytes], bytes], content: bytes) -> None:
    plain = read(tmp_path, content)
    path = tmp_path / "b"
    path.write_bytes(pack(content))
    assert list(pcap.frames(path)) == plain
    path.write_bytes(pack(content)[:-9])
    with pytest.raises(UnreadableInputError, match="cannot be read"):
        list(pcap.frames(path))


def test_packets_across_the_blocks_a_file_is_read_in(tmp_path: Path) -> None:
    many = [Packet(number * 1000, bytes([number]) * 99_991) for number in range(33)]
    for content in (packets.pcap(many), packets.pcapng(many)):
        assert [(one.time_ns, one.data) for one in frames(tmp_path, content)] == [(one[0], one[1]) for one in many]


@pytest.mark.parametrize("content", [packets.pcap([]), packets.section(), NG], ids=["pcap", "section", "interface"])
def test_a_capture_may_be_empty(tmp_path: Path, content: bytes) -> None:
    assert read(tmp_path, content) == []


@pytest.mark.parametrize("size", [4, 8, 12, 23])
@pytest.mark.parametrize("content", [BY_HAND, BY_HAND_NG], ids=["pcap", "pcapng"])
def test_a_cut_header_is_an_error(tmp_path: Path, content: bytes, size: int) -> None:
    with pytest.raises(UnreadableInputError, match="header is cut"):
        read(tmp_path, content[:size])


@pytest.mark.parametrize("content", [b"", b"\xa1\xb2\xc3", b"\xa1\xb2\xcd\x35" + bytes(40), b"1000 C=1 SF=0 V=CA 3\n"])
def test_other_content_is_no_capture(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    assert not pcap.recognises(content)
    with pytest.raises(UnreadableInputError, match="neither pcap nor pcapng"):
        list(pcap.frames(path))


def test_a_section_of_no_byte_order_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="magic is none"):
        read(tmp_path, packets.block(0x0A0D0D0A, bytes(16)))


@pytest.mark.parametrize("left", range(1, 80))
def test_a_cut_pcap_record_is_refused(tmp_path: Path, left: int) -> None:
    content = packets.pcap([*PACKETS, PACKETS[1]])
    last = len(content) - 80
    before, refusal = split(read(tmp_path, content[: last + left]))
    assert (before, refusal.offset, refusal.reason) == (2, last, recorded.CUT)
    assert refusal.raw == content[last : last + min(left, RAW_BYTES)]


@pytest.mark.parametrize("left", range(1, 96))
def test_a_cut_pcapng_block_is_refused(tmp_path: Path, left: int) -> None:
    content = packets.pcapng([*PACKETS, PACKETS[1]])
    last = len(content) - 96
    before, refusal = split(read(tmp_path, content[: last + left]))
    assert (before, refusal.offset, refusal.reason) == (2, last, recorded.CUT)


@pytest.mark.parametrize("captured", [pcap.MAX_PACKET_BYTES + 1, 2**31, 2**32 - 1])
@pytest.mark.parametrize("order", ["<", ">"])
def test_after_an_absurd_length_nothing_is_read(tmp_path: Path, order: str, captured: int) -> None:
    good = packets.pcap(PACKETS, order=order)
    bad = struct.pack(order + "IIII", 1, 2, captured, captured) + bytes(100)
    before, refusal = split(read(tmp_path, good + bad + packets.pcap_record(PACKETS[0], order=order)))
    assert (before, refusal.offset, refusal.reason) == (2, len(good), recorded.TOO_LONG)


def test_the_longest_packet_is_read(tmp_path: Path) -> None:
    (found,) = frames(tmp_path, packets.pcap([Packet(0, bytes(pcap.MAX_PACKET_BYTES))]))
    assert len(found.data) == pcap.MAX_PACKET_BYTES


@pytest.mark.parametrize(
    ("resolution", "offset_s", "ticks", "time_ns"),
    [
        (None, None, 1_600_000_000_000_001, 1_600_000_000_000_001_000),
        (6, None, 1_600_000_000_000_001, 1_600_000_000_000_001_000),
        (9, None, 1_600_000_000_000_000_001, 1_600_000_000_000_000_001),
        (3, None, 1_500, 1_500_000_000),
        (0, None, 7, 7_000_000_000),
        (12, None, 1_999, 1),
        (0x80 | 10, None, 1536, 1_500_000_000),
        (0x80 | 32, None, (1_600_000_000 << 32) + (1 << 30), 1_600_000_000_250_000_000),
        (0x80, None, 7, 7_000_000_000),
        (9, 1_600_000_000, 5, 1_600_000_000_000_000_005),
        (None, 100, 5, 100_000_005_000),
        (3, -1, 1_500, 500_000_000),
        (3, -2, 1_500, -500_000_000),
    ],
)
@pytest.mark.parametrize("order", ["<", ">"])
def test_resolution_and_offset_of_time(
    tmp_path: Path, order: str, resolution: int | None, offset_s: int | None, ticks: int, time_ns: int
) -> None:
    described = packets.interface(order=order, resolution=resolution, offset_s=offset_s)
    for packet in (packets.enhanced, packets.obsolete):
        (found,) = frames(tmp_path, packets.section(order) + described + packet(ticks, b"abc", order=order))
        assert (found.time_ns, found.data, found.wire_bytes) == (time_ns, b"abc", 3)


def test_other_options_of_an_interface_are_passed(tmp_path: Path) -> None:
    name = packets.block_option(2, b"eth0x") + packets.block_option(3, b"") + packets.block_option(9, b"\x09\x09")
    (found,) = frames(
        tmp_path, packets.section() + packets.interface(resolution=3, before=name) + packets.enhanced(1, b"")
    )
    assert found.time_ns == 1_000_000
    # After the end of options nothing counts.
    ended = packets.block_option(0, b"")
    (found,) = frames(
        tmp_path, packets.section() + packets.interface(resolution=3, before=ended) + packets.enhanced(1, b"")
    )
    assert found.time_ns == 1_000


@pytest.mark.parametrize(
    "body",
    [
        bytes(4),
        packets.interface(resolution=20)[8:-4],
        packets.interface(resolution=0x80 | 65)[8:-4],
        bytes(8) + struct.pack("<HH", 2, 9) + b"eth0",
    ],
    ids=["cut", "10^-20", "2^-65", "option beyond its end"],
)
def test_after_a_broken_interface_nothing_is_read(tmp_path: Path, body: bytes) -> None:
    good = NG + packets.enhanced(1, b"abc")
    before, refusal = split(read(tmp_path, good + packets.block(1, body) + packets.enhanced(2, b"abc")))
    assert (before, refusal.offset, refusal.reason) == (1, len(good), recorded.BROKEN_BLOCK)


def test_interfaces_of_several_kinds_and_sections_of_several_orders(tmp_path: Path) -> None:
    content = (
        packets.section()
        + packets.interface(1, resolution=9)
        + packets.interface(113)
        + packets.enhanced(5, b"a", number=1)
        + packets.enhanced(5, b"b", number=0)
        + packets.section(">")
        + packets.interface(276, order=">", resolution=0)
        + packets.enhanced(5, b"c", order=">")
        + packets.interface(101, order=">", resolution=3)
        + packets.obsolete(5, b"d", order=">", number=1, drops=3)
    )
    assert [(one.data, one.link, one.time_ns) for one in frames(tmp_path, content)] == [
        (b"a", 113, 5_000),
        (b"b", 1, 5),
        (b"c", 276, 5_000_000_000),
        (b"d", 101, 5_000_000),
    ]


def test_a_section_forgets_the_interfaces_before(tmp_path: Path) -> None:
    first = packets.section() + packets.interface() + packets.interface() + packets.enhanced(5, b"a", number=1)
    content = first + packets.section() + packets.interface() + packets.enhanced(5, b"b", number=1)
    before, refusal = split(read(tmp_path, content))
    assert (before, refusal.offset, refusal.reason) == (1, len(content) - 36, recorded.NO_INTERFACE)


@pytest.mark.parametrize("packet", [packets.enhanced, packets.obsolete])
def test_a_packet_of_an_undeclared_interface_is_refused_alone(tmp_path: Path, packet: Callable[..., bytes]) -> None:
    found = read(tmp_path, NG + packet(5, b"a", number=1) + packet(6, b"b"))
    assert [getattr(one, "reason", None) for one in found] == [recorded.NO_INTERFACE, None]


def test_a_simple_packet_has_no_time(tmp_path: Path) -> None:
    found = read(tmp_path, NG + packets.simple(b"abc") + packets.enhanced(6, b"b"))
    assert [getattr(one, "reason", None) for one in found] == [recorded.NO_TIME, None]


def test_unknown_blocks_are_passed(tmp_path: Path) -> None:
    others = b"".join(packets.block(kind, b"something") for kind in (4, 5, 9, 10, 0xBAD, 0x40000BAD, 0x80000001, 0))
    (found,) = frames(tmp_path, packets.section() + others + packets.interface() + others + packets.enhanced(6, b"b"))
    assert (found.time_ns, found.data) == (6_000, b"b")


@pytest.mark.parametrize("length", [0, 4, 8, 11, 13, 34, 2**24 + 4, 2**32 - 4, 2**32 - 1])
@pytest.mark.parametrize("kind", [5, 6])
def test_after_a_block_of_broken_length_nothing_is_read(tmp_path: Path, kind: int, length: int) -> None:
    good = NG + packets.enhanced(1, b"abc")
    bad = packets.block(kind, bytes(24), length=length)
    before, refusal = split(read(tmp_path, good + bad + packets.enhanced(2, b"abc")))
    assert (before, refusal.offset, refusal.reason) == (1, len(good), recorded.BROKEN_BLOCK)


def test_after_a_later_section_of_no_byte_order_nothing_is_read(tmp_path: Path) -> None:
    good = NG + packets.enhanced(1, b"abc")
    before, refusal = split(read(tmp_path, good + packets.block(0x0A0D0D0A, bytes(16)) + NG))
    assert (before, refusal.offset, refusal.reason) == (1, len(good), recorded.BROKEN_BLOCK)


@pytest.mark.parametrize("kind", [2, 6])
@pytest.mark.parametrize("body", [bytes(16), bytes(12) + struct.pack("<II", 9, 9) + bytes(8)], ids=["head", "data"])
def test_a_packet_longer_than_its_block_is_refused_alone(tmp_path: Path, kind: int, body: bytes) -> None:
    found = read(tmp_path, NG + packets.block(kind, body) + packets.enhanced(6, b"b"))
    assert [getattr(one, "reason", None) for one in found] == [recorded.BROKEN_BLOCK, None]
