"""Rows drawn to find disagreement: every leaf is reached, and every threshold is hit exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.export.tree import Forest, Leaf, Tree
from smartsbd.features import catalog

#: Share of values on the lower, and on the upper edge of a leaf's box.
_EDGE_SHARE = 0.125
_HALF = 0.5


def _range(name: str) -> tuple[int, int]:
    feature = catalog.feature(name)
    return int(feature.low), int(feature.high)


def _boxes(tree: Tree, within: dict[str, tuple[int, int]]) -> list[dict[str, tuple[int, int]]]:
    """Return the box of feature values (inclusive) of every leaf that a value can reach."""
    if isinstance(tree, Leaf):
        return [within]
    low, high = within.get(tree.feature, _range(tree.feature))
    boxes = []
    if tree.threshold >= low:
        boxes += _boxes(tree.low, within | {tree.feature: (low, min(high, tree.threshold))})
    if tree.threshold < high:
        boxes += _boxes(tree.high, within | {tree.feature: (max(low, tree.threshold + 1), high)})
    return boxes


def probing_rows(forest: Forest, *, rows: int, seed: int) -> pd.DataFrame:
    """Draw feature values within the boxes of the leaves, many of them on the boxes' edges.

    Edges are thresholds and their successors, so that a `<` in place of a `<=` shows.

    Parameters
    ----------
    forest : Forest
    rows : int
        At least this many; every leaf of every tree gets the same number.
    seed : int

    Returns
    -------
    DataFrame
        One int64 column per feature of the forest, values in the feature's range.
    """
    rng = np.random.default_rng(seed)
    boxes = [box for tree in forest.trees for box in _boxes(tree, {})]
    each = -(-rows // len(boxes))
    columns = {}
    for name in sorted(forest.features()):
        low = np.repeat([box.get(name, _range(name))[0] for box in boxes], each)
        high = np.repeat([box.get(name, _range(name))[1] for box in boxes], each)
        values = rng.integers(low, high, endpoint=True)
        place = rng.random(len(values))
        columns[name] = np.where(place < _EDGE_SHARE, low, np.where(place > 1 - _EDGE_SHARE, high, values)).astype(
            np.int64
        )
    return pd.DataFrame(columns)


def border_rows(names: Sequence[str], near: npt.NDArray[np.int64], *, rows: int, seed: int) -> npt.NDArray[np.int64]:
    """Draw feature values beside given ones, at the borders of what a feature can be, and anywhere.

    For models without boxes. In most rows few features are moved away from a given row: far from all rows that a model
    has learnt, its verdict would always be the same.

    Parameters
    ----------
    names : sequence of str
        Features.
    near : (n, features) int64
        Rows that some values are within 1 of.
    rows : int
        How many to draw.
    seed : int

    Returns
    -------
    (rows, features) int64
        Values in the features' ranges.
    """
    rng = np.random.default_rng(seed)
    low, high = np.array([_range(name) for name in names]).T
    shape = (rows, len(names))
    anywhere = rng.integers(low, high, shape, endpoint=True)
    beside = rng.integers(0, 2, shape)
    borders = np.where(rng.random(shape) < _HALF, low + beside, high - beside)
    given = np.clip(near[rng.integers(0, len(near), rows)] + rng.integers(-1, 2, shape), low, high)
    is_moved = rng.random(shape) < rng.random((rows, 1)) ** 2
    drawn: npt.NDArray[np.int64] = np.where(is_moved, np.where(rng.random(shape) < _HALF, anywhere, borders), given)
    return drawn
