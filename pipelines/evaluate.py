"""Judge the predictions: accuracy of shared and non-shared windows, per site and overall (Table 5)."""

from __future__ import annotations

import argparse
import logging
import sys
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from features.catalog import PAIR_WINDOW
from models.accuracy import accuracy
from pipelines import figures, stage
from pipelines.params import Params
from pipelines.reports import write_csv, write_json
from traces.contract import read_table
from traces.tables import PREDICTION, WINDOW_KEY

log = logging.getLogger(__name__)

ALL_SITES = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--predictions", type=Path, required=True, help="prediction table")
    parser.add_argument("--pair-window", type=Path, required=True, help="pair_window table it is about")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: every prediction with its site")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: accuracy")
    parser.add_argument("--metrics", type=Path, required=True, help="JSON file: overall accuracy per model")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options = params.evaluate
    predictions = read_table(PREDICTION, arguments.predictions).to_pandas()
    sites = read_table(PAIR_WINDOW, arguments.pair_window).to_pandas()[[*WINDOW_KEY, "site"]]
    judged = predictions.merge(sites, on=list(WINDOW_KEY), how="left", validate="many_to_one")
    judged["site"] = judged["site"].fillna("none")
    arguments.judged.parent.mkdir(parents=True, exist_ok=True)
    judged.to_parquet(arguments.judged, index=False)
    rows = []
    for (model, feature_set, train_set), group in judged.groupby(["model", "feature_set", "train_set"], sort=True):
        places = [*sorted(group["site"].unique()), ALL_SITES]
        for site in places:
            part = group if site == ALL_SITES else group[group["site"] == site]
            found = accuracy(part, resamples=options.resamples, seed=options.seed)
            rows.append(
                {"model": model, "feature_set": feature_set, "train_set": train_set, "site": site, **asdict(found)}
            )
    table = pd.DataFrame(rows)
    write_csv(table, arguments.table)
    overall = table[table["site"] == ALL_SITES]
    write_json(
        {
            f"{row['model']}_{row['feature_set']}": {
                name: round(float(row[name]), 6)
                for name in ("overall", "overall_low", "overall_high", "balanced", "sb", "nsb")
            }
            for row in overall.to_dict("records")
        },
        arguments.metrics,
    )
    figures.save(figures.accuracy(table), arguments.figure)
    for row in overall.to_dict("records"):
        log.info(
            "%s, %s: %.3f (%.3f-%.3f)",
            row["model"],
            row["feature_set"],
            row["overall"],
            row["overall_low"],
            row["overall_high"],
        )
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("evaluate", __doc__ or "", add_arguments, run))
