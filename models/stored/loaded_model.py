"""A stored model, ready to judge: windows one by one, or a table of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from smartsbd.contracts.fault import UsageFault
from smartsbd.features.pair import PairWindow
from smartsbd.models.families.fitted import Fitted
from smartsbd.models.labelled.window_verdicts import Verdicts
from smartsbd.models.stored import store
from smartsbd.models.stored.store import ModelError
from smartsbd.models.stored.stored_model import NEIGHBOURS, PLAIN, SERIES, VIEWS, ModelNameError, StoredModel, on_disk

if TYPE_CHECKING:
    from smartsbd.models.stored.tested_windows import TestedWindows


class UnknownModelError(UsageFault):
    """A model that is not there; the message names those that are."""


class WindowJudge(Protocol):
    """A judge of single windows."""

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
        # The comparison of series takes seconds to import, and other models do without it.
        from smartsbd.models.families import neighbours

        rtt_us = np.stack([neighbours.resampled(np.stack(window.rtts_us(), axis=1)) for window in windows])
        return neighbours.predict(neighbours.VIEWS[self.model.feature_set](rtt_us), self.fitted)

    def judge_table(self, tested: TestedWindows) -> Verdicts:
        """Return a verdict on each labelled window of a table, in the order of its ``windows``."""
        if self.model.family != NEIGHBOURS:
            return self.fitted.judge(tested.features(self.fitted.feature_names))
        from smartsbd.models.families import neighbours

        return neighbours.predict(neighbours.VIEWS[self.model.feature_set](tested.rtt_us), self.fitted)


def _agreeing(model: StoredModel, fitted: Fitted, path: Path) -> LoadedModel:
    """Return a model that agrees with its name: nearest neighbours judge series, all others features."""
    if (model.family == NEIGHBOURS) != (fitted.feature_names == SERIES):
        raise ModelError(f"{path}: its name says {model.family}, it holds {type(fitted.estimator).__name__}")
    return LoadedModel(model, fitted)


def load(model: StoredModel, models: Path, recorded: str | None = None) -> LoadedModel:
    """Return a stored model as it was fitted.

    Parameters
    ----------
    model : StoredModel
    models : Path
        Folder with one folder for each dataset.
    recorded : str, optional
        The digest that its file must have.

    Returns
    -------
    LoadedModel
        Checked against its name.

    Raises
    ------
    ModelError
        If its file cannot be used, or is not the one that was recorded.
    """
    path = model.path(models)
    return _agreeing(model, store.load(path, recorded), path)


def load_file(path: Path) -> LoadedModel:
    """Return the model of a file, which may have any name; that of nearest neighbours says which series they compare.

    Parameters
    ----------
    path : Path

    Returns
    -------
    LoadedModel
        Named after its folder and its file.

    Raises
    ------
    ModelError
        If it cannot be used.
    """
    fitted = store.load(path)
    try:
        model = StoredModel.parse(f"{path.parent.name or '.'}/{path.stem}")
    except ModelNameError:
        model = StoredModel(path.parent.name, path.stem, PLAIN)
    if model.family != NEIGHBOURS and fitted.feature_names == SERIES:
        names = " or ".join(f"{NEIGHBOURS}_{view}.skops" for view in VIEWS)
        raise ModelError(f"{path}: it compares series, and its name does not say which: call it {names}")
    return _agreeing(model, fitted, path)


def load_named(name: str, models: Path, digest_of: Callable[[StoredModel, Path], str] | None = None) -> LoadedModel:
    """Return a stored model by its name.

    Parameters
    ----------
    name : str
    models : Path
        Folder with one folder for each dataset.
    digest_of : callable, optional
        From a model and that folder to the digest that its file must have.

    Returns
    -------
    LoadedModel
        Checked against its name.

    Raises
    ------
    UnknownModelError
        If there is none of that name.
    ModelError
        If its file cannot be used, or is not the one that was recorded.
    """
    known = {str(stored): stored for stored in on_disk(models)}
    if name not in known:
        raise UnknownModelError(
            f"model {name!r} is not in {models}: "
            + (f"known are {', '.join(known)}" if known else "there is none yet, `dvc repro` makes them")
        )
    model = known[name]
    return load(model, models, None if digest_of is None else digest_of(model, models))
