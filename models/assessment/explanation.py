"""The reasons for a decision tree's verdict on a window."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import UsageFault
from smartsbd.models.families.fitted import Fitted


class NotATreeError(UsageFault):
    """The model is no single tree: there is no one path to its verdict."""


@dataclass(frozen=True)
class Step:
    """One question on the way from the root to the leaf.

    Attributes
    ----------
    feature : str
    value : float
        Of the window.
    threshold : float
    above : bool
        Whether the value is above the threshold.
    shared_share : float
        Share of shared windows among those trained on that answered as this one did, so far; weighted as they were
        in training.
    """

    feature: str
    value: float
    threshold: float
    above: bool
    shared_share: float


def decision_path(fitted: Fitted, x: npt.NDArray[np.float64]) -> list[Step]:
    """Return the questions a tree asked about one window, from the root on.

    Parameters
    ----------
    fitted : Fitted
        A decision tree.
    x : (inputs,) float64
        The features of ``fitted.feature_names``, in their order.

    Returns
    -------
    list of Step
        One for each split on the way; empty if the tree is one leaf.

    Raises
    ------
    NotATreeError
        If the model is no decision tree.
    """
    tree = getattr(fitted.estimator, "tree_", None)
    if tree is None:
        raise NotATreeError(f"{type(fitted.estimator).__name__} is no decision tree")
    shared_class = int(np.flatnonzero(fitted.estimator.classes_)[0])
    nodes = fitted.estimator.decision_path(x.reshape(1, -1)).indices
    steps = []
    for node, following in itertools.pairwise(nodes):
        counts = tree.value[following, 0]
        steps.append(
            Step(
                feature=fitted.feature_names[tree.feature[node]],
                value=float(x[tree.feature[node]]),
                threshold=float(tree.threshold[node]),
                above=bool(following == tree.children_right[node]),
                shared_share=float(counts[shared_class] / counts.sum()),
            )
        )
    return steps
