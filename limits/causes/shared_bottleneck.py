"""The queue that limits the subflow is that of another one too."""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.limits.cause import Cause, queue_stands, queue_words
from smartsbd.limits.second import OPEN, Second


def _holds(second: Second) -> bool:
    return second.standing == OPEN and bool(second.shared_with) and queue_stands(second)


def _evidence(seconds: Sequence[Second]) -> str:
    others = sorted({other for second in seconds for other in second.shared_with or ()})
    return f"{queue_words(seconds)}; by the verdict the queue is that of {', '.join(map(str, others))} too"


CAUSE = Cause(
    "shared bottleneck",
    _holds,
    _evidence,
    "Further paths add nothing while they cross the same bottleneck. Take one that leaves by another access or"
    " provider.",
)
