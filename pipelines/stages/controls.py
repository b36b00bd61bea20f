"""Controls: the models' verdicts where the label cannot be known, and the verdicts of single features.

``shuffled``: labels exchanged between the connections of a site; balanced accuracy must be near one half. ``alone``: a
tree on one feature. ``swapped``: pairs of subflows that do not share a bottleneck, taken from connections whose
subflows do. They must not be called shared much more often than the dataset's own non-shared windows are.
"""

from __future__ import annotations

import argparse
import logging
import operator
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import PREDICTION
from smartsbd.features.catalog import PAIR_WINDOW, feature_names
from smartsbd.models.assessment.accuracy import accuracy_of_windows
from smartsbd.models.assessment.control import called_shared, judged_alone, judged_on_shuffled_labels
from smartsbd.models.families import family_of
from smartsbd.models.families import growth as growth  # noqa: PLC0414 - before processes are forked, which need it
from smartsbd.models.families.fitted import Setting
from smartsbd.models.labelled.trial import Trial, random_trials
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.labelled.window_verdicts import prediction_rows
from smartsbd.models.labelled.windows import LabelledWindows, windows_of_kinds
from smartsbd.models.search import fitting
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.figures import comparison, style
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import parallel, plan, stage

log = logging.getLogger(__name__)

#: Features that are tried alone, and chosen among on shuffled labels.
_FEATURE_SET = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--features", type=Path, required=True, help="folder with the dataset's windows")
    parser.add_argument("--swapped", type=Path, required=True, help="folder with the windows of swapped partners")
    parser.add_argument("--predictions", type=Path, required=True, help="the dataset's prediction table")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: verdicts of the first two controls")
    parser.add_argument("--reports", type=Path, required=True, help="folder for one CSV file for each control")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file: swapped partners called shared")


def _shuffled(
    windows: LabelledWindows, grids: Mapping[str, Sequence[Setting]], trial: Trial, params: Params
) -> dict[str, pd.DataFrame]:
    """Return the verdicts of each family's model on one split."""
    seed = params.controls.seed + trial.fold
    shuffled, verdicts = judged_on_shuffled_labels(windows, grids, trial, plan.method(params.search), seed)
    rows = trial.tests[trial.train_set]
    return {
        family: prediction_rows(shuffled, rows, by_set[trial.train_set], model=family)
        for family, by_set in verdicts.items()
    }


def _alone(windows: LabelledWindows, feature: str, every_trial: Sequence[Trial], params: Params) -> pd.DataFrame:
    setting = Setting(1, (("max_depth", params.controls.alone_depth),))
    tree, method = family_of("tree"), plan.method(params.search)
    return pd.concat(
        prediction_rows(windows, trial.tests[name], verdicts, feature_set=feature, test_set=name)
        for trial in every_trial
        for name, verdicts in judged_alone(windows, feature, tree, setting, trial, method).items()
    )


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    params.check_learnable(arguments.dataset)
    options, dataset = params.search, arguments.dataset
    own_set = str(WindowSet.of(dataset, options.rule))
    resampling = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    pair_window = read_table(PAIR_WINDOW, arguments.features / "pair_window.parquet").to_pandas()
    swapped = read_table(PAIR_WINDOW, arguments.swapped / "pair_window.parquet").to_pandas()
    windows = windows_of_kinds(pair_window, options.rules, swapped, feature_names(_FEATURE_SET))
    own_trials = random_trials(windows, dataset, options.rule, plan.drawing(options))
    grids = {
        family: fitting.settings(family_of(family), options.families[family], options.top)
        for family in params.controls.families
    }
    tasks: list[partial[Any]] = [partial(_shuffled, windows, grids, trial, params) for trial in own_trials]
    tasks += [partial(_alone, windows, name, own_trials, params) for name in windows.feature_names]
    results = parallel.mapped(operator.call, tasks, params, what=f"controls {dataset}")

    shuffled, alone = [], []
    verdicts: list[pd.DataFrame] = []
    by_trial = [next(results) for _ in own_trials]
    for family in params.controls.families:
        verdicts.append(pd.concat([by_family[family] for by_family in by_trial]))
        shuffled.append(
            {
                "model": family,
                **asdict(accuracy_of_windows(verdicts[-1], resamples=resampling["resamples"], seed=resampling["seed"])),
            }
        )
    for name in windows.feature_names:
        rows = next(results)
        verdicts.append(rows)
        judged = accuracy_of_windows(
            rows[rows["test_set"] == own_set],
            resamples=resampling["resamples"],
            seed=resampling["seed"],
        )
        alone.append({"feature": name, **asdict(judged), **called_shared(rows, dataset, options.rule, **resampling)})
    predictions = read_table(PREDICTION, arguments.predictions).to_pandas()
    called = [
        {"model": model, "feature_set": feature_set, **called_shared(of_model, dataset, options.rule, **resampling)}
        for (model, feature_set), of_model in predictions[
            predictions["train_set"] == str(WindowSet.of(dataset, options.rule))
        ].groupby(["model", "feature_set"], sort=False)
    ]
    write_parquet(pd.concat(verdicts, ignore_index=True), arguments.judged)
    for name, judgements in (("shuffled", shuffled), ("alone", alone), ("swapped", called)):
        write_csv(pd.DataFrame(judgements), arguments.reports / f"{name}.csv")
    style.save(comparison.swapped(pd.DataFrame(called), dataset), arguments.figure)
    log.info("balanced accuracy on shuffled labels: %s", [round(row["balanced"], 3) for row in shuffled])
    return stage.EXIT_OK
