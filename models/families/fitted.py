"""A fitted model: an estimator, the features it takes, and the setting it was fitted with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from smartsbd.models.labelled.window_verdicts import Verdicts


@dataclass(frozen=True)
class Setting:
    """One point of the grid: hyperparameters, and how many of the most relevant features."""

    top: int
    hyperparameters: tuple[tuple[str, Any], ...]


def predicted(estimator: Any, x: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return the labels that an estimator gives to (rows, inputs), as its ``predict`` does."""
    from smartsbd.models.families import growth

    if isinstance(estimator, growth.KINDS):
        return _likelier(estimator, growth.probabilities(estimator, x))
    labels: npt.NDArray[np.bool_] = estimator.predict(x).astype(bool)
    return labels


def _likelier(estimator: Any, probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    labels: npt.NDArray[np.bool_] = estimator.classes_.take(np.argmax(probabilities, axis=1)).astype(bool)
    return labels


@dataclass(frozen=True)
class Fitted:
    """An estimator fitted on some features of a table.

    Attributes
    ----------
    estimator : scikit-learn classifier
    feature_names : tuple of str
        Its inputs, in order.
    setting : Setting
    """

    estimator: Any
    feature_names: tuple[str, ...]
    setting: Setting

    def judge(self, x: npt.NDArray[np.float64]) -> Verdicts:
        """Judge windows.

        The score is a probability where the estimator has one, else the logistic function of its decision value.

        Parameters
        ----------
        x : (rows, inputs) float64
            The features of :attr:`feature_names`, in their order.

        Returns
        -------
        Verdicts
            Scores in [0, 1] and verdicts, (rows,).
        """
        if not len(x):
            return Verdicts(np.empty(0), np.empty(0, dtype=np.bool_))
        from scipy.special import expit

        from smartsbd.models.families import growth

        estimator = self.estimator
        if not hasattr(estimator, "predict_proba"):
            return Verdicts(expit(estimator.decision_function(x)), predicted(estimator, x))
        shared_class = int(np.flatnonzero(estimator.classes_)[0])
        if isinstance(estimator, growth.KINDS):
            of_classes = growth.probabilities(estimator, x)
            return Verdicts(of_classes[:, shared_class], _likelier(estimator, of_classes))
        return Verdicts(estimator.predict_proba(x)[:, shared_class], predicted(estimator, x))
