"""How much a feature tells of the label: mutual information by nearest neighbours, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from models.information import Estimator


def mutual_information_nats(
    x: npt.NDArray[np.float64],
    shared: npt.NDArray[np.bool_],
    *,
    neighbors: int = 3,
    seed: int = 0,
    repeats: int = 1,
) -> npt.NDArray[np.float64]:
    """Estimate the mutual information of each feature and the label.

    Parameters
    ----------
    x : (rows, features) float64
    shared : (rows,) bool
        The label.
    neighbors : int
        Nearest neighbours within the class; 3 is scikit-learn's default.
    seed : int
        Of the noise that breaks ties.
    repeats : int
        Estimates with different noise to average: features of many equal values move by up to 0.09 nats
        with it.

    Returns
    -------
    (features,) float64, nats, not below 0

    References
    ----------
    SmartSBD, section 3.3; the estimator is Ross (2014) as scikit-learn has it.
    """
    return Estimator(x, neighbors=neighbors, seed=seed, repeats=repeats).nats(shared)


def ranking(information_nats: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return feature positions, most informative first; ties keep the given order.

    Examples
    --------
    >>> import numpy as np
    >>> ranking(np.array([0.1, 0.3, 0.1])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-information_nats, kind="stable").astype(np.int64)


def permutation_null_nats(
    x: npt.NDArray[np.float64],
    shared: npt.NDArray[np.bool_],
    connections: npt.NDArray[np.str_],
    *,
    rounds: int,
    neighbors: int = 3,
    seed: int = 0,
    repeats: int = 1,
) -> npt.NDArray[np.float64]:
    """Estimate the mutual information of each feature with labels drawn among the connections.

    Parameters
    ----------
    x, shared : (rows, features) float64, (rows,) bool
    connections : (rows,) str
        Connection of each row. Labels are exchanged between connections, whose windows keep one: windows
        of a connection are no independent ones. A connection of both labels takes part with its first.
    rounds : int
    neighbors, seed, repeats : int
        As :func:`mutual_information_nats` takes them.

    Returns
    -------
    (rounds, features) float64, nats
    """
    rng = np.random.default_rng(seed)
    _, first, member = np.unique(connections, return_index=True, return_inverse=True)
    estimator = Estimator(x, neighbors=neighbors, seed=seed, repeats=repeats)
    return np.stack([estimator.nats(rng.permutation(shared[first])[member]) for _ in range(rounds)])


def half_samples(connections: npt.NDArray[np.str_], *, rounds: int, seed: int = 0) -> list[npt.NDArray[np.int64]]:
    """Draw half of the connections, again and again; return the rows of each draw.

    The spread of an estimate over halves drawn without replacement is that of a bootstrap, to first order.
    A bootstrap itself draws some connections twice, and a nearest-neighbour estimate takes a row's copy for
    its neighbour.

    Parameters
    ----------
    connections : (rows,) str
        Connection of each row.
    rounds : int
        Number of draws.
    seed : int
        Of the draws.

    References
    ----------
    McCarthy 1969 (half samples).
    """
    rng = np.random.default_rng(seed)
    names = np.unique(connections)
    drawn = (rng.choice(names, size=len(names) // 2, replace=False) for _ in range(rounds))
    return [np.flatnonzero(np.isin(connections, half)).astype(np.int64) for half in drawn]


def rank_agreement(information_nats: npt.NDArray[np.float64], published_nats: Sequence[float]) -> float:
    """Return Kendall's tau (b) between our order of features and a published one; nan if one has no order.

    Examples
    --------
    >>> import numpy as np
    >>> rank_agreement(np.array([0.3, 0.2, 0.1]), [0.9, 0.8, 0.7])
    1.0
    """
    one, other = np.triu_indices(len(information_nats), 1)
    ours, theirs = (
        (nats[one] > nats[other]).astype(np.int64) - (nats[one] < nats[other])
        for nats in (information_nats, np.asarray(published_nats))
    )
    if not ours.any() or not theirs.any():
        return float("nan")
    # Divided one after the other, as SciPy does, so that the last bit is its own.
    tau = int((ours * theirs).sum()) / math.sqrt(np.count_nonzero(ours)) / math.sqrt(np.count_nonzero(theirs))
    return min(1.0, max(-1.0, tau))
