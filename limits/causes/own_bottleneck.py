"""The queue that limits the subflow is its own: the path is used."""

from __future__ import annotations

from smartsbd.limits.cause import Cause, queue_stands, queue_words
from smartsbd.limits.second import OPEN, Second


def _holds(second: Second) -> bool:
    return second.standing == OPEN and second.shared_with == () and queue_stands(second)


CAUSE = Cause(
    "own bottleneck",
    _holds,
    queue_words,
    "This path gives what it has: only a faster one gives more. Compare its rate with what the access is sold as.",
)
