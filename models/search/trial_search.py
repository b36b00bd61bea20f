"""Model selection on one dataset: every family on every set of features, the series, and plain correlation.

Two accuracies are kept apart. ``paper``: features ranked on all windows, the mean over the splits, from which
the best setting is chosen; it is optimistic. ``nested``: ranking, scaling and choice on the training side of each split
only; its predictions are what the evaluation judges.

References
----------
SmartSBD, Table 4 and Fig. 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.models.families import correlation, family_of, neighbours
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.labelled.split import Split
from smartsbd.models.labelled.trial import Drawing, Trial, of_kind, random_splits, trials
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.labelled.window_verdicts import Verdicts, prediction_rows
from smartsbd.models.labelled.windows import LabelledWindows, Positions
from smartsbd.models.search import fitting
from smartsbd.models.stored.stored_model import CORRELATION, NEIGHBOURS, PLAIN

Float64Array = npt.NDArray[np.float64]
#: Settings to choose from, by family.
Grids = Mapping[str, Sequence[Setting]]

_DIGITS = 6


@dataclass(frozen=True)
class TrialVerdicts:
    """The verdicts of one trial's model.

    Attributes
    ----------
    trial : Trial
    setting : Setting
        The one chosen on the trial's training side.
    verdicts : dict of str to Verdicts
        By the name of the test set.
    """

    trial: Trial
    setting: Setting
    verdicts: dict[str, Verdicts]


@dataclass(frozen=True)
class Searched:
    """The outcome of the search of one family on one set of features, or on one view of the series.

    Attributes
    ----------
    name : str
        Of the family.
    feature_set : str
        A set of features, or a view of the series.
    tested : list of TrialVerdicts
        One for each trial.
    fitted : Fitted
        The model to store: chosen and fitted on all windows of its rule.
    grid : DataFrame, optional
        Accuracy of every setting on the paper's splits: ``mean_accuracy`` and ``sd_accuracy``.
    papers_setting : Setting, optional
        The setting of the best mean accuracy in `grid`.
    """

    name: str
    feature_set: str
    tested: list[TrialVerdicts]
    fitted: Fitted
    grid: pd.DataFrame | None = None
    papers_setting: Setting | None = None

    def predictions(self, windows: LabelledWindows) -> Iterator[pd.DataFrame]:
        """Yield the verdicts as rows of the ``prediction`` table, for each trial and test set."""
        for tested in self.tested:
            for test_set, rows in tested.trial.tests.items():
                yield prediction_rows(
                    windows,
                    rows,
                    tested.verdicts[test_set],
                    model=self.name,
                    feature_set=self.feature_set,
                    train_set=tested.trial.train_set,
                    test_set=test_set,
                    fold=tested.trial.fold,
                )

    def nested_accuracy(self, windows: LabelledWindows, trained_set: str) -> float:
        """Return the share of right verdicts on the held-out windows of a set, over the trials that learn from it.

        Parameters
        ----------
        windows : LabelledWindows
            The search's, of any set of features.
        trained_set : str
            Name of the :class:`~smartsbd.models.labelled.window_set.WindowSet`.

        Returns
        -------
        float in [0, 1]
            Over the windows of all trials together.
        """
        right = [
            tested.verdicts[trained_set].shared_pred == windows.shared[tested.trial.tests[trained_set]]
            for tested in self.tested
            if tested.trial.train_set == trained_set
        ]
        return float(np.concatenate(right).mean())

    def summary(self, windows: LabelledWindows, dataset: str, rule: str) -> dict[str, Any]:
        """Return what was chosen, and how accurate it is.

        Parameters
        ----------
        windows : LabelledWindows
            The search's, of any set of features.
        dataset : str
            Its name.
        rule : str
            Of the windows that the stored model is trained on.

        Returns
        -------
        dict
            Settings, features and counts; ``nested_accuracy``, and, if there is a grid, ``paper_accuracy``, in [0, 1].
        """
        trained_set = str(WindowSet.of(dataset, rule))
        figures = {
            "family": self.name,
            "feature_set": self.feature_set,
            "setting": described(self.fitted.setting),
            "features": list(self.fitted.feature_names),
            "nested_accuracy": round(self.nested_accuracy(windows, trained_set), _DIGITS),
            "nested_settings": [
                described(tested.setting) for tested in self.tested if tested.trial.train_set == trained_set
            ],
            "windows": len(windows.rows(rule)),
            "connections": len(np.unique(windows.connections[windows.rows(rule)])),
        }
        if self.grid is not None and self.papers_setting is not None:
            figures["paper_accuracy"] = round(float(self.grid["mean_accuracy"].max()), _DIGITS)
            figures["paper_setting"] = described(self.papers_setting)
        return figures


def described(setting: Setting) -> dict[str, Any]:
    """Return a setting as one flat mapping.

    Returns
    -------
    dict
        ``top`` and the hyperparameters.

    Examples
    --------
    >>> described(Setting(4, (("max_depth", 2),)))
    {'top': 4, 'max_depth': 2}
    """
    return {"top": setting.top, **dict(setting.hyperparameters)}


def grid_table(grid: Sequence[Setting], accuracies: Float64Array, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return the mean and the standard deviation of each setting's accuracy.

    Parameters
    ----------
    grid : sequence of Setting
    accuracies : (splits, settings) float64
    labels : mapping of str to str
        Columns that every row begins with.

    Returns
    -------
    DataFrame
        One row for each setting: the labels, the setting, ``mean_accuracy`` and ``sd_accuracy``.

    Examples
    --------
    >>> grid = [Setting(1, (("max_depth", 2),))]
    >>> grid_table(grid, np.array([[0.5], [1.0]]), {"family": "tree"}).to_dict("records")
    [{'family': 'tree', 'top': 1, 'max_depth': 2, 'mean_accuracy': 0.75, 'sd_accuracy': 0.25}]
    """
    return pd.DataFrame(
        [
            {**labels, **described(setting), "mean_accuracy": of_setting.mean(), "sd_accuracy": of_setting.std()}
            for setting, of_setting in zip(grid, accuracies.T, strict=True)
        ]
    )


def _papers(
    windows: LabelledWindows, grids: Grids, ranked: fitting.RankedSplit, method: fitting.Method
) -> dict[str, Float64Array]:
    """Return the accuracies of every setting of every family on one of the paper's splits."""
    return {
        family: fitting.accuracies(windows, family_of(family), grid, ranked, method) for family, grid in grids.items()
    }


def _chosen(windows: LabelledWindows, grids: Grids, rows: Positions, method: fitting.Method) -> dict[str, Fitted]:
    """Return the model of every family that is chosen and fitted on some rows."""
    side = fitting.training_side(windows, rows, method)
    return {family: fitting.chosen(windows, family_of(family), grid, side, method) for family, grid in grids.items()}


def _tested(windows: LabelledWindows, fitted: Fitted, trial: Trial) -> TrialVerdicts:
    verdicts = {name: fitting.predict(windows, fitted, rows) for name, rows in trial.tests.items()}
    return TrialVerdicts(trial, fitted.setting, verdicts)


def _families_tested(
    windows: LabelledWindows, grids: Grids, trial: Trial, method: fitting.Method
) -> dict[str, TrialVerdicts]:
    """Return the verdicts of the model of every family in one trial."""
    chosen = _chosen(windows, grids, trial.train, method)
    return {family: _tested(windows, fitted, trial) for family, fitted in chosen.items()}


def _neighbours_tested(
    windows: LabelledWindows,
    view: Float64Array,
    grid: Sequence[int],
    every_trial: Sequence[Trial],
    stored_rows: Positions,
    method: fitting.Method,
) -> tuple[list[TrialVerdicts], int]:
    """Return the verdicts of the neighbours in every trial, and how many of them vote in the stored model."""
    distance = neighbours.distances(view)
    tested = []
    for trial in every_trial:
        count = neighbours.chosen_neighbors(distance, windows, trial.train, grid, method)
        learnt = fitting.learnt_from(windows, trial.train, method)
        verdicts = {
            name: neighbours.predict_by_distance(distance, windows, learnt, rows, count)
            for name, rows in trial.tests.items()
        }
        tested.append(TrialVerdicts(trial, neighbours.setting(count), verdicts))
    return tested, neighbours.chosen_neighbors(distance, windows, stored_rows, grid, method)


@dataclass(frozen=True)
class ModelSelection:
    """The search of one dataset.

    Attributes
    ----------
    dataset : str
        Its name.
    windows : mapping of str to LabelledWindows
        The same windows, of all kinds, by set of features.
    correlated : LabelledWindows
        The same windows with the input of plain correlation.
    views : mapping of str to (rows, points, 2) float64
        Their series by view, as :data:`smartsbd.models.families.neighbours.VIEWS` makes them.
    grids : mapping of str to sequence of Setting
        Settings to choose from, by family.
    neighbors : sequence of int
        Numbers of neighbours to choose from.
    trials : list of Trial
        Of the nested search.
    splits : list of Split
        The paper's, over the windows of the rule that stored models are trained on.
    stored_rows : (rows,) int64
        Positions of those windows.
    method : Method
    """

    dataset: str
    windows: Mapping[str, LabelledWindows]
    correlated: LabelledWindows
    views: Mapping[str, Float64Array]
    grids: Grids
    neighbors: Sequence[int]
    trials: list[Trial]
    splits: list[Split]
    stored_rows: Positions
    method: fitting.Method

    @classmethod
    def draw(
        cls,
        dataset: str,
        windows: Mapping[str, LabelledWindows],
        correlated: LabelledWindows,
        rtt_us: Float64Array,
        *,
        rules: Sequence[str],
        grids: Grids,
        neighbors: Sequence[int],
        drawing: Drawing,
        method: fitting.Method,
    ) -> ModelSelection:
        """Return the search with its trials and splits.

        Parameters
        ----------
        dataset, windows, correlated, grids, neighbors, method
            The attributes of these names.
        rtt_us : (rows, points, 2) float64, microseconds
            RTTs of each window.
        rules : sequence of str
            Rules of windows to train on; stored models are trained on the first.
        drawing : Drawing
            Of the random splits.

        Returns
        -------
        ModelSelection
            Not yet searched.
        """
        any_windows, rule = next(iter(windows.values())), rules[0]
        return cls(
            dataset=dataset,
            windows=windows,
            correlated=correlated,
            views={name: view(rtt_us) for name, view in neighbours.VIEWS.items()},
            grids=grids,
            neighbors=neighbors,
            trials=trials(any_windows, dataset, list(rules), drawing),
            splits=[
                Split(*(of_kind(any_windows, rows, rule) for rows in (split.train, split.test)))
                for split in random_splits(any_windows, drawing)
            ],
            stored_rows=any_windows.rows(rule),
            method=method,
        )

    @property
    def any_windows(self) -> LabelledWindows:
        """The windows with some set of features, for a caller that needs everything except the features."""
        return next(iter(self.windows.values()))

    def tasks(self) -> list[partial[Any]]:
        """Return the independent parts of the search, each a call without arguments."""
        calls: list[partial[Any]] = [
            partial(
                _neighbours_tested,
                self.any_windows,
                view,
                self.neighbors,
                self.trials,
                self.stored_rows,
                self.method,
            )
            for view in self.views.values()
        ]
        for windows in self.windows.values():
            ranked_splits = fitting.papers_splits(windows, self.splits, self.method)
            calls += [partial(_papers, windows, self.grids, ranked, self.method) for ranked in ranked_splits]
            calls += [partial(_families_tested, windows, self.grids, trial, self.method) for trial in self.trials]
            calls.append(partial(_chosen, windows, self.grids, self.stored_rows, self.method))
        return calls

    def searched(self, results: Iterable[Any]) -> Iterator[Searched]:
        """Yield the outcome of every family on every set of features, then of the series, then of plain correlation.

        Parameters
        ----------
        results : iterable
            What the calls of :meth:`tasks` return, in their order.

        Yields
        ------
        Searched
            One for each family and set of features, one for each view, and one of plain correlation.
        """
        taken = iter(results)
        of_series = [next(taken) for _ in self.views]
        for feature_set in self.windows:
            of_splits = [next(taken) for _ in self.splits]
            of_trials = [next(taken) for _ in self.trials]
            stored = next(taken)
            for family, grid in self.grids.items():
                accuracies = np.stack([by_family[family] for by_family in of_splits])
                labels = {"dataset": self.dataset, "family": family, "feature_set": feature_set}
                yield Searched(
                    name=family,
                    feature_set=feature_set,
                    tested=[by_family[family] for by_family in of_trials],
                    fitted=stored[family],
                    grid=grid_table(grid, accuracies, labels),
                    papers_setting=fitting.best_setting(grid, accuracies),
                )
        for (name, view), (tested, count) in zip(self.views.items(), of_series, strict=True):
            learnt = fitting.learnt_from(self.any_windows, self.stored_rows, self.method)
            yield Searched(NEIGHBOURS, name, tested, neighbours.fit(view, self.any_windows, learnt, count))
        yield self._correlation()

    def _correlation(self) -> Searched:
        def fitted(rows: Positions) -> Fitted:
            return correlation.fit(self.correlated, fitting.learnt_from(self.correlated, rows, self.method))

        tested = [_tested(self.correlated, fitted(trial.train), trial) for trial in self.trials]
        return Searched(CORRELATION, PLAIN, tested, fitted(self.stored_rows))
