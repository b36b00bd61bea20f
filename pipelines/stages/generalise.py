"""Train on some datasets, test on each: how well each set of features carries over.

Where a dataset is learnt from, connections are held out by random splits; where it is not, all of its labelled windows
are tested on, and those without a verdict count as wrong. Ranking, scaling and choice use training connections only.
A model of one dataset is the one that its search found. A model of several datasets is chosen and fitted here.
"""

from __future__ import annotations

import argparse
import logging
import operator
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import PREDICTION
from smartsbd.features.catalog import PAIR_WINDOW, feature_names
from smartsbd.models.assessment.accuracy_by_set import accuracy_by_set, read_missing
from smartsbd.models.families import family_of
from smartsbd.models.families import growth as growth  # noqa: PLC0414 - before processes are forked, which need it
from smartsbd.models.labelled.window_verdicts import write_predictions
from smartsbd.models.search import fitting, generalisation
from smartsbd.models.search.generalisation import SearchResult
from smartsbd.models.stored import store
from smartsbd.models.stored.stored_model import StoredModel
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.figures import comparison, style
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.running import parallel, plan, stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument(
        "--features", type=Path, required=True, help="folder with one folder of windows for each dataset"
    )
    parser.add_argument("--swapped", type=Path, required=True, help="folder with the windows of swapped partners")
    parser.add_argument("--searched", type=Path, required=True, help="folder with one prediction table for each search")
    parser.add_argument("--models", type=Path, required=True, help="folder with one folder of models for each dataset")
    parser.add_argument("--predictions", type=Path, required=True, help="prediction table to write")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: accuracy")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _pair_windows(folder: Path, datasets: Iterable[str]) -> dict[str, pd.DataFrame]:
    return {name: read_table(PAIR_WINDOW, folder / name / "pair_window.parquet").to_pandas() for name in datasets}


def _searched(
    arguments: argparse.Namespace, datasets: Iterable[str], params: Params
) -> dict[tuple[str, str], SearchResult]:
    """Return the verdicts and models of each dataset's search, by dataset and set of features."""
    results, families = {}, params.generalise.families
    for dataset in datasets:
        every = read_table(PREDICTION, arguments.searched / f"{dataset}.parquet").to_pandas()
        for feature_set in params.search.feature_sets:
            of_set = every[every["feature_set"] == feature_set]
            models = {name: StoredModel(dataset, name, feature_set).path(arguments.models) for name in families}
            results[dataset, feature_set] = SearchResult(
                {name: of_set[of_set["model"] == name] for name in families},
                {name: store.load(path) for name, path in models.items()},
            )
    return results


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options, search, method = params.generalise, params.search, plan.method(params.search)
    learnt = list(dict.fromkeys(dataset for datasets in options.trained for dataset in datasets))
    for dataset in learnt:
        params.check_learnable(dataset)
    pair_windows = _pair_windows(arguments.features, dict.fromkeys([*learnt, *options.tested]))
    partners = _pair_windows(arguments.swapped, learnt)
    parts = {
        name: generalisation.labelled_parts(pair_windows, partners, search.rules, feature_names(name))
        for name in search.feature_sets
    }
    grids = {name: fitting.settings(family_of(name), search.families[name], search.top) for name in options.families}
    # Rows, splits and so trials are the same for every set of features.
    any_parts = next(iter(parts.values()))
    trials = [
        trial
        for datasets in options.trained
        for trial in generalisation.trials(any_parts, datasets, options.tested, search.rule, plan.drawing(search))
    ]
    pools = {name: generalisation.pooled(of_set) for name, of_set in parts.items()}
    tasks = generalisation.tasks(pools, trials, grids, method)
    of_several = parallel.mapped(operator.call, tasks, params, what="generalise")
    alone = dict.fromkeys(datasets[0] for datasets in options.trained if len(datasets) == 1)
    predictions = generalisation.predictions(pools, trials, _searched(arguments, alone, params), of_several)
    write_predictions(predictions, arguments.predictions)
    missing = read_missing(arguments.features, options.tested, search.rule)
    evaluate = params.evaluate
    table = accuracy_by_set(predictions, missing, resamples=evaluate.resamples, seed=evaluate.seed)
    write_csv(table, arguments.table)
    style.save(comparison.generalisation(table), arguments.figure)
    log.info("%d rows of accuracy", len(table))
    return stage.EXIT_OK
