"""Choose, fit and store models: grid search per family (SmartSBD, Table 4 and Fig. 6).

Two accuracies are kept apart. ``grid`` is the paper's way: the mean over the splits, from which the
best setting is chosen; its best value is optimistic. ``nested`` chooses on the training side of each
split only; its predictions are what the evaluation judges.
"""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from features.catalog import PAIR_WINDOW, feature_names
from models import search, store
from models.families import family_of
from models.split import shuffle_splits
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


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options = params.search
    windows = labelled_windows(
        read_table(PAIR_WINDOW, arguments.pair_window).to_pandas(), options.rule, feature_names(options.feature_set)
    )
    splits = shuffle_splits(
        windows.connections, windows.stratum, splits=options.splits, test_share=options.test_share, seed=options.seed
    )
    grids, predictions, summaries = [], [], {}
    for name, hyperparameters in options.families.items():
        family = family_of(name)
        labels = {"dataset": arguments.dataset, "family": name, "feature_set": options.feature_set}
        choice = search.choose(
            windows,
            family,
            search.settings(family, hyperparameters, options.top),
            splits,
            inner_folds=options.inner_folds,
            seed=options.seed,
            workers=stage.workers(params, options.splits),
        )
        model_path = arguments.models / f"{name}_{options.feature_set}.skops"
        store.save(choice.fitted, model_path)
        grids.append(_grid_table(choice, labels))
        predictions.append(_prediction_rows(windows, choice, labels, f"{arguments.dataset}/{options.rule}"))
        summaries[name] = _summary(windows, choice, model_path)
        figure_path = arguments.figures / f"grid_{name}_{options.feature_set}.png"
        title = f"{name}, features {options.feature_set}, dataset {arguments.dataset}, {options.rule} windows"
        figures.save(figures.grid(grids[-1], family.hyperparameters[0], title), figure_path)
        log.info("%s: best %s, grid %.3f", name, summaries[name]["setting"], summaries[name]["grid_mean_accuracy"])
        if params.tracking.enabled:
            right = predictions[-1]["shared_pred"] == predictions[-1]["shared"]
            tracking.log_search(
                arguments.tracking,
                experiment=f"smartsbd-{params.profile}",
                run_name=f"{name}_{options.feature_set}",
                params={**labels, "rule": options.rule, "seed": options.seed, **summaries[name]["setting"]},
                metrics={
                    "grid_mean_accuracy": summaries[name]["grid_mean_accuracy"],
                    "nested_accuracy": float(right.mean()),
                },
                grid=grids[-1],
                figure_path=figure_path,
                fitted=choice.fitted,
                model_digest=summaries[name]["model"],
                example=windows.x[:5, search.columns_of(windows, choice.fitted)],
                input_path=arguments.pair_window,
            )
    write_csv(pd.concat(grids, ignore_index=True), arguments.grid)
    write_json(summaries, arguments.chosen)
    rows = pd.concat(predictions, ignore_index=True)
    columns = {column.name: rows[column.name].to_numpy() for column in PREDICTION.columns}
    write_table(PREDICTION, columns, arguments.predictions)
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("search", __doc__ or "", add_arguments, run))
