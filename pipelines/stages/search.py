"""Choose, fit and store models: grid search for each family and set of features (SmartSBD, Table 4 and Fig. 6).

Two accuracies are kept apart. ``paper``: features ranked on all windows, the mean over the splits, from which
the best setting is chosen; it is optimistic. ``nested``: ranking, scaling and choice on the training side of each split
only; its predictions are what the evaluation judges.
"""

from __future__ import annotations

import argparse
import logging
import operator
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import SERIES
from smartsbd.features.catalog import PAIR_WINDOW, feature_names
from smartsbd.models.families import correlation, family_of, neighbours
from smartsbd.models.families import growth as growth  # noqa: PLC0414 - before processes are forked, which need it
from smartsbd.models.labelled.window_verdicts import write_predictions
from smartsbd.models.labelled.windows import windows_of_kinds
from smartsbd.models.search import fitting
from smartsbd.models.search.trial_search import ModelSelection
from smartsbd.models.stored import store
from smartsbd.models.stored.stored_model import StoredModel
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.figures import selection, style
from smartsbd.pipelines.reporting.report_files import write_csv, write_json
from smartsbd.pipelines.running import parallel, plan, stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset trained on")
    parser.add_argument("--features", type=Path, required=True, help="folder with its windows and series")
    parser.add_argument("--swapped", type=Path, required=True, help="folder with the windows of swapped partners")
    parser.add_argument("--models", type=Path, required=True, help="folder with one folder of models for each dataset")
    parser.add_argument("--predictions", type=Path, required=True, help="prediction table to write")
    parser.add_argument("--grid", type=Path, required=True, help="CSV file: accuracy of every setting")
    parser.add_argument("--chosen", type=Path, required=True, help="JSON file: the settings chosen")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file: accuracy over the grids")


def _asked(dataset: str, folder: Path, swapped_folder: Path, params: Params) -> ModelSelection:
    """Read the windows and series of a dataset and of its swapped partners; return the selection to do."""
    options = params.search
    pair_window, swapped = (
        read_table(PAIR_WINDOW, place / "pair_window.parquet").to_pandas() for place in (folder, swapped_folder)
    )
    windows = {
        name: windows_of_kinds(pair_window, options.rules, swapped, feature_names(name))
        for name in options.feature_sets
    }
    series = [
        read_table(SERIES, place / "series.parquet").select(neighbours.COLUMNS).to_pandas()
        for place in (folder, swapped_folder)
    ]
    key = next(iter(windows.values())).key
    return ModelSelection.draw(
        dataset,
        windows,
        windows_of_kinds(pair_window, options.rules, swapped, (correlation.FEATURE,)),
        neighbours.rtt_us_of(pd.concat(series, ignore_index=True), key),
        rules=options.rules,
        grids={
            family: fitting.settings(family_of(family), grid, options.top) for family, grid in options.families.items()
        },
        neighbors=options.neighbors,
        drawing=plan.drawing(options),
        method=plan.method(options),
    )


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    params.check_learnable(arguments.dataset)
    options = params.search
    asked = _asked(arguments.dataset, arguments.features, arguments.swapped, params)
    results = parallel.mapped(operator.call, asked.tasks(), params, what=f"search {arguments.dataset}")
    grids: list[pd.DataFrame] = []
    predictions: list[pd.DataFrame] = []
    summaries: dict[str, dict[str, Any]] = {}
    for searched in asked.searched(results):
        model = StoredModel(arguments.dataset, searched.name, searched.feature_set)
        path = model.path(arguments.models)
        store.save(searched.fitted, path)
        summary = searched.summary(asked.any_windows, arguments.dataset, options.rule)
        summaries[model.name] = summary | {"model": store.digest(path)}
        predictions += searched.predictions(asked.any_windows)
        if searched.grid is not None:
            grids.append(searched.grid)
        log.info("%s: nested %.3f", model.name, summary["nested_accuracy"])
    table = pd.concat(grids, ignore_index=True)
    write_csv(table, arguments.grid)
    write_json(summaries, arguments.chosen)
    axis_of = {family: family_of(family).hyperparameters[0] for family in options.families}
    title = f"{arguments.dataset}, {options.rule} windows, the paper's way"
    style.save(selection.grid(table, axis_of, title), arguments.figure)
    write_predictions(pd.concat(predictions, ignore_index=True), arguments.predictions)
    return stage.EXIT_OK
