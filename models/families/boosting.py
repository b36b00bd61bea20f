"""Gradient boosting of shallow trees: ours, not the paper's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from smartsbd.models.families.family import Family

if TYPE_CHECKING:
    from sklearn.ensemble import HistGradientBoostingClassifier

_ROUNDS = 100


def _build(hyperparameters: dict[str, Any], seed: int) -> HistGradientBoostingClassifier:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=_ROUNDS, max_depth=hyperparameters["max_depth"], early_stopping=False, random_state=seed
    )


BOOSTING = Family(name="boosting", build=_build, hyperparameters=("max_depth",), ours=True)
