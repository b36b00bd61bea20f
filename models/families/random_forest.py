"""Random forest: SmartSBD (RF), Table 4."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from models.families.family import Family
from models.families.growth import grow_forest

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
    return RandomForestClassifier(_TREES, max_depth=hyperparameters["max_depth"], random_state=seed, n_jobs=1)


RANDOM_FOREST = Family(name="forest", build=_build, hyperparameters=("max_depth",), fit=grow_forest, finish=to_lattice)
