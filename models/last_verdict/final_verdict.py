"""Detectors judged by their last verdict on each pair: how often it is right, how often there is one, since when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.models.assessment.comparison import RIGHT, accuracy_of, difference

#: Columns that identify a pair.
PAIR = ("connection_id", "subflow_a", "subflow_b")
#: Column of a detector's last verdict: True, False or None; and of when the first came, seconds, nan for never.
SAID, FIRST_S = "said", "first_s"


def latest_rows(truth: Iterable[Mapping[str, Any]], key: Sequence[str]) -> dict[tuple[Any, ...], Mapping[str, Any]]:
    """Return the last row of each pair, in order of the pairs.

    Parameters
    ----------
    truth : rows of the ``truth`` table, or of truth.csv
    key : sequence of str
        Columns that identify a pair.

    Returns
    -------
    dict of tuple to mapping
        By the values of the key: the row with the latest ``from_ns``.

    Examples
    --------
    >>> rows = [{"pair": "b", "from_ns": 0}, {"pair": "a", "from_ns": 5}, {"pair": "a", "from_ns": 0}]
    >>> [row["from_ns"] for row in latest_rows(rows, ["pair"]).values()]
    [5, 0]
    """
    last: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for row in truth:
        pair = tuple(row[name] for name in key)
        if pair not in last or last[pair]["from_ns"] < row["from_ns"]:
            last[pair] = row
    return dict(sorted(last.items()))


def last_labels(truth: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the last row of each pair, in order of the pairs, if it is valid.

    Parameters
    ----------
    truth : rows of the ``truth`` table

    Yields
    ------
    mapping
        A row of the ``truth`` table.
    """
    yield from (row for row in latest_rows(truth, PAIR).values() if row["valid"])


def judged(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with whether the last verdict is right; a row without a verdict is not right.

    Parameters
    ----------
    rows : DataFrame
        One row for each pair: ``said``, ``shared``.

    Returns
    -------
    DataFrame
        The same rows with ``right``, 1 or 0.

    Examples
    --------
    >>> judged(pd.DataFrame({"said": [True, None, True], "shared": [True, True, False]}))["right"].tolist()
    [1.0, 0.0, 0.0]
    """
    right = [float(verdict is shared) for verdict, shared in zip(rows[SAID], rows["shared"].tolist(), strict=True)]
    return rows.assign(**{RIGHT: right})


def _share(of: pd.Series[bool]) -> float:
    return float(of.mean()) if len(of) else np.nan


def summary(rows: pd.DataFrame, reference: pd.DataFrame, *, resamples: int, seed: int) -> dict[str, Any]:
    """Return the accuracy of a detector on all pairs and on those it decides, with 95 % intervals by connection.

    Parameters
    ----------
    rows, reference : DataFrame
        The same pairs: columns of :data:`PAIR`, ``shared``, ``said``, ``first_s`` and ``right``.
    resamples, seed : int
        As :func:`~smartsbd.models.assessment.accuracy.accuracy` takes them.

    Returns
    -------
    dict
        ``right``: share of all pairs, one without a verdict being wrong; ``less``: less the reference's, paired;
        ``decided``: share of the decided ones that is right, the mean over labels; ``coverage_*``: share of a label's
        pairs that is decided; ``first_s``: median time until the first verdict, of pairs that have one.
    """
    decided = rows[rows[SAID].notna()]
    everywhere, where_decided = (accuracy_of(of, resamples=resamples, seed=seed) for of in (rows, decided))
    less = accuracy_of(difference(rows, reference, PAIR), resamples=resamples, seed=seed)
    row: dict[str, Any] = {"pairs": len(rows), "shared": int(rows["shared"].sum())}
    for name, accuracy, what in (
        ("right", everywhere, "overall"),
        ("less", less, "overall"),
        ("decided", where_decided, "balanced"),
    ):
        row |= {f"{name}{end}": getattr(accuracy, f"{what}{end}") for end in ("", "_low", "_high")}
    row |= {
        "decided_recall_shared": where_decided.recall_shared,
        "decided_recall_not_shared": where_decided.recall_not_shared,
    }
    for name, label in (("shared", True), ("not_shared", False)):
        row[f"coverage_{name}"] = _share(rows.loc[rows["shared"] == label, SAID].notna())
    row["wrong"] = int((decided[RIGHT] == 0).sum())
    row["none"] = len(rows) - len(decided)
    row[FIRST_S] = float(rows[FIRST_S].median())
    return row


def summaries(rows: pd.DataFrame, reference: tuple[str, str], *, resamples: int, seed: int) -> Sequence[dict[str, Any]]:
    """Return a summary for each detector and parameter set, in the order they come.

    Parameters
    ----------
    rows : DataFrame
        As :func:`judged` returns them, with ``detector`` and ``preset``.
    reference : (str, str)
        Detector and parameter set that each is compared with.
    resamples, seed : int

    Returns
    -------
    sequence of dict
        ``detector``, ``parameters``, and what :func:`summary` returns.
    """
    by_name = dict(iter(rows.groupby(["detector", "preset"], sort=False)))
    return [
        {"detector": name[0], "parameters": name[1]}
        | summary(verdicts, by_name[reference], resamples=resamples, seed=seed)
        for name, verdicts in by_name.items()
    ]
