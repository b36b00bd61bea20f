"""Compare the features of the development set with those of the datasets trained on, and show which carry over."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.features.catalog import FEATURES, PAIR_WINDOW, feature_names
from smartsbd.models.labelled.windows import labelled_windows
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.figures import feature_values, style
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import stage
from studies.feature_shift.distribution_shift import COLUMNS, distribution_shift

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument(
        "--features", type=Path, required=True, help="folder with one folder of windows for each dataset"
    )
    parser.add_argument("--shifts", type=Path, required=True, help="parquet file to write: the comparison, unrounded")
    parser.add_argument("--reports", type=Path, required=True, help="folder to write: the comparison, and a figure")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Compare the datasets."""
    names = feature_names("both")
    rule, last = params.search.rule, params.transfer.development
    frames = {
        dataset: read_table(PAIR_WINDOW, arguments.features / dataset / "pair_window.parquet").to_pandas()
        for dataset in dict.fromkeys([*params.search.datasets, *({last} & set(params.datasets))])
    }
    if last not in params.datasets:
        log.warning("transfer.development is %s, which is not among the datasets: nothing to compare with", last)
    windows = {dataset: labelled_windows(frame, rule, names) for dataset, frame in frames.items()}
    rows = [
        {"feature": name, "trained_on": dataset, **distribution_shift(place, windows[dataset], windows[last])}
        for dataset in params.search.datasets
        for place, name in enumerate(names)
        if last in windows
    ]
    table = pd.DataFrame(rows, columns=["feature", "trained_on", *COLUMNS])
    write_parquet(table, arguments.shifts)
    write_csv(table, arguments.reports / "shifts.csv")
    labelled = pd.concat(
        [
            frame[(frame["rule"] == rule) & frame["shared"].notna()].assign(site=dataset)
            for dataset, frame in frames.items()
        ]
    )
    drawn = [feature for feature in FEATURES if feature.exportable]
    style.save(feature_values.distributions(labelled, drawn, f"{rule} windows"), arguments.reports / "values.png")
    log.info("%d features, %s against %s", len(names), params.search.datasets, last)
    return stage.EXIT_OK
