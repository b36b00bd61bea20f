"""The labelled windows a learner sees: numbers and labels, and the connection only for splitting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from traces.fault import Fault
from traces.tables import WINDOW_KEY


class LearnError(Fault):
    """There is nothing to learn from, or nothing to learn: says what is missing."""


@dataclass(frozen=True)
class LabelledWindows:
    """Windows with a label.

    Attributes
    ----------
    key : DataFrame of the ``pair_window`` key
        Identifies the rows in results; never an input of a model.
    x : (rows, features) float64
        Integers are exact in it.
    feature_names : tuple of str
    shared : (rows,) bool
        The label.
    stratum : (rows,) str
        Site and label of the connection, for stratified splits.
    """

    key: pd.DataFrame
    x: npt.NDArray[np.float64]
    feature_names: tuple[str, ...]
    shared: npt.NDArray[np.bool_]
    stratum: npt.NDArray[np.str_]

    @property
    def connections(self) -> npt.NDArray[np.str_]:
        """Connection of each row."""
        return self.key["connection_id"].to_numpy(dtype=str)


def labelled_windows(pair_window: pd.DataFrame, rule: str, feature_names: tuple[str, ...]) -> LabelledWindows:
    """Select the labelled windows of one rule.

    Raises
    ------
    LearnError
        If none is left, or only one label.
    """
    rows = pair_window[(pair_window["rule"] == rule) & pair_window["shared"].notna()]
    shared = rows["shared"].to_numpy(dtype=bool)
    if len(rows) == 0 or shared.all() or not shared.any():
        raise LearnError(
            f"rule {rule!r}: {int(shared.sum())} shared and {int((~shared).sum())} non-shared windows;"
            " a model needs both"
        )
    site = rows["site"].fillna("").to_numpy(dtype=str)
    return LabelledWindows(
        key=rows[list(WINDOW_KEY)].reset_index(drop=True),
        x=rows[list(feature_names)].to_numpy(dtype=np.float64),
        feature_names=feature_names,
        shared=shared,
        stratum=np.array([f"{place}/{label}" for place, label in zip(site, shared, strict=True)]),
    )
