"""Test stored models on paths of settings that none of them has seen, case by case (SmartSBD, Table 6).

Each case has the same weight, however many windows it has. A window without a verdict counts as wrong. The paper's
0.861 (0.858 in its section 5.2) is for its own labels, so it is context and not a target.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import REJECTED, SERIES, TRUTH, WINDOW_KEY
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.models.assessment import trend
from smartsbd.models.assessment.cases import by_case, case_of, described, over_cases
from smartsbd.models.families import neighbours
from smartsbd.models.labelled.windows import labelled_rejected
from smartsbd.models.stored.loaded_model import load
from smartsbd.models.stored.stored_model import searched
from smartsbd.models.stored.tested_windows import tested_windows
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.figures import comparison, style
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import parallel, stage

log = logging.getLogger(__name__)

#: Case of the rows over all of them.
MEAN = "mean"
_COUNTS = ["connections", "not_valid", "windows", "none", "right", "ramps", "right_ramps"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--models", type=Path, required=True, help="folder with one folder of models for each dataset")
    parser.add_argument("--features", type=Path, required=True, help="folder with the windows and series tested on")
    parser.add_argument(
        "--truth", type=Path, required=True, help="the same dataset's truth table, with each connection's case"
    )
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: accuracy of each case, unrounded")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: accuracy of each case")
    parser.add_argument("--cases", type=Path, required=True, help="CSV file: description of each case")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _rows(case_rows: pd.DataFrame, known: dict[str, str], params: Params) -> pd.DataFrame:
    """Return one model's rows: its cases, then the mean over them."""
    options = params.evaluate
    over = over_cases(case_rows, resamples=options.resamples, seed=options.seed)
    mean: dict[str, Any] = {
        "case": MEAN,
        **{name: case_rows[name].sum() for name in _COUNTS},
        "accuracy": over.mean.value,
        "low": over.mean.low,
        "high": over.mean.high,
        "lowest": over.lowest,
        "lowest_case": over.lowest_case,
        "cases": over.cases,
    }
    return pd.concat([case_rows, pd.DataFrame([mean])], ignore_index=True).assign(**known)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    rule = params.search.rule
    pair_window = read_table(PAIR_WINDOW, arguments.features / "pair_window.parquet").to_pandas()
    series = read_table(SERIES, arguments.features / "series.parquet").select(neighbours.COLUMNS).to_pandas()
    truth = read_table(TRUTH, arguments.truth).to_pandas()
    none = labelled_rejected(read_table(REJECTED, arguments.features / "rejected.parquet").to_pandas(), rule)
    none = none.assign(case=case_of(none, truth))
    tested = tested_windows(pair_window, series, rule)
    key = list(WINDOW_KEY)
    windows = tested.windows.key.merge(pair_window[[*key, "window_ns"]], on=key, how="left", validate="one_to_one")
    windows = windows.assign(
        case=case_of(windows, truth), shared=tested.windows.shared, ramp=trend.ramps(tested.rtt_us)
    )
    cases = sorted(truth["scenario"].unique())
    facts = described(windows, tested.rtt_us, none, truth, cases)
    every = searched(params.unseen.trained, list(params.search.families), params.search.feature_sets)
    parts = []
    for model in parallel.progress(every, what="unseen", total=len(every)):
        verdicts = load(model, arguments.models).judge_table(tested)
        case_rows = by_case(windows.assign(shared_pred=verdicts.shared_pred), none, cases)
        case_rows = case_rows.merge(
            facts[["case", "shared", "not_valid"]], on="case", how="left", validate="one_to_one"
        )
        parts.append(_rows(case_rows, {"model": model.family, "feature_set": model.feature_set}, params))
        log.info("%s: %.3f", model, parts[-1]["accuracy"].iloc[-1])
    columns = ["model", "feature_set", "case", "shared", *_COUNTS, "accuracy", "low", "high"]
    table = pd.concat(parts, ignore_index=True)[[*columns, "lowest", "lowest_case", "cases"]].astype({"cases": "Int64"})
    write_parquet(table, arguments.judged)
    write_csv(table, arguments.table)
    write_csv(facts, arguments.cases)
    style.save(comparison.unseen(table, facts, MEAN), arguments.figure)
    return stage.EXIT_OK
