"""The receiver's window is full of data on their way.

References
----------
T-RAT calls it receiver limited (Zhang, Breslau, Paxson, Shenker, On the Characteristics and Origins of Internet Flow
Rates, SIGCOMM 2002); TCP_INFO, as M-Lab's NDT archives it, counts the time in ``tcpi_rwnd_limited``. With MPTCP the
window is of the connection (RFC 8684, section 3.3.5).
"""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.limits.cause import Cause, mean, window_is_full
from smartsbd.limits.second import OPEN, Second

_BYTES_PER_KB = 1000


def _holds(second: Second) -> bool:
    return second.standing == OPEN and window_is_full(second)


def _evidence(seconds: Sequence[Second]) -> str:
    full = mean([second.full_share or 0.0 for second in seconds])
    most = max((second.window_bytes or 0) for second in seconds) / _BYTES_PER_KB
    return (
        f"the receiver's window, at most {most:.0f} kB beyond what it had acknowledged, had no room for {full:.0%} of"
        f" these seconds; the queue was {mean([second.queueing_ms for second in seconds]):.1f} ms"
    )


CAUSE = Cause(
    "receive window",
    _holds,
    _evidence,
    "Give the receiver more room: net.ipv4.tcp_rmem (its third value), SO_RCVBUF, or an application that reads faster.",
)
