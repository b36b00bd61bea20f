"""Decision tree: SmartSBD (DT), the model the paper puts into the kernel (Table 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from smartsbd.models.families.family import Family

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from sklearn.tree import DecisionTreeClassifier


def _build(hyperparameters: dict[str, Any], seed: int) -> DecisionTreeClassifier:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=hyperparameters["max_depth"], random_state=seed)


def _fit(tree: DecisionTreeClassifier, x: npt.NDArray[np.float64], y: npt.NDArray[np.bool_]) -> None:
    from smartsbd.models.families.growth import grow_tree

    grow_tree(tree, x, y)


DECISION_TREE = Family(name="tree", build=_build, hyperparameters=("max_depth",), fit=_fit)
