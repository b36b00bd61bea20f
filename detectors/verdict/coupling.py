"""How much of Reno's increase a subflow has beside that of LIA, by the odds that it shares a bottleneck.

A sender that switches is under LIA or under Reno, whether its verdict is nearly certain or hardly a guess. Here the
window grows, for each segment that is acknowledged, by ``(1 - theta)`` of LIA's increase and ``theta`` of Reno's.

**What a rival loses.** LIA lets n subflows of equal RTTs that share a bottleneck grow as one flow: each by 1/n^2 of
Reno's increase. With independent losses, a flow's rate is as the root of its increase, so beside one rival they have in
sum ``s = sqrt(1 + (n^2 - 1) theta)`` of the rival's rate, and the rival has ``1 / (1 + s)`` of the bottleneck in place
of 1/2. It loses the part ``h(theta) = 1 - 2 / (1 + s)`` of what it has beside LIA, at most ``(n - 1) / (n + 1)``. That
is concave: a small ``theta`` costs more than in proportion. Beside several rivals each of them loses less.

**What is asked for.** The sender's gain where nothing is shared rises with ``theta``, so it takes the largest
``theta`` at which the loss that is to be expected is at most epsilon times the chance that nothing is shared. With the
probability p that the bottleneck is shared::

    p h(theta) <= epsilon (1 - p)

With the score, the logarithm of the odds, the right side over p is ``x = epsilon exp(-score)``, and ``h`` is inverted::

    theta = min(1, 4 x / ((n^2 - 1) (1 - x)^2))

The loss that is to be expected is then at most epsilon, whatever the score, and where sharing is certain there is none:
``theta`` is 0, which is LIA. With any other form of the gain the result is the same, as long as the gain rises.

**Sets.** Two subflows whose ``theta`` is below 1 are coupled, and so are those that others link. A subflow's ``theta``
is the least of its pairs in its set. With more than two subflows the bound holds if all of a set share, or none.

The twin in C is ``sbd_coupling.h``.
"""

from __future__ import annotations

#: What theta is under LIA, and under Reno.
COUPLED_Q10, APART_Q10 = 0, 1024
#: Subflows that a connection has at most.
MOST_SUBFLOWS = 64
#: Larger scores say no more.
_SCORE_Q10 = 8192
_LOG2_E_Q10 = 1477
#: The odds are at least 2 to the power of minus this.
_POWERS = 12


def odds_apart_q10(score_q10: int) -> int:
    """Return the odds that two subflows do not share, ``exp(-score)``, within 0.7 % and a part of 1024.

    Parameters
    ----------
    score_q10 : int
        Natural logarithm of the odds that they share.

    Returns
    -------
    int
        Not more for a larger score.

    Examples
    --------
    >>> odds_apart_q10(0), odds_apart_q10(-2048), odds_apart_q10(2048)
    (1024, 7572, 138)
    """
    score_q10 = min(max(score_q10, -_SCORE_Q10), _SCORE_Q10)
    whole, part = divmod((_POWERS << 20) - _LOG2_E_Q10 * score_q10 >> 10, 1024)
    mantissa = 1024 + (part * (672 + (352 * part >> 10)) >> 10)
    return mantissa >> _POWERS - whole if whole < _POWERS else mantissa << whole - _POWERS


def theta_q10(score_q10: int, epsilon_q10: int, subflows: int = 2) -> int:
    """Return the share of Reno's increase in that of two subflows.

    Parameters
    ----------
    score_q10 : int
        Natural logarithm of the odds that they share; 0 before the first score.
    epsilon_q10 : int
        What a rival may be expected to lose of its rate; from 0, where theta is 0, to 1024.
    subflows : int
        How many the connection has; with one, it is under Reno.

    Returns
    -------
    int
        From :data:`COUPLED_Q10` to :data:`APART_Q10`; not more for a larger score.

    Examples
    --------
    >>> [theta_q10(score_q10, 102) for score_q10 in (-2048, -1024, 0, 1024, 8192)]
    [1024, 691, 167, 53, 0]
    """
    if subflows <= 1:
        return APART_Q10
    subflows = min(subflows, MOST_SUBFLOWS)
    loss_q20 = min(epsilon_q10, 1024) * odds_apart_q10(score_q10)
    # No more is lost beside Reno.
    if loss_q20 * (subflows + 1) >= (subflows - 1) << 20:
        return APART_Q10
    rest_q10 = 1024 - (loss_q20 >> 10)
    return min((loss_q20 << 12) // ((subflows**2 - 1) * rest_q10**2), APART_Q10)


def acks_between(coupled_acks: int, cwnd: int, theta_q10: int) -> int:
    """Return how many segments must be acknowledged for a window to grow by one.

    Parameters
    ----------
    coupled_acks : int, segments
        So many under LIA; not fewer than `cwnd`.
    cwnd : int, segments
        The window: so many under Reno.
    theta_q10 : int
        The share of Reno's increase.

    Returns
    -------
    int, segments
        At least `cwnd`, at most `coupled_acks`; rounded up, so that the window never grows faster.

    Examples
    --------
    >>> acks_between(40, 10, COUPLED_Q10), acks_between(40, 10, 512), acks_between(40, 10, APART_Q10)
    (40, 16, 10)
    """
    cwnd = max(cwnd, 1)
    coupled_acks = max(coupled_acks, cwnd)
    share_q10 = min(theta_q10, APART_Q10)
    return -(-(coupled_acks * cwnd << 10) // ((APART_Q10 - share_q10) * cwnd + share_q10 * coupled_acks))
