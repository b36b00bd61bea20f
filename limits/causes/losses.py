"""The window falls by losses while no queue stands.

References
----------
Mathis, Semke, Mahdavi, Ott, The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm, 1997: the rate under
losses at random, whatever the link carries.
"""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.limits.cause import Cause, carries, mean, queue_seen, queue_stands
from smartsbd.limits.second import Second


def _holds(second: Second) -> bool:
    known = second.queueing_us is not None
    return carries(second) and known and second.recently_resent > 0 and not queue_stands(second)


def _evidence(seconds: Sequence[Second]) -> str:
    resent = sum(second.resent for second in seconds)
    queued = sum(queue_seen(second) for second in seconds)
    return (
        f"{resent} segments sent again while the median queue was"
        f" {mean([second.queueing_ms for second in seconds]):.1f} ms above {seconds[0].base_rtt_ms:.1f} ms, at"
        f" {mean([second.rate_mbit_s for second in seconds]):.1f} Mbit/s; a queue showed for a moment in {queued} of"
        f" {len(seconds)} seconds"
    )


CAUSE = Cause(
    "losses without a queue",
    _holds,
    _evidence,
    "Look for what loses packets: the radio (rate, retries), a policer, a duplex or cable fault (ethtool -S,"
    " tc -s qdisc).",
)
