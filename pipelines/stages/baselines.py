"""Table 5's counterpart: learned models beside the baseline detectors, the paper's way and on the same test rows.

Three tables, whose accuracies are not the same thing. `all`: as in the paper, models on held-out triggered windows,
baselines on all connections, each by its opinion at the end. `same`: everything on the same held-out tiled windows,
baselines with the parameters of their authors and with parameters chosen on the training side of the same split, and
each row's paired difference to plain correlation. `time`: the share of time in which baselines are right; this is not
an accuracy of windows.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from smartsbd.contracts.contract import read_table
from smartsbd.contracts.tables import OPINION, PREDICTION, TIME_SHARE
from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.models.assessment.baseline_comparison import (
    TEST_SIDES,
    BaselineComparison,
    Opinions,
    Resampling,
    chosen_table,
)
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.figures import comparison, style
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import stage

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--predictions", type=Path, required=True, help="prediction table of its search")
    parser.add_argument(
        "--replayed", type=Path, required=True, help="folder with the detectors' opinions on the dataset"
    )
    parser.add_argument(
        "--grids", type=Path, required=True, help="folder with the opinions of every point of their grids"
    )
    parser.add_argument("--judged", type=Path, required=True, help="folder for the three tables, unrounded")
    parser.add_argument("--tables", type=Path, required=True, help="folder for the three tables as CSV files")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _opinions(folder: Path) -> Opinions:
    opinion = read_table(OPINION, folder / "opinion.parquet").to_pandas()
    return Opinions.of(opinion, read_table(TIME_SHARE, folder / "time_share.parquet").to_pandas())


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    compared = BaselineComparison(
        dataset=arguments.dataset,
        rule=params.search.rule,
        predictions=read_table(PREDICTION, arguments.predictions).to_pandas(),
        detectors=params.replay.detectors,
        grids=list(params.replay.grids),
        presets=_opinions(arguments.replayed),
        points=_opinions(arguments.grids),
        resampling=Resampling(params.evaluate.resamples, params.evaluate.seed),
    )
    same, chosen = compared.same()
    time = compared.time()
    for name, table in {"all": compared.all(), "same": same, "time": time}.items():
        write_parquet(table, arguments.judged / f"{name}.parquet")
        write_csv(table, arguments.tables / f"{name}.csv")
    write_csv(chosen_table(chosen), arguments.tables / "chosen.csv")
    style.save(comparison.baselines(same, time[time["on"] == TEST_SIDES], arguments.dataset), arguments.figure)
    for row in same[same["site"] == ALL_SITES].to_dict("records"):
        log.info("%s, %s: %.3f", row["detector"], row["parameters"], row["balanced"])
    return stage.EXIT_OK
