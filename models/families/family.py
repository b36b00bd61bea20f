"""What a search needs to know of a family of estimators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

Scaling = Literal["standard", "min_max", "none"]
_SCALERS = {"standard": StandardScaler, "min_max": MinMaxScaler}


def _as_it_is(estimator: Any) -> None:
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
    finish : callable
        What is done to the estimator once it is fitted.
    ours : bool
        Not among the paper's.
    """

    name: str
    build: Callable[[dict[str, Any], int], Any]
    hyperparameters: tuple[str, ...]
    scaled: bool = False
    finish: Callable[[Any], None] = _as_it_is
    ours: bool = False

    def estimator(self, hyperparameters: dict[str, Any], seed: int, scaling: Scaling) -> Any:
        """Return an unfitted classifier, behind its scaler if the family takes one.

        References
        ----------
        Question 15 of docs/ambiguities.md: the paper does not say how inputs are scaled.
        """
        unscaled = self.build(hyperparameters, seed)
        return make_pipeline(_SCALERS[scaling](), unscaled) if self.scaled and scaling != "none" else unscaled
