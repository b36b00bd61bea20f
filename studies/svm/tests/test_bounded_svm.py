"""An SVM of few vectors: as many as are allowed, of the rows or of their centres, and as good as one of all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.svm import SVC

from studies.svm.bounded_svm import BOUNDED_SVM, CHOICES, BoundedSVC, Choice


def ring(rows: int, seed: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Points, and whether they are near the middle, which no line tells."""
    x = np.random.default_rng(seed).uniform(-2, 2, (rows, 2))
    return x, np.hypot(x[:, 0], x[:, 1]) < 1.2


def fitted(choice: Choice, vectors: int, seed: int = 0) -> BoundedSVC:
    made = {"c": 10.0, "gamma": 0.5, "vectors": vectors, "choice": choice}
    own = BOUNDED_SVM.fitted(made, seed, *ring(400, 0))
    assert isinstance(own, BoundedSVC)
    return own


@pytest.mark.parametrize("choice", CHOICES)
def test_few_vectors_learn_a_ring(choice: Choice) -> None:
    own = fitted(choice, 16)
    assert len(own.support_vectors_) == own.dual_coef_.shape[1] == 16
    x, y = ring(1000, 1)
    assert np.mean(own.predict(x) == y) > 0.95
    # By hand, for one row.
    values = np.exp(-0.5 * ((x[0] - own.support_vectors_) ** 2).sum(axis=1))
    assert own.decision_function(x[:1])[0] == pytest.approx(own.dual_coef_[0] @ values + own.intercept_[0])


def test_support_vectors_are_those_of_the_largest_weights() -> None:
    x, y = ring(400, 0)
    whole = SVC(C=10.0, gamma=0.5).fit(x, y)
    assert len(whole.support_vectors_) > 16
    # Many weights are C: of equals the first ones.
    largest = sorted(range(len(whole.dual_coef_[0])), key=lambda place: -abs(whole.dual_coef_[0][place]))[:16]
    assert fitted("support", 16).support_vectors_.tolist() == whole.support_vectors_[sorted(largest)].tolist()


def test_centres_are_half_for_each_label_and_no_more_than_there_are_rows() -> None:
    x, y = ring(400, 0)
    centres = fitted("k_means", 16).support_vectors_
    # Points near the middle have centres near it, the others may have one anywhere.
    assert (np.hypot(*centres[8:].T) < 1.2).all()
    assert not set(map(tuple, centres)) & set(map(tuple, x))
    few = BOUNDED_SVM.fitted({"c": 1.0, "gamma": 0.5, "vectors": 64, "choice": "k_means"}, 0, x[:20], y[:20])
    assert len(few.support_vectors_) == 20


@pytest.mark.parametrize("choice", CHOICES)
def test_the_same_rows_give_the_same_model(choice: Choice) -> None:
    first, second = fitted(choice, 16), fitted(choice, 16)
    assert np.array_equal(first.dual_coef_, second.dual_coef_)
    assert np.array_equal(first.support_vectors_, second.support_vectors_)
