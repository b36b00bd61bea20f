"""Judge connections thinned to what other tools would have shown of them, by the lag excess's last verdict.

By kind of input and by sampling interval: the share right of all pairs and of the decided pairs, and the coverage.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field, model_validator

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.models.labelled.extraction import read_truths
from smartsbd.models.last_verdict.final_verdict import SAID
from smartsbd.pipelines.params import Params, read_block
from smartsbd.pipelines.params.block import Block
from smartsbd.pipelines.reporting.figures import style
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import parallel, stage
from studies.thinned import figure
from studies.thinned.shown_rtts import TOOLS
from studies.thinned.thinned_pairs import ThinnedDataset, accuracy_rows, spread_labels, views

log = logging.getLogger(__name__)

_PAIRS_PER_TASK = 8


class ThinnedConnections(Block):
    """What is judged of connections as other tools show them."""

    thinned: list[str]
    kinds: list[str] = Field(min_length=1)
    ticks: list[Literal["own", "common"]] = Field(min_length=1)
    intervals_ms: list[Annotated[int, Field(ge=1)]] = Field(min_length=1)
    pairs: Annotated[int, Field(ge=1)] | None
    seed: int = Field(ge=0)

    @model_validator(mode="after")
    def _known(self) -> ThinnedConnections:
        unknown = sorted(set(self.kinds) - set(TOOLS))
        if unknown:
            raise ValueError(f"kinds has {unknown}, known are {list(TOOLS)}")
        return self


PARAMS = ThinnedConnections


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--settings", type=Path, required=True, help="the study's params.yaml")
    parser.add_argument("--tables", type=Path, required=True, help="folder with one folder of tables for each dataset")
    parser.add_argument("--truths", type=Path, required=True, help="folder with one truth table for each dataset")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file to write: every pair")
    parser.add_argument("--reports", type=Path, required=True, help="folder to write: accuracy by kind and interval")


def _verdicts(
    dataset: str, settings: ThinnedConnections, arguments: argparse.Namespace, params: Params
) -> Iterator[dict[str, Any]]:
    """Yield the last verdicts on the pairs of a dataset."""
    folder = (arguments.tables / dataset).absolute()  # a worker may have been started in another folder
    truth = arguments.truths / f"{dataset}.parquet"
    labels = spread_labels(read_table(tables.TRUTH, truth).to_pylist(), settings.pairs)
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    seen = views(settings.kinds, settings.ticks, settings.intervals_ms)
    whole = ThinnedDataset(
        folder, {row["connection_id"]: row for row in connections}, read_truths(truth), seen, settings.seed
    )
    batches = [labels[at : at + _PAIRS_PER_TASK] for at in range(0, len(labels), _PAIRS_PER_TASK)]
    for rows in parallel.mapped(whole.verdicts, batches, params, what=f"thinned {dataset}"):
        yield from rows


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Judge the connections."""
    settings = read_block(arguments.settings, ThinnedConnections)
    drawn = {"resamples": params.evaluate.resamples, "seed": params.evaluate.seed}
    parts, accuracies = [], []
    for dataset in settings.thinned:
        rows = pd.DataFrame(list(_verdicts(dataset, settings, arguments, params)))
        if rows.empty:
            log.warning("%s: no pair has a valid label", dataset)
            continue
        parts.append(rows.assign(dataset=dataset))
        accuracies += [{"dataset": dataset, **row} for row in accuracy_rows(rows, **drawn)]
        log.info("%s: %d pairs, %d rows", dataset, accuracies[-1]["pairs"], len(rows))
    judged, table = pd.concat([pd.DataFrame(), *parts]), pd.DataFrame(accuracies)
    whole = {"interval_ms": "Int64"}
    if parts:
        judged, table = judged.astype({SAID: "boolean", **whole}), table.astype(whole)
    write_parquet(judged, arguments.judged)
    write_csv(table, arguments.reports / "accuracy.csv")
    style.save(figure.by_interval(table), arguments.reports / "accuracy.png")
    return stage.EXIT_OK
