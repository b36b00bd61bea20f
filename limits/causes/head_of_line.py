"""The receiver's window is full of data that wait for those of a slower subflow.

References
----------
Raiciu and others, How Hard Can It Be? Designing and Implementing a Deployable Multipath TCP, NSDI 2012, on a shared
receive buffer that a slow path fills.
"""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.limits.cause import Cause, mean, window_is_full
from smartsbd.limits.second import OPEN, Second

#: The receiver holds so much of what is outstanding, out of order.
_HELD_SHARE = 0.35


def _holds(second: Second) -> bool:
    return (
        second.standing == OPEN
        and window_is_full(second)
        and second.held_share is not None
        and second.held_share >= _HELD_SHARE
    )


def _evidence(seconds: Sequence[Second]) -> str:
    full = mean([second.full_share or 0.0 for second in seconds])
    held = mean([second.held_share or 0.0 for second in seconds])
    idle = mean([second.idle_share or 0.0 for second in seconds])
    return (
        f"the receiver's window had no room for {full:.0%} of these seconds, and {held:.0%} of what filled it had"
        f" arrived and waited for earlier data; nothing was on this path for {idle:.0%}, its queue was"
        f" {mean([second.queueing_ms for second in seconds]):.1f} ms"
    )


CAUSE = Cause(
    "head-of-line waiting",
    _holds,
    _evidence,
    "Make the slow path a backup (ip mptcp endpoint change ... backup), or give the receiver more room"
    " (net.ipv4.tcp_rmem).",
)
