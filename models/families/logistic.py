"""Logistic regression: Table 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from smartsbd.models.families.family import Family
from smartsbd.models.families.linear import MOST_ITERATIONS, TOLERANCE, to_16_bits

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression


def _build(hyperparameters: dict[str, Any], seed: int) -> LogisticRegression:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(
        C=hyperparameters["c"],
        solver=hyperparameters["solver"],
        tol=TOLERANCE,
        max_iter=MOST_ITERATIONS,
        random_state=seed,
    )


LOGISTIC = Family(name="logistic", build=_build, hyperparameters=("c", "solver"), scaled=True, finish=to_16_bits)
