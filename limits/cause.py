"""What a cause is, and what rules of several causes ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from smartsbd.limits.second import OPEN, Second

#: A queue stands if the median delay in it is at least so long, and so large a share of the smallest RTT.
_QUEUE_US, _QUEUE_SHARE = 3_000, 0.1
#: A window that is full for so much of the time limits.
FULL_SHARE = 0.5


@dataclass(frozen=True)
class Cause:
    """A cause.

    Attributes
    ----------
    name : str
    holds : callable
        Whether it limits a second of a subflow, if no cause before it in the table does.
    evidence : callable
        A sentence with numbers about the seconds that it limits, at least one.
    step : str
        What to do next.
    """

    name: str
    holds: Callable[[Second], bool]
    evidence: Callable[[Sequence[Second]], str]
    step: str


def mean(values: Sequence[float]) -> float:
    """Return the mean of values, 0 of none."""
    return sum(values) / len(values) if values else 0.0


def carries(second: Second) -> bool:
    """Tell whether the subflow is open and sends."""
    return second.standing == OPEN and second.sent_bytes > 0


def _is_queue(delay_us: int | None, second: Second) -> bool:
    if delay_us is None or second.base_rtt_us is None:
        return False
    return delay_us >= max(_QUEUE_US, _QUEUE_SHARE * second.base_rtt_us)


def queue_stands(second: Second) -> bool:
    """Tell whether a queue stood for most of the second.

    Examples
    --------
    >>> queue_stands(Second(0, base_rtt_us=20_000, queueing_us=9_000)), queue_stands(Second(0, base_rtt_us=20_000))
    (True, False)
    """
    return _is_queue(second.queueing_us, second)


def queue_seen(second: Second) -> bool:
    """Tell whether a queue stood for some of it."""
    return _is_queue(second.most_queueing_us, second)


def window_is_full(second: Second) -> bool:
    """Tell whether the receiver's window had no room for most of the second."""
    return second.full_share is not None and second.full_share >= FULL_SHARE


def queue_words(seconds: Sequence[Second]) -> str:
    """Return how long a queue was."""
    low, high = min(second.queueing_ms for second in seconds), max(second.queueing_ms for second in seconds)
    words = f"a queue of {low:.1f} to {high:.1f} ms stood above the smallest RTT of {seconds[0].base_rtt_ms:.1f} ms"
    if not any(second.sent_bytes for second in seconds):
        return words
    rate, resent = mean([second.rate_mbit_s for second in seconds]), sum(second.resent for second in seconds)
    return f"{words}, at {rate:.1f} Mbit/s; {resent} segments sent again"
