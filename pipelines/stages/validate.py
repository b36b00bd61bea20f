"""Join the truth of one dataset with its connections and judge whether each label holds.

Truth rows without a connection and connections without truth are counted.
"""

from __future__ import annotations

import argparse
import logging
from collections import Counter
from pathlib import Path

from smartsbd.contracts import tables
from smartsbd.contracts.contract import write_table
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.params.block import ParamsError
from smartsbd.pipelines.reporting.report_files import write_json
from smartsbd.pipelines.running import stage
from smartsbd.traces.validated_truth import read_joined, verdicts
from smartsbd.traces.validation import Criteria

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset: params.yaml gives it a method")
    parser.add_argument("--truth-csv", type=Path, required=True, help="truth.csv of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="truth table to write")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the counts")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    joined = read_joined(arguments.truth_csv, arguments.tables)
    rows = joined.rows
    options = params.validate_
    if arguments.dataset not in options.method:
        raise ParamsError(f"validate.method has no entry for dataset {arguments.dataset!r}")
    criteria = Criteria(options.alpha, options.desired_quantile, options.min_utilisation, options.min_drop_share)
    results = verdicts(rows, arguments.tables, options.method[arguments.dataset], criteria)
    for row, verdict in zip(rows, results, strict=True):
        row |= {"valid": verdict.valid, "why": verdict.why}
    names = [column.name for column in tables.TRUTH.columns]
    write_table(tables.TRUTH, {name: [row[name] for row in rows] for name in names}, arguments.truth)
    counts = Counter(
        (row["site"] or "", "shared" if row["shared"] else "non-shared", "valid" if row["valid"] else "dropped")
        for row in rows
    )
    report = {
        "truth_rows": len(rows),
        "truth_rows_without_connection": joined.without_connection,
        "connections_without_truth": joined.without_truth,
        "by_site_and_label": {"/".join(key): count for key, count in sorted(counts.items())},
    }
    write_json(report, arguments.report)
    log.info("%d truth rows, %d valid", len(rows), sum(row["valid"] for row in rows))
    return stage.EXIT_OK
