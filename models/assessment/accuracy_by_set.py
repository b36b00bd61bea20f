"""Accuracy of each model on each set of windows, in the form of SmartSBD's Table 5.

Where the whole of a dataset is tested, a window without a verdict counts as wrong. Random splits are drawn over
connections that have one, so there the coverage is not known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import REJECTED
from smartsbd.models.assessment.accuracy import ALL_SITES, accuracy_of_windows
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.labelled.windows import labelled_rejected

#: Columns that identify a model and what it is trained and tested on.
MODEL_AND_SETS = ("train_set", "test_set", "model", "feature_set")
#: Labelled windows without a verdict (rows of the ``rejected`` table), by the name of their set.
Missing = Mapping[str, pd.DataFrame]


def read_missing(features: Path, datasets: Iterable[str], rule: str) -> dict[str, pd.DataFrame]:
    """Read the labelled windows without a verdict.

    Parameters
    ----------
    features : Path
        Folder with one folder of windows for each dataset.
    datasets : iterable of str
    rule : str
        Of the windows.

    Returns
    -------
    dict of str to DataFrame
        Rows of the ``rejected`` table, by the name of the set of windows.
    """
    return {
        str(WindowSet.of(dataset, rule)): labelled_rejected(
            read_table(REJECTED, features / dataset / "rejected.parquet").to_pandas(), rule
        )
        for dataset in datasets
    }


def missing_of(
    missing: Missing, train_set: str, test_set: str, site: str, learnt: Collection[str]
) -> pd.DataFrame | None:
    """Return the windows without a verdict of a set, None if not all of it was tested.

    Parameters
    ----------
    missing : Missing
    train_set, test_set : str
        Names of sets of windows.
    site : str
        A site, or :data:`~smartsbd.models.assessment.accuracy.ALL_SITES`.
    learnt : collection of str
        Datasets that stored models learn from; they alone are tested on the whole of others.

    Returns
    -------
    DataFrame of the ``rejected`` table, or None
        One row for each window.
    """
    trained = WindowSet.parse(train_set).dataset
    if trained not in learnt or trained == WindowSet.parse(test_set).dataset or test_set not in missing:
        return None
    none = missing[test_set]
    return none if site == ALL_SITES else none[none["site"] == site]


def _ordered(predictions: pd.DataFrame, names: Sequence[str]) -> list[tuple[tuple[str, ...], pd.DataFrame]]:
    """Return the rows of each model and sets, in order of the dataset tested, then of the model and its features."""

    def place(name: str) -> int:
        return names.index(name) if name in names else len(names)

    def order(item: tuple[tuple[str, ...], pd.DataFrame]) -> tuple[int | str, ...]:
        train_set, test_set, model, feature_set = item[0]
        tested = place(WindowSet.parse(test_set).dataset)
        return tested, train_set, test_set, place(model), place(feature_set), feature_set

    groups = predictions.groupby(list(MODEL_AND_SETS))
    return sorted(((tuple(map(str, key)), group) for key, group in groups), key=order)


def accuracy_by_site(
    predictions: pd.DataFrame,
    missing: Missing,
    learnt: Sequence[str],
    names: Sequence[str],
    *,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Return the accuracy of each model on each site and on all, one row for each.

    Parameters
    ----------
    predictions : DataFrame of the ``prediction`` table
    missing : Missing
    learnt : sequence of str
        Datasets that stored models learn from.
    names : sequence of str
        Datasets, families and sets of features in the order of the rows; others follow.
    resamples, seed : int
        As :func:`~smartsbd.models.assessment.accuracy.accuracy_of_windows` takes them.

    Returns
    -------
    DataFrame
        One row for each model, pair of sets and site: :data:`MODEL_AND_SETS`, ``site``, and the fields of
        :class:`~smartsbd.models.assessment.accuracy.WindowAccuracy`.
    """
    rows = []
    for key, group in _ordered(predictions, names):
        train_set, test_set, *_ = key
        whole = missing_of(missing, train_set, test_set, ALL_SITES, learnt)
        sites = {*group["site"].dropna(), *(() if whole is None else whole["site"].dropna())}
        for site in [*sorted(sites), ALL_SITES]:
            part = group if site == ALL_SITES else group[group["site"] == site]
            none = missing_of(missing, train_set, test_set, site, learnt)
            accuracy = accuracy_of_windows(part, resamples=resamples, seed=seed, none=none)
            rows.append({**dict(zip(MODEL_AND_SETS, key, strict=True)), "site": site, **asdict(accuracy)})
    return pd.DataFrame(rows)


def accuracy_by_set(predictions: pd.DataFrame, missing: Missing, *, resamples: int, seed: int) -> pd.DataFrame:
    """Return the accuracy of each model on each set of windows, in the order they come.

    Parameters
    ----------
    predictions : DataFrame of the ``prediction`` table
    missing : Missing
        Taken where no dataset of the test set was learnt from.
    resamples, seed : int
        As :func:`~smartsbd.models.assessment.accuracy.accuracy_of_windows` takes them.

    Returns
    -------
    DataFrame
        One row for each model and pair of sets: ``feature_set``, ``train_set``, ``test_set``, ``model``, and the fields
        of :class:`~smartsbd.models.assessment.accuracy.WindowAccuracy`.
    """
    group_by, rows = ["feature_set", "train_set", "test_set", "model"], []
    for key, group in predictions.groupby(group_by, sort=False):
        _, train_set, test_set, _ = map(str, key)
        held_out = WindowSet.parse(test_set).overlaps(WindowSet.parse(train_set))
        none = None if held_out else missing[test_set]
        accuracy = accuracy_of_windows(group, resamples=resamples, seed=seed, none=none)
        rows.append({**dict(zip(group_by, key, strict=True)), **asdict(accuracy)})
    return pd.DataFrame(rows)
