"""Table 5's counterpart: learned models beside the baseline detectors, the paper's way and on the same test rows.

Three tables, whose accuracies are not the same thing. `all`: as in the paper, models on held-out triggered windows,
baselines on all connections, each by its opinion at the end. `same`: everything on the same held-out tiled windows,
baselines with the parameters of their authors and with parameters chosen on the training side of the same split, and
each row's paired difference to plain correlation. `time`: the share of time in which baselines are right; this is not
an accuracy of windows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from smartsbd.contracts.tables import WINDOW_KEY
from smartsbd.detectors import detector_of
from smartsbd.detectors.grid import best_preset
from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.models.assessment.comparison import (
    accuracy_of,
    difference,
    of_folds,
    right_of_time,
    right_of_windows,
    tuned,
)
from smartsbd.models.labelled.window_set import WindowSet, are_of_kind
from smartsbd.models.labelled.windows import SWAPPED
from smartsbd.models.stored.stored_model import CORRELATION

#: Parameter sets: those chosen on the training side of each split, and the best of the grid on what it is judged on.
TUNED, BOUND = "tuned", "best of the grid"
#: The connections that a share of time is taken over: values of the column ``on``.
TEST_SIDES, ALL_CONNECTIONS = "test sides", "all connections"

#: The value of ``evidence`` in the rows of a learned model.
_LEARNED = "learned"
_DIFFERENCE = "less_correlation"
_TRIGGERED = "triggered"
_KEY = [*WINDOW_KEY, "fold"]


@dataclass(frozen=True)
class Opinions:
    """The opinions of detectors on a dataset.

    Attributes
    ----------
    windows : DataFrame of the ``opinion`` table
        With ``right`` of each row.
    times : DataFrame of the ``time_share`` table
        With ``right`` of each row.
    """

    windows: pd.DataFrame
    times: pd.DataFrame

    @classmethod
    def of(cls, opinion: pd.DataFrame, time_share: pd.DataFrame) -> Opinions:
        """Judge the rows of both tables."""
        return cls(right_of_windows(opinion), right_of_time(time_share))

    @property
    def last(self) -> pd.DataFrame:
        """The last opinion on each pair, with ``right`` of each row."""
        return right_of_windows(self.times.assign(shared_pred=self.times["last_pred"]))


@dataclass(frozen=True)
class Resampling:
    """How intervals are drawn, as :func:`~smartsbd.models.assessment.accuracy.accuracy` takes it."""

    resamples: int
    seed: int


def rows_by_site(
    labels: Mapping[str, str], judged: pd.DataFrame, resampling: Resampling, compared: pd.DataFrame | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the accuracy of some rows on each site and on all, and how much more right they are than others.

    Parameters
    ----------
    labels : mapping of str to str
        Columns that every row begins with.
    judged : DataFrame
        Columns ``right``, ``shared``, ``connection_id`` and ``site``.
    resampling : Resampling
    compared : DataFrame, optional
        Their paired differences.

    Yields
    ------
    dict
        One for each site and one for all: the labels, ``site``, ``rows``, the fields of
        :class:`~smartsbd.models.assessment.accuracy.Accuracy`, and the difference in balanced accuracy if there is a
        comparison.
    """

    def accuracy(rows: pd.DataFrame) -> dict[str, Any]:
        return asdict(accuracy_of(rows, resamples=resampling.resamples, seed=resampling.seed))

    def at(rows: pd.DataFrame, site: str) -> pd.DataFrame:
        return rows if site == ALL_SITES else rows[rows["site"] == site]

    for site in [*sorted(judged["site"].dropna().unique()), ALL_SITES]:
        at_site = at(judged, site)
        row = {**labels, "site": site, "rows": len(at_site), **accuracy(at_site)}
        if compared is not None:
            less = accuracy(at(compared, site))
            row |= {f"{_DIFFERENCE}{end}": less[f"balanced{end}"] for end in ("", "_low", "_high")}
        yield row


def chosen_table(chosen: Mapping[str, Counter[str]]) -> pd.DataFrame:
    """Return how many splits chose each parameter set of each detector, the most frequent first.

    Parameters
    ----------
    chosen : mapping of str to Counter of str
        By detector, the parameter sets.

    Returns
    -------
    DataFrame
        One row for each detector and parameter set: ``detector``, ``parameters``, ``splits``.

    Examples
    --------
    >>> chosen_table({"svd": Counter(["n=9", "n=5", "n=9"])}).to_numpy().tolist()
    [['svd', 'n=9', 2], ['svd', 'n=5', 1]]
    """
    return pd.DataFrame(
        [
            {"detector": name, "parameters": preset, "splits": count}
            for name, counter in chosen.items()
            for preset, count in sorted(counter.items(), key=lambda item: (-item[1], item[0]))
        ]
    )


def _model_labels(model: str, feature_set: str) -> dict[str, str]:
    return {"detector": model, "parameters": feature_set, "evidence": _LEARNED}


def _detector_labels(name: str, preset: str) -> dict[str, str]:
    return {"detector": name, "parameters": preset, "evidence": detector_of(name)[0].evidence}


@dataclass(frozen=True)
class BaselineComparison:
    """Models and detectors on one dataset.

    Attributes
    ----------
    dataset : str
        Its name.
    rule : str
        Of the windows that stored models are trained on.
    predictions : DataFrame of the ``prediction`` table
        Of the dataset's search.
    detectors : sequence of str
        Names of the detectors, in the order of the tables.
    grids : sequence of str
        Names of those with a grid.
    presets : Opinions
        Of the detectors with the parameter sets of their authors.
    points : Opinions
        Of every point of the grids.
    resampling : Resampling
    """

    dataset: str
    rule: str
    predictions: pd.DataFrame
    detectors: Sequence[str]
    grids: Sequence[str]
    presets: Opinions
    points: Opinions
    resampling: Resampling

    @cached_property
    def tests(self) -> Mapping[int, Collection[str]]:
        """The connections on the test side of each split, as the search tested its models on them."""
        of_set = str(WindowSet.of(self.dataset, self.rule))
        rows = self.predictions[
            (self.predictions["train_set"] == of_set) & ~are_of_kind(self.predictions["test_set"], SWAPPED)
        ]
        return {int(str(fold)): set(tested["connection_id"]) for fold, tested in rows.groupby("fold")}

    def all(self) -> pd.DataFrame:
        """Return models on held-out triggered windows, baselines by their last opinion on all connections."""
        rows: list[dict[str, Any]] = []
        for model, feature_set, verdicts in self._learned(_TRIGGERED):
            rows += rows_by_site(_model_labels(model, feature_set), verdicts, self.resampling)
        for name, preset, verdicts in self._by_preset(self.presets.last):
            rows += rows_by_site(_detector_labels(name, preset), verdicts, self.resampling)
        rows += self._bounds(self.points.last, {})
        return pd.DataFrame(rows)

    def same(self) -> tuple[pd.DataFrame, dict[str, Counter[str]]]:
        """Return everything on the same held-out windows, and how often each parameter set was chosen."""
        learned = list(self._learned(self.rule))
        plain = next(verdicts for model, _, verdicts in learned if model == CORRELATION)

        def less(judged: pd.DataFrame) -> pd.DataFrame:
            # A detector whose signal not every connection has was replayed on some of the rows.
            return difference(judged, plain.merge(judged[_KEY], on=_KEY), _KEY)

        rows: list[dict[str, Any]] = []
        for model, feature_set, verdicts in learned:
            rows += rows_by_site(
                _model_labels(model, feature_set), verdicts, self.resampling, difference(verdicts, plain, _KEY)
            )
        windows, points = (
            opinions.windows[opinions.windows["rule"] == self.rule] for opinions in (self.presets, self.points)
        )
        for name, preset, every in self._by_preset(windows):
            verdicts = of_folds(every, self.tests)
            rows += rows_by_site(_detector_labels(name, preset), verdicts, self.resampling, less(verdicts))
        chosen: dict[str, Counter[str]] = {}
        for name in self._tunable(self.points.windows):
            verdicts, best = tuned(points[points["detector"] == name], self.tests)
            chosen[name] = Counter(best.values())
            rows += rows_by_site(_detector_labels(name, TUNED), verdicts, self.resampling, less(verdicts))
        return pd.DataFrame(rows), chosen

    def time(self) -> pd.DataFrame:
        """Return the share of time in which baselines are right: on the splits' test sides, and on all connections."""
        rows: list[dict[str, Any]] = []
        times, points = self.presets.times, self.points.times
        for name, preset, shares in self._by_preset(times):
            labels = {**_detector_labels(name, preset), "on": TEST_SIDES}
            rows += rows_by_site(labels, of_folds(shares, self.tests), self.resampling)
        for name in self._tunable(points):
            shares, _ = tuned(points[points["detector"] == name], self.tests)
            rows += rows_by_site({**_detector_labels(name, TUNED), "on": TEST_SIDES}, shares, self.resampling)
        for name, preset, shares in self._by_preset(times):
            rows += rows_by_site({**_detector_labels(name, preset), "on": ALL_CONNECTIONS}, shares, self.resampling)
        rows += self._bounds(points, {"on": ALL_CONNECTIONS})
        return pd.DataFrame(rows)

    def _learned(self, rule: str) -> Iterator[tuple[str, str, pd.DataFrame]]:
        """Yield the verdicts of each model on its test rows, trained on windows of the same rule."""
        of_set = str(WindowSet.of(self.dataset, rule))
        same_set = self.predictions[
            (self.predictions["train_set"] == of_set) & (self.predictions["test_set"] == of_set)
        ]
        for (model, feature_set), rows in same_set.groupby(["model", "feature_set"], sort=False):
            yield str(model), str(feature_set), right_of_windows(rows)

    def _by_preset(self, judged: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
        """Yield the rows of each detector and parameter set; those tuned on other datasets are left out."""
        for name in self.detectors:
            for preset in detector_of(name)[0].presets:
                rows = judged[(judged["detector"] == name) & (judged["preset"] == preset)]
                # A detector whose signal no connection has was not replayed.
                if not rows.empty:
                    yield name, preset, rows

    def _tunable(self, points: pd.DataFrame) -> list[str]:
        """Return the detectors with a grid whose signal the dataset has."""
        return [name for name in self.grids if (points["detector"] == name).any()]

    def _bounds(self, points: pd.DataFrame, labels: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yield the best point of each grid on these very rows: no estimate, an upper bound."""
        for name in self._tunable(points):
            on_grid = points[points["detector"] == name]
            everywhere = {0: set(on_grid["connection_id"])}
            best = best_preset(on_grid.sort_values("preset", kind="stable"))
            judged = of_folds(on_grid[on_grid["preset"] == best], everywhere)
            yield from rows_by_site({**_detector_labels(name, BOUND), **labels}, judged, self.resampling)
