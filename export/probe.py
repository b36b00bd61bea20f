"""Rows drawn to find disagreement: every leaf is reached, and every threshold is hit exactly."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smartsbd.export.tree import Forest, Leaf, Tree
from smartsbd.features import catalog

#: Share of values on the lower, and on the upper edge of a leaf's box.
_EDGE_SHARE = 0.125


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
