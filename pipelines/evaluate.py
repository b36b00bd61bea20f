"""Judge the predictions: accuracy of shared and non-shared windows, per site and overall (Table 5)."""

from __future__ import annotations

import argparse
import logging
import sys
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from models.accuracy import accuracy
from models.windows import SWAPPED
from pipelines import figures, stage
from pipelines.params import Params, Search
from pipelines.reports import write_csv, write_json
from traces.contract import read_table
from traces.tables import PREDICTION

log = logging.getLogger(__name__)

ALL_SITES = "all"
_METRICS = ("overall", "overall_low", "overall_high", "balanced", "sb", "nsb")
_GROUP = ["train_set", "test_set", "model", "feature_set"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--predictions", type=Path, required=True, help="folder with the prediction tables")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: accuracy, every digit")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: accuracy")
    parser.add_argument("--metrics", type=Path, required=True, help="JSON file: overall accuracy per model")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _place(key: tuple[str, str, str, str], options: Search) -> tuple[int | str, ...]:
    """Return where a group stands in the table: datasets, models and sets in the order of the parameters."""
    train_set, test_set, model, feature_set = key
    names = [*options.datasets, *options.families, *options.feature_sets]

    def place(name: str) -> int:
        return names.index(name) if name in names else len(names)

    dataset, _, _ = test_set.partition("/")
    return place(dataset), train_set, test_set, place(model), place(feature_set), feature_set


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options = params.evaluate
    names = [*params.search.datasets, "transfer"]
    predictions = pd.concat(
        [read_table(PREDICTION, arguments.predictions / f"{name}.parquet").to_pandas() for name in names]
    )
    # Swapped partners have one label; the controls judge them.
    predictions = predictions[~predictions["test_set"].str.endswith(f"/{SWAPPED}")]
    rows = []
    for key, group in sorted(predictions.groupby(_GROUP), key=lambda item: _place(item[0], params.search)):
        places = [*sorted(group["site"].dropna().unique()), ALL_SITES]
        for site in places:
            part = group if site == ALL_SITES else group[group["site"] == site]
            found = accuracy(part, resamples=options.resamples, seed=options.seed)
            rows.append({**dict(zip(_GROUP, key, strict=True)), "site": site, **asdict(found)})
    table = pd.DataFrame(rows)
    arguments.judged.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(arguments.judged, index=False)
    write_csv(table, arguments.table)
    own_rule = f"/{params.search.rule}"
    overall = table[
        (table["site"] == ALL_SITES)
        & table["train_set"].str.endswith(own_rule)
        & table["test_set"].str.endswith(own_rule)
    ]
    write_json(
        {
            f"{row['train_set']} on {row['test_set']}: {row['model']}_{row['feature_set']}": {
                name: round(float(row[name]), 6) for name in _METRICS
            }
            for row in overall.to_dict("records")
        },
        arguments.metrics,
    )
    figures.save(figures.accuracy(overall), arguments.figure)
    log.info("%d rows of accuracy", len(table))
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("evaluate", __doc__ or "", add_arguments, run))
