"""Rank the features by their mutual information with the label (SmartSBD, Table 3)."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from features.catalog import FEATURES, PAIR_WINDOW
from features.relevance import mutual_information_nats, ranking
from models.windows import labelled_windows
from pipelines import figures, stage
from pipelines.params import Params
from pipelines.reports import write_csv
from traces.contract import read_table

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--pair-window", type=Path, required=True, help="pair_window table")
    parser.add_argument("--relevance", type=Path, required=True, help="parquet file: the unrounded estimates")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: the ranking")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    settings = params.rank
    names = tuple(feature.name for feature in FEATURES)
    windows = labelled_windows(read_table(PAIR_WINDOW, arguments.pair_window).to_pandas(), settings.rule, names)
    information = mutual_information_nats(windows.x, windows.shared, neighbors=settings.neighbors, seed=settings.seed)
    ranks = np.empty(len(names), dtype=np.int64)
    ranks[ranking(information)] = np.arange(1, len(names) + 1)
    relevance = pd.DataFrame(
        {
            "feature": names,
            "feature_set": [feature.feature_set for feature in FEATURES],
            "paper_name": [feature.abbreviation for feature in FEATURES],
            "mutual_information_nats": information,
            "rank": ranks,
            "windows": len(windows.shared),
        }
    ).sort_values("rank", kind="stable")
    arguments.relevance.parent.mkdir(parents=True, exist_ok=True)
    relevance.to_parquet(arguments.relevance, index=False)
    write_csv(relevance, arguments.table)
    figures.save(figures.relevance(relevance), arguments.figure)
    log.info("%d windows; most relevant: %s", len(windows.shared), relevance["feature"].iloc[0])
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("rank", __doc__ or "", add_arguments, run))
