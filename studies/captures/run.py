"""Measure how well a sender's state is inferred from captures, compared with its own log.

The effect on features and verdicts is measured too. Sets of connections: a real kernel's, recorded at the
sender; and simulated ones, drawn as `diverse` is, recorded at the sender and at the receiver. Windows lie where the log
puts them, so a feature differs only by its series.
"""

from __future__ import annotations

import argparse
import logging
import operator
import tempfile
from functools import partial
from pathlib import Path

import pandas as pd
from pydantic import Field

from smartsbd.features.inferred_connection import (
    InferredConnection,
    agreements,
    compared,
    feature_rows,
    signals_row,
    window_rows,
)
from smartsbd.features.reading import Reading
from smartsbd.models.stored import loaded_model
from smartsbd.pipelines.params import Params, read_block
from smartsbd.pipelines.params.block import Block
from smartsbd.pipelines.reporting.figures import style
from smartsbd.pipelines.reporting.report_files import read_json, write_csv, write_parquet
from smartsbd.pipelines.running import parallel, stage
from smartsbd.scenarios import datasets, simulator
from smartsbd.scenarios.scenario import Run
from smartsbd.traces.agreement import grid_differences_us
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.recording import only_connection
from studies.captures import figure
from studies.captures.inferred_verdict import same_verdicts

log = logging.getLogger(__name__)

_ENDS = ("sender", "receiver")


class CapturedConnections(Block):
    """What captures tell of a sender's state, against its own log."""

    connections_per_label: int = Field(ge=0)
    seed: int = Field(ge=0)


PARAMS = CapturedConnections


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--settings", type=Path, required=True, help="the study's params.yaml")
    parser.add_argument("--logs", type=Path, required=True, help="folder with a real sender's logs, NAME.state.csv.zst")
    parser.add_argument("--captures", type=Path, required=True, help="folder with its captures, NAME.sf*.pcap.zst")
    parser.add_argument("--models", type=Path, required=True, help="folder of the stored models")
    parser.add_argument("--default-model", type=Path, required=True, help="report that names the detector")
    parser.add_argument("--windows", type=Path, required=True, help="parquet file to write: features, both ways")
    parser.add_argument("--reports", type=Path, required=True, help="folder to write: signals and features of each set")


def _recorded(
    log_path: Path, captures: Path, dialect: Dialect, rule: str, reading: Reading
) -> dict[str, InferredConnection]:
    """Compare one real connection."""
    name = log_path.name.partition(".")[0]
    inferred = only_connection(sorted(captures.glob(f"{name}.sf*")), dialect)
    return {"kernel, sender": compared(inferred, only_connection([log_path], dialect), rule, reading)}


def _simulated(run: Run, dialect: Dialect, rule: str, reading: Reading) -> dict[str, InferredConnection]:
    """Simulate one connection, captured at both ends, and compare both with its event log."""
    with tempfile.TemporaryDirectory(prefix="sbd-") as folder:
        done = simulator.simulate(run, Path(folder) / "scenario.json", captures=Path(folder))
        log_path = Path(folder) / "events.log.zst"
        log_path.write_bytes(done.event_log)
        logged = only_connection([log_path], dialect)
        return {
            f"simulator, {end}": compared(
                only_connection(sorted(Path(folder).glob(f"{end}.*.pcap")), dialect), logged, rule, reading
            )
            for end in _ENDS
        }


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Compare the connections."""
    settings = read_block(arguments.settings, CapturedConnections)
    drawn = params.simulate.diverse  # type: ignore[attr-defined] # the datasets are the fields of a made type
    simulator.check_program()
    runs = datasets.draw("diverse", drawn.model_dump() | settings.model_dump())
    dialect, rule, reading = params.parse.dialect(), params.search.rule, params.extract.reading
    logs = sorted(arguments.logs.absolute().iterdir())
    jobs = [partial(_recorded, path, arguments.captures.absolute(), dialect, rule, reading) for path in logs]
    jobs += [partial(_simulated, one, dialect, rule, reading) for one in runs]
    sets: dict[str, list[InferredConnection]] = {}
    for inferred in parallel.mapped(operator.call, jobs, params, what="captures"):
        for name, connection in inferred.items():
            sets.setdefault(name, []).append(connection)
    judge = loaded_model.load_named(read_json(arguments.default_model)["model"], arguments.models)
    signals = pd.DataFrame(
        [{"set": name, **signals_row(own), **same_verdicts(own, judge)} for name, own in sets.items()]
    )
    write_csv(signals, arguments.reports / "signals.csv")
    features = pd.DataFrame([{"set": name, **row} for name, own in sets.items() for row in feature_rows(own)])
    write_csv(features, arguments.reports / "features.csv")
    windows = pd.DataFrame([{"set": name, **row} for name, own in sets.items() for row in window_rows(own)])
    write_parquet(windows, arguments.windows)
    differences_us = {name: grid_differences_us(agreements(own)) for name, own in sets.items()}
    style.save(figure.differences(differences_us, features), arguments.reports / "differences.png")
    log.info("%d connections, sets %s", len(jobs), {name: len(own) for name, own in sets.items()})
    return stage.EXIT_OK
