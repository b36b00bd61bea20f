"""Models learnt from some datasets, judged on each dataset: trials over several datasets at once.

Where a dataset is learnt from, it is tested on by random splits over its connections; where it is not, one model is
chosen and fitted on all that is learnt from, and meets every labelled window of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from contracts.fault import Fault
from contracts.tables import WINDOW_KEY
from models import search
from models.families import family_of
from models.fitted import Fitted, Setting
from models.trial import Drawing, Trial, of_kind, random_splits
from models.verdict import Verdicts
from models.window_set import WindowSet
from models.windows import LabelledWindows, Positions


class SearchError(Fault):
    """A search whose trials are not those of the same dataset here."""


def pooled(parts: Mapping[str, LabelledWindows]) -> LabelledWindows:
    """Return the windows of several datasets, one after another.

    Parameters
    ----------
    parts : mapping of str to LabelledWindows
        By dataset; of the same features.
    """
    own = list(parts.values())
    return LabelledWindows(
        key=pd.concat([part.key for part in own], ignore_index=True),
        x=np.concatenate([part.x for part in own]),
        feature_names=own[0].feature_names,
        shared=np.concatenate([part.shared for part in own]),
        site=np.concatenate([part.site for part in own]),
        kind=np.concatenate([part.kind for part in own]),
    )


def trials(
    parts: Mapping[str, LabelledWindows], trained: Sequence[str], tested: Sequence[str], rule: str, drawing: Drawing
) -> list[Trial]:
    """Return the trials of what is learnt from some datasets.

    Parameters
    ----------
    parts : mapping of str to LabelledWindows
        By dataset, as :func:`pooled` takes them; positions in the trials are those in what it returns.
    trained, tested : sequence of str
        Datasets.
    rule : str
        Of the windows learnt from and tested on.
    drawing : Drawing
        Of the random splits. They are drawn for each dataset learnt from by itself, and their training sides put
        together, and so are its trials the same whatever is learnt from beside it.

    Returns
    -------
    list of Trial
        One for each split, if a dataset learnt from is tested on; and one that learns from all rows, if another
        dataset is tested on.
    """
    sizes = np.array([len(part.shared) for part in parts.values()], dtype=np.int64)
    start = dict(zip(parts, np.cumsum(sizes) - sizes, strict=True))
    train_set = str(WindowSet.of(trained, rule))

    def placed(dataset: str, rows: Positions) -> Positions:
        found: Positions = start[dataset] + of_kind(parts[dataset], rows, rule)
        return found

    found = []
    own = [dataset for dataset in tested if dataset in trained]
    if own:
        splits = {dataset: random_splits(parts[dataset], drawing) for dataset in trained}
        for fold in range(drawing.splits):
            train = np.concatenate([placed(dataset, splits[dataset][fold].train) for dataset in trained])
            tests = {str(WindowSet.of(dataset, rule)): placed(dataset, splits[dataset][fold].test) for dataset in own}
            found.append(Trial(train_set, fold, train, tests))
    others = [dataset for dataset in tested if dataset not in trained]
    if others:
        every = {dataset: placed(dataset, np.arange(len(parts[dataset].shared))) for dataset in (*trained, *others)}
        train = np.concatenate([every[dataset] for dataset in trained])
        found.append(
            Trial(train_set, 0, train, {str(WindowSet.of(dataset, rule)): every[dataset] for dataset in others})
        )
    return found


def learns_from_one(trial: Trial) -> bool:
    """Say whether a trial learns from one dataset: the search of that dataset has made it too."""
    return len(WindowSet.parse(trial.train_set).datasets) == 1


def by_search(
    windows: LabelledWindows,
    trial: Trial,
    predictions: Mapping[str, pd.DataFrame],
    models: Mapping[str, Fitted],
) -> dict[str, dict[str, Verdicts]]:
    """Return what :func:`judged` does of a trial that learns from one dataset, from what its search left.

    Parameters
    ----------
    windows : LabelledWindows
        Of :func:`pooled`.
    trial : Trial
        That :func:`learns_from_one`.
    predictions : mapping of str to DataFrame of the ``prediction`` table
        By family, what the search's trials said; read where the trial holds out connections.
    models : mapping of str to Fitted
        By family, the search's models of all of the dataset; they judge the others.

    Raises
    ------
    SearchError
        If the search judged other windows.
    """
    held_out = trial.train_set in trial.tests
    found: dict[str, dict[str, Verdicts]] = {}
    for family, model in models.items():
        found[family] = {}
        for name, rows in trial.tests.items():
            if not held_out:
                found[family][name] = search.predict(windows, model, rows)
                continue
            every = predictions[family]
            own = every[
                (every["train_set"] == trial.train_set) & (every["test_set"] == name) & (every["fold"] == trial.fold)
            ]
            key = list(WINDOW_KEY)
            if own[key].to_numpy().tolist() != windows.key.iloc[rows][key].to_numpy().tolist():
                raise SearchError(f"{family}: the search's fold {trial.fold} of {name} has other windows: run it again")
            found[family][name] = Verdicts(own["score"].to_numpy(), own["shared_pred"].to_numpy(dtype=np.bool_))
    return found


def judged(
    windows: LabelledWindows, trial: Trial, grids: Mapping[str, Sequence[Setting]], method: search.Method
) -> dict[str, dict[str, Verdicts]]:
    """Choose and fit a model of each family on a trial's training side, and judge its test windows.

    Parameters
    ----------
    windows : LabelledWindows
        Of :func:`pooled`.
    trial : Trial
    grids : mapping of str to sequence of Setting
        By family.
    method : Method

    Returns
    -------
    dict of str to dict of str to Verdicts
        By family, then by the name of the test set.
    """
    side = search.training_side(windows, trial.train, method)
    found = {}
    for family, grid in grids.items():
        fitted = search.chosen(windows, family_of(family), grid, side, method)
        found[family] = {name: search.predict(windows, fitted, rows) for name, rows in trial.tests.items()}
    return found
