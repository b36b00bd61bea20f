"""A stored model, ready to judge: windows one by one, or a table of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from contracts.fault import UsageFault
from features.pair import PairWindow
from models.families.fitted import Fitted
from models.stored import store
from models.stored.stored_model import NEIGHBOURS, StoredModel, on_disk
from models.verdict import Verdicts

if TYPE_CHECKING:
    from models.stored.tested_windows import TestedWindows


class UnknownModelError(UsageFault):
    """A model that is not there; the message names those that are."""


class WindowJudge(Protocol):
    """What judges windows one by one."""

    def judge(self, windows: Sequence[PairWindow]) -> Verdicts:
        """Return a verdict on each window."""


@dataclass(frozen=True)
class LoadedModel:
    """A model by name, as it was fitted."""

    model: StoredModel
    fitted: Fitted

    def judge(self, windows: Sequence[PairWindow]) -> Verdicts:
        """Return a verdict on each window."""
        if self.model.family != NEIGHBOURS:
            rows = [[window.features[name] for name in self.fitted.feature_names] for window in windows]
            return self.fitted.judge(np.array(rows, dtype=np.float64))
        # What compares series costs seconds, and other models do without it.
        from models import neighbours

        rtt_us = np.stack([neighbours.resampled(np.stack(window.rtts_us(), axis=1)) for window in windows])
        return neighbours.predict(neighbours.VIEWS[self.model.feature_set](rtt_us), self.fitted)

    def judge_table(self, tested: TestedWindows) -> Verdicts:
        """Return a verdict on each labelled window of a table, in the order of its ``windows``."""
        if self.model.family != NEIGHBOURS:
            return self.fitted.judge(tested.features(self.fitted.feature_names))
        from models import neighbours

        return neighbours.predict(neighbours.VIEWS[self.model.feature_set](tested.rtt_us), self.fitted)


def load(model: StoredModel, models: Path) -> LoadedModel:
    """Return a stored model as it was fitted.

    Parameters
    ----------
    model : StoredModel
    models : Path
        Folder with one folder for each dataset.

    Raises
    ------
    ModelError
        If its file cannot be used.
    """
    return LoadedModel(model, store.load(model.path(models)))


def load_named(name: str, models: Path) -> LoadedModel:
    """Return a stored model by its name.

    Parameters
    ----------
    name : str
    models : Path
        Folder with one folder for each dataset.

    Raises
    ------
    UnknownModelError
        If there is none of that name.
    ModelError
        If its file cannot be used.
    """
    known = {str(one): one for one in on_disk(models)}
    if name not in known:
        raise UnknownModelError(
            f"model {name!r} is not in {models}: "
            + (f"known are {', '.join(known)}" if known else "there is none yet, `dvc repro` makes them")
        )
    return load(known[name], models)
