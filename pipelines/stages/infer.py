"""Measure how well a sender's state is inferred from captures: against its own log, and in what follows from it.

Sets of connections: a real kernel's, recorded at the sender; and simulated ones, drawn as `diverse` is, recorded at the
sender and at the receiver. Windows lie where the log puts them, so that a feature differs by its series alone.
"""

from __future__ import annotations

import argparse
import logging
import operator
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from contracts.fault import InputFault
from features import connection_pairs
from features.catalog import feature_names
from features.pair import PairWindow, pair_window
from features.reading import Reading
from models import loaded_model
from pipelines.params import Params
from pipelines.params.block import ParamsError
from pipelines.reporting.figures import feature_values, style
from pipelines.reporting.report_files import read_json, write_csv
from pipelines.running import parallel, stage
from scenarios import datasets, simulator
from scenarios.scenario import Run
from traces import recording
from traces.agreement import Agreement, agreement
from traces.connection import Connection
from traces.dialect import Dialect
from traces.quarantine import UnreadableInputError

log = logging.getLogger(__name__)

_DRAWN_AS = "diverse"
_PERCENT = (2.5, 50, 97.5)
_ENDS = ("sender", "receiver")


class NoPartnerError(InputFault):
    """A capture and a log that do not hold the same connection."""


@dataclass
class Compared:
    """One connection, inferred and logged.

    Attributes
    ----------
    subflows : list of Agreement
    windows : list of (PairWindow, PairWindow)
        The same window of the inferred and of the logged signals, where RTT samples were inferred.
    placed_inferred, placed_logged : int
        Windows that either would have found by itself.
    vantages : set of str
    """

    subflows: list[Agreement]
    windows: list[tuple[PairWindow, PairWindow]]
    placed_inferred: int
    placed_logged: int
    vantages: set[str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--logs", type=Path, required=True, help="folder with a real sender's logs, NAME.state.csv.zst")
    parser.add_argument("--captures", type=Path, required=True, help="folder with its captures, NAME.sf*.pcap.zst")
    parser.add_argument("--models", type=Path, required=True, help="folder of the stored models")
    parser.add_argument("--default-model", type=Path, required=True, help="report that names the detector")
    parser.add_argument("--windows", type=Path, required=True, help="parquet file: every window's features, both ways")
    parser.add_argument("--signals", type=Path, required=True, help="CSV file: RTTs and states, a row a set")
    parser.add_argument("--features", type=Path, required=True, help="CSV file: features, a row a set and feature")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file")


def _only(paths: Sequence[Path], dialect: Dialect) -> Connection:
    """Return the only connection that some inputs hold together."""
    found: list[Connection] = []
    for one in recording.read_all(paths, dialect):
        if isinstance(one, UnreadableInputError):
            raise one
        found += one.trace.connections
    if len(found) != 1:
        raise NoPartnerError(f"{paths[0]}: {len(found)} connections in {len(paths)} inputs, must be one")
    return found[0]


def compared(inferred: Connection, logged: Connection, rule: str, reading: Reading) -> Compared:
    """Compare a connection inferred from captures with its sender's log.

    Parameters
    ----------
    inferred, logged : Connection
        With the same subflows.
    rule : str
        How windows are placed.
    reading : Reading

    Raises
    ------
    NoPartnerError
        If their subflows are not the same.
    """
    if sorted(inferred.subflows) != sorted(logged.subflows):
        raise NoPartnerError(f"subflows {sorted(inferred.subflows)} are inferred, {sorted(logged.subflows)} logged")
    own = connection_pairs.signals(inferred, reading)
    reference = connection_pairs.signals(logged, reading)
    placed = [(pair, one) for pair in connection_pairs.pairs(logged, rule, reading) for one in pair.windows]
    windows = [
        (pair_window(own[pair.subflow_a], own[pair.subflow_b], one.window, reading), one)
        for pair, one in placed
        if len(own[pair.subflow_a].rtt_us) and len(own[pair.subflow_b].rtt_us)
    ]
    return Compared(
        subflows=[agreement(inferred.subflows[number], logged.subflows[number]) for number in sorted(reference)],
        windows=windows,
        placed_inferred=sum(len(pair.windows) for pair in connection_pairs.pairs(inferred, rule, reading)),
        placed_logged=len(placed),
        vantages=set(inferred.vantages.values()),
    )


def _recorded(log_path: Path, captures: Path, dialect: Dialect, rule: str, reading: Reading) -> dict[str, Compared]:
    """Compare one real connection."""
    name = log_path.name.partition(".")[0]
    inferred = _only(sorted(captures.glob(f"{name}.sf*")), dialect)
    return {"kernel, sender": compared(inferred, _only([log_path], dialect), rule, reading)}


def _simulated(run: Run, dialect: Dialect, rule: str, reading: Reading) -> dict[str, Compared]:
    """Simulate one connection, captured at both ends, and compare both with its event log."""
    with tempfile.TemporaryDirectory(prefix="sbd-") as folder:
        done = simulator.simulate(run, Path(folder) / "scenario.json", captures=Path(folder))
        log_path = Path(folder) / "events.log.zst"
        log_path.write_bytes(done.event_log)
        logged = _only([log_path], dialect)
        return {
            f"simulator, {end}": compared(
                _only(sorted(Path(folder).glob(f"{end}.*.pcap")), dialect), logged, rule, reading
            )
            for end in _ENDS
        }


def _quantiles(name: str, values: npt.NDArray[np.int64]) -> dict[str, float | None]:
    found = np.percentile(values, _PERCENT) if len(values) else [None] * len(_PERCENT)
    return {f"{name}_{percent:g}": value for percent, value in zip(_PERCENT, found, strict=True)}


def _sum(counts: Sequence[int | None]) -> int | None:
    """Return a sum, None where a log does not count."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _signals(own: Sequence[Compared]) -> dict[str, Any]:
    """Return how well RTTs and states agree."""
    subflows = [one for compared in own for one in compared.subflows]
    confusion = sum((one.confusion for one in subflows), np.zeros((2, 2), dtype=np.int64))
    matched = np.concatenate([one.rtt_difference_us for one in subflows])
    return {
        "connections": len(own),
        "vantage": "/".join(sorted(set().union(*(one.vantages for one in own)))),
        "rtts_logged": sum(one.logged for one in subflows),
        "rtts_inferred": sum(one.inferred for one in subflows),
        "rtts_of_one_ack": len(matched),
        **_quantiles("rtt_difference_us", matched),
        **_quantiles("grid_difference_us", np.concatenate([one.grid_difference_us for one in subflows])),
        "both_uncongested": confusion[0, 0],
        "only_inferred_congested": confusion[0, 1],
        "only_logged_congested": confusion[1, 0],
        "both_congested": confusion[1, 1],
        "entries_logged": sum(one.entries_logged for one in subflows),
        "entries_inferred": sum(one.entries_inferred for one in subflows),
        **_quantiles("entry_difference_us", np.concatenate([one.entry_difference_us for one in subflows])),
        "sent_again_logged": _sum([one.retransmissions_logged for one in subflows]),
        "sent_again_inferred": _sum([one.retransmissions_inferred for one in subflows]),
    }


def _verdicts(own: Sequence[Compared], judge: loaded_model.WindowJudge) -> dict[str, Any]:
    """Return how often the verdict is the same on the same window."""
    pairs = [pair for one in own for pair in one.windows]
    same = 0
    if pairs:
        inferred = judge.judge([pair[0] for pair in pairs]).shared_pred
        same = int((inferred == judge.judge([pair[1] for pair in pairs]).shared_pred).sum())
    return {
        "windows_logged": sum(one.placed_logged for one in own),
        "windows_compared": len(pairs),
        "same_verdict": same,
        "windows_inferred": sum(one.placed_inferred for one in own),
    }


def _windows(own: Sequence[Compared]) -> Iterator[dict[str, Any]]:
    """Yield every feature of every window, inferred and logged."""
    for number, one in enumerate(own):
        for inferred, logged in one.windows:
            for name in feature_names("all"):
                yield {
                    "connection": number,
                    "window_start_ns": logged.window.start_ns,
                    "feature": name,
                    "inferred": float(inferred.features[name]),
                    "logged": float(logged.features[name]),
                }


def _features(own: Sequence[Compared]) -> Iterator[dict[str, Any]]:
    """Yield what the inference changes in each feature, beside how much the feature varies."""
    pairs = [pair for one in own for pair in one.windows]
    for name in feature_names("all"):
        inferred, logged = (np.array([pair[side].features[name] for pair in pairs], dtype=float) for side in (0, 1))
        change = np.abs(inferred - logged)
        low, high = np.percentile(logged, [25, 75]) if pairs else (np.nan, np.nan)
        yield {
            "feature": name,
            "windows": len(pairs),
            "equal": int((change == 0).sum()),
            "median_change": float(np.median(change)) if pairs else None,
            "change_95": float(np.percentile(change, 95)) if pairs else None,
            "interquartile_range": float(high - low),
        }


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    settings = params.simulate.model_dump().get(_DRAWN_AS)
    if settings is None:
        raise ParamsError(f"{arguments.params}: simulate.{_DRAWN_AS} is missing")
    simulator.check_program()
    options = params.infer
    runs = datasets.draw(
        _DRAWN_AS, settings | {"connections_per_label": options.connections_per_label, "seed": options.seed}
    )
    dialect, rule, reading = params.parse.dialect(), params.search.rule, params.extract.reading
    logs = sorted(arguments.logs.absolute().iterdir())
    jobs = [partial(_recorded, path, arguments.captures.absolute(), dialect, rule, reading) for path in logs]
    jobs += [partial(_simulated, one, dialect, rule, reading) for one in runs]
    sets: dict[str, list[Compared]] = {}
    for found in parallel.mapped(operator.call, jobs, params, what="infer"):
        for name, one in found.items():
            sets.setdefault(name, []).append(one)
    judge = loaded_model.load_named(read_json(arguments.default_model)["model"], arguments.models)
    signals = pd.DataFrame([{"set": name, **_signals(own), **_verdicts(own, judge)} for name, own in sets.items()])
    write_csv(signals, arguments.signals)
    features = pd.DataFrame([{"set": name, **row} for name, own in sets.items() for row in _features(own)])
    write_csv(features, arguments.features)
    windows = pd.DataFrame([{"set": name, **row} for name, own in sets.items() for row in _windows(own)])
    arguments.windows.parent.mkdir(parents=True, exist_ok=True)
    windows.to_parquet(arguments.windows, index=False)
    differences = {
        name: np.concatenate([one.grid_difference_us for compared in own for one in compared.subflows])
        for name, own in sets.items()
    }
    style.save(feature_values.inference(differences, features), arguments.figure)
    log.info("%d connections, sets %s", len(jobs), {name: len(own) for name, own in sets.items()})
    return stage.EXIT_OK
