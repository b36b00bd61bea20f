"""How long rates take to settle once a network has changed."""

from __future__ import annotations

from studies.mplibra.rate_series import RateSeries

#: Means of so long are looked at, in s.
WINDOW_S = 2.0
#: How far they may be from the final mean, of that.
_WITHIN = 0.1
#: For how long they have to be.
HELD_S = 10.0
#: What the final mean is taken of: the last so many seconds, or half of the time if that is less.
FINAL_S = 10.0


def final_mean(rates: RateSeries, from_s: float, to_s: float) -> float:
    """Return the mean of the last :data:`FINAL_S` of a time, or of its second half if that is shorter.

    Parameters
    ----------
    rates : RateSeries
    from_s, to_s : float
    """
    return rates.mean(to_s - min(FINAL_S, (to_s - from_s) / 2), to_s)


def has_followed(rates: RateSeries, change_s: float, end_s: float, factor: float) -> bool:
    """Tell whether a rate has gone half of the way, at least, that a capacity has gone.

    Parameters
    ----------
    rates : RateSeries
    change_s, end_s : float
        The change, and the next one or the end.
    factor : float
        The new capacity over the old one.

    Examples
    --------
    >>> rates = RateSeries(tuple(range(13)), (4, 4, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8))
    >>> has_followed(rates, 2, 12, 2), has_followed(rates, 2, 12, 4)
    (True, False)
    """
    before = rates.mean(change_s - min(FINAL_S, change_s / 2), change_s)
    half = before * (1 + factor) / 2
    final = final_mean(rates, change_s, end_s)
    return final >= half if factor > 1 else final <= half


def settled_after_s(rates: RateSeries, from_s: float, to_s: float) -> float:
    """Return how long after a change a rate has settled.

    That is the first moment from which all means of :data:`WINDOW_S` are within 10 % of the final mean, for
    :data:`HELD_S` or to the end (experiments.md; the MPLibra paper, section II, gives no rule).

    Parameters
    ----------
    rates : RateSeries
    from_s : float
        The change.
    to_s : float
        The next one, or the end.

    Returns
    -------
    float
        The whole time if it has not settled by then.

    Examples
    --------
    >>> rates = RateSeries(tuple(range(13)), (4, 4, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8))
    >>> settled_after_s(rates, 2, 12)
    3
    """
    final = final_mean(rates, from_s, to_s)
    windows = list(rates.windows(from_s, to_s, WINDOW_S))
    far = [begin_s for begin_s, mean in windows if not abs(mean - final) <= _WITHIN * final]
    for begin_s, _ in windows:
        if not any(begin_s <= at_s < begin_s + HELD_S for at_s in far):
            return begin_s - from_s
    return to_s - from_s
