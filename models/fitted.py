"""A fitted model: an estimator, the features it takes, and the setting it was fitted with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from models.verdict import Verdicts


@dataclass(frozen=True)
class Setting:
    """One point of the grid: hyperparameters, and how many of the most relevant features."""

    top: int
    hyperparameters: tuple[tuple[str, Any], ...]


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
        """
        if not len(x):
            return Verdicts(np.empty(0), np.empty(0, dtype=np.bool_))
        if hasattr(self.estimator, "predict_proba"):
            shared_class = int(np.flatnonzero(self.estimator.classes_)[0])
            score: npt.NDArray[np.float64] = self.estimator.predict_proba(x)[:, shared_class]
        else:
            score = expit(self.estimator.decision_function(x))
        return Verdicts(score, self.estimator.predict(x).astype(bool))
