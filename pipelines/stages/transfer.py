"""Test the models of each dataset on the others, to see what carries over to paths of other settings.

The models are those that ``search`` chose and fitted on all of a dataset; they have seen nothing of the
other datasets.
"""

from __future__ import annotations

import argparse
import itertools
import logging
from pathlib import Path

import numpy as np
import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import PREDICTION, SERIES
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.models.families import neighbours
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.labelled.window_verdicts import prediction_rows, write_predictions
from smartsbd.models.stored.loaded_model import load
from smartsbd.models.stored.stored_model import searched
from smartsbd.models.stored.tested_windows import TestedWindows, tested_windows
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running import parallel, stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--models", type=Path, required=True, help="folder with one folder of models for each dataset")
    parser.add_argument(
        "--features", type=Path, required=True, help="folder with one folder of windows for each dataset"
    )
    parser.add_argument("--predictions", type=Path, required=True, help="prediction table to write")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options = params.search
    tests: dict[str, TestedWindows] = {}
    for tested in params.transfer.tested:
        if set(options.datasets) == {tested}:
            continue
        folder = arguments.features / tested
        pair_window = read_table(PAIR_WINDOW, folder / "pair_window.parquet").to_pandas()
        series = read_table(SERIES, folder / "series.parquet").select(neighbours.COLUMNS).to_pandas()
        tests[tested] = tested_windows(pair_window, series, options.rule)
    every = [
        model
        for trained in options.datasets
        for model in searched(trained, list(options.families), options.feature_sets)
    ]
    parts: dict[tuple[str, str], list[pd.DataFrame]] = {}
    for model in parallel.progress(every, what="transfer", total=len(every)):
        loaded = load(model, arguments.models)
        for tested, table in tests.items():
            if tested == model.dataset:
                continue
            verdicts, windows = loaded.judge_table(table), table.windows
            known = {
                "model": model.family,
                "feature_set": model.feature_set,
                "train_set": str(WindowSet.of(model.dataset, options.rule)),
                "test_set": str(WindowSet.of(tested, options.rule)),
            }
            rows = np.arange(len(windows.shared))
            parts.setdefault((model.dataset, tested), []).append(
                prediction_rows(windows, rows, verdicts, fold=0, **known)
            )
            log.info("%s: %.3f", ", ".join(known.values()), (verdicts.shared_pred == windows.shared).mean())
    predictions = list(itertools.chain.from_iterable(parts.values()))
    none = pd.DataFrame(columns=[column.name for column in PREDICTION.columns])
    write_predictions(pd.concat(predictions, ignore_index=True) if predictions else none, arguments.predictions)
    return stage.EXIT_OK
