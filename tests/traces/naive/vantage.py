"""Where on the path a capture was taken, told by how soon each end of a subflow answers."""

from __future__ import annotations

from smartsbd.traces.vantage import RECEIVER, SENDER, UNKNOWN

# An end is near if it answers within a quarter of the whole round trip.
_NEAR_SHARE = 4


class Answers:
    """The shortest time from a packet on its way to an end until that end's answer passes, for both ends."""

    def __init__(self) -> None:
        self._shortest_ns: list[int | None] = [None, None]

    def take(self, end: int, time_ns: int) -> None:
        """Take the time one answer of `end`, 0 or 1, took."""
        shortest_ns = self._shortest_ns[end]
        self._shortest_ns[end] = time_ns if shortest_ns is None else min(shortest_ns, time_ns)

    def round_trip_ns(self) -> int | None:
        """Return the shortest time both ends took together, None until both have answered."""
        first_ns, second_ns = self._shortest_ns
        return None if first_ns is None or second_ns is None else first_ns + second_ns

    def vantage(self, sender: int) -> str:
        """Return where the capture was taken: near `sender`, near its receiver, or unknown.

        Examples
        --------
        >>> answers = Answers()
        >>> answers.take(0, 20_000)
        >>> answers.vantage(0)
        'unknown'
        >>> answers.take(1, 30_000_000)
        >>> answers.vantage(0), answers.vantage(1)
        ('sender', 'receiver')
        """
        near_ns, far_ns = self._shortest_ns[sender], self._shortest_ns[1 - sender]
        if near_ns is None or far_ns is None:
            return UNKNOWN
        if _NEAR_SHARE * near_ns < near_ns + far_ns:
            return SENDER
        return RECEIVER if _NEAR_SHARE * far_ns < near_ns + far_ns else UNKNOWN
