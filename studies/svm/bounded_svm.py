"""An SVM with RBF kernel and a bounded number of vectors: few are chosen, and weights are fitted anew for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, LinearSVC

from smartsbd.models.families.family import Family
from smartsbd.models.families.linear import MOST_ITERATIONS, rounded

Float64Array = npt.NDArray[np.float64]

#: Vectors are the support vectors of the largest weights, or centres of k-means, half of them for each label.
Choice = Literal["support", "k_means"]
CHOICES: tuple[Choice, ...] = ("support", "k_means")


class BoundedSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An SVM with RBF kernel and at most so many vectors.

    Parameters
    ----------
    C : float
        Of the SVM whose support vectors are chosen from, and of the fit of the weights.
    gamma : float
        Of the kernel.
    vectors : int
        How many there may be.
    choice : str
        One of :data:`CHOICES`.
    seed : int

    Attributes
    ----------
    support_vectors_ : (vectors, inputs) float64
    dual_coef_ : (1, vectors) float64
        Weights of 16 significant bits.
    intercept_ : (1,) float64
    """

    kernel = "rbf"

    def __init__(self, C: float, gamma: float, vectors: int, choice: Choice, seed: int) -> None:  # noqa: N803 - scikit-learn's name
        self.C = C
        self.gamma = gamma
        self.vectors = vectors
        self.choice = choice
        self.seed = seed

    def fit(self, x: Float64Array, y: npt.NDArray[np.bool_]) -> BoundedSVC:
        """Choose the vectors, and fit a linear SVM on their kernel values."""
        chosen = self._support_vectors(x, y) if self.choice == "support" else self._centres(x, y)
        refit = LinearSVC(C=self.C, dual=False, max_iter=MOST_ITERATIONS, random_state=self.seed)
        refit.fit(rbf_kernel(x, chosen, gamma=self.gamma), y)
        self.support_vectors_, self.classes_ = chosen, refit.classes_
        self.dual_coef_, self.intercept_ = rounded(refit.coef_), rounded(refit.intercept_)
        return self

    def _support_vectors(self, x: Float64Array, y: npt.NDArray[np.bool_]) -> Float64Array:
        whole = SVC(C=self.C, gamma=self.gamma, random_state=self.seed).fit(x, y)
        largest = np.argsort(-np.abs(whole.dual_coef_[0]), kind="stable")[: self.vectors]
        vectors: Float64Array = whole.support_vectors_[np.sort(largest)]
        return vectors

    def _centres(self, x: Float64Array, y: npt.NDArray[np.bool_]) -> Float64Array:
        of_labels = []
        for label in np.unique(y):
            own = x[y == label]
            count = min(self.vectors // 2, len(np.unique(own, axis=0)))
            of_labels.append(KMeans(count, n_init=1, random_state=self.seed).fit(own).cluster_centers_)
        return np.concatenate(of_labels)

    def decision_function(self, x: Float64Array) -> Float64Array:
        """Return the (rows,) decision values; above zero is shared."""
        values: Float64Array = (
            rbf_kernel(x, self.support_vectors_, gamma=self.gamma) @ self.dual_coef_[0] + self.intercept_[0]
        )
        return values

    def predict(self, x: Float64Array) -> npt.NDArray[np.bool_]:
        """Return the (rows,) labels."""
        labels: npt.NDArray[np.bool_] = self.classes_[(self.decision_function(x) > 0).astype(int)]
        return labels


def _build(hyperparameters: dict[str, Any], seed: int) -> BoundedSVC:
    return BoundedSVC(
        C=hyperparameters["c"],
        gamma=hyperparameters["gamma"],
        vectors=hyperparameters["vectors"],
        choice=hyperparameters["choice"],
        seed=seed,
    )


BOUNDED_SVM = Family(
    name="svm_bounded",
    build=_build,
    hyperparameters=("c", "gamma", "vectors", "choice"),
    scaled=True,
    ours=True,
)


def grid(of_rbf: Mapping[str, Sequence[Any]], vectors: int) -> dict[str, Sequence[Any]]:
    """Return what is tried of each hyperparameter: what an SVM with RBF kernel tries, and both choices of vectors.

    Returns
    -------
    dict of str to sequence
        As :func:`smartsbd.models.search.fitting.settings` takes it of :data:`BOUNDED_SVM`.

    Examples
    --------
    >>> grid({"c": [1], "gamma": [0.5]}, 64)
    {'c': [1], 'gamma': [0.5], 'vectors': [64], 'choice': ('support', 'k_means')}
    """
    return {**of_rbf, "vectors": [vectors], "choice": CHOICES}
