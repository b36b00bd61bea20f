"""Judge families learnt on a dataset of the main road by their last verdicts on a further dataset."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import pandas as pd
from pydantic import Field

from smartsbd.models.last_verdict.dataset_tables import DatasetTables
from smartsbd.models.last_verdict.final_verdict import SAID, last_labels
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.params.block import Block
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.stages.learnt_verdicts import learn

log = logging.getLogger(__name__)


class Further(Block):
    """Names of datasets beyond those of the main road."""

    simulated: list[str]
    samples: list[str]
    datasets: list[str] = Field(min_length=1)


class FurtherDatasets(Block):
    """The study's params.yaml."""

    further: Further


PARAMS = FurtherDatasets


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset that is judged")
    for name, what in (
        ("main", "the main road's datasets"),
        ("further", "the further datasets"),
    ):
        parser.add_argument(
            f"--{name}", type=Path, required=True, help=f"folder with tables, truth, features and tiles of {what}"
        )
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: every pair")
    parser.add_argument(
        "--table", type=Path, required=True, help="CSV file: every family, and what it is compared with"
    )


def _tables(folder: Path) -> DatasetTables:
    return DatasetTables(folder / "tables", folder / "truth", folder / "features", folder / "tiles")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Learn them, and judge them."""
    further = _tables(arguments.further)
    if not any(last_labels(further.truth(arguments.dataset))):
        log.warning("%s: no pair has a valid label", arguments.dataset)
        write_parquet(pd.DataFrame(), arguments.judged)
        write_csv(pd.DataFrame(), arguments.table)
        return stage.EXIT_OK
    families = learn(_tables(arguments.main), params)
    rows, table = families.compared(further, params).judged(arguments.dataset)
    write_parquet(rows.astype({SAID: "boolean"}), arguments.judged)
    write_csv(pd.DataFrame(table), arguments.table)
    log.info("%s: %d families judged", arguments.dataset, len(families.learnt))
    return stage.EXIT_OK
