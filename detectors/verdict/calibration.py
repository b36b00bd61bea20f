"""How many verdicts of the common lag are wrong, by the size of the score."""

from __future__ import annotations

from smartsbd.features.fixed import ONE_Q10

#: Least size of the score, the logarithm of the odds, and the share of verdicts of that size that are wrong. On the
#: design sets, 12 of 32, 3 of 57, 4 of 172 and 1 of 1256 last verdicts were wrong (docs/experiments/verdict-2.md). One
#: more of each is assumed: the rule was fitted on these sets. A verdict that holds although the score says the contrary
#: belongs to the smallest size.
WRONG_SHARES: tuple[tuple[float, float], ...] = ((0.0, 13 / 33), (1.0, 4 / 58), (2.0, 5 / 173), (4.0, 2 / 1257))


def wrong_share(shared: bool, score_q10: int) -> float:
    """Return the share of verdicts that are wrong, of those with a score of this size.

    Parameters
    ----------
    shared : bool
        The verdict.
    score_q10 : int
        The logarithm of the odds that the pair shares.

    Returns
    -------
    float
        One of those in :data:`WRONG_SHARES`.

    Examples
    --------
    >>> wrong_share(True, 4 * ONE_Q10) == wrong_share(False, -9 * ONE_Q10) == WRONG_SHARES[-1][1]
    True
    >>> wrong_share(True, 2 * ONE_Q10 - 1) == WRONG_SHARES[-3][1]
    True
    >>> wrong_share(True, -9 * ONE_Q10) == wrong_share(False, 0) == WRONG_SHARES[0][1]
    True
    """
    size = (score_q10 if shared else -score_q10) / ONE_Q10
    return next((share for least, share in reversed(WRONG_SHARES) if size >= least), WRONG_SHARES[0][1])


def wrong_in_words(share: float) -> str:
    """Return in words how sure a verdict is.

    Parameters
    ----------
    share : float
        Share of such verdicts that are wrong, above 0.

    Returns
    -------
    str
        A clause without a full stop.

    Examples
    --------
    >>> wrong_in_words(0.05), wrong_in_words(0.0032)
    ('about 1 in 20 such verdicts are wrong', 'about 1 in 310 such verdicts are wrong')
    """
    one_in = 1 / share
    # Two digits: more would say more than was measured.
    return f"about 1 in {float(f'{one_in:.1e}'):.0f} such verdicts are wrong"
