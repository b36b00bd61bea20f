"""Decision tree: SmartSBD (DT), the model the paper puts into the kernel (Table 4)."""

from __future__ import annotations

from typing import Any

from sklearn.tree import DecisionTreeClassifier

from models.families.family import Family
from models.families.growth import grow_tree


def _build(hyperparameters: dict[str, Any], seed: int) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=hyperparameters["max_depth"], random_state=seed)


DECISION_TREE = Family(name="tree", build=_build, hyperparameters=("max_depth",), fit=grow_tree)
