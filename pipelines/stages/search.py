"""Choose, fit and store models: grid search per family and set of features (SmartSBD, Table 4 and Fig. 6).

Two accuracies are kept apart. ``paper``: features ranked on all windows, the mean over the splits, from which
the best setting is chosen; it is optimistic. ``nested``: ranking, scaling and choice on the training side of each split
only; its predictions are what the evaluation judges.
"""

from __future__ import annotations

import argparse
import logging
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from contracts.contract import read_table, write_table
from contracts.tables import PREDICTION, SERIES
from features.catalog import PAIR_WINDOW, feature_names
from models import correlation, neighbours, search, store
from models.families import family_of
from models.families import growth as growth  # noqa: PLC0414 - before processes are forked, which need it
from models.fitted import Fitted, Setting
from models.split import Split
from models.stored_model import CORRELATION, NEIGHBOURS, PLAIN, StoredModel
from models.trial import Trial, of_kind, random_splits, trials
from models.verdict import Verdicts, prediction_rows
from models.window_set import WindowSet
from models.windows import LabelledWindows, Positions, windows_of_kinds
from pipelines.params import Params
from pipelines.reporting.figures import selection, style
from pipelines.reporting.report_files import write_csv, write_json
from pipelines.running import parallel, plan, stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset trained on")
    parser.add_argument("--features", type=Path, required=True, help="folder with its windows and series")
    parser.add_argument("--swapped", type=Path, required=True, help="folder with those of swapped partners")
    parser.add_argument("--models", type=Path, required=True, help="folder with a folder of models for each dataset")
    parser.add_argument("--predictions", type=Path, required=True, help="prediction table to write")
    parser.add_argument("--grid", type=Path, required=True, help="CSV file: accuracy of every setting")
    parser.add_argument("--chosen", type=Path, required=True, help="JSON file: the settings chosen")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file: accuracy over the grids")


@dataclass(frozen=True)
class TestedSetting:
    """What one trial's model says of its test windows."""

    trial: Trial
    setting: Setting
    verdicts: dict[str, Verdicts]


@dataclass(frozen=True)
class Searched:
    """What the search of one family on one set of features, or of one view of the series, gave."""

    name: str
    feature_set: str
    tested: list[TestedSetting]
    fitted: Fitted
    grid: pd.DataFrame | None = None
    papers_setting: Setting | None = None


def _describe(setting: Setting) -> dict[str, Any]:
    return {"top": setting.top, **dict(setting.hyperparameters)}


def _papers(
    windows: LabelledWindows, grids: Mapping[str, Sequence[Setting]], ranked: search.RankedSplit, method: search.Method
) -> dict[str, npt.NDArray[np.float64]]:
    """Return the accuracies of every setting of every family on one of the paper's splits."""
    return {
        family: search.accuracies(windows, family_of(family), grid, ranked, method) for family, grid in grids.items()
    }


def _chosen(
    windows: LabelledWindows, grids: Mapping[str, Sequence[Setting]], rows: Positions, method: search.Method
) -> dict[str, Fitted]:
    """Return the model of every family that is chosen and fitted on some rows."""
    side = search.training_side(windows, rows, method)
    return {family: search.chosen(windows, family_of(family), grid, side, method) for family, grid in grids.items()}


def _tested(
    windows: LabelledWindows, grids: Mapping[str, Sequence[Setting]], trial: Trial, method: search.Method
) -> dict[str, TestedSetting]:
    """Return what the model of every family says in one trial."""
    return {
        family: TestedSetting(
            trial, fitted.setting, {name: search.predict(windows, fitted, rows) for name, rows in trial.tests.items()}
        )
        for family, fitted in _chosen(windows, grids, trial.train, method).items()
    }


def _neighbours(
    windows: LabelledWindows,
    view: npt.NDArray[np.float64],
    grid: Sequence[int],
    every_trial: Sequence[Trial],
    stored_rows: Positions,
    method: search.Method,
) -> tuple[list[TestedSetting], int]:
    """Return what the neighbours say in every trial, and how many of them vote in the stored model."""
    distance = neighbours.distances(view)
    tested = []
    for trial in every_trial:
        count = neighbours.chosen_neighbors(distance, windows, trial.train, grid, method)
        learnt = search.learnt_from(windows, trial.train, method)
        verdicts = {
            name: neighbours.predict_by_distance(distance, windows, learnt, rows, count)
            for name, rows in trial.tests.items()
        }
        tested.append(TestedSetting(trial, neighbours.setting(count), verdicts))
    return tested, neighbours.chosen_neighbors(distance, windows, stored_rows, grid, method)


def _correlation(
    windows: LabelledWindows, every_trial: Sequence[Trial], stored_rows: Positions, method: search.Method
) -> Searched:
    tested = []
    for trial in every_trial:
        fitted = correlation.fit(windows, search.learnt_from(windows, trial.train, method))
        verdicts = {name: search.predict(windows, fitted, rows) for name, rows in trial.tests.items()}
        tested.append(TestedSetting(trial, fitted.setting, verdicts))
    fitted = correlation.fit(windows, search.learnt_from(windows, stored_rows, method))
    return Searched(CORRELATION, PLAIN, tested, fitted)


def _grid_table(
    grid: Sequence[Setting], accuracies: npt.NDArray[np.float64], labels: Mapping[str, str]
) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {**labels, **_describe(setting), "mean_accuracy": own.mean(), "sd_accuracy": own.std()}
            for setting, own in zip(grid, accuracies.T, strict=True)
        ]
    )


def _prediction_rows(windows: LabelledWindows, searched: Searched) -> Iterator[pd.DataFrame]:
    for one in searched.tested:
        for test_set, rows in one.trial.tests.items():
            yield prediction_rows(
                windows,
                rows,
                one.verdicts[test_set],
                model=searched.name,
                feature_set=searched.feature_set,
                train_set=one.trial.train_set,
                test_set=test_set,
                fold=one.trial.fold,
            )


def _search(
    windows: Mapping[str, LabelledWindows],
    correlated: LabelledWindows,
    rtt_us: npt.NDArray[np.float64],
    dataset: str,
    params: Params,
) -> Iterator[Searched]:
    """Yield what every family gives on every set of features, then the series, then plain correlation."""
    options, method = params.search, plan.method(params.search)
    any_windows = next(iter(windows.values()))
    every_trial = trials(any_windows, dataset, list(options.rules), plan.drawing(options))
    stored_rows = any_windows.rows(options.rule)
    splits = [
        Split(*(of_kind(any_windows, rows, options.rule) for rows in (split.train, split.test)))
        for split in random_splits(any_windows, plan.drawing(options))
    ]
    grids = {family: search.settings(family_of(family), grid, options.top) for family, grid in options.families.items()}
    views = {name: view(rtt_us) for name, view in neighbours.VIEWS.items()}
    tasks: list[partial[Any]] = [
        partial(_neighbours, any_windows, view, options.neighbors, every_trial, stored_rows, method)
        for view in views.values()
    ]
    for own in windows.values():
        tasks += [partial(_papers, own, grids, ranked, method) for ranked in search.papers_splits(own, splits, method)]
        tasks += [partial(_tested, own, grids, trial, method) for trial in every_trial]
        tasks.append(partial(_chosen, own, grids, stored_rows, method))
    found = parallel.mapped(operator.call, tasks, params, what=f"search {dataset}")
    of_series = [next(found) for _ in views]
    for feature_set in windows:
        of_splits = [next(found) for _ in splits]
        of_trials = [next(found) for _ in every_trial]
        stored = next(found)
        for family, grid in grids.items():
            accuracies = np.stack([one[family] for one in of_splits])
            labels = {"dataset": dataset, "family": family, "feature_set": feature_set}
            yield Searched(
                name=family,
                feature_set=feature_set,
                tested=[one[family] for one in of_trials],
                fitted=stored[family],
                grid=_grid_table(grid, accuracies, labels),
                papers_setting=search.best_setting(grid, accuracies),
            )
    for (name, view), (tested, count) in zip(views.items(), of_series, strict=True):
        learnt = search.learnt_from(any_windows, stored_rows, method)
        yield Searched(NEIGHBOURS, name, tested, neighbours.fit(view, any_windows, learnt, count))
    yield _correlation(correlated, every_trial, stored_rows, method)


def _summary(searched: Searched, windows: LabelledWindows, dataset: str, rule: str, model_path: Path) -> dict[str, Any]:
    trained_set = str(WindowSet.of(dataset, rule))
    own = [one for one in searched.tested if one.trial.train_set == trained_set]
    right = np.concatenate(
        [one.verdicts[trained_set].shared_pred == windows.shared[one.trial.tests[trained_set]] for one in own]
    )
    summary = {
        "family": searched.name,
        "feature_set": searched.feature_set,
        "setting": _describe(searched.fitted.setting),
        "features": list(searched.fitted.feature_names),
        "nested_accuracy": round(float(right.mean()), 6),
        "nested_settings": [_describe(one.setting) for one in own],
        "model": store.digest(model_path),
        "windows": len(windows.rows(rule)),
        "connections": len(np.unique(windows.connections[windows.rows(rule)])),
    }
    if searched.grid is not None and searched.papers_setting is not None:
        summary["paper_accuracy"] = round(float(searched.grid["mean_accuracy"].max()), 6)
        summary["paper_setting"] = _describe(searched.papers_setting)
    return summary


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    params.check_learnable(arguments.dataset)
    options, folder = params.search, arguments.features
    pair_window = read_table(PAIR_WINDOW, folder / "pair_window.parquet").to_pandas()
    swapped = read_table(PAIR_WINDOW, arguments.swapped / "pair_window.parquet").to_pandas()
    windows = {
        name: windows_of_kinds(pair_window, options.rules, swapped, feature_names(name))
        for name in options.feature_sets
    }
    any_windows = next(iter(windows.values()))
    correlated = windows_of_kinds(pair_window, options.rules, swapped, (correlation.FEATURE,))
    series = pd.concat(
        [
            read_table(SERIES, place / "series.parquet").select(neighbours.COLUMNS).to_pandas()
            for place in (folder, arguments.swapped)
        ],
        ignore_index=True,
    )
    rtt_us = neighbours.rtt_us_of(series, any_windows.key)
    grids: list[pd.DataFrame] = []
    predictions: list[pd.DataFrame] = []
    summaries: dict[str, dict[str, Any]] = {}
    for searched in _search(windows, correlated, rtt_us, arguments.dataset, params):
        model = StoredModel(arguments.dataset, searched.name, searched.feature_set)
        name, path = model.name, model.path(arguments.models)
        store.save(searched.fitted, path)
        summaries[name] = _summary(searched, any_windows, arguments.dataset, options.rule, path)
        predictions += _prediction_rows(any_windows, searched)
        if searched.grid is not None:
            grids.append(searched.grid)
        log.info("%s: nested %.3f", name, summaries[name]["nested_accuracy"])
    table = pd.concat(grids, ignore_index=True)
    write_csv(table, arguments.grid)
    write_json(summaries, arguments.chosen)
    axis_of = {family: family_of(family).hyperparameters[0] for family in options.families}
    title = f"{arguments.dataset}, {options.rule} windows, the paper's way"
    style.save(selection.grid(table, axis_of, title), arguments.figure)
    rows = pd.concat(predictions, ignore_index=True)
    columns = {column.name: rows[column.name].tolist() for column in PREDICTION.columns}
    write_table(PREDICTION, columns, arguments.predictions)
    return stage.EXIT_OK
