"""The labelled windows a learner sees: numbers and labels, and the connection only for splitting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.contracts.fault import Fault
from smartsbd.contracts.tables import WINDOW_KEY

#: Positions of rows, (rows,) int64.
Positions = npt.NDArray[np.int64]

#: Kind of the windows made of two connections (:mod:`smartsbd.models.labelled.partners`); of others it is their rule.
SWAPPED = "swapped"


class LearnError(Fault):
    """There are no windows to learn from, or only one label; the message says what is missing."""


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
    site : (rows,) str
        Site of the connection, empty where it has none.
    kind : (rows,) str
        How the window was made: its rule, or :data:`SWAPPED`.
    """

    key: pd.DataFrame
    x: npt.NDArray[np.float64]
    feature_names: tuple[str, ...]
    shared: npt.NDArray[np.bool_]
    site: npt.NDArray[np.str_]
    kind: npt.NDArray[np.str_]

    @property
    def connections(self) -> npt.NDArray[np.str_]:
        """Connection of each row."""
        return self.key["connection_id"].to_numpy(dtype=str)

    @property
    def stratum(self) -> npt.NDArray[np.str_]:
        """Site and label of each row, for stratified splits."""
        return np.array([f"{place}/{label}" for place, label in zip(self.site, self.shared, strict=True)])

    def rows(self, kind: str) -> npt.NDArray[np.int64]:
        """Return the positions of the windows of a kind."""
        return np.flatnonzero(self.kind == kind).astype(np.int64)


def _windows(rows: pd.DataFrame, kind: npt.NDArray[np.str_], feature_names: tuple[str, ...]) -> LabelledWindows:
    return LabelledWindows(
        key=rows[list(WINDOW_KEY)].reset_index(drop=True),
        x=rows[list(feature_names)].to_numpy(dtype=np.float64),
        feature_names=feature_names,
        shared=rows["shared"].to_numpy(dtype=bool),
        site=rows["site"].fillna("").to_numpy(dtype=str),
        kind=kind,
    )


def _labelled(pair_window: pd.DataFrame, rule: str) -> pd.DataFrame:
    rows = pair_window[(pair_window["rule"] == rule) & pair_window["shared"].notna()]
    shared = rows["shared"].to_numpy(dtype=bool)
    if len(rows) == 0 or shared.all() or not shared.any():
        raise LearnError(
            f"rule {rule!r}: {int(shared.sum())} shared and {int((~shared).sum())} non-shared windows;"
            " a model needs both"
        )
    return rows


def labelled_windows(pair_window: pd.DataFrame, rule: str, feature_names: tuple[str, ...]) -> LabelledWindows:
    """Select the labelled windows of one rule.

    Parameters
    ----------
    pair_window : DataFrame of the ``pair_window`` table
    rule : str
        How the windows were placed.
    feature_names : tuple of str
        Columns that become the inputs, in this order.

    Returns
    -------
    LabelledWindows
        In the order of the table.

    Raises
    ------
    LearnError
        If none is left, or only one label.
    """
    rows = _labelled(pair_window, rule)
    return _windows(rows, np.full(len(rows), rule), feature_names)


def windows_labelled_by(
    rows: pd.DataFrame, shared: npt.NDArray[np.bool_], feature_names: tuple[str, ...]
) -> LabelledWindows:
    """Return windows with labels that are not the truth's.

    Parameters
    ----------
    rows : DataFrame of the ``pair_window`` table
    shared : (rows,) bool
    feature_names : tuple of str

    Returns
    -------
    LabelledWindows
        In the order of the rows.
    """
    return _windows(rows.assign(shared=shared), rows["rule"].to_numpy(dtype=str), feature_names)


def windows_of_kinds(
    pair_window: pd.DataFrame, rules: Sequence[str], swapped: pd.DataFrame, feature_names: tuple[str, ...]
) -> LabelledWindows:
    """Select the labelled windows of several rules, and put those of swapped partners behind them.

    Parameters
    ----------
    pair_window, swapped : DataFrame of the ``pair_window`` table
    rules : sequence of str
    feature_names : tuple of str

    Returns
    -------
    LabelledWindows
        By rule in their order, each in the order of the table.

    Raises
    ------
    LearnError
        If a rule has no labelled window, or only one label.
    """
    parts = [_labelled(pair_window, rule) for rule in rules]
    kinds = [np.full(len(part), rule) for part, rule in zip(parts, rules, strict=True)]
    return _windows(
        pd.concat([*parts, swapped], ignore_index=True),
        np.concatenate([*kinds, np.full(len(swapped), SWAPPED)]),
        feature_names,
    )


def labelled_rejected(rejected: pd.DataFrame, rule: str) -> pd.DataFrame:
    """Return the labelled windows of one rule that could not be made: no model has a verdict on them.

    Parameters
    ----------
    rejected : DataFrame of the ``rejected`` table
    rule : str

    Returns
    -------
    DataFrame of the ``rejected`` table
        In the order of the table.
    """
    return rejected[(rejected["rule"] == rule) & rejected["shared"].notna()]
