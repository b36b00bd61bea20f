"""Models learnt from some datasets, judged on each dataset: trials over several datasets at once.

A dataset that is learnt from is tested on by random splits over its connections. For any other dataset, one model is
chosen and fitted on all windows that are learnt from, and judges every labelled window of that dataset.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from smartsbd.contracts.fault import Fault
from smartsbd.contracts.tables import WINDOW_KEY
from smartsbd.models.families import family_of
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.labelled.trial import Drawing, Trial, of_kind, random_splits
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.labelled.window_verdicts import Verdicts, prediction_rows
from smartsbd.models.labelled.windows import LabelledWindows, Positions, labelled_windows, windows_of_kinds
from smartsbd.models.search import fitting


class SearchError(Fault):
    """A search whose trials are not those of the same dataset here."""


@dataclass(frozen=True)
class SearchResult:
    """The result of the search of a dataset, on one set of features.

    Attributes
    ----------
    predictions : mapping of str to DataFrame of the ``prediction`` table
        By family, the verdicts of the search's trials.
    models : mapping of str to Fitted
        By family, the models of all of the dataset.
    """

    predictions: Mapping[str, pd.DataFrame]
    models: Mapping[str, Fitted]


def labelled_parts(
    pair_windows: Mapping[str, pd.DataFrame],
    partners: Mapping[str, pd.DataFrame],
    rules: Sequence[str],
    names: tuple[str, ...],
) -> dict[str, LabelledWindows]:
    """Return the labelled windows of several datasets; of those learnt from, all that a search has.

    Parameters
    ----------
    pair_windows : mapping of str to DataFrame of the ``pair_window`` table
        By dataset.
    partners : mapping of str to DataFrame of the ``pair_window`` table
        By dataset learnt from, the windows of swapped partners.
    rules : sequence of str
        Of the search's windows; other datasets give windows of the first.
    names : tuple of str
        Features.

    Returns
    -------
    dict of str to LabelledWindows
        By dataset.
    """
    return {
        dataset: windows_of_kinds(rows, rules, partners[dataset], names)
        if dataset in partners
        else labelled_windows(rows, rules[0], names)
        for dataset, rows in pair_windows.items()
    }


def pooled(parts: Mapping[str, LabelledWindows]) -> LabelledWindows:
    """Return the windows of several datasets, one after another.

    Parameters
    ----------
    parts : mapping of str to LabelledWindows
        By dataset; of the same features.

    Returns
    -------
    LabelledWindows
        In the order of the datasets.
    """
    every = list(parts.values())
    return LabelledWindows(
        key=pd.concat([part.key for part in every], ignore_index=True),
        x=np.concatenate([part.x for part in every]),
        feature_names=every[0].feature_names,
        shared=np.concatenate([part.shared for part in every]),
        site=np.concatenate([part.site for part in every]),
        kind=np.concatenate([part.kind for part in every]),
    )


def trials(
    parts: Mapping[str, LabelledWindows], trained: Sequence[str], tested: Sequence[str], rule: str, drawing: Drawing
) -> list[Trial]:
    """Return the trials of models that learn from some datasets.

    Parameters
    ----------
    parts : mapping of str to LabelledWindows
        By dataset, as :func:`pooled` takes them; positions in the trials are those in what it returns.
    trained, tested : sequence of str
        Datasets.
    rule : str
        Of the windows learnt from and tested on.
    drawing : Drawing
        Of the random splits. They are drawn for each dataset learnt from by itself, and their training sides are put
        together: so a dataset's test sides do not depend on the others that are learnt from.

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
        positions: Positions = start[dataset] + of_kind(parts[dataset], rows, rule)
        return positions

    every_trial = []
    held_out = [dataset for dataset in tested if dataset in trained]
    if held_out:
        splits = {dataset: random_splits(parts[dataset], drawing) for dataset in trained}
        for fold in range(drawing.splits):
            train = np.concatenate([placed(dataset, splits[dataset][fold].train) for dataset in trained])
            tests = {
                str(WindowSet.of(dataset, rule)): placed(dataset, splits[dataset][fold].test) for dataset in held_out
            }
            every_trial.append(Trial(train_set, fold, train, tests))
    others = [dataset for dataset in tested if dataset not in trained]
    if others:
        every = {dataset: placed(dataset, np.arange(len(parts[dataset].shared))) for dataset in (*trained, *others)}
        train = np.concatenate([every[dataset] for dataset in trained])
        every_trial.append(
            Trial(train_set, 0, train, {str(WindowSet.of(dataset, rule)): every[dataset] for dataset in others})
        )
    return every_trial


def learns_from_one(trial: Trial) -> bool:
    """Tell whether a trial learns from one dataset: the search of that dataset has made it too."""
    return len(WindowSet.parse(trial.train_set).datasets) == 1


def by_search(
    windows: LabelledWindows,
    trial: Trial,
    predictions: Mapping[str, pd.DataFrame],
    models: Mapping[str, Fitted],
) -> dict[str, dict[str, Verdicts]]:
    """Return the result of :func:`judged` for a trial that learns from one dataset, from the result of its search.

    Parameters
    ----------
    windows : LabelledWindows
        Of :func:`pooled`.
    trial : Trial
        That :func:`learns_from_one`.
    predictions : mapping of str to DataFrame of the ``prediction`` table
        By family, the verdicts of the search's trials; read where the trial holds out connections.
    models : mapping of str to Fitted
        By family, the search's models of all of the dataset; they judge the others.

    Returns
    -------
    dict of str to dict of str to Verdicts
        By family, then by the name of the test set.

    Raises
    ------
    SearchError
        If the search judged other windows.
    """
    held_out = trial.train_set in trial.tests
    by_family: dict[str, dict[str, Verdicts]] = {}
    for family, model in models.items():
        by_family[family] = {}
        for name, rows in trial.tests.items():
            if not held_out:
                by_family[family][name] = fitting.predict(windows, model, rows)
                continue
            every = predictions[family]
            of_fold = every[
                (every["train_set"] == trial.train_set) & (every["test_set"] == name) & (every["fold"] == trial.fold)
            ]
            key = list(WINDOW_KEY)
            if of_fold[key].to_numpy().tolist() != windows.key.iloc[rows][key].to_numpy().tolist():
                raise SearchError(f"{family}: the search's fold {trial.fold} of {name} has other windows: run it again")
            by_family[family][name] = Verdicts(
                of_fold["score"].to_numpy(), of_fold["shared_pred"].to_numpy(dtype=np.bool_)
            )
    return by_family


def judged(
    windows: LabelledWindows, trial: Trial, grids: Mapping[str, Sequence[Setting]], method: fitting.Method
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
    side = fitting.training_side(windows, trial.train, method)
    by_family = {}
    for family, grid in grids.items():
        fitted = fitting.chosen(windows, family_of(family), grid, side, method)
        by_family[family] = {name: fitting.predict(windows, fitted, rows) for name, rows in trial.tests.items()}
    return by_family


def tasks(
    pools: Mapping[str, LabelledWindows],
    every_trial: Sequence[Trial],
    grids: Mapping[str, Sequence[Setting]],
    method: fitting.Method,
) -> list[partial[dict[str, dict[str, Verdicts]]]]:
    """Return the trials that learn from several datasets, which no search has made, each a call without arguments.

    Parameters
    ----------
    pools : mapping of str to LabelledWindows
        Of :func:`pooled`, by set of features.
    every_trial : sequence of Trial
    grids, method
        As :func:`judged` takes them.

    Returns
    -------
    list of partial
        Each returns what :func:`judged` does; by set of features, then by trial.
    """
    return [
        partial(judged, windows, trial, grids, method)
        for windows in pools.values()
        for trial in every_trial
        if not learns_from_one(trial)
    ]


def predictions(
    pools: Mapping[str, LabelledWindows],
    every_trial: Sequence[Trial],
    of_one: Mapping[tuple[str, str], SearchResult],
    of_several: Iterable[dict[str, dict[str, Verdicts]]],
) -> pd.DataFrame:
    """Return all verdicts as rows of the ``prediction`` table.

    Parameters
    ----------
    pools, every_trial
        As :func:`tasks` takes them.
    of_one : mapping of (str, str) to SearchResult
        By dataset and set of features.
    of_several : iterable
        What the calls of :func:`tasks` return, in their order.

    Returns
    -------
    DataFrame of the ``prediction`` table
        By set of features, trial, family and test set.
    """
    taken, parts = iter(of_several), []
    for feature_set, windows in pools.items():
        for trial in every_trial:
            if learns_from_one(trial):
                (dataset,) = WindowSet.parse(trial.train_set).datasets
                result = of_one[dataset, feature_set]
                by_family = by_search(windows, trial, result.predictions, result.models)
            else:
                by_family = next(taken)
            for model, by_set in by_family.items():
                known: dict[str, str | int]
                known = {"model": model, "feature_set": feature_set, "train_set": trial.train_set, "fold": trial.fold}
                parts += [
                    prediction_rows(windows, trial.tests[test_set], verdicts, **known, test_set=test_set)
                    for test_set, verdicts in by_set.items()
                ]
    return pd.concat(parts, ignore_index=True)
