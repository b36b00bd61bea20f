"""SVM with RBF kernel: SmartSBD (SVM), Table 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from smartsbd.models.families.family import Family

if TYPE_CHECKING:
    from sklearn.svm import SVC


def _build(hyperparameters: dict[str, Any], seed: int) -> SVC:
    from sklearn.svm import SVC

    return SVC(C=hyperparameters["c"], gamma=hyperparameters["gamma"], random_state=seed)


SVM_RBF = Family(name="svm_rbf", build=_build, hyperparameters=("c", "gamma"), scaled=True)
