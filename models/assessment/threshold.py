"""The simplest detector: shared if a score is high enough."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def best_balanced_accuracy(score: npt.NDArray[np.float64], shared: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Find the threshold at which ``score >= threshold`` recognises both labels best.

    The threshold is chosen on the rows it is judged on: an upper bound for this score, not an estimate.

    Parameters
    ----------
    score : (n,) float64
    shared : (n,) bool
        Both labels must occur.

    Returns
    -------
    threshold : float
    accuracy : float
        Mean of the shares of shared and non-shared rows recognised.

    Raises
    ------
    ValueError
        If there is one label only.

    Examples
    --------
    >>> import numpy as np
    >>> best_balanced_accuracy(np.array([0.1, 0.4, 0.6, 0.9]), np.array([False, False, True, True]))
    (0.6, 1.0)
    """
    if shared.all() or not shared.any():
        raise ValueError("shared holds one label only: there is nothing to tell apart")
    thresholds = np.append(np.unique(score), np.inf)
    # sorted scores: rows at or above each threshold, per label
    above_sb = 1.0 - np.searchsorted(np.sort(score[shared]), thresholds, side="left") / shared.sum()
    below_nsb = np.searchsorted(np.sort(score[~shared]), thresholds, side="left") / (~shared).sum()
    balanced = (above_sb + below_nsb) / 2
    best = int(np.argmax(balanced))
    return float(thresholds[best]), float(balanced[best])


def area_under_curve(score: npt.NDArray[np.float64], shared: npt.NDArray[np.bool_]) -> float:
    """Return the probability that a shared row scores higher than a non-shared one; ties count half.

    Parameters
    ----------
    score : (n,) float64
    shared : (n,) bool
        Both labels must occur.

    Returns
    -------
    float in [0, 1]
        0.5 where the score says nothing of the label.

    Examples
    --------
    >>> import numpy as np
    >>> area_under_curve(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True]))
    0.875
    """
    sb, nsb = np.sort(score[shared]), np.sort(score[~shared])
    below = np.searchsorted(nsb, sb, side="left").sum()
    equal = np.searchsorted(nsb, sb, side="right").sum() - below
    return float((below + equal / 2) / (len(sb) * len(nsb)))


def overlap(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], *, bins: int = 10) -> float:
    """Return how far two samples overlap: the common area of their histograms.

    Parameters
    ----------
    a, b : (n,), (m,) float64
    bins : int
        Bins between quantiles of both samples together.

    Returns
    -------
    float in [0, 1]
        1 for equal shares in every bin, 0 for none in common.

    Examples
    --------
    >>> import numpy as np
    >>> overlap(np.array([1.0, 2.0]), np.array([3.0, 4.0]), bins=2)
    0.0
    """
    edges = np.unique(np.quantile(np.concatenate([a, b]), np.linspace(0, 1, bins + 1)))
    shares = [np.histogram(sample, edges)[0] / len(sample) for sample in (a, b)] if len(edges) > 1 else [np.ones(1)] * 2
    return float(np.minimum(*shares).sum())
