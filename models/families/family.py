"""What a search needs to know of a family of estimators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Family:
    """A kind of estimator.

    Attributes
    ----------
    name : str
        Name in parameters, tables and files.
    build : callable
        From hyperparameters and a seed to an unfitted scikit-learn classifier.
    hyperparameters : tuple of str
        Those the grid in ``params.yaml`` must give.
    """

    name: str
    build: Callable[[dict[str, Any], int], Any]
    hyperparameters: tuple[str, ...]
