"""The application gives nothing more, or the send buffer is full while the receiver's window is not.

References
----------
T-RAT calls the one opportunity or application limited and the other transport limited (SIGCOMM 2002); TCP_INFO has
``tcpi_sndbuf_limited``.
"""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.limits.cause import Cause, carries, mean
from smartsbd.limits.second import Second

#: Silent for so much of the time, and for more than this with nothing outstanding.
_SILENT_SHARE, _IDLE_SHARE = 0.5, 0.05
#: What is in flight grows by less than this from one second to the next: no window opens.
_GROWTH = 1.25
_BYTES_PER_KB = 1000


def _holds(second: Second) -> bool:
    most, before = second.most_in_flight, second.most_in_flight_before
    if not carries(second) or second.recently_resent or second.full_share is None:
        return False
    steady = most is not None and before is not None and most <= _GROWTH * before
    return (second.silent_share or 0.0) >= _SILENT_SHARE and (steady or (second.idle_share or 0.0) >= _IDLE_SHARE)


def _evidence(seconds: Sequence[Second]) -> str:
    silent = mean([second.silent_share or 0.0 for second in seconds])
    idle = mean([second.idle_share or 0.0 for second in seconds])
    most = max((second.most_in_flight or 0) for second in seconds) / _BYTES_PER_KB
    queueing_ms = mean([second.queueing_ms for second in seconds])
    return (
        f"no new segment for {silent:.0%} of these seconds, and nothing outstanding for {idle:.0%}, while the window"
        f" had room and nothing was lost; the queue was {queueing_ms:.1f} ms, at most {most:.0f} kB"
        " were outstanding here"
    )


CAUSE = Cause(
    "sender",
    _holds,
    _evidence,
    "See whether the application writes more (ss -tinM: app_limited, notsent) or its send buffer is small (SO_SNDBUF,"
    " net.ipv4.tcp_wmem, sndbuf_limited).",
)
