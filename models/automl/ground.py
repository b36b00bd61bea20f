"""The common ground of engines and students: the same trials, the same rows to judge, in a fixed order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.features.catalog import feature_names
from smartsbd.models.labelled.trial import Drawing, Trial, random_trials
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.labelled.window_verdicts import Verdicts, prediction_rows
from smartsbd.models.labelled.windows import SWAPPED, LabelledWindows, windows_of_kinds
from smartsbd.models.search import fitting

_HALF = 0.5


@dataclass(frozen=True)
class Ground:
    """Windows of one set of features, how they are split, and further ones.

    Attributes
    ----------
    feature_set : str
    windows : LabelledWindows
        All labelled windows of the dataset.
    trials : list of Trial
        The splits.
    more : DataFrame
        Rows of ``pair_window`` of other connections, of which no truth is used.
    """

    feature_set: str
    windows: LabelledWindows
    trials: list[Trial]
    more: pd.DataFrame

    def folds(self, trial: Trial, method: fitting.Method) -> npt.NDArray[np.int64]:
        """Return the fold of each training row: those over which a grid search chooses.

        Swapped partners are not learnt from here, whether or not the method says so: a row of theirs has two
        connections, and no single fold.

        Returns
        -------
        (rows,) int64
            From 0, in the order of the trial's training rows.
        """
        fold = np.zeros(len(self.windows.shared), dtype=np.int64)
        alone = dataclasses.replace(method, learn_partners=False)
        for number, split in enumerate(fitting.inner_splits(self.windows, trial.train, alone)):
            fold[split.test] = number
        return fold[trial.train]

    def judged_x(self, trial: Trial) -> npt.NDArray[np.float64]:
        """Return the (rows, features) that an engine judges: the test sets', the training rows, the further ones."""
        labelled = [self.windows.x[rows] for rows in (*rows_tested(trial).values(), trial.train)]
        return np.concatenate([*labelled, self.more[list(self.windows.feature_names)].to_numpy(dtype=np.float64)])

    def predictions(self, trial: Trial, verdicts: Mapping[str, Verdicts], model: str) -> pd.DataFrame:
        """Return verdicts on the test sets as rows of the ``prediction`` table.

        Parameters
        ----------
        trial : Trial
            The split that was learnt.
        verdicts : mapping of str to Verdicts
            By the name of each test set that :func:`rows_tested` has, in the order of its rows.
        model : str
            Name in the table.

        Returns
        -------
        DataFrame of the ``prediction`` table
            One row for each window of each test set.
        """
        known: dict[str, str | int] = {
            "model": model,
            "feature_set": self.feature_set,
            "train_set": trial.train_set,
            "fold": trial.fold,
        }
        return pd.concat(
            [
                prediction_rows(self.windows, rows, verdicts[name], **(known | {"test_set": name}))
                for name, rows in rows_tested(trial).items()
            ],
            ignore_index=True,
        )


def grounds(
    dataset: str,
    pair_window: pd.DataFrame,
    more: pd.DataFrame,
    *,
    feature_sets: Sequence[str],
    rules: Sequence[str],
    drawing: Drawing,
    splits: int,
) -> list[Ground]:
    """Return the ground of each set of features, with the first of a search's random splits.

    Parameters
    ----------
    dataset : str
        Its name.
    pair_window : DataFrame of the ``pair_window`` table
        Of the dataset.
    more : DataFrame of the ``pair_window`` table
        Further windows.
    feature_sets : sequence of str
    rules : sequence of str
        Rules of the windows; those of the first are learnt from.
    drawing : Drawing
        Of the search's splits.
    splits : int
        How many of them, from the first on.

    Returns
    -------
    list of Ground
        In the order of the sets of features.
    """
    every = []
    for feature_set in feature_sets:
        windows = windows_of_kinds(pair_window, rules, pair_window.iloc[:0], feature_names(feature_set))
        every.append(Ground(feature_set, windows, random_trials(windows, dataset, rules[0], drawing)[:splits], more))
    return every


@dataclass(frozen=True)
class JudgedRows:
    """The verdicts of an engine on one split.

    Attributes
    ----------
    tests : dict of str to Verdicts
        By test set.
    train, more : (rows,) bool
        Verdicts on the training rows and the further ones.
    """

    tests: dict[str, Verdicts]
    train: npt.NDArray[np.bool_]
    more: npt.NDArray[np.bool_]


def rows_tested(trial: Trial) -> dict[str, npt.NDArray[np.int64]]:
    """Return a trial's tests on windows of the dataset itself; swapped partners have one label."""
    return {name: rows for name, rows in trial.tests.items() if WindowSet.parse(name).kind != SWAPPED}


def judged(trial: Trial, probability: npt.NDArray[np.float64]) -> JudgedRows:
    """Take verdicts apart that are in the order of :meth:`Ground.judged_x`."""
    shared = probability > _HALF
    tests, start = {}, 0
    for name, rows in rows_tested(trial).items():
        judged_rows = slice(start, start + len(rows))
        tests[name] = Verdicts(probability[judged_rows], shared[judged_rows])
        start = judged_rows.stop
    further = start + len(trial.train)
    return JudgedRows(tests, shared[start:further], shared[further:])
