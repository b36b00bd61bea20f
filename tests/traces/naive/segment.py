"""TCP segments: from a captured frame to sequence numbers, flags and options."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

from smartsbd.traces import link_types
from smartsbd.traces.recorded import (
    AGGREGATE,
    BAD_IP,
    BAD_TCP,
    CUT_HEADERS,
    DAMAGED,
    ENCRYPTED,
    FRAGMENT,
    NOT_IP,
    NOT_TCP,
)
from tests.traces.naive import link
from tests.traces.naive.pcap import MAX_PACKET_BYTES, Frame

FIN, SYN, RST, PSH, ACK, URG, ECE, CWR = (1 << bit for bit in range(8))

CUT_OPTIONS, BAD_LENGTH = "cut options", "TCP option of a length it cannot have"

_TCP = 6
_HOP_BY_HOP, _ROUTING, _FRAGMENT, _AUTHENTICATION, _DESTINATION = 0, 43, 44, 51, 60
_IPV4_BYTES, _IPV6_BYTES, _TCP_BYTES = 20, 40, 20
_MORE_FRAGMENTS, _FRAGMENT_OFFSET = 0x2000, 0x1FFF
_END, _NOP, _MSS, _SACK_PERMITTED, _SACK, _TIMESTAMPS, _MPTCP = 0, 1, 2, 4, 5, 8, 30
_MSS_BYTES, _TIMESTAMPS_BYTES = 4, 10
_NO_IP = {
    link.NOT_IP: NOT_IP,
    link.FRAGMENTED: FRAGMENT,
    link.ENCRYPTED: ENCRYPTED,
    link.AGGREGATED: AGGREGATE,
    link.DAMAGED: DAMAGED,
}
_TCP_HEADER = struct.Struct("!HHIIBBH")


class UnusableError(Exception):
    """A frame that is no segment of a connection: a reason, a detail, and whether the frame is to blame."""

    def __init__(self, reason: str, detail: str = "", *, refused: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail
        self.refused = refused


@dataclass(frozen=True, slots=True)
class Options:
    """The TCP options that tell something of a sender.

    Attributes
    ----------
    timestamps : (int, int) or None
        TSval and TSecr.
    sack : tuple of (int, int)
        Left and right edges, in order.
    sack_permitted : bool
    mss : int or None, bytes
    mptcp : tuple of bytes
        Bodies of MPTCP options, from the subtype on.
    malformed : str or None
        What is wrong; the options before it are whole.
    """

    timestamps: tuple[int, int] | None = None
    sack: tuple[tuple[int, int], ...] = ()
    sack_permitted: bool = False
    mss: int | None = None
    mptcp: tuple[bytes, ...] = ()
    malformed: str | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """One TCP segment.

    Attributes
    ----------
    time_ns : int, nanoseconds
    source, destination : (bytes, int)
        Address, of 4 or 16 bytes, and port.
    seq, ack : int
        32-bit numbers as on the wire; `ack` counts if `flags` has ACK.
    flags : int
        FIN, SYN, RST, PSH, ACK, URG, ECE, CWR from bit 0 on.
    window : int
        As on the wire, not scaled.
    payload_bytes : int
        Also of what was not captured.
    options : Options
    identification : int
        Of the IPv4 packet; of IPv6 the flow label.
    hops : int
        That are left to it.
    whole_options, options_from_mptcp : bytes
        Those that are whole, and of these the first of MPTCP and what follows.
    """

    time_ns: int
    source: tuple[bytes, int]
    destination: tuple[bytes, int]
    seq: int
    ack: int
    flags: int
    window: int
    payload_bytes: int
    options: Options
    identification: int = field(default=0, compare=False)
    hops: int = field(default=0, compare=False)
    whole_options: bytes = field(default=b"", compare=False)
    options_from_mptcp: bytes = field(default=b"", compare=False)

    @property
    def end(self) -> int:
        """Sequence number after the segment: SYN and FIN take one each."""
        return self.seq + self.payload_bytes + bool(self.flags & SYN) + bool(self.flags & FIN)


def _cut(what: str) -> UnusableError:
    return UnusableError(CUT_HEADERS, what, refused=True)


def _ipv4(data: bytes, at: int, wire_bytes: int) -> tuple[int, int, bytes, bytes]:
    """Return where the transport starts and how many bytes it has, and both addresses."""
    if len(data) < at + _IPV4_BYTES:
        raise _cut("IPv4")
    header_bytes = 4 * (data[at] & 15)
    # A segment that the network card is to cut has no room for its length.
    total = int.from_bytes(data[at + 2 : at + 4], "big") or wire_bytes
    if header_bytes < _IPV4_BYTES or total < header_bytes:
        raise UnusableError(BAD_IP, f"header of {header_bytes} bytes in {total}", refused=True)
    if data[at + 9] != _TCP:
        raise UnusableError(NOT_TCP, refused=False)
    if int.from_bytes(data[at + 6 : at + 8], "big") & (_MORE_FRAGMENTS | _FRAGMENT_OFFSET):
        raise UnusableError(FRAGMENT, refused=False)
    return at + header_bytes, total - header_bytes, data[at + 12 : at + 16], data[at + 16 : at + 20]


def _ipv6(data: bytes, at: int, wire_bytes: int) -> tuple[int, int, bytes, bytes]:
    if len(data) < at + _IPV6_BYTES:
        raise _cut("IPv6")
    start = at
    kind = data[at + 6]
    length = int.from_bytes(data[at + 4 : at + 6], "big")
    rest = length or max(0, wire_bytes - _IPV6_BYTES)
    at += _IPV6_BYTES
    while kind in (_HOP_BY_HOP, _ROUTING, _FRAGMENT, _AUTHENTICATION, _DESTINATION):
        if len(data) < at + 8:
            raise _cut("IPv6 extension header")
        if kind == _FRAGMENT and int.from_bytes(data[at + 2 : at + 4], "big") & 0xFFF9:
            raise UnusableError(FRAGMENT, refused=False)
        # An authentication header counts words of four bytes, the others of eight; a fragment header has eight bytes.
        size = 8 if kind == _FRAGMENT else 4 * data[at + 1] + 8 if kind == _AUTHENTICATION else 8 * data[at + 1] + 8
        if size > rest:
            raise UnusableError(BAD_IP, f"extension header of {size} bytes in {rest}", refused=True)
        kind, at, rest = data[at], at + size, rest - size
    if kind != _TCP:
        raise UnusableError(NOT_TCP, refused=False)
    return at, rest, data[start + 8 : start + 24], data[start + 24 : start + 40]


def segment(frame: Frame) -> Segment:
    """Return the TCP segment in a frame.

    Raises
    ------
    UnusableError
        If there is none, or it cannot be read.
    """
    data = frame.data
    try:
        start = link.find_ip(frame.link, data)
    except link.NoIpError as error:
        if error.why == link.CUT:
            raise _cut("link layer") from error
        if error.why == link.UNKNOWN:
            raise UnusableError(link_types.not_read(error.link), str(error.link), refused=True) from error
        raise UnusableError(_NO_IP[error.why], refused=False) from error
    if start >= len(data):
        raise _cut("IP")
    version = data[start] >> 4
    if version not in (4, 6):
        raise UnusableError(BAD_IP, f"version {version}", refused=True)
    read = _ipv4 if version == 4 else _ipv6
    at, transport_bytes, source, destination = read(data, start, max(0, frame.wire_bytes - start))
    if transport_bytes > MAX_PACKET_BYTES:
        raise UnusableError(BAD_IP, f"{transport_bytes} bytes", refused=True)
    if len(data) < at + _TCP_BYTES:
        raise _cut("TCP")
    source_port, destination_port, seq, ack, offset, flags, window = _TCP_HEADER.unpack_from(data, at)
    header_bytes = 4 * (offset >> 4)
    if header_bytes < _TCP_BYTES or header_bytes > transport_bytes:
        raise UnusableError(BAD_TCP, f"header of {header_bytes} bytes in {transport_bytes}", refused=True)
    captured = data[at + _TCP_BYTES : at + header_bytes]
    whole, mptcp_at = _whole(captured)
    return Segment(
        frame.time_ns,
        (source, source_port),
        (destination, destination_port),
        seq,
        ack,
        flags,
        window,
        transport_bytes - header_bytes,
        options_of(captured, header_bytes - _TCP_BYTES),
        *_passage(data, start, version),
        whole,
        whole[mptcp_at:],
    )


def _passage(data: bytes, at: int, version: int) -> tuple[int, int]:
    """Return what tells an IP packet of others between the same ends, and the hops that are left to it."""
    if version == 4:
        return int.from_bytes(data[at + 4 : at + 6], "big"), data[at + 8]
    return int.from_bytes(data[at : at + 4], "big") & 0xFFFFF, data[at + 7]


def _whole(captured: bytes) -> tuple[bytes, int]:
    """Return the options that are whole, and where the first of MPTCP is among them."""
    at, mptcp_at = 0, len(captured)
    while at < len(captured) and captured[at] != _END:
        length = 1
        if captured[at] != _NOP:
            length = captured[at + 1] if at + 1 < len(captured) else 0
            if length < 2 or at + length > len(captured):
                break
        if captured[at] == _MPTCP:
            mptcp_at = min(mptcp_at, at)
        at += length
    return captured[:at], mptcp_at


def options_of(captured: bytes, size: int) -> Options:
    """Return the TCP options of a header.

    Parameters
    ----------
    captured : bytes
        What was captured of them.
    size : int, bytes
        How long they are.
    """
    found: dict[str, Any] = {}
    mptcp: list[bytes] = []
    at = 0
    while at < len(captured) and captured[at] != _END:
        kind = captured[at]
        if kind == _NOP:
            at += 1
            continue
        length = captured[at + 1] if at + 1 < len(captured) else 0
        if length < 2 or at + length > len(captured):
            found["malformed"] = CUT_OPTIONS if len(captured) < size else BAD_LENGTH
            break
        body = captured[at + 2 : at + length]
        if kind == _TIMESTAMPS and length == _TIMESTAMPS_BYTES:
            found["timestamps"] = (int.from_bytes(body[:4], "big"), int.from_bytes(body[4:], "big"))
        elif kind == _SACK and len(body) % 8 == 0:
            edges = struct.unpack(f"!{len(body) // 4}I", body)
            found["sack"] = tuple(zip(edges[::2], edges[1::2], strict=True))
        elif kind == _SACK_PERMITTED:
            found["sack_permitted"] = True
        elif kind == _MSS and length == _MSS_BYTES:
            found["mss"] = int.from_bytes(body, "big")
        elif kind == _MPTCP:
            mptcp.append(body)
        at += length
    else:
        if len(captured) < size and at >= len(captured):
            found["malformed"] = CUT_OPTIONS
    return Options(mptcp=tuple(mptcp), **found)
