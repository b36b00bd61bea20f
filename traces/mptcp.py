"""MPTCP options, version 0 and 1, and what follows from a key: token and initial data sequence number.

References
----------
RFC 6824 (version 0), RFC 8684 (version 1).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

MP_CAPABLE, MP_JOIN, DSS, ADD_ADDR, REMOVE_ADDR, MP_PRIO, MP_FAIL, MP_FASTCLOSE, MP_TCPRST = range(9)
NAMES = (
    "MP_CAPABLE",
    "MP_JOIN",
    "DSS",
    "ADD_ADDR",
    "REMOVE_ADDR",
    "MP_PRIO",
    "MP_FAIL",
    "MP_FASTCLOSE",
    "MP_TCPRST",
)

_KEY_BYTES = 8
_JOIN_SYN, _JOIN_SYN_ACK, _JOIN_ACK = 10, 14, 22
_DATA_ACK, _DATA_ACK_8, _DATA_FIN = 1, 2, 16
_VERSIONS = (0, 1)


@dataclass(frozen=True, slots=True)
class Capable:
    """MP_CAPABLE: the version, and the keys it carries, its sender's first."""

    version: int
    keys: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """MP_JOIN: the receiver's token in a SYN, the sender's address id in SYN and SYN/ACK."""

    token: int | None
    address_id: int | None


@dataclass(frozen=True, slots=True)
class DataAck:
    """The data acknowledgement of a DSS option, of 4 or 8 bytes."""

    value: int
    bits: int


@dataclass(frozen=True, slots=True)
class Other:
    """An option whose presence is all that counts."""

    subtype: int


class MalformedOptionError(Exception):
    """An MPTCP option of a length or version it cannot have."""


def option(body: bytes, *, syn: bool) -> Capable | Join | DataAck | Other:
    """Return what an MPTCP option says.

    Parameters
    ----------
    body : bytes
        From the subtype on, without kind and length.
    syn : bool
        Whether the segment has the SYN flag.

    Raises
    ------
    MalformedOptionError
        If it cannot be read.
    """
    if not body:
        raise MalformedOptionError("MPTCP option of 2 bytes")
    subtype = body[0] >> 4
    if subtype == MP_CAPABLE:
        return _capable(body)
    if subtype == MP_JOIN:
        return _join(body, syn=syn)
    if subtype == DSS:
        return _dss(body)
    if subtype >= len(NAMES):
        raise MalformedOptionError(f"MPTCP subtype {subtype}")
    return Other(subtype)


def _capable(body: bytes) -> Capable:
    version = body[0] & 15
    if version not in _VERSIONS:
        raise MalformedOptionError(f"MP_CAPABLE of version {version}")
    # Keys come whole; after both, version 1 may have a data-level length and a checksum.
    count = min(2, (len(body) - 2) // _KEY_BYTES)
    left = len(body) - 2 - count * _KEY_BYTES
    lefts = (0, 2, 4) if count == 2 and version == 1 else (0,)  # noqa: PLR2004 - both keys
    if len(body) < 2 or left not in lefts or count < 1 - version:  # noqa: PLR2004 - subtype and flags
        raise MalformedOptionError(f"MP_CAPABLE of {len(body) + 2} bytes, version {version}")
    keys = tuple(body[2 + _KEY_BYTES * i : 2 + _KEY_BYTES * (i + 1)] for i in range(count))
    return Capable(version, keys)


def _join(body: bytes, *, syn: bool) -> Join:
    if syn and len(body) == _JOIN_SYN:
        return Join(int.from_bytes(body[2:6], "big"), body[1])
    if syn and len(body) == _JOIN_SYN_ACK:
        return Join(None, body[1])
    if not syn and len(body) == _JOIN_ACK:
        return Join(None, None)
    raise MalformedOptionError(f"MP_JOIN of {len(body) + 2} bytes")


def _dss(body: bytes) -> DataAck | Other:
    if len(body) < 2:  # noqa: PLR2004 - subtype and flags
        raise MalformedOptionError("DSS of 3 bytes")
    flags = body[1]
    if not flags & _DATA_ACK:
        return Other(DSS)
    size = 8 if flags & _DATA_ACK_8 else 4
    if len(body) < 2 + size:
        raise MalformedOptionError(f"DSS of {len(body) + 2} bytes")
    return DataAck(int.from_bytes(body[2 : 2 + size], "big"), 8 * size)


def token(key: bytes, version: int) -> int:
    """Return the token of a key: the upper 32 bits of its hash.

    Examples
    --------
    >>> f"{token(bytes(range(8)), 0):08x} {token(bytes(range(8)), 1):08x}"
    '67423ebf 8a851ff8'

    References
    ----------
    RFC 6824 section 3.2 (SHA-1), RFC 8684 section 3.2 (SHA-256).
    """
    return int.from_bytes(_hash(key, version)[:4], "big")


def first_data(key: bytes, version: int) -> int:
    """Return the data sequence number of the first byte the key's owner sends: the hash's lower 64 bits, and one."""
    return (int.from_bytes(_hash(key, version)[-8:], "big") + 1) % 2**64


def _hash(key: bytes, version: int) -> bytes:
    # SHA-1 is what version 0 prescribes; nothing is kept secret by it here.
    return hashlib.sha256(key).digest() if version else hashlib.sha1(key, usedforsecurity=False).digest()
