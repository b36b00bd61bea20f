"""The sender sends evenly, below what the path carries."""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.limits.cause import Cause, carries, mean, queue_stands
from smartsbd.limits.second import Second

#: The time from a segment to the second after it deviates by no more than such a share of its mean.
_UNEVENNESS = 0.25


def _holds(second: Second) -> bool:
    even = second.unevenness is not None and second.unevenness <= _UNEVENNESS
    return carries(second) and even and not second.recently_resent and not queue_stands(second)


def _evidence(seconds: Sequence[Second]) -> str:
    rates = [second.rate_mbit_s for second in seconds]
    unevenness = mean([second.unevenness or 0.0 for second in seconds])
    return (
        f"{min(rates):.2f} to {max(rates):.2f} Mbit/s, evenly (gaps deviate by {unevenness:.0%}); no queue most of"
        " the time, nothing sent again, room in the window"
    )


CAUSE = Cause(
    "paced",
    _holds,
    _evidence,
    "Something on the sending host sets this rate: a shaper (tc -s qdisc, tc class), SO_MAX_PACING_RATE, or an"
    " application that writes evenly.",
)
