"""A queue limits the subflow, and the verdict does not say whose it is."""

from __future__ import annotations

from smartsbd.limits.cause import Cause, queue_stands, queue_words
from smartsbd.limits.second import OPEN, Second


def _holds(second: Second) -> bool:
    return second.standing == OPEN and second.shared_with is None and queue_stands(second)


CAUSE = Cause(
    "queue, shared or not is not known",
    _holds,
    queue_words,
    "`sbd detect` says why there is no verdict. Record for longer, with all paths loaded.",
)
