"""Choose, fit and store models: grid search per family (SmartSBD, Table 4 and Fig. 6).

Two accuracies are kept apart. ``grid`` is the paper's way: the mean over the splits, from which the
best setting is chosen; its best value is optimistic. ``nested`` chooses on the training side of each
split only; its predictions are what the evaluation judges.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from features.catalog import PAIR_WINDOW, feature_names
from models import search, store
from models.families import family_of
from models.split import Split, shuffle_splits
from models.windows import LabelledWindows, labelled_windows
from pipelines import figures, stage, tracking
from pipelines.params import Params
from pipelines.reports import write_csv, write_json
from traces.contract import read_table, write_table
from traces.tables import PREDICTION

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset trained on")
    parser.add_argument("--pair-window", type=Path, required=True, help="its pair_window table")
    parser.add_argument("--models", type=Path, required=True, help="folder for the fitted models")
    parser.add_argument("--predictions", type=Path, required=True, help="prediction table to write")
    parser.add_argument("--grid", type=Path, required=True, help="CSV file: accuracy of every setting")
    parser.add_argument("--chosen", type=Path, required=True, help="JSON file: the settings chosen")
    parser.add_argument("--figures", type=Path, required=True, help="folder for the figures")
    parser.add_argument("--tracking", type=Path, required=True, help="MLflow's database")


def _describe(setting: search.Setting) -> dict[str, Any]:
    return {"top": setting.top, **dict(setting.hyperparameters)}


def _grid_table(choice: search.Choice, labels: dict[str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {**labels, **_describe(setting), "mean_accuracy": own.mean(), "sd_accuracy": own.std()}
            for setting, own in zip(choice.settings, choice.accuracies.T, strict=True)
        ]
    )


def _prediction_rows(
    windows: LabelledWindows, choice: search.Choice, labels: dict[str, str], train_set: str
) -> pd.DataFrame:
    parts = [
        windows.key.iloc[fold.rows].assign(
            model=labels["family"],
            feature_set=labels["feature_set"],
            train_set=train_set,
            fold=fold.fold,
            score=fold.score,
            shared_pred=fold.shared_pred,
            shared=windows.shared[fold.rows],
        )
        for fold in choice.nested
    ]
    return pd.concat(parts, ignore_index=True)


def _summary(windows: LabelledWindows, choice: search.Choice, model_path: Path) -> dict[str, Any]:
    return {
        "setting": _describe(choice.fitted.setting),
        "features": list(choice.fitted.feature_names),
        "grid_mean_accuracy": round(float(choice.accuracies.mean(axis=0).max()), 6),
        "nested_settings": [_describe(fold.setting) for fold in choice.nested],
        "model": store.digest(model_path),
        "windows": len(windows.shared),
        "connections": len(np.unique(windows.connections)),
    }


def _search(
    name: str,
    feature_set: str,
    windows: LabelledWindows,
    splits: Sequence[Split],
    where: argparse.Namespace,
    params: Params,
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, Any]]:
    """Search one family over one set of features; return its grid, its predictions and a summary."""
    options = params.search
    family = family_of(name)
    labels = {"dataset": where.dataset, "family": name, "feature_set": feature_set}
    choice = search.choose(
        windows,
        family,
        search.settings(family, options.families[name], options.top),
        splits,
        inner_folds=options.inner_folds,
        seed=options.seed,
        workers=stage.workers(params, options.splits),
        block=options.block,
    )
    model_path = where.models / f"{name}_{feature_set}.skops"
    store.save(choice.fitted, model_path)
    grid = _grid_table(choice, labels)
    predictions = _prediction_rows(windows, choice, labels, f"{where.dataset}/{options.rule}")
    summary = _summary(windows, choice, model_path)
    figure_path = where.figures / f"grid_{name}_{feature_set}.png"
    title = f"{name}, features {feature_set}, dataset {where.dataset}, {options.rule} windows"
    figures.save(figures.grid(grid, family.hyperparameters[0], title), figure_path)
    log.info("%s, %s: best %s, grid %.3f", name, feature_set, summary["setting"], summary["grid_mean_accuracy"])
    if params.tracking.enabled:
        right = predictions["shared_pred"] == predictions["shared"]
        tracking.log_search(
            where.tracking,
            experiment=f"smartsbd-{params.profile}",
            run_name=f"{name}_{feature_set}",
            params={**labels, "rule": options.rule, "seed": options.seed, **summary["setting"]},
            metrics={"grid_mean_accuracy": summary["grid_mean_accuracy"], "nested_accuracy": float(right.mean())},
            grid=grid,
            figure_path=figure_path,
            fitted=choice.fitted,
            model_digest=summary["model"],
            example=windows.x[:5, search.columns_of(windows, choice.fitted)],
            input_path=where.pair_window,
        )
    return grid, predictions, summary


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options = params.search
    pair_window = read_table(PAIR_WINDOW, arguments.pair_window).to_pandas()
    grids, predictions, summaries = [], [], {}
    for feature_set in options.feature_sets:
        windows = labelled_windows(pair_window, options.rule, feature_names(feature_set))
        splits = shuffle_splits(
            windows.connections,
            windows.stratum,
            splits=options.splits,
            test_share=options.test_share,
            seed=options.seed,
            block=options.block,
        )
        for name in options.families:
            grid, predicted, summary = _search(name, feature_set, windows, splits, arguments, params)
            grids.append(grid)
            predictions.append(predicted)
            summaries[f"{name}_{feature_set}"] = summary
    write_csv(pd.concat(grids, ignore_index=True), arguments.grid)
    write_json(summaries, arguments.chosen)
    rows = pd.concat(predictions, ignore_index=True)
    columns = {column.name: rows[column.name].to_numpy() for column in PREDICTION.columns}
    write_table(PREDICTION, columns, arguments.predictions)
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("search", __doc__ or "", add_arguments, run))
