"""Random forest: SmartSBD (RF), Table 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from smartsbd.models.families.family import Family

if TYPE_CHECKING:
    import numpy.typing as npt
    from sklearn.ensemble import RandomForestClassifier

#: scikit-learn's default, as the paper's: more trees gained it nothing.
_TREES = 100
#: Leaf probabilities are multiples of this.
LATTICE = 2.0**-24


def to_lattice(forest: RandomForestClassifier) -> None:
    """Round the leaves' probabilities of a fitted forest to multiples of 2^-24.

    Its votes are then sums of integers, the same in whichever order they are added, and the same in C.
    """
    for member in forest.estimators_:
        value = member.tree_.value
        value[:, 0, 1] = np.rint(value[:, 0, 1] / LATTICE) * LATTICE
        value[:, 0, 0] = 1.0 - value[:, 0, 1]


def _build(hyperparameters: dict[str, Any], seed: int) -> RandomForestClassifier:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(_TREES, max_depth=hyperparameters["max_depth"], random_state=seed, n_jobs=1)


def _fit(forest: RandomForestClassifier, x: npt.NDArray[np.float64], y: npt.NDArray[np.bool_]) -> None:
    from smartsbd.models.families.growth import grow_forest

    grow_forest(forest, x, y)


RANDOM_FOREST = Family(name="forest", build=_build, hyperparameters=("max_depth",), fit=_fit, finish=to_lattice)
