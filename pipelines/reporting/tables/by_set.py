"""Accuracies with a column for each set of features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.stored.stored_model import PLAIN
from smartsbd.pipelines.reporting.tables.cell import Results, Rows, interval, model_name

FEATURE_SETS = ("paper", "invariant", "both")


_COUNTERPARTS = {"rtt_series": "paper", "queue_series": "invariant", PLAIN: "invariant"}


def feature_set_of(row: dict[str, Any]) -> str:
    """Return the column of a row: each view of the series is in the column of its corresponding set."""
    name: str = row["feature_set"]
    return _COUNTERPARTS.get(name, name)


def by_feature_set(
    results: Results, cell: Callable[[dict[str, Any]], str], row_of: Callable[[dict[str, Any]], Any]
) -> Rows:
    """Return rows of accuracy with a column for each set of features; a row whose key is None is left out.

    Parameters
    ----------
    results : Results
        Where accuracy.csv is.
    cell : callable
        From a row of accuracy.csv to the cell in the column of its set.
    row_of : callable
        From a row of accuracy.csv to the columns that tell the table's rows apart.

    Returns
    -------
    list of dict
        One for each key; cells by column, empty for a set that has no accuracy.
    """
    cells: dict[Any, dict[str, Any]] = {}
    for row in pd.read_csv(results.reports / "accuracy.csv").to_dict("records"):
        known = {str(name): value for name, value in row.items()}
        key = row_of(known)
        if key is not None:
            row_cells = cells.setdefault(tuple(key.values()), {**key, **dict.fromkeys(FEATURE_SETS, "")})
            row_cells[feature_set_of(known)] = cell(known)
    return list(cells.values())


@dataclass(frozen=True)
class TrainedAndTested:
    """The sets of windows that a row of accuracy was trained on and tested on."""

    train: WindowSet
    test: WindowSet

    @classmethod
    def of(cls, row: dict[str, Any]) -> TrainedAndTested:
        """Return what a row's sets say."""
        return cls(WindowSet.parse(row["train_set"]), WindowSet.parse(row["test_set"]))

    def own(self, rule: str) -> bool:
        """Return whether windows of this rule of one dataset are trained and tested on, by random splits."""
        return self.train == self.test and self.test.kind == rule


def tested_on(results: Results, dataset: str) -> Rows:
    """Return the balanced accuracy of every model on a dataset."""

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        judged = TrainedAndTested.of(row)
        wanted = judged.test.dataset == dataset and row["site"] == ALL_SITES
        return {"trained on": judged.train.dataset, "model": model_name(row["model"])} if wanted else None

    return by_feature_set(results, lambda row: interval(row, "balanced"), key)
