"""Rank the features by their mutual information with the label, beside the paper's ranks (SmartSBD, Table 3)."""

from __future__ import annotations

import argparse
import logging
import operator
from pathlib import Path

import numpy as np

from smartsbd.contracts.contract import read_table
from smartsbd.features.catalog import FEATURES, PAIR_WINDOW, feature_names
from smartsbd.models.labelled.windows import LabelledWindows, labelled_windows
from smartsbd.models.search.relevance import (
    Estimation,
    agreement,
    agreement_tasks,
    mutual_information_nats,
    null_95_nats,
    null_tasks,
    published_of,
    ranked_features,
)
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.figures import feature_values, style
from smartsbd.pipelines.reporting.published import TABLE3_NATS
from smartsbd.pipelines.reporting.report_files import write_csv, write_json, write_parquet
from smartsbd.pipelines.running import parallel, stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--pair-window", type=Path, required=True, help="the dataset's pair_window table")
    parser.add_argument("--relevance", type=Path, required=True, help="parquet file: the unrounded estimates")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: the ranking")
    parser.add_argument("--agreement", type=Path, required=True, help="JSON file: agreement with Table 3")
    parser.add_argument("--metrics", type=Path, help="JSON file: what DVC compares, of the dataset exported")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file: the ranking")
    parser.add_argument("--distributions", type=Path, required=True, help="PNG file: every feature by site and label")


def _agreement(windows: LabelledWindows, feature_set: str, estimation: Estimation, params: Params) -> dict[str, float]:
    published = published_of(feature_names(feature_set), TABLE3_NATS)
    tasks = agreement_tasks(windows, published, params.rank.half_samples, estimation)
    return agreement(parallel.mapped(operator.call, tasks, params, what="half samples"))


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    params.check_learnable(arguments.dataset)
    settings = params.rank
    estimation = Estimation(settings.neighbors, settings.seed, settings.repeats)
    pair_window = read_table(PAIR_WINDOW, arguments.pair_window).to_pandas()
    windows = labelled_windows(pair_window, settings.rule, feature_names("all"))
    information = mutual_information_nats(windows.x, windows.shared, **vars(estimation))
    tasks = null_tasks(windows, settings.permutations, estimation)
    null_nats = null_95_nats(parallel.mapped(operator.call, tasks, params, what="labels that mean nothing"))
    relevance = ranked_features(information, null_nats, TABLE3_NATS)
    write_parquet(relevance, arguments.relevance)
    write_csv(relevance, arguments.table)
    agreements = {
        "all 18": _agreement(windows, "table3", estimation, params),
        "the 9 without throughput": _agreement(windows, "paper", estimation, params),
    }
    if arguments.metrics is not None and arguments.dataset == params.export.dataset:
        write_json({"table3_kendall_tau": agreements["all 18"]["kendall_tau"]}, arguments.metrics)
    write_json(
        {
            "rule": settings.rule,
            "windows": {"shared": int(windows.shared.sum()), "non_shared": int((~windows.shared).sum())},
            "connections": len(np.unique(windows.connections)),
            "agreement_with_table3": agreements,
        },
        arguments.agreement,
    )
    title = f"{arguments.dataset}, {settings.rule} windows"
    style.save(feature_values.relevance(relevance, title), arguments.figure)
    labelled = pair_window[(pair_window["rule"] == settings.rule) & pair_window["shared"].notna()]
    style.save(feature_values.distributions(labelled, FEATURES, title), arguments.distributions)
    log.info("%s: %d windows; most relevant: %s", arguments.dataset, len(labelled), relevance["feature"].iloc[0])
    return stage.EXIT_OK
