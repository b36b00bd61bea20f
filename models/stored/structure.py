"""Whether a loaded model is built as those that we store: what its predictions rely on without a check.

scikit-learn follows a tree's indices wherever they lead, out of the array or round in a circle. So every tree must be a
tree, every array must have the shape and the type that its estimator promises, and every number must be finite. Values
that are wrong and look right are found by the digest that the run recorded, and by nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from smartsbd.features.catalog import FEATURES
from smartsbd.models.families import FAMILIES
from smartsbd.models.families.fitted import Fitted
from smartsbd.models.stored.stored_model import SERIES

_Bools = npt.NDArray[np.bool_]
_Ints = npt.NDArray[np.int64]

#: scikit-learn's mark of a node without children.
_NO_CHILD = -1
#: Columns of a leaf's values must sum to 1, up to rounding.
_ROUNDING = 1e-6
#: Numbers are far below: sums and products of them are finite.
_LARGEST = 1e30
_HYPERPARAMETERS_OF_NEIGHBOURS = ("n_neighbors",)
#: Parameters that change no prediction of what is fitted, or are checked where they are used.
_FREE = {"random_state", "n_jobs", "n_estimators", "class_weight"}
_FAMILY_OF = {
    "DecisionTreeClassifier": "tree",
    "RandomForestClassifier": "forest",
    "LinearSVC": "svm_linear",
    "SVC": "svm_rbf",
    "LogisticRegression": "logistic",
    "HistGradientBoostingClassifier": "boosting",
}
_OF_LINEAR = {"classes_", "coef_", "intercept_", "n_features_in_", "n_iter_"}
_OF_TREE = {"classes_", "max_features_", "n_classes_", "n_features_in_", "n_outputs_", "tree_"}
_OF_FOREST = (
    (_OF_TREE - {"max_features_", "tree_"})
    | {"estimator", "estimator_", "estimator_params", "estimators_"}
    | {"_n_samples", "_n_samples_bootstrap", "_sample_weight"}
)
#: The attributes of each type once it is fitted, beside its parameters.
_FITTED_HAS = {
    "DecisionTreeClassifier": _OF_TREE,
    "RandomForestClassifier": _OF_FOREST,
    "LinearSVC": _OF_LINEAR,
    "LogisticRegression": _OF_LINEAR,
    "SVC": {"_dual_coef_", "_effective_probability", "_gamma", "_intercept_", "_n_support", "_num_iter", "_probA"}
    | {"_probB", "_sparse", "class_weight_", "classes_", "dual_coef_", "epsilon", "fit_status_", "intercept_"}
    | {"n_features_in_", "n_iter_", "nu", "shape_fit_", "support_", "support_vectors_"},
    "HistGradientBoostingClassifier": {"_baseline_prediction", "_bin_mapper", "_feature_subsample_rng"}
    | {"_is_categorical_remapped", "_label_encoder", "_loss", "_n_features", "_predictors", "_preprocessor"}
    | {"_random_seed", "_scorer", "_use_validation_data", "classes_", "do_early_stopping_", "is_categorical_", "loss"}
    | {"n_features_in_", "n_trees_per_iteration_", "train_score_", "validation_score_"},
    "KNeighborsTimeSeriesClassifier": {"_X_fit", "_d", "_fit_X", "_fit_method", "_tree", "_ts_fit", "_ts_metric", "_y"}
    | {"algorithm", "classes_", "effective_metric_", "effective_metric_params_", "leaf_size", "n_features_in_"}
    | {"n_samples_fit_", "outputs_2d_", "p", "radius"},
    "Pipeline": set(),
    "StandardScaler": {"mean_", "n_features_in_", "n_samples_seen_", "scale_", "var_"},
    "MinMaxScaler": {"data_max_", "data_min_", "data_range_", "min_", "n_features_in_", "n_samples_seen_", "scale_"},
}
#: The type of a forest's trees.
_TREES_OF = {
    "RandomForestClassifier": "DecisionTreeClassifier",
}


class StructureError(ValueError):
    """A model that is built as none of ours is; the message says what differs."""


def _require(holds: object, what: str) -> None:
    if not holds:
        raise StructureError(what)


def _is_whole(value: object, expected: int | None = None) -> bool:
    """Return whether a value is a whole number, Python's or numpy's, and the expected one if there is one."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and (expected is None or value == expected)


def _same(value: object, other: object) -> bool:
    return type(value) is type(other) and bool(value == other)


def _has(owner: Any, names: Iterable[str]) -> None:
    """Check that an object has these attributes of its own and no others, which could replace its methods."""
    differing = set(vars(owner)) ^ set(names)
    _require(not differing, f"{type(owner).__name__} lacks, or should not have, {', '.join(sorted(differing))}")


def _array(owner: Any, name: str, dtype: npt.DTypeLike, *shape: int | None) -> npt.NDArray[Any]:
    """Return an attribute that must be an array of this type and shape, finite; None is any length."""
    value = getattr(owner, name)
    what = f"{name} of {type(owner).__name__}"
    _require(type(value) is np.ndarray and value.dtype == np.dtype(dtype), f"{what} is no array of {np.dtype(dtype)}")
    fits = len(value.shape) == len(shape) and all(
        given is None or length == given for length, given in zip(value.shape, shape, strict=True)
    )
    _require(fits and value.flags.c_contiguous, f"{what} has the shape {value.shape}")
    if value.dtype.kind == "f":
        _bounded(value, what)
    array: npt.NDArray[Any] = value
    return array


def _bounded(values: npt.NDArray[Any], what: str) -> None:
    """Check that numbers are finite, and so is what is computed of them and of features."""
    _require(np.isfinite(values).all(), f"{what} is not finite")
    _require(np.abs(values).max(initial=0) <= _LARGEST, f"{what} is larger than any of ours")


def _classes(owner: Any) -> None:
    _require(_array(owner, "classes_", np.bool_, 2).tolist() == [False, True], "classes are not False and True")


def _parameters(owner: Any, expected: Any) -> None:
    """Check that an estimator has the parameters of another one of its type, and its attributes once it is fitted."""
    name = type(owner).__name__
    _require(type(owner) is type(expected), f"{name} in place of {type(expected).__name__}")
    given = expected.get_params(deep=False)
    _has(owner, {*given, *_FITTED_HAS[name]})
    for parameter in given.keys() - _FREE:
        _require(_same(getattr(owner, parameter), given[parameter]), f"{parameter} of {name} is not as it was set")


def _features(owner: Any, features: int) -> None:
    _require(_is_whole(owner.n_features_in_, features), f"{type(owner).__name__} takes another number of features")


def _is_tree(left: npt.NDArray[Any], right: npt.NDArray[Any], inner: _Bools) -> bool:
    """Return whether each node but the first is the child of one node before it: no way leads out, or round."""
    at = np.flatnonzero(inner)
    low, high = left[inner].astype(np.int64), right[inner].astype(np.int64)
    if not ((low > at) & (high > at)).all():
        return False
    children: _Ints = np.sort(np.concatenate([low, high]))
    return bool(np.array_equal(children, np.arange(1, len(left))))


def _tree(tree: Any, features: int) -> None:
    """Check scikit-learn's tree."""
    # Its arrays are as long as it says; what was read is as long as its capacity.
    _require(type(tree).__name__ == "Tree" and 1 <= tree.node_count == tree.capacity, "a tree has another length")
    _require((tree.n_features, tree.n_outputs, tree.max_n_classes) == (features, 1, 2), "a tree has another shape")
    left, right, feature = tree.children_left, tree.children_right, tree.feature
    inner = left != _NO_CHILD
    _require(np.array_equal(inner, right != _NO_CHILD), "a node of a tree has one child")
    _require(_is_tree(left, right, inner), "the nodes of a tree are no tree")
    _require(((feature >= 0) & (feature < features))[inner].all(), "a tree splits a feature that is not there")
    _require(np.isfinite(tree.threshold).all(), "a threshold of a tree is not finite")
    _require(np.isfinite(tree.impurity).all(), "an impurity of a tree is not finite")
    value = tree.value
    # Not a number is in no range.
    _require(((value >= 0) & (value <= 1)).all(), "the value of a tree's node is no share")
    _require((np.abs(value.sum(axis=2) - 1) <= _ROUNDING).all(), "the values of a tree's node do not sum to 1")


def _decision_tree(estimator: Any, features: int) -> None:
    _features(estimator, features)
    _require(_is_whole(estimator.n_outputs_, 1) and _is_whole(estimator.n_classes_, 2), "a tree has another shape")
    _tree(estimator.tree_, features)


def _stored_tree(estimator: Any, features: int) -> None:
    _classes(estimator)
    _decision_tree(estimator, features)


def _forest(estimator: Any, features: int) -> None:
    kind = _TREES_OF[type(estimator).__name__]
    _classes(estimator)
    _features(estimator, features)
    _require(_is_whole(estimator.n_outputs_, 1) and _is_whole(estimator.n_classes_, 2), "a forest has another shape")
    members = estimator.estimators_
    _require(type(members) is list and _is_whole(estimator.n_estimators, len(members)), "a forest has other trees")
    _require(members, "a forest has no tree")
    for unfitted in (estimator.estimator, estimator.estimator_):
        _require(type(unfitted).__name__ == kind, "a forest is of no trees")
        _has(unfitted, type(unfitted)().get_params(deep=False))
    expected = {*estimator.estimator.get_params(deep=False), *_OF_TREE}
    for member in members:
        _require(type(member).__name__ == kind, "a forest is of no trees")
        _has(member, expected)
        _require(_array(member, "classes_", np.float64, 2).tolist() == [0, 1], "a tree of a forest has other classes")
        _decision_tree(member, features)


def _linear(estimator: Any, features: int) -> None:
    _classes(estimator)
    _features(estimator, features)
    _array(estimator, "coef_", np.float64, 1, features)
    _array(estimator, "intercept_", np.float64, 1)


def _svm(estimator: Any, features: int) -> None:
    _classes(estimator)
    _features(estimator, features)
    support = _array(estimator, "support_", np.int32, None)
    _array(estimator, "support_vectors_", np.float64, len(support), features)
    of_class = _array(estimator, "_n_support", np.int32, 2)
    _require(of_class.min() >= 1 and int(of_class.sum(dtype=np.int64)) == len(support), "support vectors are missing")
    for name, length in (("dual_coef_", len(support)), ("intercept_", None)):
        shape = (1,) if length is None else (1, length)
        outer = _array(estimator, name, np.float64, *shape)
        inner = _array(estimator, f"_{name}", np.float64, *shape)
        _require(np.array_equal(outer, -inner), f"{name} is not the reverse of what predicts")
    for name in ("_probA", "_probB"):
        _array(estimator, name, np.float64, 0)
    _array(estimator, "class_weight_", np.float64, 2)
    rows = estimator.shape_fit_
    _require(type(rows) is tuple and len(rows) == 2 and all(map(_is_whole, rows)), "shape_fit_ is no shape")  # noqa: PLR2004
    _require(rows[1] == features and ((support >= 0) & (support < rows[0])).all(), "a support vector is no row")
    _require(_same(estimator.gamma, estimator._gamma), "gamma is not as it was set")
    _require(0 < estimator.gamma <= _LARGEST, "gamma is out of range")
    _require(
        estimator._sparse is False and estimator._effective_probability is False, "its vectors are of another kind"
    )
    _require(_is_whole(estimator.fit_status_, 0), "it was not fitted")
    for name in ("epsilon", "nu"):
        _require(_same(getattr(estimator, name), 0.0), f"{name} is not as it was set")


def _predictor(predictor: Any, features: int) -> None:
    """Check a tree of gradient boosting."""
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

    _require(type(predictor).__name__ == "TreePredictor", "boosting is of no trees")
    _has(predictor, ("nodes", "binned_left_cat_bitsets", "raw_left_cat_bitsets"))
    nodes = _array(predictor, "nodes", PREDICTOR_RECORD_DTYPE, None)
    for name in ("binned_left_cat_bitsets", "raw_left_cat_bitsets"):
        _array(predictor, name, np.uint32, 0, 8)
    _require(len(nodes) and nodes["is_leaf"].max() <= 1, "a node of a tree is neither leaf nor split")
    inner = nodes["is_leaf"] == 0
    _require(_is_tree(nodes["left"], nodes["right"], inner), "the nodes of a tree are no tree")
    _require(not (nodes["left"][~inner].any() or nodes["right"][~inner].any()), "a leaf of a tree has children")
    feature = nodes["feature_idx"]
    _require(((feature >= 0) & (feature < features)).all(), "a tree splits a feature that is not there")
    _require(not nodes["is_categorical"].any(), "a tree splits categories")
    _bounded(nodes["value"], "value of a tree")
    for name in ("num_threshold", "gain"):
        _require(np.isfinite(nodes[name]).all(), f"{name} of a tree is not finite")


def _boosting(estimator: Any, features: int) -> None:
    _classes(estimator)
    _features(estimator, features)
    _require(_is_whole(estimator._n_features, features), "boosting takes another number of features")
    _array(estimator, "_baseline_prediction", np.float64, 1, 1)
    _require(_is_whole(estimator.n_trees_per_iteration_, 1), "boosting has other trees")
    for name in ("_preprocessor", "is_categorical_", "_is_categorical_remapped", "_scorer"):
        _require(getattr(estimator, name) is None, f"{name} of boosting is not as it was set")
    bins = estimator._bin_mapper
    _require(type(bins).__name__ == "_BinMapper", "boosting has no bins")
    _has(bins, {*bins.get_params(deep=False), "bin_thresholds_", "is_categorical_", "missing_values_bin_idx_"}
         | {"n_bins_non_missing_"})  # fmt: skip
    _require(bins.known_categories is None and bins.is_categorical is None, "boosting has categories")
    _require(not _array(bins, "is_categorical_", np.uint8, features).any(), "boosting has categories")
    loss = estimator._loss
    _require(type(loss).__name__ == "HalfBinomialLoss" and type(loss.link).__name__ == "LogitLink", "another loss")
    of_loss = ("approx_hessian", "closs", "constant_hessian", "device", "interval_y_pred", "interval_y_true", "link")
    _has(loss, (*of_loss, "n_classes", "xp"))
    _require(loss.xp is None and loss.device is None and _is_whole(loss.n_classes, 2), "another loss")
    _require(set(vars(loss.link)) <= {"interval_y_pred"}, "another link")
    rounds = estimator._predictors
    _require(type(rounds) is list and _is_whole(estimator.max_iter, len(rounds)), "boosting has other trees")
    for trees in rounds:
        _require(type(trees) is list and len(trees) == 1, "boosting has other trees")
        _predictor(trees[0], features)


def _scaler(scaler: Any, features: int) -> None:
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    kinds = {"StandardScaler": StandardScaler, "MinMaxScaler": MinMaxScaler}
    name = type(scaler).__name__
    _require(name in kinds, f"{name} is no scaler of ours")
    _parameters(scaler, kinds[name]())
    _features(scaler, features)
    for attribute in _FITTED_HAS[name] - {"n_features_in_", "n_samples_seen_"}:
        _array(scaler, attribute, np.float64, features)
    _require((scaler.scale_ >= 1 / _LARGEST).all(), "a scale is smaller than any of ours")


def _neighbours(estimator: Any, features: int) -> None:
    _classes(estimator)
    _features(estimator, features)
    series = _array(estimator, "_ts_fit", np.float64, None, None, features)
    rows = len(series)
    _require(series.size, "there is no neighbour")
    label = _array(estimator, "_y", np.int64, rows)
    _require(((label >= 0) & (label <= 1)).all(), "a neighbour has no label")
    _require(_is_whole(estimator.n_neighbors) and 1 <= estimator.n_neighbors <= rows, "n_neighbors is out of range")
    _require(_is_whole(estimator.n_samples_fit_, rows) and _is_whole(estimator._d, features), "neighbours are missing")
    for name in ("_X_fit", "_fit_X"):
        _array(estimator, name, np.float64, rows, rows)


_CHECKS: dict[str, Callable[[Any, int], None]] = {
    "DecisionTreeClassifier": _stored_tree,
    "RandomForestClassifier": _forest,
    "LinearSVC": _linear,
    "LogisticRegression": _linear,
    "SVC": _svm,
    "HistGradientBoostingClassifier": _boosting,
    "KNeighborsTimeSeriesClassifier": _neighbours,
}


def _names(fitted: Fitted) -> None:
    """Check that the inputs are features that we have, or the two series of nearest neighbours."""
    names = fitted.feature_names
    _require(all(type(name) is str for name in names), "the name of a feature is no name")
    if type(fitted.estimator).__name__ == "KNeighborsTimeSeriesClassifier":
        _require(names == SERIES, "nearest neighbours are of other series")
        return
    unknown = set(names) - {feature.name for feature in FEATURES}
    _require(not unknown, f"features {sorted(unknown)} are not in the catalogue")
    _require(names and len(set(names)) == len(names), "a feature is there twice, or none is")


def _settings(fitted: Fitted, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the hyperparameters, which must be these."""
    top, chosen = fitted.setting.top, dict(fitted.setting.hyperparameters)
    _require(_is_whole(top) and len(fitted.feature_names) <= top, "it has more features than its setting")
    _require(set(chosen) == set(names), f"its hyperparameters are not {', '.join(names)}")
    for name, value in chosen.items():
        known = value is None or type(value) in (int, str) or (type(value) is float and math.isfinite(value))
        _require(known, f"{name} is no setting")
    return chosen


def check_structure(fitted: Fitted) -> None:
    """Check that a loaded model is built as those that we store.

    Parameters
    ----------
    fitted : Fitted

    Raises
    ------
    StructureError
        If it is not.
    """
    features = len(fitted.feature_names)
    _names(fitted)
    estimator = fitted.estimator
    if type(estimator).__name__ == "Pipeline":
        _has(estimator, ("steps", "memory", "transform_input", "verbose"))
        _require(estimator.memory is None and estimator.transform_input is None, "its pipeline is another")
        steps = estimator.steps
        pairs = type(steps) is list and [type(step) is tuple and len(step) for step in steps] == [2, 2]
        _require(pairs and [name for name, _ in steps] == [type(step).__name__.lower() for _, step in steps],
                 "its pipeline is no scaler and an estimator")  # fmt: skip
        _scaler(steps[0][1], features)
        estimator = steps[1][1]
    kind = type(estimator).__name__
    _require(kind in _CHECKS, f"{kind} is no estimator of ours")
    if kind in _FAMILY_OF:
        family = FAMILIES[_FAMILY_OF[kind]]
        _require(estimator is fitted.estimator or family.scaled, f"{kind} has a scaler")
        expected = family.build(_settings(fitted, family.hyperparameters), 0)
    else:
        chosen = _settings(fitted, _HYPERPARAMETERS_OF_NEIGHBOURS)
        expected = type(estimator)(n_neighbors=chosen["n_neighbors"], metric="dtw")
    _parameters(estimator, expected)
    _CHECKS[kind](estimator, features)
