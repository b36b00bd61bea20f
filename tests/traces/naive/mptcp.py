"""MPTCP options, version 0 and 1.

References
----------
RFC 6824 (version 0), RFC 8684 (version 1).
"""

from __future__ import annotations

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

BAD_LENGTH = "MPTCP option of a length it cannot have"

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
    """MP_JOIN: the receiver's token in a SYN, the sender's address id in SYN and SYN/ACK, whether it is a backup."""

    token: int | None
    address_id: int | None
    backup: bool = False


@dataclass(frozen=True, slots=True)
class DataAck:
    """The data acknowledgement of a DSS option, of 4 or 8 bytes."""

    value: int
    bits: int


@dataclass(frozen=True, slots=True)
class Other:
    """An option of which little counts: whether MP_PRIO says backup, and the reason of MP_TCPRST."""

    subtype: int
    detail: int | None = None


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
        raise MalformedOptionError(BAD_LENGTH)
    subtype = body[0] >> 4
    if subtype == MP_CAPABLE:
        return _capable(body)
    if subtype == MP_JOIN:
        return _join(body, syn=syn)
    if subtype == DSS:
        return _dss(body)
    if subtype >= len(NAMES):
        raise MalformedOptionError("MPTCP subtype that is not known")
    if subtype == MP_PRIO:
        return Other(subtype, body[0] & 1)
    return Other(subtype, body[1] if subtype == MP_TCPRST and len(body) > 1 else None)


def _capable(body: bytes) -> Capable:
    version = body[0] & 15
    if version not in _VERSIONS:
        raise MalformedOptionError("MP_CAPABLE of a version that is not known")
    # Keys come whole; after both, version 1 may have a data-level length and a checksum.
    count = min(2, (len(body) - 2) // _KEY_BYTES)
    left = len(body) - 2 - count * _KEY_BYTES
    lefts = (0, 2, 4) if count == 2 and version == 1 else (0,)
    if len(body) < 2 or left not in lefts or count < 1 - version:
        raise MalformedOptionError(BAD_LENGTH)
    keys = tuple(body[2 + _KEY_BYTES * i : 2 + _KEY_BYTES * (i + 1)] for i in range(count))
    return Capable(version, keys)


def _join(body: bytes, *, syn: bool) -> Join:
    if syn and len(body) == _JOIN_SYN:
        return Join(int.from_bytes(body[2:6], "big"), body[1], bool(body[0] & 1))
    if syn and len(body) == _JOIN_SYN_ACK:
        return Join(None, body[1], bool(body[0] & 1))
    if not syn and len(body) == _JOIN_ACK:
        return Join(None, None)
    raise MalformedOptionError(BAD_LENGTH)


def _dss(body: bytes) -> DataAck | Other:
    if len(body) < 2:
        raise MalformedOptionError(BAD_LENGTH)
    flags = body[1]
    if not flags & _DATA_ACK:
        return Other(DSS)
    size = 8 if flags & _DATA_ACK_8 else 4
    if len(body) < 2 + size:
        raise MalformedOptionError(BAD_LENGTH)
    return DataAck(int.from_bytes(body[2 : 2 + size], "big"), 8 * size)
