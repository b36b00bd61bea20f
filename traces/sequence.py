"""32-bit TCP sequence numbers as counts of bytes."""

from __future__ import annotations

_WRAP = 1 << 32
_HALF = 1 << 31
#: By how much an older count may be behind without being taken for a wrapped one.
ANY_ORDER_BYTES = _HALF


def unwrapped(previous: int, low32: int) -> int:
    """Return the number nearest to `previous` whose low 32 bits are `low32`.

    Parameters
    ----------
    previous : int
        Unwrapped sequence number known so far.
    low32 : int
        Sequence number as a packet or the kernel has it.

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


class AckedBytes:
    """Bytes acknowledged so far, from the cumulative acknowledgements of one subflow."""

    def __init__(self) -> None:
        self.bytes = 0
        self._base: int | None = None

    def count(self, value: int) -> None:
        """Take a count of bytes from the subflow's start; one of 32 bits may have wrapped.

        An older value changes nothing: an ACK is cumulative, and no window is as large as half of 2^32.
        """
        if value < _WRAP and self.bytes - value > ANY_ORDER_BYTES:
            value = unwrapped(self.bytes, value)
        self.bytes = max(self.bytes, value)

    def snd_una(self, snd_una: int) -> None:
        """Take a 32-bit sequence number: bytes are counted from the first one seen."""
        if self._base is None:
            self._base = snd_una
        self.bytes = max(self.bytes, unwrapped(self._base + self.bytes, snd_una) - self._base)
