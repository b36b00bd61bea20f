"""Packets and captures, built field by field, for tests of what reads them."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import NamedTuple

FIN, SYN, RST, PSH, ACK, URG, ECE, CWR = 1, 2, 4, 8, 16, 32, 64, 128
MS = 1_000_000
IPV4, IPV6 = 0x0800, 0x86DD
ETHERNET = 1


class Packet(NamedTuple):
    """A packet as a capture holds it; `wire_bytes` is None where all of it was captured."""

    time_ns: int
    data: bytes
    wire_bytes: int | None = None

    @property
    def wire(self) -> int:
        return len(self.data) if self.wire_bytes is None else self.wire_bytes

    def cut(self, snap_bytes: int) -> Packet:
        return Packet(self.time_ns, self.data[:snap_bytes], self.wire)


# Link layers.


def ethernet(packet: bytes, *, kind: int = IPV4, tags: Sequence[int] = ()) -> bytes:
    tagged = b"".join(struct.pack("!HH", tag, 100) for tag in tags)
    return b"\x02\0\0\0\0\x02\x02\0\0\0\0\x01" + tagged + struct.pack("!H", kind) + packet


def cooked(packet: bytes, *, kind: int = IPV4, tags: Sequence[int] = ()) -> bytes:
    tagged = b"".join(struct.pack("!HH", tag, 100) for tag in tags)
    return struct.pack("!HHH8s", 0, 1, 6, b"\x02\0\0\0\0\x01\0\0") + tagged + struct.pack("!H", kind) + packet


def cooked_v2(packet: bytes, *, kind: int = IPV4, tags: Sequence[int] = ()) -> bytes:
    kinds = [*tags, kind]
    tagged = b"".join(struct.pack("!HH", 100, inner) for inner in kinds[1:])
    return struct.pack("!HHIHBB8s", kinds[0], 0, 2, 1, 0, 6, b"\x02\0\0\0\0\x01\0\0") + tagged + packet


# IP.


def ipv4(
    payload: bytes,
    *,
    source: str = "10.0.0.1",
    destination: str = "10.0.0.2",
    protocol: int = 6,
    options: bytes = b"",
    total: int | None = None,
    fragment: int = 0,
) -> bytes:
    header_bytes = 20 + len(options)
    head = struct.pack(
        "!BBHHHBBH4s4s",
        0x40 | header_bytes // 4,
        0,
        header_bytes + len(payload) if total is None else total,
        7,
        fragment,
        64,
        protocol,
        0,
        ip_address(source).packed,
        ip_address(destination).packed,
    )
    return head + options + payload


def ipv6(
    payload: bytes,
    *,
    source: str = "2001:db8::1",
    destination: str = "2001:db8::2",
    kind: int = 6,
    length: int | None = None,
) -> bytes:
    head = struct.pack("!IHBB", 6 << 28, len(payload) if length is None else length, kind, 64)
    return head + ip_address(source).packed + ip_address(destination).packed + payload


def extension(following: int, payload: bytes, *, words: int = 0) -> bytes:
    """An IPv6 header of 8 + 8 * `words` bytes: hop-by-hop, routing or destination options."""
    return bytes([following, words]) + bytes(6 + 8 * words) + payload


def authentication(following: int, payload: bytes) -> bytes:
    """An authentication header with 12 bytes of integrity check value: 24 bytes, six words of four, less two."""
    return bytes([following, 4]) + bytes(22) + payload


def fragment(following: int, payload: bytes, *, offset: int = 0, more: bool = False) -> bytes:
    return struct.pack("!BBHI", following, 0, offset << 3 | more, 99) + payload


# TCP.


def tcp(
    payload: bytes = b"",
    *,
    ports: tuple[int, int] = (1000, 80),
    seq: int = 0,
    ack: int = 0,
    flags: int = ACK,
    window: int = 500,
    options: bytes = b"",
    offset: int | None = None,
) -> bytes:
    options += b"\x01" * (-len(options) % 4)
    words = 5 + len(options) // 4 if offset is None else offset
    head = struct.pack("!HHIIBBHHH", *ports, seq % 2**32, ack % 2**32, words << 4, flags, window, 0, 0)
    return head + options + payload


def option(kind: int, body: bytes = b"") -> bytes:
    return bytes([kind, len(body) + 2]) + body


def timestamps(value: int, echo: int) -> bytes:
    return option(8, struct.pack("!II", value % 2**32, echo % 2**32))


def sack(*blocks: tuple[int, int]) -> bytes:
    return option(5, b"".join(struct.pack("!II", left % 2**32, right % 2**32) for left, right in blocks))


# MPTCP: bodies start with the subtype; options have kind 30.


def capable_body(version: int, *keys: bytes, rest: bytes = b"") -> bytes:
    return bytes([version, 0x81]) + b"".join(keys) + rest


def capable(version: int, *keys: bytes, rest: bytes = b"") -> bytes:
    return option(30, capable_body(version, *keys, rest=rest))


def join_syn(token: int, address_id: int) -> bytes:
    return option(30, struct.pack("!BBII", 0x10, address_id, token, 0x01020304))


def join_syn_ack(address_id: int) -> bytes:
    return option(30, struct.pack("!BBQI", 0x10, address_id, 0x1122334455667788, 0x05060708))


def join_ack() -> bytes:
    return option(30, bytes([0x10, 0]) + bytes(range(20)))


def dss_body(
    ack: int | None = None,
    *,
    ack_bytes: int = 4,
    seq: int | None = None,
    seq_bytes: int = 4,
    length: int = 0,
    checksum: bool = False,
    fin: bool = False,
) -> bytes:
    flags = 16 * fin
    body = b""
    if ack is not None:
        flags |= 1 | 2 * (ack_bytes == 8)
        body += ack.to_bytes(ack_bytes, "big")
    if seq is not None:
        flags |= 4 | 8 * (seq_bytes == 8)
        body += seq.to_bytes(seq_bytes, "big") + struct.pack("!IH", 1, length) + (b"\xab\xcd" if checksum else b"")
    return bytes([0x20, flags]) + body


def dss(ack: int | None = None, *, seq: int | None = None, length: int = 0) -> bytes:
    return option(30, dss_body(ack, seq=seq, length=length))


def add_addr(address_id: int) -> bytes:
    """ADD_ADDR of version 0, IPv4, without a port."""
    return option(30, bytes([0x34, address_id, 192, 0, 2, 9]))


def fastclose(key: bytes) -> bytes:
    return option(30, b"\x70\0" + key)


def token_of(key: bytes, version: int) -> int:
    """RFC 6824 and 8684, section 3.2: the most significant 32 bits of the key's SHA-1 or SHA-256."""
    digest = hashlib.new("sha256" if version else "sha1", key).hexdigest()
    return int(digest[:8], 16)


def first_data_of(key: bytes, version: int) -> int:
    """The initial data sequence number is the digest's least significant 64 bits; the handshake takes it."""
    digest = hashlib.new("sha256" if version else "sha1", key).hexdigest()
    return (int(digest[-16:], 16) + 1) & 0xFFFF_FFFF_FFFF_FFFF


# Capture files.


def pcap(
    packets: Iterable[Packet], *, order: str = "<", tick_ns: int = 1000, link: int = ETHERNET, snap_bytes: int = 65535
) -> bytes:
    magic = {1000: 0xA1B2C3D4, 1: 0xA1B23C4D}[tick_ns]
    content = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snap_bytes, link)
    return content + b"".join(pcap_record(packet, order=order, tick_ns=tick_ns) for packet in packets)


def pcap_record(packet: Packet, *, order: str = "<", tick_ns: int = 1000) -> bytes:
    seconds, rest_ns = divmod(packet.time_ns, 10**9)
    head = struct.pack(order + "IIII", seconds, rest_ns // tick_ns, len(packet.data), packet.wire)
    return head + packet.data


def block(kind: int, body: bytes, *, order: str = "<", length: int | None = None) -> bytes:
    """A pcapng block; `length` is what it says of itself."""
    body += bytes(-len(body) % 4)
    said = struct.pack(order + "I", 12 + len(body) if length is None else length)
    return struct.pack(order + "I", kind) + said + body + said


def section(order: str = "<") -> bytes:
    return block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order=order)


def block_option(code: int, value: bytes, *, order: str = "<") -> bytes:
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def interface(
    link: int = ETHERNET,
    *,
    order: str = "<",
    resolution: int | None = None,
    offset_s: int | None = None,
    before: bytes = b"",
) -> bytes:
    """An interface description; `before` is other options, which come first."""
    options = before
    if resolution is not None:
        options += block_option(9, bytes([resolution]), order=order)
    if offset_s is not None:
        options += block_option(14, struct.pack(order + "q", offset_s), order=order)
    if options:
        options += block_option(0, b"", order=order)
    return block(1, struct.pack(order + "HHI", link, 0, 262144) + options, order=order)


def enhanced(ticks: int, data: bytes, *, order: str = "<", number: int = 0, wire: int | None = None) -> bytes:
    wire = len(data) if wire is None else wire
    head = struct.pack(order + "IIIII", number, ticks >> 32, ticks & 0xFFFF_FFFF, len(data), wire)
    return block(6, head + data, order=order)


def obsolete(ticks: int, data: bytes, *, order: str = "<", number: int = 0, drops: int = 0) -> bytes:
    head = struct.pack(order + "HHIIII", number, drops, ticks >> 32, ticks & 0xFFFF_FFFF, len(data), len(data))
    return block(2, head + data, order=order)


def simple(data: bytes, *, order: str = "<") -> bytes:
    return block(3, struct.pack(order + "I", len(data)) + data, order=order)


def pcapng(packets: Iterable[Packet], *, order: str = "<", link: int = ETHERNET) -> bytes:
    """One section, one interface, times in nanoseconds."""
    blocks = (enhanced(packet.time_ns, packet.data, order=order, wire=packet.wire) for packet in packets)
    return section(order) + interface(link, order=order, resolution=9) + b"".join(blocks)


# Conversations.


@dataclass
class Talk:
    """A TCP connection whose segments are built in turn; sequence numbers follow from what was sent.

    Times are in milliseconds, and count from `origin_ms`.
    """

    client: tuple[str, int] = ("10.0.0.1", 1000)
    server: tuple[str, int] = ("10.0.0.2", 80)
    isn: tuple[int, int] = (1000, 5000)
    origin_ms: float = 1_000_000
    packets: list[Packet] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sent = list(self.isn)

    def say(
        self,
        end: int,
        time_ms: float,
        *,
        flags: int = ACK,
        size: int = 0,
        options: bytes = b"",
        seq: int | None = None,
        ack: int | None = None,
    ) -> Packet:
        """Let an end, 0 the client and 1 the server, send a segment of `size` bytes; give `seq` to send again."""
        ends = (self.client, self.server) if end == 0 else (self.server, self.client)
        at = self.sent[end] if seq is None else seq
        acked = 0 if not flags & ACK else self.sent[1 - end] if ack is None else ack
        segment = tcp(
            bytes(size), ports=(ends[0][1], ends[1][1]), seq=at, ack=acked, flags=flags, options=options, window=500
        )
        wrap = ipv6 if ":" in self.client[0] else ipv4
        data = ethernet(
            wrap(segment, source=ends[0][0], destination=ends[1][0]), kind=IPV6 if ":" in self.client[0] else IPV4
        )
        if seq is None:
            self.sent[end] += size + bool(flags & SYN) + bool(flags & FIN)
        packet = Packet(round((self.origin_ms + time_ms) * MS), data)
        self.packets.append(packet)
        return packet

    def open(self, time_ms: float, options: Sequence[bytes], *, round_trip_ms: float = 40, near: int = 0) -> None:
        """Let them shake hands: options of SYN, SYN/ACK and ACK. The end `near` the capture answers in 0.1 ms."""
        answers_ms = (0.1, round_trip_ms) if near == 0 else (round_trip_ms, 0.1)
        self.say(0, time_ms, flags=SYN, options=options[0])
        self.say(1, time_ms + answers_ms[1], flags=SYN | ACK, options=options[1])
        self.say(0, time_ms + sum(answers_ms), options=options[2])

    def data(self, end: int, times_ms: Iterable[float], *, size: int = 1000, delay_ms: float = 40) -> None:
        """Let an end send segments, each acknowledged after `delay_ms`; both with DSS."""
        for time_ms in times_ms:
            self.say(end, time_ms, size=size, options=dss(1, seq=1, length=size))
            self.say(1 - end, time_ms + delay_ms, options=dss(1 + size))


def v0(client: bytes, server: bytes) -> tuple[bytes, bytes, bytes]:
    """Options of a handshake of version 0."""
    return capable(0, client), capable(0, server), capable(0, client, server)


def v1(client: bytes, server: bytes) -> tuple[bytes, bytes, bytes]:
    """Options of a handshake of version 1: its SYN carries no key."""
    return capable(1), capable(1, server), capable(1, client, server)


def join(token: int, ids: tuple[int, int]) -> tuple[bytes, bytes, bytes]:
    """Options of the handshake of another subflow: the token of the end that is joined, address ids of both."""
    return join_syn(token, ids[0]), join_syn_ack(ids[1]), join_ack()
