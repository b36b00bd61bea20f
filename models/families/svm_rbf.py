"""SVM with RBF kernel: SmartSBD (SVM), Table 4."""

from __future__ import annotations

from typing import Any

from sklearn.svm import SVC

from models.families.family import Family


def _build(hyperparameters: dict[str, Any], seed: int) -> SVC:
    return SVC(C=hyperparameters["c"], gamma=hyperparameters["gamma"], random_state=seed)


SVM_RBF = Family(name="svm_rbf", build=_build, hyperparameters=("c", "gamma"), scaled=True)
