"""How hard a dataset is: the accuracy of plain RTT correlation on it, and how well configured values tell the label.

Every labelled tiled window counts. The thresholds are the best ones on the same windows, so they are upper bounds of
two plain detectors, to be read beside any learned one.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.models.assessment import box_plot, separability
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.figures import series, style
from smartsbd.pipelines.reporting.report_files import write_json, write_parquet
from smartsbd.pipelines.running import stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="the dataset's truth table")
    parser.add_argument("--pair-window", type=Path, required=True, help="the dataset's pair_window table")
    parser.add_argument("--series", type=Path, required=True, help="the dataset's series table")
    parser.add_argument("--boxes", type=Path, required=True, help="parquet file: what the figures show")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the figures of difficulty")
    parser.add_argument("--rtt-figure", type=Path, required=True, help="PNG file: RTTs for each place, label and path")
    parser.add_argument(
        "--rate-figure", type=Path, required=True, help="PNG file: throughput for each place, label and path"
    )


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    pair_window = read_table(PAIR_WINDOW, arguments.pair_window).to_pandas()
    rows = pair_window[(pair_window["rule"] == "tiled") & pair_window["shared"].notna()]
    truth = read_table(tables.TRUTH, arguments.truth)
    places = box_plot.places(truth.to_pylist(), arguments.dataset)
    rtts_ms = box_plot.rtts_ms(places, arguments.tables / "ack.parquet")
    rates_mbit_s = box_plot.rates_mbit_s(places, pair_window, arguments.series)
    write_parquet(pd.concat([rtts_ms, rates_mbit_s]), arguments.boxes)
    report = {
        "windows": {
            label: int((rows["shared"] == shared).sum()) for label, shared in (("shared", True), ("non_shared", False))
        },
        "connections": rows["connection_id"].nunique(),
        **separability.by_correlation(rows),
        "area_under_curve_of_settings": separability.by_configured_value(truth.to_pandas()),
        "rtt_ms": rtts_ms.drop(columns="quantity").to_dict("records"),
        "rate_mbit_s": rates_mbit_s.drop(columns="quantity").to_dict("records"),
    }
    write_json(report, arguments.report)
    style.save(series.boxes(rtts_ms, "RTT (ms)"), arguments.rtt_figure)
    style.save(series.boxes(rates_mbit_s, "throughput over T (Mbit/s)"), arguments.rate_figure)
    log.info("%s: %s", arguments.dataset, {name: report.get(name) for name in ("pearson", "spearman")})
    return stage.EXIT_OK
