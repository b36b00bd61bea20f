"""What a round trip is worth to an agent (MPLibra, section IV.A: reward function)."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: Weights of throughput, delay and loss.
_THROUGHPUT, _DELAY, _LOSS = 1.0, 1.0, 10.0
#: What ratios of RTTs are limited to (ours), so that a long queue does not drown all else.
_LARGEST_RATIO = 10.0
#: Least share of the capacity that is told from none (ours).
_LEAST_SHARE = 0.01


def of_subflow(throughput: float, delay: float, loss: float) -> float:
    """Return the reward of MPLibra's agent.

    Parameters
    ----------
    throughput : float
        Delivery rate over the rate of the link. The paper's divisor is the largest throughput; with the largest so far
        a sender that never tries more is rewarded most, so that of the link is taken (ours).
    delay : float
        Mean RTT over the base RTT.
    loss : float
        Share of bytes sent again.

    Examples
    --------
    >>> of_subflow(1.0, 1.0, 0.0), of_subflow(0.5, 1.5, 0.01)
    (0.0, -1.1)
    """
    return _THROUGHPUT * throughput - _DELAY * min(delay, _LARGEST_RATIO) - _LOSS * loss


def of_connection(throughputs: Sequence[float]) -> float:
    """Return the reward of the agent that sees all subflows: the logarithm of the sum of throughputs (section II).

    Parameters
    ----------
    throughputs : sequence of float
        Delivery rate of each subflow over the rate of all links, which adds a constant alone.

    Examples
    --------
    >>> of_connection([0.5, 0.5]), round(of_connection([0.1, 0.1]), 3)
    (0.0, -1.609)
    """
    return math.log(max(sum(throughputs), _LEAST_SHARE))
