"""Test the models of each dataset on the others: what carries over to paths of other settings.

The models are those that ``search`` chose and fitted on all of a dataset; nothing of the other one was seen.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from features.catalog import PAIR_WINDOW
from models import neighbours, stored
from models.verdict import prediction_rows
from pipelines import stage
from pipelines.params import Params
from traces.contract import read_table, write_table
from traces.tables import PREDICTION, SERIES

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--models", type=Path, required=True, help="folder with a folder of models a dataset")
    parser.add_argument("--features", type=Path, required=True, help="folder with a folder of windows a dataset")
    parser.add_argument("--predictions", type=Path, required=True, help="prediction table to write")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options = params.search
    # A worker may have been started in another folder.
    models = arguments.models.absolute()
    tasks = []
    judged: list[tuple[stored.Tested, dict[str, Any]]] = []
    for trained, tested in itertools.product(options.datasets, params.transfer.tested):
        if trained == tested:
            continue
        folder = arguments.features / tested
        pair_window = read_table(PAIR_WINDOW, folder / "pair_window.parquet").to_pandas()
        series = read_table(SERIES, folder / "series.parquet").select(neighbours.COLUMNS).to_pandas()
        on = stored.tested_windows(pair_window, series, options.rule)
        known = {"train_set": f"{trained}/{options.rule}", "test_set": f"{tested}/{options.rule}"}
        for one in stored.stored_models(models / trained, list(options.families), options.feature_sets):
            tasks.append(delayed(stored.judge)(one, on))
            judged.append((on, {**known, "model": one.model, "feature_set": one.feature_set}))
    results = Parallel(n_jobs=stage.workers(params, len(tasks)), return_as="generator")(tasks)
    parts = []
    for (on, known), verdicts in zip(judged, stage.progress(results, what="transfer", total=len(tasks)), strict=True):
        shared = on.windows.shared
        parts.append(prediction_rows(on.windows, np.arange(len(shared)), verdicts, fold=0, **known))
        log.info("%s: %.3f", ", ".join(known.values()), (verdicts.shared_pred == shared).mean())
    columns = [column.name for column in PREDICTION.columns]
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    write_table(PREDICTION, {name: rows[name].tolist() for name in columns}, arguments.predictions)
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("transfer", __doc__ or "", add_arguments, run))
