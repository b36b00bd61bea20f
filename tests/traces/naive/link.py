"""Link layers: where the IP packet starts in a captured frame; in one that carries others, the innermost.

References
----------
The list of LINKTYPE_ numbers of draft-ietf-opsawg-pcaplinktype; RFC 1661 and 1662 (PPP), 2516 (PPPoE), 3032 (MPLS),
1042 (SNAP), IEEE 802.1Q, 802.1ad and 802.11.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_IPV4, _IPV6 = 0x0800, 0x86DD
_VLANS = {0x8100, 0x88A8, 0x9100}
_MPLS = {0x8847, 0x8848}
_PPPOE, _TRANSPARENT_ETHERNET, _EDSA = 0x8864, 0x6558, 0xDADA
_PPP_IPV4, _PPP_IPV6 = 0x0021, 0x0057
_SNAPS = (bytes.fromhex("aaaa03000000"), bytes.fromhex("aaaa030000f8"))
#: AF_INET, and AF_INET6 as Linux, FreeBSD, macOS and others number it.
_LOOPBACK_FAMILIES = {2, 10, 24, 28, 30}

#: Why a frame has no IP packet that can be read.
CUT, NOT_IP, FRAGMENTED, ENCRYPTED, AGGREGATED, DAMAGED, UNKNOWN = -1, -2, -3, -4, -5, -6, -7


class NoIpError(Exception):
    """A frame whose IP packet is not there: which of the reasons above, and of a link type which it is."""

    def __init__(self, why: int, link: int = 0) -> None:
        super().__init__(why)
        self.why = why
        self.link = link


def is_vlan(kind: int) -> bool:
    """Tell whether an EtherType is that of a VLAN tag."""
    return kind in _VLANS


#: Where a layer starts, and what reads it; without that, where IP starts.
Step = tuple[int, "Callable[[bytes, int], Step] | None"]


def _need(data: bytes, until: int) -> None:
    if len(data) < until:
        raise NoIpError(CUT)


def _raw(data: bytes, at: int) -> Step:
    _need(data, at + 1)
    if data[at] >> 4 not in (4, 6):
        raise NoIpError(NOT_IP)
    return at, _ip


def _ethertype(data: bytes, at: int) -> Step:
    """Read the EtherType at `at`, past VLAN tags."""
    while True:
        _need(data, at + 2)
        kind = int.from_bytes(data[at : at + 2], "big")
        if kind not in _VLANS:
            return _of_kind(kind, at + 2)
        at += 4


def _of_kind(kind: int, at: int) -> Step:
    if kind in (_IPV4, _IPV6):
        return at, _ip
    if kind in _MPLS:
        return at, _mpls
    readers = {_PPPOE: _pppoe, _TRANSPARENT_ETHERNET: _ethernet}
    if kind in readers:
        return at, readers[kind]
    if kind == _EDSA:
        return at + 6, _ethertype
    if kind >= 0x600:
        raise NoIpError(NOT_IP)
    return at, _llc


def _llc(data: bytes, at: int) -> Step:
    there = data[at : at + 6]
    if not any(snap.startswith(there) for snap in _SNAPS):
        raise NoIpError(NOT_IP)
    _need(data, at + 6)
    return _ethertype(data, at + 6)


def _mpls(data: bytes, at: int) -> Step:
    while True:
        _need(data, at + 4)
        at += 4
        if data[at - 2] & 1:
            return _raw(data, at)


def _pppoe(data: bytes, at: int) -> Step:
    _need(data, at + 6)
    if data[at : at + 2] != b"\x11\0":
        raise NoIpError(NOT_IP)
    return _ppp(data, at + 6)


def _ethernet(data: bytes, at: int) -> Step:
    return _ethertype(data, at + 12)


def _cooked_v2(data: bytes, at: int) -> Step:
    """Linux cooked v2: the protocol comes first, the packet after 20 bytes."""
    _need(data, at + 20)
    kind = int.from_bytes(data[at : at + 2], "big")
    return _ethertype(data, at + 22) if kind in _VLANS else _of_kind(kind, at + 20)


def _ppp(data: bytes, at: int) -> Step:
    """PPP, with or without the address and control bytes of HDLC framing, the protocol in one byte or two."""
    at += 2 if data[at : at + 2] == b"\xff\x03" else 0
    # Address without control, or half a protocol that may be IP's.
    if data[at : at + 2] in (b"", b"\xff", b"\x00"):
        raise NoIpError(CUT)
    if data[at] & 1:
        kind, at = data[at], at + 1
    else:
        kind, at = int.from_bytes(data[at : at + 2], "big"), at + 2
    if kind not in (_PPP_IPV4, _PPP_IPV6):
        raise NoIpError(NOT_IP)
    return at, _ip


def _family(header_bytes: int) -> Callable[[bytes, int], Step]:
    """Read a 32-bit address family, in the byte order of the machine that captured or the network's."""

    def read(data: bytes, at: int) -> Step:
        _need(data, at + header_bytes)
        family = data[at : at + 4]
        if min(int.from_bytes(family, "big"), int.from_bytes(family, "little")) not in _LOOPBACK_FAMILIES:
            raise NoIpError(NOT_IP)
        return at + header_bytes, _ip

    return read


def _pflog(data: bytes, at: int) -> Step:
    _need(data, at + 1)
    return _raw(data, at + -(-data[at] // 4) * 4)


def _nflog(data: bytes, at: int) -> Step:
    at += 4
    _need(data, at + 4)
    order: Any = "little" if data[at + 3] == 0 else "big"
    while at + 4 <= len(data):
        length, kind = (int.from_bytes(data[place : place + 2], order) for place in (at, at + 2))
        if kind == 9:
            return _raw(data, at + 4)
        if length < 4:
            raise NoIpError(NOT_IP)
        at += -(-length // 4) * 4
    raise NoIpError(CUT)


def _little(data: bytes, at: int, size: int = 4) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _pktap(data: bytes, at: int) -> Step:
    _need(data, at + 12)
    size = _little(data, at)
    if size < 12 or _little(data, at + 4) != 1:
        raise NoIpError(NOT_IP)
    _need(data, at + size)
    link = _little(data, at + 8)
    if link >= 2**16 and size >= 36:
        link = _little(data, at + 32)
    return _of_link(link, at + size)


def _user2(data: bytes, at: int) -> Step:
    size = _little(data, at)
    if len(data) < at + 8 or not 76 <= size <= 512 or size % 4 or _little(data, at + 4) > 1:
        raise NoIpError(UNKNOWN, 149)
    return _pktap(data, at)


def _wireless(data: bytes, at: int, pad_to: int = 1) -> Step:
    """Read an 802.11 frame."""
    _need(data, at + 2)
    control, flags = data[at], data[at + 1]
    version, kind, has_no_data, is_qos = control & 3, control >> 2 & 3, control & 0x40, control & 0x80
    if version or kind != 2 or has_no_data:
        raise NoIpError(NOT_IP)
    addresses = 30 if flags & 3 == 3 else 24
    size = addresses
    if is_qos:
        size += 6 if flags & 0x80 else 2
    _need(data, at + size)
    if flags & 4 or data[at + 22] & 15:
        raise NoIpError(FRAGMENTED)
    if is_qos and data[at + addresses] & 0x80:
        raise NoIpError(AGGREGATED)
    at += -(-size // pad_to) * pad_to
    if not flags & 0x40:
        return _llc(data, at)
    for past in (0, 4, 8):
        if data[at + past : at + past + 6] == _SNAPS[0]:
            return _llc(data, at + past)
    raise NoIpError(ENCRYPTED)


def _radiotap(data: bytes, at: int) -> Step:
    _need(data, at + 8)
    size = _little(data, at + 2, 2)
    if data[at] or size < 8:
        raise NoIpError(NOT_IP)
    _need(data, at + size)
    place = 4
    while place + 4 <= size and _little(data, at + place) >> 31:
        place += 4
    place += 4
    present = _little(data, at + 4)
    if present & 1:
        place = -(-place // 8) * 8 + 8
    flags = data[at + place] if present & 2 and place < size else 0
    if flags & 0x40:
        raise NoIpError(DAMAGED)
    return _wireless(data, at + size, 4 if flags & 0x20 else 1)


def _prism(data: bytes, at: int) -> Step:
    _need(data, at + 8)
    size = min(_little(data, at + 4), int.from_bytes(data[at + 4 : at + 8], "big"))
    if size < 8:
        raise NoIpError(NOT_IP)
    _need(data, at + size)
    return _wireless(data, at + size)


def _ppi(data: bytes, at: int) -> Step:
    _need(data, at + 8)
    size = _little(data, at + 2, 2)
    if size < 8:
        raise NoIpError(NOT_IP)
    _need(data, at + size)
    return _of_link(_little(data, at + 4), at + size)


def _behind(reader: Callable[[bytes, int], Step], size: int) -> Callable[[bytes, int], Step]:
    """Return what reads a layer behind so many bytes that say nothing."""
    return lambda data, at: reader(data, at + size)


def _ip(data: bytes, at: int) -> Step:
    """Read what an IP packet carries, if that is a packet."""
    found = _payload(data, at)
    if found is None:
        return at, None
    protocol, start = found
    carried: dict[int, Callable[[bytes, int], Step | None]] = {
        4: _raw,
        17: _udp,
        41: _raw,
        47: _gre,
        97: _behind(_ethernet, 2),
        137: _mpls,
    }
    return (carried[protocol](data, start) if protocol in carried else None) or (at, None)


def _payload(data: bytes, at: int) -> tuple[int, int] | None:
    """Return the protocol of a packet that is whole, and where its payload starts; None if others are to judge it."""
    version = data[at] >> 4 if at < len(data) else 0
    if version == 4 and len(data) >= at + 20:
        size = 4 * (data[at] & 15)
        is_fragment = int.from_bytes(data[at + 6 : at + 8], "big") & 0x3FFF
        return None if is_fragment or size < 20 else (data[at + 9], at + size)
    if version != 6 or len(data) < at + 40:
        return None
    kind, at = data[at + 6], at + 40
    while kind in (0, 43, 44, 51, 60):
        if len(data) < at + 8 or (kind == 44 and int.from_bytes(data[at + 2 : at + 4], "big") & 0xFFF9):
            return None
        size = 8 if kind == 44 else 4 * data[at + 1] + 8 if kind == 51 else 8 * data[at + 1] + 8
        kind, at = data[at], at + size
    return kind, at


def _gre(data: bytes, at: int) -> Step | None:
    _need(data, at + 4)
    flags, kind = (int.from_bytes(data[place : place + 2], "big") for place in (at, at + 2))
    at += 4 + 4 * bool(flags & 0xC000) + 4 * bool(flags & 0x2000) + 4 * bool(flags & 0x1000)
    if flags & 7 == 1 and kind == 0x880B:
        return _ppp(data, at + 4 * bool(flags & 0x80)) if flags & 0x1000 else None
    if flags & 0x4007:
        return None
    try:
        return _of_kind(kind, at)
    except NoIpError:
        return None


def _udp(data: bytes, at: int) -> Step | None:
    head = data[at + 8 : at + 16]
    if len(head) < 8:
        return None
    port, at = int.from_bytes(data[at + 2 : at + 4], "big"), at + 16
    if port in (4789, 8472):
        return _ethernet(data, at) if head[0] == 8 and head[7] == 0 else None
    if port != 2152 or head[0] >> 4 != 3 or head[1] != 0xFF:
        return None
    at += 4 * bool(head[0] & 7)
    while head[0] & 4 and at <= len(data) and data[at - 1]:
        _need(data, at + 1)
        if not data[at]:
            return None
        at += 4 * data[at]
    return _raw(data, at)


#: By link type: tells where the next layer starts. A new link layer is one line here.
_LINKS: dict[int, Callable[[bytes, int], Step]] = {
    0: _family(4),
    1: _ethernet,
    9: _ppp,
    12: _raw,
    14: _raw,
    50: _ppp,
    51: _pppoe,
    100: _llc,
    101: _raw,
    104: _behind(_ethertype, 2),
    105: _wireless,
    108: _family(4),
    109: _family(12),
    113: _behind(_ethertype, 14),
    117: _pflog,
    119: _prism,
    127: _radiotap,
    138: _behind(_ethertype, 16),
    149: _user2,
    163: _prism,
    166: _behind(_ppp, 2),
    192: _ppi,
    204: _behind(_ppp, 1),
    205: _behind(_ethertype, 3),
    226: _behind(_raw, 24),
    228: _raw,
    229: _raw,
    239: _nflog,
    258: _pktap,
    276: _cooked_v2,
    281: _behind(_ethernet, 4),
    282: _behind(_ethernet, 4),
    284: _behind(_ethernet, 4),
    285: _behind(_ethernet, 8),
}


def _of_link(link: int, at: int) -> Step:
    if link not in _LINKS:
        raise NoIpError(UNKNOWN, link)
    return at, _LINKS[link]


def find_ip(link: int, data: bytes) -> int:
    """Return where the IP packet starts in a frame.

    Parameters
    ----------
    link : int
        Link-layer type (LINKTYPE_ number).
    data : bytes
        The frame.

    Raises
    ------
    NoIpError
        If there is none.
    """
    at, reader = _of_link(link, 0)
    while reader is not None:
        at, reader = reader(data, at)
    return at


def start_of(link: int, data: bytes) -> int:
    """Return the same, or the reason, which is less than 0."""
    try:
        return find_ip(link, data)
    except NoIpError as error:
        return error.why
