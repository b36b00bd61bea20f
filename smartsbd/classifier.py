"""The families of models of the search as one scikit-learn classifier over tables of features."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from smartsbd.contracts.fault import printable
from smartsbd.models.families import FAMILIES, Family
from smartsbd.models.families.fitted import Fitted, Setting

#: A setting of each family that was fixed before any task of the benchmark was run, or the first of the search's grid.
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "tree": {"max_depth": 4},
    "forest": {"max_depth": 6},
    "svm_linear": {"c": 1},
    "svm_rbf": {"c": 1, "gamma": "scale"},
    "logistic": {"c": 1, "solver": "lbfgs"},
    "boosting": {"max_depth": 2},
}
_LABELS = 2
#: Accuracies closer than this are equal: then the first setting of the grid is taken.
_EQUAL = 1e-9


class SharedBottleneckClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Say of feature rows whether two subflows share a bottleneck, by a family of models of the project.

    The families, their scaling and their rounding are those of the pipeline's search; equal rows give an equal model.
    Of two labels the higher one, True or 1, is "shared".

    Parameters
    ----------
    family : {"tree", "forest", "svm_linear", "svm_rbf", "logistic", "boosting"}
        Decision tree, random forest (100 trees), linear support vectors, those with an RBF kernel, logistic regression
        or gradient boosting. Inputs of all but trees are scaled.
    grid : mapping of str to sequence, optional
        Hyperparameters to choose from: ``max_depth`` of trees, forests and boosting; ``c`` of the others; ``gamma`` of
        the RBF kernel; ``solver`` of logistic regression. Without one, a setting that was fixed beforehand is taken.
    folds : int
        Of the cross-validation that chooses from the grid.
    random_state : int, numpy.random.RandomState or None
        Seed of what is drawn. None draws a seed.

    Attributes
    ----------
    classes_ : (2,) array
        The two labels, in order.
    setting_ : dict
        Hyperparameters that were chosen.
    n_features_in_ : int
    feature_names_in_ : (n_features_in_,) array of str
        Only where X was a DataFrame.

    See Also
    --------
    smartsbd.datasets.load : Features, labels and groups to learn from.

    Examples
    --------
    >>> from smartsbd import datasets
    >>> task = datasets.load("kernel-1", size="XS")
    >>> X, y, groups = task.train
    >>> model = SharedBottleneckClassifier("tree", grid={"max_depth": [2, 4]}).fit(X, y, groups)
    >>> model.setting_
    {'max_depth': 4}
    >>> task.score(model.predict(task.test.X))
    1.0
    """

    classes_: npt.NDArray[Any]
    n_features_in_: int
    setting_: dict[str, Any]
    _fitted: Fitted

    def __init__(
        self,
        family: str = "forest",
        *,
        grid: Mapping[str, Sequence[Any]] | None = None,
        folds: int = 5,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.family = family
        self.grid = grid
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, groups: npt.ArrayLike | None = None) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : (rows, features) array of numbers
            Without NaN.
        y : (rows,) array
            Labels, of two kinds.
        groups : (rows,) array, optional
            Rows of one group, as of one connection, stay on one side of every fold that chooses from the grid. Without
            a choice they are not used.

        Returns
        -------
        SharedBottleneckClassifier
            Itself.

        Raises
        ------
        ValueError
            If the family, the grid, the rows or the labels cannot be used.
        """
        family = self._family()
        settings = list(self._settings(family))
        x, labels = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=_LABELS)
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        if len(self.classes_) > _LABELS:
            kind = type_of_target(labels)
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        if len(self.classes_) < _LABELS:
            raise ValueError(f"rows to learn from have one class alone: {self.classes_[0]!r}")
        shared = labels == self.classes_[1]
        chosen = settings[0]
        if len(settings) > 1:
            scores = [self._accuracy(setting, x, shared, groups) for setting in settings]
            chosen = settings[int(np.argmax(np.asarray(scores) > max(scores) - _EQUAL))]
        self.setting_ = chosen
        self._fitted = self._fit_setting(family, chosen, x, shared)
        return self

    def _family(self) -> Family:
        if self.family not in FAMILIES:
            raise ValueError(f"family {printable(repr(self.family))} is unknown, known are {', '.join(FAMILIES)}")
        return FAMILIES[self.family]

    def _settings(self, family: Family) -> Iterator[dict[str, Any]]:
        """Yield the settings of the grid in order; what it does not name is as it was fixed."""
        grid = {name: [value] for name, value in SETTINGS[family.name].items()}
        unknown = set(self.grid or {}) - set(grid)
        if unknown:
            raise ValueError(f"{family.name} has no hyperparameters {sorted(unknown)}, only {sorted(grid)}")
        grid |= {name: list(values) for name, values in (self.grid or {}).items()}
        if not all(grid.values()):
            raise ValueError(f"the grid of {family.name} leaves nothing to choose")
        for values in itertools.product(*grid.values()):
            yield dict(zip(grid, values, strict=True))

    def _accuracy(
        self,
        setting: Mapping[str, Any],
        x: npt.NDArray[np.float64],
        shared: npt.NDArray[np.bool_],
        groups: npt.ArrayLike | None,
    ) -> float:
        """Return the mean accuracy of a setting over the folds."""
        one = clone(self).set_params(grid={name: [value] for name, value in setting.items()})
        folds = StratifiedKFold(self.folds) if groups is None else GroupKFold(self.folds)
        return float(cross_val_score(one, x, shared, groups=groups, cv=folds, error_score="raise").mean())

    def _fit_setting(
        self, family: Family, setting: dict[str, Any], x: npt.NDArray[np.float64], shared: npt.NDArray[np.bool_]
    ) -> Fitted:
        seed = self.random_state
        if not isinstance(seed, int | np.integer):
            seed = (np.random.RandomState() if seed is None else seed).randint(2**31 - 1)
        scaler = family.scaler("standard")
        inputs = x if scaler is None else scaler.fit_transform(x)
        estimator = family.fitted(setting, int(seed), inputs, shared)
        names = tuple(getattr(self, "feature_names_in_", range(x.shape[1])))
        return Fitted(
            estimator if scaler is None else make_pipeline(scaler, estimator),
            tuple(str(name) for name in names),
            Setting(x.shape[1], tuple(setting.items())),
        )

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return how likely each label is: a probability where the family has one, else a logistic function.

        Parameters
        ----------
        X : (rows, features) array of numbers

        Returns
        -------
        (rows, 2) float64 in [0, 1]
            In the order of `classes_`.
        """
        check_is_fitted(self)
        x = validate_data(self, X, dtype=np.float64, reset=False)
        likely = self._fitted.judge(x).score
        return np.column_stack([1.0 - likely, likely])

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : (rows, features) array of numbers

        Returns
        -------
        (rows,) array
            Of `classes_`.
        """
        check_is_fitted(self)
        x = validate_data(self, X, dtype=np.float64, reset=False)
        labels: npt.NDArray[Any] = self.classes_[self._fitted.judge(x).shared_pred.astype(int)]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
