"""Feed every connection's signals to the exported C, as a sender would, and compare what it says with the pipeline.

Every window that the pipeline found, tiled and triggered, must have the same place and the same value of each feature
that C computes. On tiled windows each header must decide as its model does, find no other window, and leave the same
partition of the subflows in the end. For every pair of the first connections (export.judged_connections), each
judgement of the lag excess must have the same time, words and score; and of fewer (export.common_connections), each of
the common lag the same verdict, score and evidence. One difference fails.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import WINDOW_KEY
from smartsbd.export import compilers
from smartsbd.export.connection_signals import tokens
from smartsbd.export.emit_c import EXPORTABLE
from smartsbd.export.signal_agreement import (
    headers_of_models,
    same_common_judgements,
    same_decisions,
    same_features,
    same_judgements,
)
from smartsbd.export.verify import VerifyError
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_json, write_parquet
from smartsbd.pipelines.running import stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="dataset to replay")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--features", type=Path, required=True, help="folder with the dataset's features")
    parser.add_argument("--verdicts", type=Path, required=True, help="parquet file: what the headers say of windows")
    parser.add_argument("--headers", type=Path, required=True, help="folder with the headers")
    parser.add_argument("--programs", type=Path, required=True, help="folder in which compiled programs are kept")
    parser.add_argument("--decisions", type=Path, required=True, help="parquet file: what each header decides")
    parser.add_argument("--report", type=Path, required=True, help="JSON file: what was compared")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    folder, headers, programs = arguments.tables, arguments.headers, arguments.programs
    token_of = tokens(folder)
    columns = [*WINDOW_KEY, "window_ns", *(feature.name for feature in EXPORTABLE)]
    windows = read_table(PAIR_WINDOW, arguments.features / "pair_window.parquet").to_pandas()[columns]
    windows["token"] = windows["connection_id"].map(token_of)
    if windows["token"].isna().any():
        raise VerifyError("features has windows of connections that tables does not have")
    verdicts = pd.read_parquet(arguments.verdicts)
    compiler = compilers.installed()[0]
    report: dict[str, Any] = {"connections": len(token_of), "windows": len(windows)}
    report["feature_values"] = same_features(folder, windows, headers, compiler, programs)
    report |= same_judgements(folder, headers, compiler, programs, params.export.judged_connections)
    report |= same_common_judgements(folder, compiler, programs, params.export.common_connections)
    report["decisions"], report["partitions"] = {}, {}
    tiled = windows[windows["rule"] == "tiled"]
    decided = []
    for name in headers_of_models(headers):
        expected = tiled.merge(verdicts[verdicts["model"] == name], on=list(WINDOW_KEY), validate="one_to_one")
        compared = same_decisions(folder, expected, headers, name, compiler, programs)
        decided.append(compared.decisions)
        report["decisions"][name] = len(compared.decisions)
        report["partitions"][name] = compared.partitions
    log.info("%s: all the same: %s", arguments.dataset, report)
    write_parquet(pd.concat(decided, ignore_index=True), arguments.decisions)
    write_json(report, arguments.report)
    return stage.EXIT_OK
