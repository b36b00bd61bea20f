"""Splits drawn over connections: all windows of a connection stand on one side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Split:
    """Positions of training and test rows."""

    train: Positions
    test: Positions


def _per_connection(
    connections: npt.NDArray[np.str_], stratum: npt.NDArray[np.str_]
) -> tuple[npt.NDArray[np.str_], npt.NDArray[np.str_]]:
    names, first = np.unique(connections, return_index=True)
    return names, stratum[first]


def _rows_of(connections: npt.NDArray[np.str_], chosen: npt.NDArray[np.str_]) -> Positions:
    return np.flatnonzero(np.isin(connections, chosen)).astype(np.int64)


def shuffle_splits(
    connections: npt.NDArray[np.str_], stratum: npt.NDArray[np.str_], *, splits: int, test_share: float, seed: int
) -> list[Split]:
    """Draw stratified random splits over connections.

    Parameters
    ----------
    connections, stratum : (rows,) str
        Connection of each row, and its site and label.
    splits : int
        How many; 10 in the paper.
    test_share : float in (0, 1)
        Share of connections on the test side; 0.1 in the paper.
    seed : int

    References
    ----------
    SmartSBD, section 5.1 (stratified shuffle split); by connection is ours, against leaks.
    """
    names, strata = _per_connection(connections, stratum)
    drawn = StratifiedShuffleSplit(n_splits=splits, test_size=test_share, random_state=seed).split(names, strata)
    return [Split(_rows_of(connections, names[train]), _rows_of(connections, names[test])) for train, test in drawn]


def folds(connections: npt.NDArray[np.str_], stratum: npt.NDArray[np.str_], *, count: int, seed: int) -> list[Split]:
    """Cut the connections into stratified folds, each the test side once."""
    names, strata = _per_connection(connections, stratum)
    drawn = StratifiedKFold(n_splits=count, shuffle=True, random_state=seed).split(names, strata)
    return [Split(_rows_of(connections, names[train]), _rows_of(connections, names[test])) for train, test in drawn]
