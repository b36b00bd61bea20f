"""Reads the simulator's pcap files: link type PPP, nanoseconds."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SYN, PSH_ACK, ACK = 0x02, 0x18, 0x10
MPTCP, SACK = 30, 5
CLIENT_PORTS = range(5000, 5005)


@dataclass(frozen=True)
class Packet:
    """One TCP or UDP packet."""

    ns: int
    ecn: int
    time_to_live: int
    ports: tuple[int, int]
    sequence: int
    ack: int
    flags: int
    options: dict[int, bytes]
    payload: int

    @property
    def from_server(self) -> bool:
        return self.ports[1] in CLIENT_PORTS

    @property
    def of_connection(self) -> bool:
        return self.from_server or self.ports[0] in CLIENT_PORTS


def checksum(data: bytes) -> int:
    """The Internet checksum; zero over data that hold a right one."""
    padded = data + b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def parse_options(data: bytes) -> dict[int, bytes]:
    """Bodies of TCP options by kind."""
    options = {}
    while data and data[0] != 0:
        if data[0] == 1:
            data = data[1:]
            continue
        assert 2 <= data[1] <= len(data)
        assert data[0] not in options
        options[data[0]] = data[2 : data[1]]
        data = data[data[1] :]
    return options


def parse_packet(ns: int, data: bytes) -> Packet:
    """A packet from its PPP header on; all checksums must be right."""
    assert data[:2] == b"\x00\x21"
    ip = data[2:]
    head = 4 * (ip[0] & 15)
    length = struct.unpack("!H", ip[2:4])[0]
    assert length == len(ip) <= 1500
    assert checksum(ip[:head]) == 0
    transport = ip[head:]
    pseudo = ip[12:20] + struct.pack("!BBH", 0, ip[9], len(transport))
    assert checksum(pseudo + transport) == 0
    ports = struct.unpack("!HH", transport[:4])
    if ip[9] == 17:
        return Packet(ns, ip[1] & 3, ip[8], ports, 0, 0, 0, {}, len(transport) - 8)
    sequence, ack = struct.unpack("!II", transport[4:12])
    offset = 4 * (transport[12] >> 4)
    options = parse_options(transport[20:offset])
    return Packet(ns, ip[1] & 3, ip[8], ports, sequence, ack, transport[13], options, len(transport) - offset)


def read(path: Path) -> Iterator[Packet]:
    """All packets of a file."""
    data = path.read_bytes()
    magic, major, minor, _, _, _, link = struct.unpack("<IHHiIII", data[:24])
    assert (magic, major, minor, link) == (0xA1B23C4D, 2, 4, 9)
    at = 24
    while at < len(data):
        seconds, nanoseconds, captured, original = struct.unpack("<IIII", data[at : at + 16])
        assert captured == original
        at += 16 + captured
        yield parse_packet(seconds * 10**9 + nanoseconds, data[at - captured : at])
