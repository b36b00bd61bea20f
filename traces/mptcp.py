"""What follows from an MPTCP key: token and initial data sequence number."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
import numpy.typing as npt

KEY_BYTES = 8

# Keys whose hash is kept: token and number are asked for one after the other.
_KEYS = 1 << 8


def token(key: bytes, version: int) -> int:
    """Return the token of a key: the upper 32 bits of its hash.

    Returns
    -------
    int, 32 bits

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


def of_keys(keys: bytes, version: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]:
    """Return what :func:`token` and :func:`first_data` do, of keys that lie one after the other.

    Returns
    -------
    tokens : (n,) uint32
    first_data : (n,) uint64

    Examples
    --------
    >>> tokens, first = of_keys(bytes(range(16)), 1)
    >>> int(tokens[0]) == token(bytes(range(8)), 1), int(first[1]) == first_data(bytes(range(8, 16)), 1)
    (True, True)
    """
    starts = range(0, len(keys), KEY_BYTES)
    digests = [_digest(keys[start : start + KEY_BYTES], version) for start in starts]
    tokens = np.frombuffer(b"".join([digest[:4] for digest in digests]), dtype=">u4")
    last = np.frombuffer(b"".join([digest[-8:] for digest in digests]), dtype=">u8")
    # The last number is followed by 0.
    return tokens.astype(np.uint32), last.astype(np.uint64) + np.uint64(1)


@lru_cache(_KEYS)
def _hash(key: bytes, version: int) -> bytes:
    return _digest(key, version)


def _digest(key: bytes, version: int) -> bytes:
    # SHA-1 is what version 0 prescribes; nothing is kept secret by it here.
    return hashlib.sha256(key).digest() if version else hashlib.sha1(key, usedforsecurity=False).digest()
