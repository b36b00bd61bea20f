"""A stored model as a detector: from a window of two subflows to a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from contracts.fault import UsageFault
from features.catalog import FEATURES
from features.pair import PairWindow
from models import store
from models.fitted import Fitted
from models.verdict import Verdicts

_SUFFIX = ".skops"


class UnknownModelError(UsageFault):
    """A model that is not there: names those that are."""


class WindowModel(Protocol):
    """What judges windows."""

    def judge(self, windows: Sequence[PairWindow]) -> Verdicts:
        """Return a verdict on each window."""


class _OfFeatures:
    """A model whose inputs are features."""

    def __init__(self, fitted: Fitted) -> None:
        self._fitted = fitted

    def judge(self, windows: Sequence[PairWindow]) -> Verdicts:
        """Return a verdict on each window."""
        rows = [[window.features[name] for name in self._fitted.feature_names] for window in windows]
        return self._fitted.judge(np.array(rows, dtype=np.float64))


class _OfSeries:
    """Nearest neighbours of the RTT series themselves."""

    def __init__(self, fitted: Fitted, model: str) -> None:
        # tslearn costs seconds, and other models do without it.
        from models import neighbours

        self._fitted = fitted
        self._neighbours = neighbours
        self._view = neighbours.VIEWS[model.removeprefix(f"{neighbours.NAME}_")]

    def judge(self, windows: Sequence[PairWindow]) -> Verdicts:
        """Return a verdict on each window."""
        rtt_us = [self._neighbours.resampled(np.stack(window.rtts_us(), axis=1)) for window in windows]
        return self._neighbours.predict(self._view(np.stack(rtt_us)), self._fitted)


def names(folder: Path) -> list[str]:
    """Return the models stored below a folder with a folder a dataset: ``dataset/model_set``."""
    return sorted(f"{path.parent.name}/{path.name.removesuffix(_SUFFIX)}" for path in folder.glob(f"*/*{_SUFFIX}"))


def load(folder: Path, name: str) -> WindowModel:
    """Return a stored model.

    Parameters
    ----------
    folder : Path
        With a folder of models a dataset.
    name : str
        One of :func:`names`.

    Raises
    ------
    UnknownModelError
        If there is none of that name.
    ModelError
        If its file cannot be used.
    """
    known = names(folder)
    if name not in known:
        raise UnknownModelError(
            f"model {name!r} is not in {folder}: "
            + (f"known are {', '.join(known)}" if known else "there is none yet, `dvc repro` makes them")
        )
    fitted = store.load(folder / f"{name}{_SUFFIX}")
    if set(fitted.feature_names) <= {one.name for one in FEATURES}:
        return _OfFeatures(fitted)
    return _OfSeries(fitted, name.partition("/")[2])
