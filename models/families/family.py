"""What a search needs to know of a family of estimators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Scaling = Literal["standard", "min_max", "none"]


def _fit_by_own_method(estimator: Any, x: npt.NDArray[np.float64], y: npt.NDArray[np.bool_]) -> None:
    """Fit an estimator by its own method."""
    estimator.fit(x, y)


def _leave_as_it_is(estimator: Any) -> None:
    """Leave a fitted estimator as it is."""


@dataclass(frozen=True)
class Family:
    """A kind of estimator.

    Attributes
    ----------
    name : str
        Name in parameters, tables and files.
    build : callable
        From hyperparameters and a seed to an unfitted scikit-learn classifier.
    hyperparameters : tuple of str
        Those the grid in ``params.yaml`` must give; the first is the horizontal axis of its figure.
    scaled : bool
        Its inputs are scaled, by what is fitted on the training rows.
    fit : callable
        How an unfitted estimator is fitted, where its own ``fit`` takes far longer than need be.
    finish : callable
        What is done to the estimator once it is fitted.
    ours : bool
        Not among the paper's.
    """

    name: str
    build: Callable[[dict[str, Any], int], Any]
    hyperparameters: tuple[str, ...]
    scaled: bool = False
    fit: Callable[[Any, npt.NDArray[np.float64], npt.NDArray[np.bool_]], None] = _fit_by_own_method
    finish: Callable[[Any], None] = _leave_as_it_is
    ours: bool = False

    def scaler(self, scaling: Scaling) -> Any | None:
        """Return what scales the inputs, not fitted; None if they are taken as they are.

        Returns
        -------
        scikit-learn transformer or None
            A standard or a min-max scaler.

        References
        ----------
        Question 15 of docs/ambiguities.md: the paper does not say how inputs are scaled.
        """
        if not self.scaled or scaling == "none":
            return None
        from sklearn.preprocessing import MinMaxScaler, StandardScaler

        return {"standard": StandardScaler, "min_max": MinMaxScaler}[scaling]()

    def fitted(
        self, hyperparameters: dict[str, Any], seed: int, x: npt.NDArray[np.float64], y: npt.NDArray[np.bool_]
    ) -> Any:
        """Return a classifier fitted on (rows, inputs) that are scaled already.

        Parameters
        ----------
        hyperparameters : dict of str to value
            One for each of :attr:`hyperparameters`.
        seed : int
            Of the estimator.
        x : (rows, inputs) float64
        y : (rows,) bool
            The labels.

        Returns
        -------
        scikit-learn classifier
            Fitted and finished.
        """
        estimator = self.build(hyperparameters, seed)
        self.fit(estimator, x, y)
        self.finish(estimator)
        return estimator
