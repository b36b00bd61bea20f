"""Hold what the testbed recorded against the simulated twins of the same scenarios, detector by detector.

Only pairs whose label is valid in both count.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.models.last_verdict import simulated_twins
from smartsbd.models.last_verdict.final_verdict import PAIR, SAID
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.params.block import Block
from smartsbd.pipelines.reporting.figures import style
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import stage
from studies.twins import figure

log = logging.getLogger(__name__)


class Twins(Block):
    """The study's params.yaml."""

    recorded: str
    simulation: str


PARAMS = Twins


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the recorded dataset")
    parser.add_argument("--simulation", required=True, help="name of the simulated one, of the same scenarios")
    parser.add_argument("--tables", type=Path, required=True, help="folder with one folder of tables for each dataset")
    parser.add_argument("--truths", type=Path, required=True, help="folder with the truth tables")
    parser.add_argument("--verdicts", type=Path, required=True, help="folder with every dataset's last verdicts")
    parser.add_argument("--paired", type=Path, required=True, help="parquet file: every pair")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: every detector")
    parser.add_argument("--scenarios", type=Path, required=True, help="CSV file: every setting")
    parser.add_argument("--signals", type=Path, required=True, help="CSV file: what senders saw")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _signals(folder: Path) -> pd.DataFrame:
    ack = read_table(tables.ACK, folder / "ack.parquet")
    columns = ["connection_id", "subflow_id", "rtt_us", "acked_bytes"]
    state = read_table(tables.STATE, folder / "state.parquet").to_pandas()
    return simulated_twins.signals(ack.select(columns).to_pandas(), state)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Compare them."""
    names = [arguments.dataset, arguments.simulation]
    verdicts = [pd.read_parquet(arguments.verdicts / f"{name}.parquet").astype({SAID: "boolean"}) for name in names]
    truths = [read_table(tables.TRUTH, arguments.truths / f"{name}.parquet").to_pandas() for name in names]
    both = simulated_twins.paired(*verdicts, *truths)
    options = params.evaluate
    found = pd.DataFrame(simulated_twins.compared(both, resamples=options.resamples, seed=options.seed))
    write_parquet(both, arguments.paired)
    write_csv(found, arguments.table)
    style.save(figure.by_detector(found), arguments.figure)
    detectors = list(zip(found["detector"], found["parameters"], strict=True))
    write_csv(pd.DataFrame(simulated_twins.by_scenario(both, detectors)), arguments.scenarios)
    seen = [_signals(arguments.tables / name) for name in names]
    write_csv(pd.DataFrame(simulated_twins.compared_signals(*seen)), arguments.signals)
    pairs = int(found["pairs"].max())
    alone = [len(own.drop_duplicates(list(PAIR))) - pairs for own in verdicts]
    log.info("%s, %s: %d pairs have a valid label in both, %d and %d in one alone", *names, pairs, *alone)
    one, other = ({*zip(own["detector"], own["preset"], strict=True)} for own in verdicts)
    if one != other:
        log.warning("left out, in one of the two alone: %s", sorted(one ^ other))
    return stage.EXIT_OK
