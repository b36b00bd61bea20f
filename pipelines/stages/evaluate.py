"""Judge the predictions: accuracy of shared and non-shared windows, for each site and overall (Table 5).

Where the whole of a dataset is tested, a window without a verdict counts as wrong. Random splits are drawn over
connections that have one, so there the coverage is not known.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import PREDICTION
from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.models.assessment.accuracy_by_set import accuracy_by_site, read_missing
from smartsbd.models.labelled.window_set import are_of_kind
from smartsbd.models.labelled.windows import SWAPPED
from smartsbd.models.search.shipped_choice import best_model
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.figures import comparison, style
from smartsbd.pipelines.reporting.report_files import DIGITS, write_csv, write_json, write_parquet
from smartsbd.pipelines.running import stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--predictions", type=Path, required=True, help="folder with each search's prediction table")
    parser.add_argument(
        "--transferred", type=Path, required=True, help="prediction table of the models on other datasets"
    )
    parser.add_argument("--features", type=Path, required=True, help="folder with the rejected tables")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: accuracy, unrounded")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: accuracy")
    parser.add_argument("--metrics", type=Path, required=True, help="JSON file: what DVC compares")
    parser.add_argument("--detector", type=Path, required=True, help="JSON file: the model that carries over best")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _headline(overall: pd.DataFrame, where: str) -> dict[str, float]:
    """Return the balanced accuracy of each family on the paper's features, trained and tested on one set."""
    rows = overall[
        (overall["train_set"] == where) & (overall["test_set"] == where) & (overall["feature_set"] == "paper")
    ]
    return {f"{row['model']}_paper": round(float(row["balanced"]), DIGITS) for row in rows.to_dict("records")}


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options = params.search
    paths = [arguments.predictions / f"{name}.parquet" for name in options.datasets]
    predictions = pd.concat([read_table(PREDICTION, path).to_pandas() for path in (*paths, arguments.transferred)])
    # Swapped partners have one label; the controls judge them.
    predictions = predictions[~are_of_kind(predictions["test_set"], SWAPPED)]
    table = accuracy_by_site(
        predictions,
        read_missing(arguments.features, params.transfer.tested, options.rule),
        options.datasets,
        [*options.datasets, *options.families, *options.feature_sets],
        resamples=params.evaluate.resamples,
        seed=params.evaluate.seed,
    )
    write_parquet(table, arguments.judged)
    write_csv(table, arguments.table)
    of_rule = [are_of_kind(table[name], options.rule) for name in ("train_set", "test_set")]
    overall = table[(table["site"] == ALL_SITES) & of_rule[0] & of_rule[1]]
    write_json(_headline(overall, f"{params.export.dataset}/{options.rule}"), arguments.metrics)
    exported = [str(model) for model in params.export.stored()]
    chosen = best_model(overall, options.datasets, params.transfer.development, options.rule, exported)
    write_json(chosen, arguments.detector)
    style.save(comparison.accuracy(overall), arguments.figure)
    log.info("%d rows of accuracy", len(table))
    return stage.EXIT_OK
