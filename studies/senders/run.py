"""Compare last verdicts under each controller, scheduler and receive buffer at the sender.

The same networks are run under each choice; a difference to another choice is paired by network. Only pairs with a
valid label count. Every detector that is replayed is judged, and every family learnt on one dataset.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import Literal

import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader, read_table
from smartsbd.models.last_verdict import simulated_twins
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.params.block import Block
from smartsbd.pipelines.reporting.figures import style
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import stage
from smartsbd.scenarios import controllers, paired_networks, schedulers
from studies.senders import choice_comparison, figure

log = logging.getLogger(__name__)

#: Rows of the signals are counted for so many connections at a time: those of all would not fit into memory.
_CONNECTIONS_AT_ONCE = 50
_ACK_COLUMNS = ("connection_id", "subflow_id", "ack_no", "rtt_us", "acked_bytes")
#: The datasets whose networks are run under several choices, each of these with what it is compared with.
_REFERENCES = {"controllers": controllers.REFERENCES, "schedulers": schedulers.REFERENCES}
#: Who has given the verdicts.
REPLAYED, LEARNT = "replayed", "learnt"


class ComparedDatasets(Block):
    """The study's params.yaml."""

    compared: list[Literal["controllers", "schedulers"]]


PARAMS = ComparedDatasets


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="the dataset's truth table")
    parser.add_argument("--verdicts", type=Path, required=True, help="parquet file: replayed detectors' last verdicts")
    parser.add_argument("--learnt", type=Path, required=True, help="parquet file: learnt families' last verdicts")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: every pair")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: every detector under every choice")
    parser.add_argument("--signals", type=Path, required=True, help="CSV file: what senders saw under every choice")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _verdicts(arguments: argparse.Namespace) -> pd.DataFrame:
    """Return the last verdicts of all, a family's features as part of its name."""
    replayed = pd.read_parquet(arguments.verdicts)
    if replayed.empty:
        return replayed
    learnt = pd.read_parquet(arguments.learnt).drop(columns="dataset")
    of = learnt["preset"].str.split(", ", n=1)
    learnt = learnt.assign(detector=learnt["detector"] + " of " + of.str[0], preset=of.str[1])
    return pd.concat([replayed.assign(judge=REPLAYED), learnt.assign(judge=LEARNT)], ignore_index=True)


def _signals(folder: Path, dataset: str) -> pd.DataFrame:
    """Return what the sender saw of every subflow."""
    acks = TableReader(tables.ACK, folder / "ack.parquet", _ACK_COLUMNS)
    states = TableReader(tables.STATE, folder / "state.parquet")
    parts, names = [], list(acks)
    for at in range(0, len(names), _CONNECTIONS_AT_ONCE):
        ack, state = (
            pd.concat([reader.rows_of(name).to_pandas() for name in names[at : at + _CONNECTIONS_AT_ONCE]])
            for reader in (acks, states)
        )
        parts.append(simulated_twins.signals(ack, state).reset_index())
    found = pd.concat(parts, ignore_index=True)
    return found.assign(connection_id=f"{dataset}/" + found["input"])


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Compare them."""
    truth = read_table(tables.TRUTH, arguments.truth).to_pylist()
    drawn = choice_comparison.drawn_pairs(truth, paired_networks.parts_of)
    references = _REFERENCES[arguments.dataset]
    rows = choice_comparison.by_choice(_verdicts(arguments), drawn)
    options = params.evaluate
    drawing = {"resamples": options.resamples, "seed": options.seed}
    found = pd.DataFrame(list(choice_comparison.compared(rows, drawn, references, **drawing)))
    write_parquet(rows, arguments.judged)
    write_csv(found, arguments.table)
    signals = _signals(arguments.tables, arguments.dataset)
    write_csv(pd.DataFrame(choice_comparison.compared_signals(signals, drawn, references)), arguments.signals)
    style.save(figure.by_choice(found), arguments.figure)
    valid = drawn[drawn["valid"]]["choice"].value_counts()
    counts = ", ".join(f"{choice}: {valid.get(choice, 0)}" for choice in references)
    log.info("%d pairs, %d of them with a valid label (%s)", len(drawn), valid.sum(), counts)
    return stage.EXIT_OK
