"""Test stored models on data that differs from training in one factor.

Loss, jitter, queue and controller are moved by the simulated dataset, one at a time; the length of a window and
missing RTT samples here, on the connections of its base setting. The models are those that ``search`` stored.
"""

from __future__ import annotations

import argparse
import itertools
import logging
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.models.assessment.sensitivity import FactorLevel, SimulatedLevel, judged, simulated, variations, varied
from smartsbd.models.families.fitted import Fitted
from smartsbd.models.stored import store
from smartsbd.models.stored.stored_model import CORRELATION, PLAIN, StoredModel
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.figures import comparison, style
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import stage
from smartsbd.scenarios import sensitivity

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="the dataset's truth table")
    parser.add_argument("--features", type=Path, required=True, help="folder with the dataset's windows")
    parser.add_argument("--models", type=Path, required=True, help="folder with one folder of models for each dataset")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: accuracy by level, unrounded")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: accuracy by level")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _levels(truth: pd.DataFrame, arguments: argparse.Namespace, params: Params) -> Iterator[FactorLevel]:
    windows = read_table(PAIR_WINDOW, arguments.features / "pair_window.parquet").to_pandas()
    rejected = read_table(tables.REJECTED, arguments.features / "rejected.parquet").to_pandas()
    options, rule = params.sensitivity, params.search.rule
    levels = [
        SimulatedLevel(
            factor, str(level), sensitivity.is_base(factor, level), scenario=sensitivity.name_of(factor, level)
        )
        for factor, levels in sensitivity.LEVELS.items()
        for level in levels
    ]
    yield from simulated(levels, truth, windows, rejected, rule)
    base = truth[truth["scenario"] == sensitivity.BASE_NAME]
    every = variations(options.window_rtts, options.missing_shares, options.seed)
    reading = params.extract.reading
    yield from varied(every, base, arguments.tables, arguments.truth, arguments.dataset, rule, reading)


def _models(folder: Path, params: Params) -> dict[StoredModel, Fitted]:
    """Return the models to test."""
    options = params.sensitivity
    names = [*itertools.product(options.families, options.feature_sets), (CORRELATION, PLAIN)]
    every = [StoredModel(dataset, *name) for dataset in params.search.datasets for name in names]
    return {model: store.load(model.path(folder)) for model in every}


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    truth = read_table(tables.TRUTH, arguments.truth).to_pandas()
    models = _models(arguments.models, params)
    resampling = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    rows = []
    for level in _levels(truth, arguments, params):
        log.info(
            "%s %s: %d of %d pairs valid, %d windows, %d without a verdict",
            *(level.factor, level.level, level.valid_pairs, level.pairs),
            *(len(level.windows), len(level.without_verdict)),
        )
        for model, fitted in models.items():
            rows.append(level.row(model, judged(fitted, level.windows, level.without_verdict, **resampling)))
    table = pd.DataFrame(rows)
    write_parquet(table, arguments.judged)
    write_csv(table, arguments.table)
    style.save(comparison.sensitivity(table), arguments.figure)
    return stage.EXIT_OK
