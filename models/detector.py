"""A stored model as a detector: from a window of two subflows to a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from features.pair import PairWindow
from models import neighbours, search, store
from models.search import Fitted
from models.verdict import Verdicts
from traces.fault import UsageFault

_SUFFIX = ".skops"


class UnknownModelError(UsageFault):
    """A model that is not there: names those that are."""


class Detector(Protocol):
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
        return search.judged(self._fitted, np.array(rows, dtype=np.float64))


class _OfSeries:
    """Nearest neighbours of the RTT series themselves."""

    def __init__(self, fitted: Fitted, view: str) -> None:
        self._fitted = fitted
        self._view = neighbours.VIEWS[view]

    def judge(self, windows: Sequence[PairWindow]) -> Verdicts:
        """Return a verdict on each window."""
        rtt_us = [neighbours.resampled(np.stack(window.rtts_us(), axis=1)) for window in windows]
        return neighbours.predict(self._view(np.stack(rtt_us)), self._fitted)


def names(folder: Path) -> list[str]:
    """Return the models stored below a folder with a folder a dataset: ``dataset/model_set``."""
    return sorted(f"{path.parent.name}/{path.name.removesuffix(_SUFFIX)}" for path in folder.glob(f"*/*{_SUFFIX}"))


def load(folder: Path, name: str) -> Detector:
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
    model = name.partition("/")[2]
    if model.startswith(f"{neighbours.NAME}_"):
        return _OfSeries(fitted, model.removeprefix(f"{neighbours.NAME}_"))
    return _OfFeatures(fitted)
