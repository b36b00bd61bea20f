"""32-bit TCP sequence numbers as counts of bytes."""

from __future__ import annotations

_WRAP = 1 << 32
_HALF = 1 << 31


def unwrapped(previous: int, low32: int) -> int:
    """Return the number nearest to `previous` whose low 32 bits are `low32`.

    Parameters
    ----------
    previous : int
        Unwrapped sequence number known so far.
    low32 : int
        Sequence number as a packet or the kernel has it.

    Returns
    -------
    int
        Unwrapped sequence number, in bytes.

    Examples
    --------
    >>> unwrapped(0xFFFF_FFF0, 0x10) == 0x1_0000_0010
    True
    >>> unwrapped(0x1_0000_0010, 0xFFFF_FFF0) == 0xFFFF_FFF0
    True

    References
    ----------
    RFC 9293, section 3.4; Linux ``before`` and ``after``.
    """
    return previous + (low32 - previous + _HALF) % _WRAP - _HALF
