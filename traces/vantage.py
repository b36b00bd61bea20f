"""Where on the path a capture was taken, inferred from how soon each end of a subflow answers."""

from __future__ import annotations

SENDER, RECEIVER, UNKNOWN = "sender", "receiver", "unknown"

# An end is near if it answers within a quarter of the whole round trip.
_NEAR_SHARE = 4


def vantage(sender_ns: int | None, receiver_ns: int | None) -> str:
    """Return where a capture was taken: near the sender, near its receiver, or unknown.

    Parameters
    ----------
    sender_ns, receiver_ns : int or None, nanoseconds
        The shortest time from a packet on its way to an end until that end's answer passes; None if it never did.

    Returns
    -------
    str
        :data:`SENDER`, :data:`RECEIVER` or :data:`UNKNOWN`.

    Examples
    --------
    >>> vantage(20_000, 30_000_000), vantage(30_000_000, 20_000), vantage(20_000, None)
    ('sender', 'receiver', 'unknown')
    """
    if sender_ns is None or receiver_ns is None:
        return UNKNOWN
    round_trip_ns = sender_ns + receiver_ns
    if _NEAR_SHARE * sender_ns < round_trip_ns:
        return SENDER
    return RECEIVER if _NEAR_SHARE * receiver_ns < round_trip_ns else UNKNOWN
