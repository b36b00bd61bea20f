"""Trees and forests as scikit-learn grows them, without its work around the growing.

On some hundreds of rows its checks, its copies and its threads take ten times as long as the trees. Here its own
builder is called with the same seeds and the same bootstrap samples, and its own estimators hold what comes out:
fitted, they are the same to the last byte (tests/models/families/test_growth.py). Nothing else relies on the inside of
scikit-learn.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._criterion import Gini
from sklearn.tree._splitter import BestSplitter
from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

from smartsbd.contracts.fault import Fault

_Float32s = npt.NDArray[np.float32]
_Float64s = npt.NDArray[np.float64]

#: One past the seeds that scikit-learn draws for the trees of a forest, and for the splits of a tree.
_TREE_SEEDS = np.iinfo(np.int32).max
_SPLIT_SEEDS = 0x7FFFFFFF
#: Forests of one seed and one number of rows draw the same samples, whichever features they see; a choice has four.
_DRAWS_KEPT = 8
_UNLIMITED = np.iinfo(np.int32).max
_SMALLEST_SPLIT = 2
#: Parameters that may be given; all others must have scikit-learn's defaults.
_FREE = {"max_depth", "random_state", "n_estimators", "n_jobs"}
#: Estimators that are grown here.
KINDS = (DecisionTreeClassifier, RandomForestClassifier)
_DEFAULTS = {kind: kind().get_params(deep=False) for kind in KINDS}


class GrowthError(Fault):
    """An estimator, or rows, that are grown by scikit-learn's ``fit`` alone."""


class _Seeds:
    """Hands out the seeds of a tree's splits, as the random state that a splitter asks."""

    def __init__(self) -> None:
        self.seed = 0

    def randint(self, low: int, high: int) -> int:
        return self.seed


def _inputs(x: npt.NDArray[np.float64]) -> _Float32s:
    """Return the inputs as trees take them."""
    with np.errstate(over="ignore"):
        inputs: _Float32s = np.ascontiguousarray(x, dtype=np.float32)
    if not np.isfinite(inputs).all():
        raise GrowthError("an input is not a finite number of 32 bits")
    return inputs


def _check(estimator: Any) -> None:
    differing = [
        name
        for name, value in _DEFAULTS[type(estimator)].items()
        if name not in _FREE and getattr(estimator, name) != value
    ]
    if differing:
        raise GrowthError(f"{type(estimator).__name__} with its own {', '.join(differing)} is not grown here")


def _seed_of_splits(state: np.random.RandomState, seed: int) -> int:
    state.seed(seed)
    return state.randint(0, _SPLIT_SEEDS)


@lru_cache(_DRAWS_KEPT)
def _draws(seed: int, trees: int, rows: int) -> tuple[tuple[int, int, npt.NDArray[np.uint16]], ...]:
    """Return, for each tree of a forest, its seed, that of its splits, and how often its sample has each row."""
    of_forest, of_tree = np.random.RandomState(seed), np.random.RandomState(0)
    draws = []
    for _ in range(trees):
        tree_seed = of_forest.randint(_TREE_SEEDS)
        of_splits = _seed_of_splits(of_tree, tree_seed)
        of_tree.seed(tree_seed)
        times = np.bincount(of_tree.randint(0, rows, rows), minlength=rows)
        draws.append((tree_seed, of_splits, times.astype(np.uint16)))
    return tuple(draws)


def _grown(
    estimator: Any,
    x: _Float32s,
    label: npt.NDArray[np.int64],
    max_features: int,
    draws: Iterator[tuple[int, npt.NDArray[np.float64] | None]],
) -> Iterator[Tree]:
    """Yield a tree for each seed of splits and weights of the rows."""
    classes = np.array([label.max() + 1], dtype=np.intp)
    y = np.ascontiguousarray(label[:, None], dtype=np.float64)
    seeds = _Seeds()
    splitter = BestSplitter(Gini(1, classes), max_features, 1, 0.0, seeds, None)
    depth = _UNLIMITED if estimator.max_depth is None else estimator.max_depth
    builder = DepthFirstTreeBuilder(splitter, _SMALLEST_SPLIT, 1, 0.0, depth, 0.0)
    for seeds.seed, weight in draws:
        tree = Tree(x.shape[1], classes, 1)
        builder.build(tree, x, y, weight, None)
        yield tree


def grow_tree(tree: DecisionTreeClassifier, x: npt.NDArray[np.float64], y: npt.NDArray[np.bool_]) -> None:
    """Fit a tree whose depth and seed alone are its own.

    Parameters
    ----------
    tree : DecisionTreeClassifier
    x : (rows, inputs) float64
    y : (rows,) bool

    Raises
    ------
    GrowthError
        If another parameter is not scikit-learn's default, or an input is not finite.
    """
    _check(tree)
    inputs = _inputs(x)
    classes, label = np.unique(y, return_inverse=True)
    seed = _seed_of_splits(np.random.RandomState(0), tree.random_state)
    (grown,) = _grown(tree, inputs, label, inputs.shape[1], iter([(seed, None)]))
    tree.n_features_in_ = tree.max_features_ = inputs.shape[1]
    tree.n_outputs_ = 1
    tree.classes_, tree.n_classes_ = classes, np.intp(len(classes))
    tree.tree_ = grown


def grow_forest(forest: RandomForestClassifier, x: npt.NDArray[np.float64], y: npt.NDArray[np.bool_]) -> None:
    """Fit a forest whose size, depth and seed alone are its own.

    Parameters
    ----------
    forest : RandomForestClassifier
    x, y
        As :func:`grow_tree` takes them.

    Raises
    ------
    GrowthError
        As :func:`grow_tree` does.
    """
    _check(forest)
    inputs = _inputs(x)
    rows, features = inputs.shape
    classes, label = np.unique(y, return_inverse=True)
    draws = _draws(forest.random_state, forest.n_estimators, rows)
    max_features = max(1, int(np.sqrt(features)))
    weighted = ((of_splits, times.astype(np.float64)) for _, of_splits, times in draws)
    member = clone(forest.estimator).set_params(**{name: getattr(forest, name) for name in forest.estimator_params})
    member.n_features_in_, member.max_features_, member.n_outputs_ = features, max_features, 1
    member.n_classes_ = np.intp(len(classes))
    forest.estimators_ = []
    for (seed, _, _), grown in zip(draws, _grown(forest, inputs, label, max_features, weighted), strict=True):
        tree = copy.copy(member)
        tree.random_state, tree.tree_ = seed, grown
        tree.classes_ = np.arange(len(classes), dtype=np.float64)
        forest.estimators_.append(tree)
    forest.n_features_in_, forest.n_outputs_ = features, 1
    forest.classes_, forest.n_classes_ = classes, len(classes)
    forest.estimator_ = forest.estimator
    forest._n_samples = forest._n_samples_bootstrap = rows
    forest._sample_weight = None


def probabilities(
    estimator: DecisionTreeClassifier | RandomForestClassifier, x: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the (rows, classes) probabilities of a fitted tree or forest, as its ``predict_proba`` does.

    Returns
    -------
    (rows, classes) float64 in [0, 1]
        The sum of each row is 1, up to rounding.

    Raises
    ------
    GrowthError
        If an input is not finite.
    """
    inputs = _inputs(x)
    if isinstance(estimator, DecisionTreeClassifier):
        of_tree: _Float64s = estimator.tree_.predict(inputs)
        return of_tree
    total = np.zeros((len(inputs), estimator.n_classes_))
    for member in estimator.estimators_:
        total += member.tree_.predict(inputs)
    total /= len(estimator.estimators_)
    return total
