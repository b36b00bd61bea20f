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
import numpy.typing as npt
import pandas as pd
from joblib import Parallel, delayed

from features.catalog import PAIR_WINDOW
from models import correlation, neighbours, search, store
from models.verdict import Verdicts, prediction_rows
from models.windows import LabelledWindows, labelled_windows
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


def _by_features(pair_window: pd.DataFrame, rule: str, model_path: Path) -> tuple[LabelledWindows, Verdicts]:
    fitted = store.load(model_path)
    windows = labelled_windows(pair_window, rule, fitted.feature_names)
    return windows, search.predict(windows, fitted, np.arange(len(windows.shared)))


def _by_series(
    windows: LabelledWindows, rtt_us: npt.NDArray[np.float64], view: str, model_path: Path
) -> tuple[LabelledWindows, Verdicts]:
    return windows, neighbours.predict(neighbours.VIEWS[view](rtt_us), store.load(model_path))


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options = params.search
    # A worker may have been started in another folder.
    models = arguments.models.absolute()
    tasks = []
    labels: list[dict[str, Any]] = []
    for trained, tested in itertools.product(options.datasets, params.transfer.tested):
        if trained == tested:
            continue
        folder = arguments.features / tested
        pair_window = read_table(PAIR_WINDOW, folder / "pair_window.parquet").to_pandas()
        windows = labelled_windows(pair_window, options.rule, ())
        series = read_table(SERIES, folder / "series.parquet").select(neighbours.COLUMNS).to_pandas()
        rtt_us = neighbours.rtt_us_of(series, windows.key)
        known = {"train_set": f"{trained}/{options.rule}", "test_set": f"{tested}/{options.rule}"}
        for view in neighbours.VIEWS:
            path = models / trained / f"{neighbours.NAME}_{view}.skops"
            tasks.append(delayed(_by_series)(windows, rtt_us, view, path))
            labels.append({**known, "model": neighbours.NAME, "feature_set": view})
        by_features = [*itertools.product(options.families, options.feature_sets)]
        for name, feature_set in [*by_features, (correlation.NAME, correlation.FEATURE_SET)]:
            path = models / trained / f"{name}_{feature_set}.skops"
            tasks.append(delayed(_by_features)(pair_window, options.rule, path))
            labels.append({**known, "model": name, "feature_set": feature_set})
    results = Parallel(n_jobs=stage.workers(params, len(tasks)), return_as="generator")(tasks)
    parts = []
    for known, (windows, verdicts) in zip(
        labels, stage.progress(results, what="transfer", total=len(tasks)), strict=True
    ):
        parts.append(prediction_rows(windows, np.arange(len(windows.shared)), verdicts, fold=0, **known))
        log.info("%s: %.3f", ", ".join(known.values()), (verdicts.shared_pred == windows.shared).mean())
    columns = [column.name for column in PREDICTION.columns]
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    write_table(PREDICTION, {name: rows[name].tolist() for name in columns}, arguments.predictions)
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("transfer", __doc__ or "", add_arguments, run))
