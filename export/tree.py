"""Trees and forests over integers: what a fitted model becomes before it is written as C."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import Fault
from smartsbd.features import catalog
from smartsbd.models.families.fitted import Fitted
from smartsbd.models.families.random_forest import LATTICE

#: Thresholds and features lie below this, so that they fit an s32 and scikit-learn's float32.
BOUND = 1 << 24
#: The vote of a leaf that is sure; a leaf that is undecided has half of it.
ALL_FOR = 1 << 24


class ExportError(Fault):
    """A model that cannot become a header; the message says why."""


@dataclass(frozen=True)
class Leaf:
    """How much of :data:`ALL_FOR` a leaf gives to a shared bottleneck; in a tree that stands alone, none or all."""

    vote: int


@dataclass(frozen=True)
class Branch:
    """Go `low` if the feature is at most `threshold`, else `high`."""

    feature: str
    threshold: int
    low: Tree
    high: Tree


Tree = Leaf | Branch

NOT_SHARED = Leaf(0)
SHARED = Leaf(ALL_FOR)


@dataclass(frozen=True)
class Forest:
    """Trees that vote: shared if they give it more than half. One tree alone is a forest too."""

    trees: tuple[Tree, ...]

    def features(self) -> tuple[str, ...]:
        """Return the features it takes, in the catalogue's order."""
        used = {node.feature for tree in self.trees for node in nodes(tree) if isinstance(node, Branch)}
        return tuple(feature.name for feature in catalog.FEATURES if feature.name in used)

    def size(self) -> tuple[int, int, int]:
        """Return (splits, leaves, largest depth)."""
        sizes = [_size(tree) for tree in self.trees]
        return sum(size[0] for size in sizes), sum(size[1] for size in sizes), max(size[2] for size in sizes)


def nodes(tree: Tree) -> Iterator[Tree]:
    """Yield the nodes of a tree, breadth first."""
    waiting = [tree]
    while waiting:
        yield from waiting
        waiting = [side for node in waiting if isinstance(node, Branch) for side in (node.low, node.high)]


def _size(tree: Tree) -> tuple[int, int, int]:
    if isinstance(tree, Leaf):
        return 0, 1, 0
    low, high = _size(tree.low), _size(tree.high)
    return 1 + low[0] + high[0], low[1] + high[1], 1 + max(low[2], high[2])


def from_fitted(fitted: Fitted) -> Forest:
    """Translate a fitted scikit-learn decision tree, or a random forest.

    scikit-learn compares ``float32(x) <= threshold`` with a float64 threshold. For an integer x below
    2^24 that is ``x <= floor(threshold)``, so nothing is rounded. A tie of votes is the first class,
    as in scikit-learn. Subtrees whose leaves agree become one leaf. A forest's votes are those of its
    leaves, which :func:`smartsbd.models.families.random_forest.to_lattice` made multiples of 2^-24: their sum is exact.

    Returns
    -------
    Forest
        Trees over integers, without splits whose sides agree.

    Raises
    ------
    ExportError
        If the estimator is no fitted tree or forest of two classes, takes a feature that is no integer,
        decides the same for every window, or has a threshold that is out of bounds or votes that are not exact.
    """
    from smartsbd.models.families import growth

    estimator = fitted.estimator
    known = isinstance(estimator, growth.KINDS)
    # A forest's classes_ are the labels, its members' are their numbers.
    if not known or list(getattr(estimator, "classes_", ())) != [False, True]:
        raise ExportError(
            f"{type(estimator).__name__} is no fitted tree or forest of two classes: only those are exported"
        )
    reals = [name for name in fitted.feature_names if not catalog.feature(name).exportable]
    if reals:
        raise ExportError(f"{', '.join(reals)}: no integers, and a kernel has no others")
    members = getattr(estimator, "estimators_", [estimator])
    votes = _majority if len(members) == 1 else _probability
    trees = [_translate(fitted, member.tree_, votes(member.tree_), 0) for member in members]
    forest = Forest(tuple(merged(tree) for tree in trees))
    if not forest.features():
        raise ExportError("the model decides the same for every window: that is no detector to export")
    return forest


def _majority(inner: Any) -> npt.NDArray[np.int64]:
    """Return the votes of a tree that stands alone: all or nothing, a tie is the first class."""
    votes: npt.NDArray[np.int64] = np.where(inner.value[:, 0, :].argmax(axis=1) == 1, ALL_FOR, 0).astype(np.int64)
    return votes


def _probability(inner: Any) -> npt.NDArray[np.int64]:
    """Return the votes of a forest's tree: its leaves' probabilities."""
    votes: npt.NDArray[np.float64] = inner.value[:, 0, 1] / LATTICE
    leaves = inner.children_left == inner.children_right
    if not np.array_equal(votes[leaves], np.rint(votes[leaves])):
        raise ExportError("the leaves' probabilities are no multiples of 2^-24: their sum would be rounded")
    return votes.astype(np.int64)


def _translate(fitted: Fitted, inner: Any, votes: npt.NDArray[np.int64], node: int) -> Tree:
    if inner.children_left[node] == inner.children_right[node]:
        return Leaf(int(votes[node]))
    threshold = math.floor(inner.threshold[node])
    if not -BOUND < threshold < BOUND:
        raise ExportError(f"node {node}: threshold {threshold} is not within 2^24: float32 would round it")
    return Branch(
        fitted.feature_names[int(inner.feature[node])],
        threshold,
        _translate(fitted, inner, votes, int(inner.children_left[node])),
        _translate(fitted, inner, votes, int(inner.children_right[node])),
    )


def merged(tree: Tree) -> Tree:
    """Return the same decision with every split whose sides agree removed.

    Returns
    -------
    Tree
        A leaf if all leaves agree.

    Examples
    --------
    >>> merged(Branch("rtt_ed_4us", 7, SHARED, Branch("rtt_ed_4us", 9, SHARED, SHARED))) == SHARED
    True
    """
    if isinstance(tree, Leaf):
        return tree
    low, high = merged(tree.low), merged(tree.high)
    if low == high:
        return low
    return Branch(tree.feature, tree.threshold, low, high)
