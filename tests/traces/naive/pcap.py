"""Capture files, pcap and pcapng: their packets, with time and link type, one at a time.

References
----------
The PCAP and PCAPNG capture file formats, draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from smartsbd.traces import stored
from smartsbd.traces.quarantine import RAW_BYTES, Refusal, UnreadableInputError
from smartsbd.traces.recorded import BROKEN_BLOCK, CUT, NO_INTERFACE, NO_TIME, TOO_LONG

#: A packet and its headers; captures of segments that the network card is to cut hold up to 64 KiB and more.
MAX_PACKET_BYTES = 1 << 19
_MAX_BLOCK_BYTES = 1 << 24

_NS_PER_S = 10**9
# Magic as it lies in the file, and what it says: byte order and nanoseconds a tick.
_PCAP = {
    b"\xa1\xb2\xc3\xd4": (">", 1_000),
    b"\xd4\xc3\xb2\xa1": ("<", 1_000),
    b"\xa1\xb2\x3c\x4d": (">", 1),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\xcd\x34": (">", 1_000),
    b"\x34\xcd\xb2\xa1": ("<", 1_000),
}
# Of Kuznetsov's form, whose records say more of the interface.
_LONG = (b"\xa1\xb2\xcd\x34", b"\x34\xcd\xb2\xa1")
_PCAP_HEADER_BYTES = 24
_RECORD_BYTES, _LONG_RECORD_BYTES = 16, 24

_SECTION = b"\x0a\x0d\x0d\x0a"
_BLOCK_BYTES = 12
_SECTION_BYTES = 28
_BYTE_ORDERS = {b"\x1a\x2b\x3c\x4d": ">", b"\x4d\x3c\x2b\x1a": "<"}
_INTERFACE, _OBSOLETE_PACKET, _SIMPLE_PACKET, _ENHANCED_PACKET = 1, 2, 3, 6
_TSRESOL, _TSOFFSET = 9, 14
_TICKS_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Frame:
    """One captured packet.

    Attributes
    ----------
    offset : int, bytes
        Where its record starts in the (decompressed) file.
    time_ns : int, nanoseconds
        Since 1970, or the capture's own origin.
    link : int
        Link-layer type (LINKTYPE_ number).
    data : bytes
        What was captured of it, from the link layer on.
    wire_bytes : int, bytes
        How long it was.
    interface : int
        Number of the interface in its section, of a pcapng file.
    """

    offset: int
    time_ns: int
    link: int
    data: bytes
    wire_bytes: int
    interface: int = 0


@dataclass(frozen=True)
class _Interface:
    link: int
    ticks_per_s: int
    offset_s: int

    def time_ns(self, ticks: int) -> int:
        seconds, rest = divmod(ticks, self.ticks_per_s)
        return (seconds + self.offset_s) * _NS_PER_S + rest * _NS_PER_S // self.ticks_per_s


class _Stream:
    """Bytes of a file in the order they come; what was taken is gone."""

    def __init__(self, path: Path) -> None:
        self._blocks = stored.blocks(path)
        self._buffer = b""
        self._at = 0
        self.offset = 0

    def peek(self, count: int) -> bytes:
        """Return the next `count` bytes, fewer at the end."""
        if len(self._buffer) - self._at < count:
            parts = [self._buffer[self._at :]]
            have = len(parts[0])
            while have < count and (block := next(self._blocks, None)) is not None:
                parts.append(block)
                have += len(block)
            self._buffer, self._at = b"".join(parts), 0
        return self._buffer[self._at : self._at + count]

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes and go past them."""
        taken = self.peek(count)
        self._at += len(taken)
        self.offset += len(taken)
        return taken


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is a capture."""
    return head[:4] in _PCAP or head[:4] == _SECTION


def frames(path: Path) -> Iterator[Frame | Refusal]:
    """Yield every packet of a capture, or why it is refused.

    After a length that cannot be, nothing tells where the next packet starts: what follows is one refused record.

    Raises
    ------
    UnreadableInputError
        If the file as a whole cannot be read: its header is cut or of another kind, its compression broken.
    """
    stream = _Stream(path)
    magic = stream.peek(4)
    if magic in _PCAP:
        yield from _pcap(path, stream, *_PCAP[magic])
    elif magic == _SECTION:
        yield from _pcapng(path, stream)
    else:
        raise UnreadableInputError(path, 0, "is neither pcap nor pcapng")


def _pcap(path: Path, stream: _Stream, order: str, tick_ns: int) -> Iterator[Frame | Refusal]:
    header = stream.take(_PCAP_HEADER_BYTES)
    if len(header) < _PCAP_HEADER_BYTES:
        raise UnreadableInputError(path, 0, "the pcap header is cut")
    # The upper bits may hold the length of a frame check sequence.
    link = struct.unpack(order + "I", header[20:])[0] & 0xFFFF
    size = _LONG_RECORD_BYTES if header[:4] in _LONG else _RECORD_BYTES
    record = struct.Struct(order + "IIII")
    while head := stream.peek(size):
        offset = stream.offset
        if len(head) < size:
            yield Refusal(offset, CUT, f"{len(head)} of {size} bytes of its head", head)
            return
        seconds, ticks, captured, wire = record.unpack(head[:16])
        if captured > MAX_PACKET_BYTES:
            yield Refusal(offset, TOO_LONG, f"{captured} bytes", head)
            return
        data = stream.take(size + captured)[size:]
        if len(data) < captured:
            yield Refusal(offset, CUT, f"{len(data)} of {captured} bytes", (head + data)[:RAW_BYTES])
            return
        yield Frame(offset, seconds * _NS_PER_S + ticks * tick_ns, link, data, wire)


def _pcapng(path: Path, stream: _Stream) -> Iterator[Frame | Refusal]:
    if len(stream.peek(_SECTION_BYTES)) < _SECTION_BYTES:
        raise UnreadableInputError(path, 0, "the section header is cut")
    order = "<"
    interfaces: list[_Interface] = []
    while head := stream.peek(_BLOCK_BYTES):
        offset = stream.offset
        if len(head) < _BLOCK_BYTES:
            yield Refusal(offset, CUT, f"{len(head)} of {_BLOCK_BYTES} bytes of a block's head", head)
            return
        if head[:4] == _SECTION:
            if head[8:] not in _BYTE_ORDERS:
                if offset == 0:
                    raise UnreadableInputError(path, 8, "the section's byte-order magic is none")
                yield Refusal(offset, BROKEN_BLOCK, f"byte-order magic {head[8:].hex()}", head)
                return
            order = _BYTE_ORDERS[head[8:]]
            interfaces = []
        kind, length = struct.unpack(order + "II", head[:8])
        if length < _BLOCK_BYTES or length % 4 or length > _MAX_BLOCK_BYTES:
            yield Refusal(offset, BROKEN_BLOCK, f"block of {length} bytes", head)
            return
        block = stream.take(length)
        if len(block) < length:
            yield Refusal(offset, CUT, f"{len(block)} of {length} bytes of a block", block[:RAW_BYTES])
            return
        if block[-4:] != block[4:8]:
            yield Refusal(offset, BROKEN_BLOCK, "its two lengths differ", block[:RAW_BYTES])
            return
        body = block[8:-4]
        if kind == _INTERFACE:
            found = _interface(body, order)
            if found is None:
                yield Refusal(offset, BROKEN_BLOCK, "description of an interface", block[:RAW_BYTES])
                return
            interfaces.append(found)
        elif kind in (_ENHANCED_PACKET, _OBSOLETE_PACKET, _SIMPLE_PACKET):
            yield _packet(offset, kind, body, order, interfaces)


def _interface(body: bytes, order: str) -> _Interface | None:
    """Return what an interface description says, None if it cannot be."""
    if len(body) < 8:
        return None
    link = struct.unpack_from(order + "H", body)[0]
    ticks_per_s, offset_s = _TICKS_US, 0
    at = 8
    while at + 4 <= len(body):
        code, length = struct.unpack_from(order + "HH", body, at)
        value = body[at + 4 : at + 4 + length]
        if code == 0:
            break
        if len(value) < length:
            return None
        if code == _TSRESOL and length == 1:
            base, exponent = (2, value[0] & 0x7F) if value[0] & 0x80 else (10, value[0])
            if base**exponent > 2**64:
                return None
            ticks_per_s = base**exponent
        elif code == _TSOFFSET and length == 8:
            offset_s = struct.unpack(order + "q", value)[0]
        at += 4 + (length + 3) // 4 * 4
    return _Interface(link, ticks_per_s, offset_s)


def _packet(offset: int, kind: int, body: bytes, order: str, interfaces: list[_Interface]) -> Frame | Refusal:
    if kind == _SIMPLE_PACKET:
        return Refusal(offset, NO_TIME, "simple packet block", body[:RAW_BYTES])
    if len(body) < 20:
        return Refusal(offset, BROKEN_BLOCK, f"packet block of {len(body)} bytes", body)
    if kind == _ENHANCED_PACKET:
        number, high, low, captured, wire = struct.unpack_from(order + "IIIII", body)
    else:
        number, _, high, low, captured, wire = struct.unpack_from(order + "HHIIII", body)
    if number >= len(interfaces):
        return Refusal(offset, NO_INTERFACE, f"interface {number} of {len(interfaces)}", body[:RAW_BYTES])
    data = body[20 : 20 + captured]
    if len(data) < captured:
        return Refusal(offset, BROKEN_BLOCK, f"packet of {captured} bytes in a block of {len(body)}", body[:RAW_BYTES])
    interface = interfaces[number]
    return Frame(offset, interface.time_ns(high << 32 | low), interface.link, data, wire, number)
