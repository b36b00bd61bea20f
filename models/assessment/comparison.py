"""Compare detectors with learned models: same test rows, parameters from the same training side, paired differences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict

import pandas as pd

from smartsbd.detectors.grid import best_preset
from smartsbd.models.assessment.accuracy import Accuracy, accuracy

#: Share of a row (a window, or scored time) that is right, in [0, 1].
RIGHT = "right"


def right_of_windows(judged: pd.DataFrame) -> pd.DataFrame:
    """Return rows of the ``opinion`` or ``prediction`` table with whether each is right; no opinion counts as wrong.

    Returns
    -------
    DataFrame
        The same rows with ``right``, 1 or 0.

    Examples
    --------
    >>> rows = pd.DataFrame({"shared_pred": [True, None, True], "shared": [True, True, False]})
    >>> right_of_windows(rows)["right"].tolist()
    [1.0, 0.0, 0.0]
    """
    hit = judged["shared_pred"].astype("boolean") == judged["shared"].astype("boolean")
    return judged.assign(**{RIGHT: hit.fillna(value=False).astype(float)})


def right_of_time(time_share: pd.DataFrame) -> pd.DataFrame:
    """Return rows of the ``time_share`` table with the share of time that is right; no opinion counts as wrong.

    Returns
    -------
    DataFrame
        The same rows with ``right``, in [0, 1].

    Examples
    --------
    >>> rows = {"together_ns": [3, 3], "apart_ns": [1, 1], "scored_ns": [5, 5], "shared": [True, False]}
    >>> right_of_time(pd.DataFrame(rows))["right"].tolist()
    [0.6, 0.2]

    References
    ----------
    SmartSBD, section 5.1: the share of time in the same, or in different, sets.
    """
    right_ns = time_share["together_ns"].where(time_share["shared"].astype(bool), time_share["apart_ns"])
    return time_share.assign(**{RIGHT: right_ns / time_share["scored_ns"]})


def accuracy_of(rows: pd.DataFrame, *, resamples: int, seed: int) -> Accuracy:
    """Return the accuracy of some rows, for each label and overall, with intervals by connection.

    Parameters
    ----------
    rows : DataFrame
        Columns ``right``, ``shared`` and ``connection_id``.
    resamples, seed : int
        As :func:`~smartsbd.models.assessment.accuracy.accuracy` takes them.

    Returns
    -------
    Accuracy
        Shares in [0, 1]; all nan where there are no rows.
    """
    return accuracy(
        rows[RIGHT].to_numpy(dtype=float),
        rows["shared"].to_numpy(dtype=bool),
        rows["connection_id"].to_numpy(dtype=str),
        resamples=resamples,
        seed=seed,
    )


def accuracy_by_detector(opinion: pd.DataFrame, *, resamples: int, seed: int) -> pd.DataFrame:
    """Return how right each detector is of the windows of one rule, with each of its parameter sets.

    Parameters
    ----------
    opinion : DataFrame of the ``opinion`` table
    resamples, seed : int
        As :func:`~smartsbd.models.assessment.accuracy.accuracy` takes them.

    Returns
    -------
    DataFrame
        One row for each detector and parameter set: ``windows``, those without an opinion (``none``), and the accuracy.
    """
    rows = []
    for (detector, preset), judged in right_of_windows(opinion).groupby(["detector", "preset"]):
        measured = accuracy_of(judged, resamples=resamples, seed=seed)
        none = int(judged["shared_pred"].isna().sum())
        rows.append(
            {"detector": detector, "parameters": preset, "windows": len(judged), "none": none, **asdict(measured)}
        )
    return pd.DataFrame(rows)


def tuned(judged: pd.DataFrame, tests: Mapping[int, Collection[str]]) -> tuple[pd.DataFrame, dict[int, str]]:
    """Choose the best parameter set on each split's training side; return its rows of the test side.

    Parameters
    ----------
    judged : DataFrame
        Of one detector: columns ``connection_id``, ``preset``, ``shared``, ``right``, and what identifies a row; all
        of a grid.
    tests : mapping of int to collection of str
        Connections on the test side of each split; all others are its training side.

    Returns
    -------
    rows : DataFrame
        The test rows, with the split as ``fold``.
    chosen : dict of int to str
        The parameter set of each split.
    """
    parts, chosen = [], {}
    ordered = judged.sort_values("preset", kind="stable")
    for fold, connections in tests.items():
        on_test = ordered["connection_id"].isin(set(connections))
        chosen[fold] = best_preset(ordered[~on_test])
        parts.append(ordered[on_test & (ordered["preset"] == chosen[fold])].assign(fold=fold))
    return pd.concat(parts, ignore_index=True), chosen


def of_folds(judged: pd.DataFrame, tests: Mapping[int, Collection[str]]) -> pd.DataFrame:
    """Return the test rows of every split, with the split as ``fold``, where no parameters are to be chosen."""
    parts = [
        judged[judged["connection_id"].isin(set(connections))].assign(fold=fold) for fold, connections in tests.items()
    ]
    return pd.concat(parts, ignore_index=True)


def difference(rows: pd.DataFrame, reference: pd.DataFrame, key: Sequence[str]) -> pd.DataFrame:
    """Return rows with their ``right`` less that of the same row of a reference.

    Parameters
    ----------
    rows, reference : DataFrame
        The same rows, in any order.
    key : sequence of str
        Columns that identify a row.

    Returns
    -------
    DataFrame
        The rows with ``right`` in [-1, 1].

    Raises
    ------
    ValueError
        If they are not the same rows.

    Examples
    --------
    >>> rows = pd.DataFrame({"window": [1, 2], "right": [1.0, 1.0]})
    >>> difference(rows, pd.DataFrame({"window": [2, 1], "right": [0.0, 1.0]}), ["window"])["right"].tolist()
    [0.0, 1.0]
    """
    names = list(key)
    paired = rows.merge(reference[[*names, RIGHT]], on=names, validate="one_to_one", suffixes=("", "_other"))
    if not len(paired) == len(rows) == len(reference):
        raise ValueError(f"one has {len(rows)} rows, other {len(reference)}, of which {len(paired)} are the same")
    return paired.assign(**{RIGHT: paired[RIGHT] - paired[f"{RIGHT}_other"]}).drop(columns=f"{RIGHT}_other")
