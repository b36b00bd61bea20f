"""Link layers: where the IP packet starts in a captured frame.

References
----------
The list of LINKTYPE_ numbers of draft-ietf-opsawg-pcaplinktype; RFC 1661 and 1662 (PPP), IEEE 802.1Q and 802.1ad.
"""

from __future__ import annotations

from collections.abc import Callable

_IPV4, _IPV6 = 0x0800, 0x86DD
_VLANS = {0x8100, 0x88A8, 0x9100}
_PPP_IPV4, _PPP_IPV6 = 0x0021, 0x0057
#: AF_INET, and AF_INET6 as Linux, FreeBSD, macOS and others number it.
_LOOPBACK_FAMILIES = {2, 10, 24, 28, 30}
#: A frame that is cut before its IP packet starts.
CUT = -1
#: A frame that holds no IP packet.
NOT_IP = -2


def is_vlan(kind: int) -> bool:
    """Tell whether an EtherType is that of a VLAN tag."""
    return kind in _VLANS


def _ethertype(data: bytes, at: int) -> int:
    """Return where IP starts after the EtherType at `at`, past VLAN tags."""
    while True:
        if len(data) < at + 2:
            return CUT
        kind = int.from_bytes(data[at : at + 2], "big")
        if kind not in _VLANS:
            return at + 2 if kind in (_IPV4, _IPV6) else NOT_IP
        at += 4


def _ethernet(data: bytes) -> int:
    return _ethertype(data, 12)


def _cooked_v1(data: bytes) -> int:
    return _ethertype(data, 14)


def _cooked_v2(data: bytes) -> int:
    """Linux cooked v2: the protocol comes first, the packet after 20 bytes."""
    if len(data) < 20:
        return CUT
    kind = int.from_bytes(data[:2], "big")
    if kind in _VLANS:
        return _ethertype(data, 22)
    return 20 if kind in (_IPV4, _IPV6) else NOT_IP


def _raw(data: bytes) -> int:
    if not data:
        return CUT
    return 0 if data[0] >> 4 in (4, 6) else NOT_IP


def _ppp(data: bytes) -> int:
    """PPP, with or without the address and control bytes of HDLC framing, the protocol in one byte or two."""
    at = 2 if data[:2] == b"\xff\x03" else 0
    # Address without control, or half a protocol that may be IP's.
    if data[at : at + 2] in (b"", b"\xff", b"\x00"):
        return CUT
    if data[at] & 1:
        kind, at = data[at], at + 1
    else:
        kind, at = int.from_bytes(data[at : at + 2], "big"), at + 2
    return at if kind in (_PPP_IPV4, _PPP_IPV6) else NOT_IP


def _loopback(data: bytes) -> int:
    """Read a 32-bit address family, in the byte order of the machine that captured (NULL) or the network's (LOOP)."""
    if len(data) < 4:
        return CUT
    family = min(int.from_bytes(data[:4], "big"), int.from_bytes(data[:4], "little"))
    return 4 if family in _LOOPBACK_FAMILIES else NOT_IP


#: By link type: tells where IP starts, or :data:`CUT` or :data:`NOT_IP`. A new link layer is one line here.
LINKS: dict[int, Callable[[bytes], int]] = {
    0: _loopback,
    1: _ethernet,
    9: _ppp,
    12: _raw,
    14: _raw,
    50: _ppp,
    101: _raw,
    108: _loopback,
    113: _cooked_v1,
    228: _raw,
    229: _raw,
    276: _cooked_v2,
}
