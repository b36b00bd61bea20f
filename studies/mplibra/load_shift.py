"""How long a connection takes to shift its load from one link to another."""

from __future__ import annotations

from studies.mplibra.convergence import WINDOW_S, final_mean
from studies.mplibra.rate_series import RateSeries

#: Of the way between the shares before and at the end, what makes a shift complete (ours).
_COMPLETE = 0.9
#: What a share rises by at least when load shifts (ours): less is no shift.
_LEAST_RISE = 0.1
#: The share before is that of the last so many seconds.
_BEFORE_S = 10.0


def shifted_after_s(leaving: RateSeries, taking: RateSeries, change_s: float, end_s: float) -> float:
    """Return how long after a change the load has shifted from one subflow to another.

    That is until the end of the first two seconds in which the share of the other has gone 0.9 of the way from
    what it was before the change to what it is at the end. The MPLibra paper (Fig. 13) gives no rule.

    Parameters
    ----------
    leaving, taking : RateSeries
        Rates of the subflow whose link has become the worse one, and of the other; of the same intervals.
    change_s, end_s : float

    Returns
    -------
    float
        The whole time if the other's share has risen by less than 0.1, or neither sends.

    Examples
    --------
    >>> edges = tuple(range(13))
    >>> taking = RateSeries(edges, (1, 1, 1, 1, 1, 2, 4, 4, 4, 4, 4, 4))
    >>> leaving = RateSeries(edges, (4, 4, 4, 4, 3, 2, 1, 1, 1, 1, 1, 1))
    >>> shifted_after_s(leaving, taking, 4, 12)
    4.0
    """
    before = _share(leaving.mean(_from(change_s), change_s), taking.mean(_from(change_s), change_s))
    final = _share(final_mean(leaving, change_s, end_s), final_mean(taking, change_s, end_s))
    if final - before >= _LEAST_RISE:
        for begin_s, taken in taking.windows(change_s, end_s, WINDOW_S):
            if _share(leaving.mean(begin_s, begin_s + WINDOW_S), taken) >= before + _COMPLETE * (final - before):
                return begin_s + WINDOW_S - change_s
    return end_s - change_s


def _from(change_s: float) -> float:
    return change_s - min(_BEFORE_S, change_s / 2)


def _share(left: float, taken: float) -> float:
    """Return the share of the second of two rates, 0 if both are."""
    return taken / (left + taken) if left + taken else 0.0
