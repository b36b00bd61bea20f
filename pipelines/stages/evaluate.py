"""Judge the predictions: accuracy of shared and non-shared windows, per site and overall (Table 5).

Where all of a dataset is tested on, a window without a verdict counts as wrong. Random splits are drawn over
connections that have one, so there the coverage is not known.
"""

from __future__ import annotations

import argparse
import logging
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from contracts.contract import read_table
from contracts.tables import PREDICTION, REJECTED
from models.accuracy import ALL_SITES, accuracy_of_windows
from models.stored_model import StoredModel
from models.window_set import WindowSet, are_of_kind
from models.windows import SWAPPED, labelled_rejected
from pipelines.params import Params
from pipelines.params.learning import Search
from pipelines.reporting.figures import comparison, style
from pipelines.reporting.report_files import DIGITS, write_csv, write_json
from pipelines.running import stage

log = logging.getLogger(__name__)

_METRICS = ("overall", "overall_low", "overall_high", "balanced", "recall_shared", "recall_not_shared")
_GROUP = ["train_set", "test_set", "model", "feature_set"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--predictions", type=Path, required=True, help="folder with each search's prediction table")
    parser.add_argument(
        "--transferred", type=Path, required=True, help="prediction table of the models on other datasets"
    )
    parser.add_argument("--features", type=Path, required=True, help="folder with the rejected tables")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: accuracy, every digit")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: accuracy")
    parser.add_argument("--metrics", type=Path, required=True, help="JSON file: overall accuracy per model")
    parser.add_argument("--detector", type=Path, required=True, help="JSON file: the model that carries over best")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _place(key: tuple[str, str, str, str], options: Search) -> tuple[int | str, ...]:
    """Return where a group stands in the table: datasets, models and sets in the order of the parameters."""
    train_set, test_set, model, feature_set = key
    names = [*options.datasets, *options.families, *options.feature_sets]

    def place(name: str) -> int:
        return names.index(name) if name in names else len(names)

    return place(WindowSet.parse(test_set).dataset), train_set, test_set, place(model), place(feature_set), feature_set


def _without_verdict(features: Path, params: Params) -> dict[str, pd.DataFrame]:
    """Return the labelled windows that were looked for in vain, by the test set they belong to."""
    found = {}
    for dataset in params.transfer.tested:
        rejected = read_table(REJECTED, features / dataset / "rejected.parquet").to_pandas()
        found[str(WindowSet.of(dataset, params.search.rule))] = labelled_rejected(rejected, params.search.rule)
    return found


def _none(
    without_verdict: dict[str, pd.DataFrame], key: tuple[str, ...], site: str, params: Params
) -> pd.DataFrame | None:
    """Return the windows without a verdict of a group, None if not all of its test set was tested on."""
    train_set, test_set = key[:2]
    trained = WindowSet.parse(train_set).dataset
    if (
        trained not in params.search.datasets
        or trained == WindowSet.parse(test_set).dataset
        or test_set not in without_verdict
    ):
        return None
    none = without_verdict[test_set]
    return none if site == ALL_SITES else none[none["site"] == site]


def _detector(overall: pd.DataFrame, params: Params) -> dict[str, Any]:
    """Return the model of the best balanced accuracy on the development set, and that of those that are exported.

    Of equals, or where that is not tested on: on the other datasets that are learnt from, then on its own. Nothing is
    chosen on others.
    """
    rule = params.search.rule
    learnt = [str(WindowSet.of(dataset, rule)) for dataset in params.search.datasets]
    overall = overall[overall["train_set"].isin(learnt)]
    transferred = (overall["train_set"] != overall["test_set"]) & overall["test_set"].isin(learnt)
    own = overall["train_set"] == overall["test_set"]
    on_development = overall["test_set"] == str(WindowSet.of(params.transfer.development, rule))
    by_model = ["train_set", "model", "feature_set"]

    def balanced(rows: pd.DataFrame, name: str) -> pd.Series[float]:
        return rows.groupby(by_model, sort=False)["balanced"].mean().round(DIGITS).rename(name)

    found = pd.concat(
        [
            balanced(overall[on_development], "development"),
            balanced(overall[transferred], "transferred"),
            balanced(overall[own], "own"),
        ],
        axis=1,
    )
    criteria = ["development", "transferred", "own"]
    ordered = found.sort_values(criteria, ascending=False, kind="stable").reset_index()
    ordered["name"] = [
        str(StoredModel(WindowSet.parse(train_set).dataset, model, feature_set))
        for train_set, model, feature_set in ordered[by_model].to_numpy().tolist()
    ]

    def described(first: pd.Series[Any]) -> dict[str, Any]:
        return {
            "model": first["name"],
            "chosen_on": None if pd.isna(first["development"]) else params.transfer.development,
            "balanced": {name: None if pd.isna(first[name]) else float(first[name]) for name in criteria},
        }

    exported = ordered[ordered["name"].isin([str(one) for one in params.export.stored()])]
    return described(ordered.iloc[0]) | {"exported": None if exported.empty else described(exported.iloc[0])}


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    options = params.evaluate
    paths = [arguments.predictions / f"{name}.parquet" for name in params.search.datasets]
    predictions = pd.concat([read_table(PREDICTION, path).to_pandas() for path in (*paths, arguments.transferred)])
    # Swapped partners have one label; the controls judge them.
    predictions = predictions[~are_of_kind(predictions["test_set"], SWAPPED)]
    without_verdict = _without_verdict(arguments.features, params)
    rows = []
    for key, group in sorted(predictions.groupby(_GROUP), key=lambda item: _place(item[0], params.search)):
        missing = _none(without_verdict, key, ALL_SITES, params)
        sites = {*group["site"].dropna(), *(() if missing is None else missing["site"].dropna())}
        for site in [*sorted(sites), ALL_SITES]:
            part = group if site == ALL_SITES else group[group["site"] == site]
            none = _none(without_verdict, key, site, params)
            found = accuracy_of_windows(part, resamples=options.resamples, seed=options.seed, none=none)
            rows.append({**dict(zip(_GROUP, key, strict=True)), "site": site, **asdict(found)})
    table = pd.DataFrame(rows)
    arguments.judged.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(arguments.judged, index=False)
    write_csv(table, arguments.table)
    of_rule = [are_of_kind(table[name], params.search.rule) for name in ("train_set", "test_set")]
    overall = table[(table["site"] == ALL_SITES) & of_rule[0] & of_rule[1]]
    write_json(
        {
            f"{row['train_set']} on {row['test_set']}: {row['model']}_{row['feature_set']}": {
                name: round(float(row[name]), 6) for name in _METRICS
            }
            for row in overall.to_dict("records")
        },
        arguments.metrics,
    )
    write_json(_detector(overall, params), arguments.detector)
    style.save(comparison.accuracy(overall), arguments.figure)
    log.info("%d rows of accuracy", len(table))
    return stage.EXIT_OK
