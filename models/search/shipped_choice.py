"""The choice of the model that carries over best."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd

from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.stored.stored_model import StoredModel

_DIGITS = 6
_BY_MODEL = ["train_set", "model", "feature_set"]
#: In this order.
_CRITERIA = ["development", "transferred", "own"]


def _criteria(overall: pd.DataFrame, learnt: Collection[str], development: str) -> pd.DataFrame:
    """Return the mean balanced accuracy of each model, by criterion; nan where it was not tested."""
    same_set = overall["train_set"] == overall["test_set"]
    chosen = {
        "development": overall["test_set"] == development,
        "transferred": ~same_set & overall["test_set"].isin(list(learnt)),
        "own": same_set,
    }
    return pd.concat(
        [
            overall[chosen[name]].groupby(_BY_MODEL, sort=False)["balanced"].mean().round(_DIGITS).rename(name)
            for name in _CRITERIA
        ],
        axis=1,
    )


def best_model(
    overall: pd.DataFrame, learnt: Sequence[str], development: str, rule: str, exported: Collection[str]
) -> dict[str, Any]:
    """Return the model of the best balanced accuracy on the development set, and that of those that are exported.

    Of equals, or where that set is not tested on: on the other datasets that are learnt from, then on its own. Nothing
    is chosen on others.

    Parameters
    ----------
    overall : DataFrame
        Columns ``train_set``, ``test_set``, ``model``, ``feature_set`` and ``balanced``; one row for each.
    learnt : sequence of str
        Datasets that stored models learn from.
    development : str
        The development set, a dataset.
    rule : str
        Of the windows that stored models are trained on.
    exported : collection of str
        Names of the stored models that are exported.

    Returns
    -------
    dict
        ``model``, ``chosen_on`` (the development set, or None) and ``balanced`` by criterion; ``exported`` has the
        same of the best of the exported models, None if there is none.
    """
    sets = [str(WindowSet.of(dataset, rule)) for dataset in learnt]
    criteria = _criteria(overall[overall["train_set"].isin(sets)], sets, str(WindowSet.of(development, rule)))
    ordered = criteria.sort_values(_CRITERIA, ascending=False, kind="stable").reset_index()
    ordered["name"] = [
        str(StoredModel(WindowSet.parse(train_set).dataset, model, feature_set))
        for train_set, model, feature_set in ordered[_BY_MODEL].to_numpy().tolist()
    ]

    def described(first: pd.Series[Any]) -> dict[str, Any]:
        return {
            "model": first["name"],
            "chosen_on": None if pd.isna(first["development"]) else development,
            "balanced": {name: None if pd.isna(first[name]) else float(first[name]) for name in _CRITERIA},
        }

    of_exported = ordered[ordered["name"].isin(list(exported))]
    return described(ordered.iloc[0]) | {"exported": None if of_exported.empty else described(of_exported.iloc[0])}
