"""How much a feature tells of the label: mutual information by nearest neighbours, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.features.catalog import FEATURES, feature, feature_names
from smartsbd.models.labelled.windows import LabelledWindows
from smartsbd.models.search.information import Estimator

_NULL_QUANTILE = 0.95
_INTERVAL = (0.025, 0.975)
_DIGITS = 4
#: The draws of labels that mean nothing are done in so many parts, each of a seed of its own.
_PARTS = 8


@dataclass(frozen=True)
class Estimation:
    """How mutual information is estimated, as :func:`mutual_information_nats` takes it."""

    neighbors: int
    seed: int
    repeats: int


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

    Returns
    -------
    (features,) int64
        Positions from 0.

    Examples
    --------
    >>> import numpy as np
    >>> ranking(np.array([0.1, 0.3, 0.1])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-information_nats, kind="stable").astype(np.int64)


def ranks(information_nats: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the rank of each feature, from 1 on for the most informative; ties keep the given order.

    Returns
    -------
    (features,) int64
        In the order of the features.

    Examples
    --------
    >>> import numpy as np
    >>> ranks(np.array([0.1, 0.3, 0.1])).tolist()
    [2, 1, 3]
    """
    rank = np.empty(len(information_nats), dtype=np.int64)
    rank[ranking(information_nats)] = np.arange(1, len(information_nats) + 1)
    return rank


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

    Returns
    -------
    list of (n,) int64
        Positions of rows, ascending.

    References
    ----------
    McCarthy 1969 (half samples).
    """
    rng = np.random.default_rng(seed)
    names = np.unique(connections)
    halves = (rng.choice(names, size=len(names) // 2, replace=False) for _ in range(rounds))
    return [np.flatnonzero(np.isin(connections, half)).astype(np.int64) for half in halves]


def rank_agreement(information_nats: npt.NDArray[np.float64], published_nats: Sequence[float]) -> float:
    """Return Kendall's tau (b) between our order of features and a published one; nan if one has no order.

    Returns
    -------
    float in [-1, 1]
        1 for the same order.

    Examples
    --------
    >>> import numpy as np
    >>> rank_agreement(np.array([0.3, 0.2, 0.1]), [0.9, 0.8, 0.7])
    1.0
    """
    first, second = np.triu_indices(len(information_nats), 1)
    ours, theirs = (
        (nats[first] > nats[second]).astype(np.int64) - (nats[first] < nats[second])
        for nats in (information_nats, np.asarray(published_nats))
    )
    if not ours.any() or not theirs.any():
        return float("nan")
    # Divided one after the other, as SciPy does, so that the last bit is its own.
    tau = int((ours * theirs).sum()) / math.sqrt(np.count_nonzero(ours)) / math.sqrt(np.count_nonzero(theirs))
    return min(1.0, max(-1.0, tau))


def null_tasks(windows: LabelledWindows, rounds: int, estimation: Estimation) -> list[partial[npt.NDArray[np.float64]]]:
    """Return the draws of :func:`permutation_null_nats` in parts, each a call without arguments.

    Parameters
    ----------
    windows : LabelledWindows
    rounds : int
        At least so many draws in all.
    estimation : Estimation

    Returns
    -------
    list of partial
        Each returns (rounds, features) float64, nats.
    """
    return [
        partial(
            permutation_null_nats,
            windows.x,
            windows.shared,
            windows.connections,
            rounds=-(-rounds // _PARTS),
            neighbors=estimation.neighbors,
            seed=estimation.seed + part,
            repeats=estimation.repeats,
        )
        for part in range(_PARTS)
    ]


def null_95_nats(parts: Iterable[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """Return each feature's 95 % quantile of the estimates under labels that mean nothing.

    Parameters
    ----------
    parts : iterable of (rounds, features) float64
        What the calls of :func:`null_tasks` return.

    Returns
    -------
    (features,) float64, nats
        In the order of the features.
    """
    quantile: npt.NDArray[np.float64] = np.quantile(np.concatenate(list(parts)), _NULL_QUANTILE, axis=0)
    return quantile


def _tau(
    windows: LabelledWindows, rows: npt.NDArray[np.int64], published_nats: Mapping[str, float], estimation: Estimation
) -> float:
    place = np.array([windows.feature_names.index(name) for name in published_nats])
    information = mutual_information_nats(
        windows.x[np.ix_(rows, place)],
        windows.shared[rows],
        neighbors=estimation.neighbors,
        seed=estimation.seed,
        repeats=estimation.repeats,
    )
    return rank_agreement(information, list(published_nats.values()))


def agreement_tasks(
    windows: LabelledWindows, published_nats: Mapping[str, float], rounds: int, estimation: Estimation
) -> list[partial[float]]:
    """Return the estimates of Kendall's tau on all windows, then on half samples, each a call without arguments.

    Parameters
    ----------
    windows : LabelledWindows
    published_nats : mapping of str to float
        By feature; the others take no part.
    rounds : int
        Number of half samples.
    estimation : Estimation

    Returns
    -------
    list of partial
        Each returns a float in [-1, 1].
    """
    everything = np.arange(len(windows.shared), dtype=np.int64)
    halves = half_samples(windows.connections, rounds=rounds, seed=estimation.seed)
    return [partial(_tau, windows, rows, published_nats, estimation) for rows in (everything, *halves)]


def agreement(results: Iterable[float]) -> dict[str, float]:
    """Return Kendall's tau and its 95 % interval over half samples.

    Parameters
    ----------
    results : iterable of float
        What the calls of :func:`agreement_tasks` return, in their order.

    Returns
    -------
    dict of str to float
        ``kendall_tau``, ``low`` and ``high``, to four digits.

    Examples
    --------
    >>> agreement([0.5, 0.0, 0.4, 0.8])
    {'kendall_tau': 0.5, 'low': 0.02, 'high': 0.78}
    """
    whole, *of_halves = results
    low, high = np.quantile(of_halves, _INTERVAL)
    return {
        "kendall_tau": round(whole, _DIGITS),
        "low": round(float(low), _DIGITS),
        "high": round(float(high), _DIGITS),
    }


def published_of(names: Sequence[str], published_nats: Mapping[str, float]) -> dict[str, float]:
    """Return the published values of some features of ours, from those by the paper's names."""
    return {name: published_nats[feature(name).paper_name] for name in names}


def ranked_features(
    information_nats: npt.NDArray[np.float64], null_nats: npt.NDArray[np.float64], published_nats: Mapping[str, float]
) -> pd.DataFrame:
    """Return a row for each feature of the catalog, most informative first, with the published values beside ours.

    Parameters
    ----------
    information_nats : (features,) float64
        Of :data:`~smartsbd.features.catalog.FEATURES`, in their order.
    null_nats : (features,) float64
        Of :func:`null_95_nats`.
    published_nats : mapping of str to float
        By the paper's names; the paper has ranked these alone.

    Returns
    -------
    DataFrame
        ``feature``, ``group``, ``paper_name``, information and ``null_95_nats`` in nats, ``rank``, ``rank_in_table3``,
        ``paper_nats`` and ``paper_rank``; null where the paper has no value.
    """
    names = feature_names("all")
    of_paper = np.isin(names, feature_names("table3"))
    rank_in_table3 = pd.array([pd.NA] * len(names), dtype="Int64")
    rank_in_table3[of_paper] = ranks(information_nats[of_paper])
    published = [published_nats.get(entry.paper_name) for entry in FEATURES]
    return pd.DataFrame(
        {
            "feature": names,
            "group": [entry.group for entry in FEATURES],
            "paper_name": [entry.paper_name for entry in FEATURES],
            "mutual_information_nats": information_nats,
            "null_95_nats": null_nats,
            "rank": ranks(information_nats),
            "rank_in_table3": rank_in_table3,
            "paper_nats": published,
            "paper_rank": pd.Series(published).rank(ascending=False).astype("Int64"),
        }
    ).sort_values("rank", kind="stable")
