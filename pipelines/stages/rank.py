"""Rank the features by their mutual information with the label, beside the paper's ranks (SmartSBD, Table 3)."""

from __future__ import annotations

import argparse
import logging
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from contracts.contract import read_table
from features.catalog import FEATURES, PAIR_WINDOW, feature, feature_names
from models.relevance import (
    half_samples,
    mutual_information_nats,
    permutation_null_nats,
    rank_agreement,
    ranking,
)
from models.windows import LabelledWindows, labelled_windows
from pipelines.params import Params
from pipelines.params.learning import Rank
from pipelines.reporting.figures import feature_values, style
from pipelines.reporting.published import TABLE3_NATS
from pipelines.reporting.report_files import write_csv, write_json
from pipelines.running import parallel, stage

log = logging.getLogger(__name__)

_NULL_QUANTILE = 0.95
_INTERVAL = (0.025, 0.975)
_DIGITS = 4
_PARTS = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--pair-window", type=Path, required=True, help="its pair_window table")
    parser.add_argument("--relevance", type=Path, required=True, help="parquet file: the unrounded estimates")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: the ranking")
    parser.add_argument("--agreement", type=Path, required=True, help="JSON file: agreement with Table 3")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file: the ranking")
    parser.add_argument("--distributions", type=Path, required=True, help="PNG file: every feature by site and label")


def _ranks(information_nats: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    ranks = np.empty(len(information_nats), dtype=np.int64)
    ranks[ranking(information_nats)] = np.arange(1, len(information_nats) + 1)
    return ranks


def _null_nats(windows: LabelledWindows, params: Params) -> npt.NDArray[np.float64]:
    """Return each feature's quantile of the estimates under labels that mean nothing."""
    settings = params.rank
    each = -(-settings.permutations // _PARTS)

    def drawn(part: int) -> npt.NDArray[np.float64]:
        return permutation_null_nats(
            windows.x,
            windows.shared,
            windows.connections,
            rounds=each,
            neighbors=settings.neighbors,
            seed=settings.seed + part,
            repeats=settings.repeats,
        )

    null_nats = list(parallel.mapped(drawn, range(_PARTS), params, what="labels that mean nothing"))
    quantile: npt.NDArray[np.float64] = np.quantile(np.concatenate(null_nats), _NULL_QUANTILE, axis=0)
    return quantile


def _tau(windows: LabelledWindows, names: tuple[str, ...], settings: Rank, rows: npt.NDArray[np.int64]) -> float:
    """Return Kendall's tau with Table 3 over some features, on some rows."""
    place = np.array([windows.feature_names.index(name) for name in names])
    information = mutual_information_nats(
        windows.x[np.ix_(rows, place)],
        windows.shared[rows],
        neighbors=settings.neighbors,
        seed=settings.seed,
        repeats=settings.repeats,
    )
    return rank_agreement(information, [TABLE3_NATS[feature(name).paper_name] for name in names])


def _agreement(windows: LabelledWindows, names: tuple[str, ...], params: Params) -> dict[str, float | int]:
    """Return Kendall's tau with Table 3 over some features, and its interval over half samples."""
    halves = half_samples(windows.connections, rounds=params.rank.half_samples, seed=params.rank.seed)
    everything = np.arange(len(windows.shared), dtype=np.int64)
    whole, *drawn = parallel.mapped(
        partial(_tau, windows, names, params.rank), (everything, *halves), params, what="half samples"
    )
    low, high = np.quantile(drawn, _INTERVAL)
    return {
        "kendall_tau": round(whole, _DIGITS),
        "low": round(float(low), _DIGITS),
        "high": round(float(high), _DIGITS),
    }


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    params.check_learnable(arguments.dataset)
    settings = params.rank
    names = feature_names("all")
    pair_window = read_table(PAIR_WINDOW, arguments.pair_window).to_pandas()
    windows = labelled_windows(pair_window, settings.rule, names)
    information = mutual_information_nats(
        windows.x, windows.shared, neighbors=settings.neighbors, seed=settings.seed, repeats=settings.repeats
    )
    table3 = np.isin(names, feature_names("table3"))
    rank_in_table3 = pd.array([pd.NA] * len(names), dtype="Int64")
    rank_in_table3[table3] = _ranks(information[table3])
    published = [TABLE3_NATS.get(one.paper_name) for one in FEATURES]
    relevance = pd.DataFrame(
        {
            "feature": names,
            "group": [one.group for one in FEATURES],
            "paper_name": [one.paper_name for one in FEATURES],
            "mutual_information_nats": information,
            "null_95_nats": _null_nats(windows, params),
            "rank": _ranks(information),
            "rank_in_table3": rank_in_table3,
            "paper_nats": published,
            "paper_rank": pd.Series(published).rank(ascending=False).astype("Int64"),
        }
    ).sort_values("rank", kind="stable")
    arguments.relevance.parent.mkdir(parents=True, exist_ok=True)
    relevance.to_parquet(arguments.relevance, index=False)
    write_csv(relevance, arguments.table)
    write_json(
        {
            "rule": settings.rule,
            "windows": {"shared": int(windows.shared.sum()), "non_shared": int((~windows.shared).sum())},
            "connections": len(np.unique(windows.connections)),
            "agreement_with_table3": {
                "all 18": _agreement(windows, feature_names("table3"), params),
                "the 9 without throughput": _agreement(windows, feature_names("paper"), params),
            },
        },
        arguments.agreement,
    )
    title = f"{arguments.dataset}, {settings.rule} windows"
    style.save(feature_values.relevance(relevance, title), arguments.figure)
    labelled = pair_window[(pair_window["rule"] == settings.rule) & pair_window["shared"].notna()]
    style.save(feature_values.distributions(labelled, FEATURES, title), arguments.distributions)
    log.info("%s: %d windows; most relevant: %s", arguments.dataset, len(labelled), relevance["feature"].iloc[0])
    return stage.EXIT_OK
