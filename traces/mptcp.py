"""What follows from an MPTCP key: token and initial data sequence number."""

from __future__ import annotations

import hashlib
from functools import lru_cache

# Keys whose hash is kept: token and number are asked for one after the other.
_KEYS = 1 << 8


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


@lru_cache(_KEYS)
def _hash(key: bytes, version: int) -> bytes:
    # SHA-1 is what version 0 prescribes; nothing is kept secret by it here.
    return hashlib.sha256(key).digest() if version else hashlib.sha1(key, usedforsecurity=False).digest()
