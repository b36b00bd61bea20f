"""Decision trees over integers: what a fitted tree becomes before it is written as C."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from features import catalog
from models.fitted import Fitted
from traces.fault import Fault

#: Thresholds and features lie below this, so that they fit an s32 and scikit-learn's float32.
BOUND = 1 << 24


class ExportError(Fault):
    """A model that cannot become a header: says why."""


@dataclass(frozen=True)
class Leaf:
    """A decision: the subflows share a bottleneck, or not."""

    shared: bool


@dataclass(frozen=True)
class Split:
    """Go `low` if the feature is at most `threshold`, else `high`."""

    feature: str
    threshold: int
    low: Tree
    high: Tree


Tree = Leaf | Split


def from_fitted(fitted: Fitted) -> Tree:
    """Translate a fitted scikit-learn decision tree.

    scikit-learn compares ``float32(x) <= threshold`` with a float64 threshold. For an integer x below
    2^24 that is ``x <= floor(threshold)``, so nothing is rounded. A tie of votes is the first class,
    as in scikit-learn. Subtrees whose leaves agree become one leaf.

    Raises
    ------
    ExportError
        If the estimator is no fitted decision tree of two classes, takes a feature that is no integer,
        decides the same for every window, or has a threshold that is out of bounds.
    """
    inner = getattr(fitted.estimator, "tree_", None)
    if inner is None or list(fitted.estimator.classes_) != [False, True]:
        raise ExportError(
            f"{type(fitted.estimator).__name__} is no fitted decision tree of two classes: only those are exported"
        )
    reals = [name for name in fitted.feature_names if not catalog.feature(name).exportable]
    if reals:
        raise ExportError(f"{', '.join(reals)}: no integers, and a kernel has no others")
    tree = merged(_translate(fitted, inner, 0))
    if isinstance(tree, Leaf):
        raise ExportError("the tree decides the same for every window: that is no detector to export")
    return tree


def _translate(fitted: Fitted, inner: Any, node: int) -> Tree:
    if inner.children_left[node] == inner.children_right[node]:
        return Leaf(bool(fitted.estimator.classes_[int(inner.value[node][0].argmax())]))
    threshold = math.floor(inner.threshold[node])
    if not -BOUND < threshold < BOUND:
        raise ExportError(f"node {node}: threshold {threshold} is not within 2^24: float32 would round it")
    return Split(
        fitted.feature_names[int(inner.feature[node])],
        threshold,
        _translate(fitted, inner, int(inner.children_left[node])),
        _translate(fitted, inner, int(inner.children_right[node])),
    )


def merged(tree: Tree) -> Tree:
    """Return the same decision with every split whose sides agree removed.

    Examples
    --------
    >>> merged(Split("rtt_ed_4us", 7, Leaf(True), Split("rtt_ed_4us", 9, Leaf(True), Leaf(True))))
    Leaf(shared=True)
    """
    if isinstance(tree, Leaf):
        return tree
    low, high = merged(tree.low), merged(tree.high)
    if low == high:
        return low
    return Split(tree.feature, tree.threshold, low, high)


def decide(tree: Tree, features: Mapping[str, int]) -> bool:
    """Return the tree's decision on one window."""
    while isinstance(tree, Split):
        tree = tree.low if features[tree.feature] <= tree.threshold else tree.high
    return tree.shared


def size(tree: Tree) -> tuple[int, int, int]:
    """Return (splits, leaves, depth)."""
    if isinstance(tree, Leaf):
        return 0, 1, 0
    low, high = size(tree.low), size(tree.high)
    return 1 + low[0] + high[0], low[1] + high[1], 1 + max(low[2], high[2])
