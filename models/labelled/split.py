"""Splits drawn over connections: all windows of a connection are on one side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import Fault
from smartsbd.models.labelled.windows import Positions


class SplitError(Fault):
    """There are too few connections of a site and label."""


@dataclass(frozen=True)
class Split:
    """Positions of training and test rows."""

    train: Positions
    test: Positions


def _blocks(
    connections: npt.NDArray[np.str_], stratum: npt.NDArray[np.str_], block: int
) -> tuple[npt.NDArray[np.str_], npt.NDArray[np.str_], npt.NDArray[np.str_]]:
    """Return the block of each row, and the blocks with their strata.

    A block is up to `block` connections of one stratum that follow each other by name; its name is the
    first one's.
    """
    names, first = np.unique(connections, return_index=True)
    strata = stratum[first]
    block_of = names.copy()
    for site_and_label in np.unique(strata):
        members = np.flatnonzero(strata == site_and_label)
        block_of[members] = names[members[np.arange(members.size) // block * block]]
    blocks, place = np.unique(block_of, return_index=True)
    return block_of[np.searchsorted(names, connections)], blocks, strata[place]


def _rows_of(of_row: npt.NDArray[np.str_], chosen: npt.NDArray[np.str_]) -> Positions:
    return np.flatnonzero(np.isin(of_row, chosen)).astype(np.int64)


def _drawn_splits(
    splitter: Any, of_row: npt.NDArray[np.str_], blocks: npt.NDArray[np.str_], strata: npt.NDArray[np.str_]
) -> list[Split]:
    try:
        sides = list(splitter.split(blocks, strata))
    except ValueError as error:
        names, counts = np.unique(strata, return_counts=True)
        sizes = ", ".join(f"{name} {count}" for name, count in zip(names, counts, strict=True))
        raise SplitError(f"too few connections to split by site and label ({sizes}): {error}") from error
    return [Split(_rows_of(of_row, blocks[train]), _rows_of(of_row, blocks[test])) for train, test in sides]


def shuffle_splits(
    connections: npt.NDArray[np.str_],
    stratum: npt.NDArray[np.str_],
    *,
    splits: int,
    test_share: float,
    seed: int,
    block: int = 1,
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
    block : int
        Connections of one stratum that follow each other by name and stay on one side; recordings made
        shortly after each other may share more than a label (docs/ambiguities.md, 17).

    Returns
    -------
    list of Split
        One for each draw; positions of rows.

    References
    ----------
    SmartSBD, section 5.1 (stratified shuffle split); by connection is ours, against leaks.
    """
    from sklearn.model_selection import StratifiedShuffleSplit

    of_row, blocks, strata = _blocks(connections, stratum, block)
    shuffle = StratifiedShuffleSplit(n_splits=splits, test_size=test_share, random_state=seed)
    return _drawn_splits(shuffle, of_row, blocks, strata)


def folds(
    connections: npt.NDArray[np.str_], stratum: npt.NDArray[np.str_], *, count: int, seed: int, block: int = 1
) -> list[Split]:
    """Cut the connections, in blocks, into stratified folds, each the test side once.

    Parameters
    ----------
    connections, stratum, seed, block
        As :func:`shuffle_splits` takes them.
    count : int
        Number of folds.

    Returns
    -------
    list of Split
        One for each fold; positions of rows.

    Raises
    ------
    SplitError
        If there are too few connections of a site and label.
    """
    from sklearn.model_selection import StratifiedKFold

    of_row, blocks, strata = _blocks(connections, stratum, block)
    return _drawn_splits(StratifiedKFold(n_splits=count, shuffle=True, random_state=seed), of_row, blocks, strata)
