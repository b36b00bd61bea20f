"""Feed every connection's signals to the exported C, as a sender would, and compare what it says with the pipeline.

Every window the pipeline found, tiled and triggered, must have the same place and, of each feature that C computes, the
same value. On tiled windows each header must decide as its model does, find no other window, and leave the same
partition of the subflows in the end. Of every pair, on the first so many connections, each judgement of the lag excess
must have the same time, words and score. One difference fails.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from contracts import tables
from contracts.contract import TableReader, read_table
from contracts.tables import WINDOW_KEY
from export import compilers, default_detector, judgements, model_file, replay
from export.emit_c import EXPORTABLE
from export.replay import Replayed
from export.tree import NOT_SHARED, Forest
from export.verify import VerifyError
from features.catalog import PAIR_WINDOW
from features.series import SubflowSignals
from models.detectors import lag_excess
from models.detectors.learned import WindowVerdict, opinions_of
from pipelines.params import Params
from pipelines.reporting.report_files import write_json
from pipelines.running import stage

log = logging.getLogger(__name__)

_ACK_COLUMNS = ("subflow_id", "time_ns", "acked_bytes", "rtt_us")
_STATE_COLUMNS = ("subflow_id", "time_ns", "ca_state")
#: Headers of models that come from files, and of the lag excess.
_OF_NO_MODEL = {"sbd_loaded", Path(default_detector.HEADER).stem}
_KEY = ["token", "subflow_a", "subflow_b", "window_start_ns"]
#: Takes every feature, so that all are computed, and decides nothing.
_ALL_FEATURES = model_file.content(Forest((NOT_SHARED,)), [feature.name for feature in EXPORTABLE])


@dataclass(frozen=True)
class Signals:
    """A connection as the replay reads it; `token` stands for its name."""

    token: int
    connection_id: str
    acks: pa.Table
    states: pa.Table
    end_ns: int

    def lines(self, windows: Sequence[tuple[int, int, int]] = ()) -> bytes:
        """Return its lines, with windows that begin anew."""
        return replay.event_lines(self.token, self.acks, self.states, self.end_ns, windows)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="dataset to replay")
    parser.add_argument("--tables", type=Path, required=True, help="folder with its tables")
    parser.add_argument("--features", type=Path, required=True, help="folder with its features")
    parser.add_argument("--verdicts", type=Path, required=True, help="parquet file: what the headers say of windows")
    parser.add_argument("--headers", type=Path, required=True, help="folder with the headers")
    parser.add_argument("--decisions", type=Path, required=True, help="parquet file: what each header decides")
    parser.add_argument("--report", type=Path, required=True, help="JSON file: what was compared")


def _connections(folder: Path) -> pa.Table:
    return read_table(tables.CONNECTION, folder / "connection.parquet")


def _signals(folder: Path) -> Iterator[Signals]:
    acks = TableReader(tables.ACK, folder / "ack.parquet", _ACK_COLUMNS)
    states = TableReader(tables.STATE, folder / "state.parquet", _STATE_COLUMNS)
    for token, connection in enumerate(_connections(folder).to_pylist()):
        name = connection["connection_id"]
        yield Signals(token, name, acks.rows_of(name), states.rows_of(name), connection["end_ns"])


def _table(replayed: Replayed) -> pd.DataFrame:
    rows: list[dict[str, Any]] = [
        {
            "token": one.token,
            "subflow_a": one.subflow_a,
            "subflow_b": one.subflow_b,
            "window_start_ns": one.start_ns,
            "window_ns": one.window_ns,
            "shared_pred": one.shared,
            **one.features,
        }
        for one in replayed.decisions
    ]
    columns = [*_KEY, "window_ns", "shared_pred", *(feature.name for feature in EXPORTABLE)]
    return pd.DataFrame(rows, columns=columns)


def _same_windows(what: str, found: pd.DataFrame, expected: pd.DataFrame, *, no_others: bool) -> pd.DataFrame:
    """Return both side by side; fail if a window is missing, or, where there must be no others, is one more."""
    both = expected.merge(found, on=_KEY, how="outer", suffixes=("", "_c"), indicator=True, validate="one_to_one")
    missing, more = ((both["_merge"] == side).sum() for side in ("left_only", "right_only"))
    if missing or (more and no_others):
        raise VerifyError(f"{what}: C misses {missing} windows and finds {more} that are not there")
    return both[both["_merge"] == "both"]


def _compare_features(what: str, found: pd.DataFrame, expected: pd.DataFrame, *, no_others: bool) -> int:
    """Return how many values are the same; all must be."""
    both = _same_windows(what, found, expected, no_others=no_others)
    for name in ("window_ns", *(feature.name for feature in EXPORTABLE)):
        different = int((both[name] != both[f"{name}_c"]).sum())
        if different:
            raise VerifyError(f"{what}: {name} differs in {different} of {len(both)} windows")
    return len(both) * len(EXPORTABLE)


def _verdicts(windows: pd.DataFrame) -> list[WindowVerdict]:
    columns = ("window_start_ns", "window_ns", "subflow_a", "subflow_b", "shared_pred")
    return [
        WindowVerdict(start_ns + window_ns, (a, b), shared)
        for start_ns, window_ns, a, b, shared in zip(*(windows[name].tolist() for name in columns), strict=True)
    ]


def _compare_partitions(what: str, replayed: Replayed, windows: pd.DataFrame) -> int:
    """Return how many connections end with the same partition; all must."""
    by_token = {token: _verdicts(own) for token, own in windows.groupby("token")}
    for token, groups in replayed.partitions.items():
        subflow_ids = sorted(groups)
        opinions = opinions_of(by_token.get(token, []), subflow_ids)
        expected = opinions[-1].partition if opinions else (None,) * len(subflow_ids)
        if replayed.partition(token) != expected:
            raise VerifyError(f"{what}: connection {token} ends with {replayed.partition(token)}, not {expected}")
    return len(replayed.partitions)


def _placed(windows: pd.DataFrame) -> dict[Any, list[tuple[int, int, int]]]:
    """Return where windows start, and of which subflows, by connection."""
    columns = ("token", "window_start_ns", "subflow_a", "subflow_b")
    found: dict[Any, list[tuple[int, int, int]]] = {}
    for token, *place in zip(*(windows[name].tolist() for name in columns), strict=True):
        found.setdefault(token, []).append((place[0], place[1], place[2]))
    return found


def _prove_features(tables_of: Path, windows: pd.DataFrame, headers: Path, place: Path) -> int:
    program = replay.build(place, headers, None, compilers.installed()[0])
    file = place / "all.sbd"
    file.write_bytes(_ALL_FEATURES)
    compared = 0
    for rule, own in windows.groupby("rule"):
        # Tiled windows C places itself; where another rule placed one, it is told to begin.
        placed = {} if rule == "tiled" else _placed(own)
        lines = (one.lines(placed.get(one.token, [])) for one in _signals(tables_of))
        found = _table(replay.run(program, lines, file, with_features=True))
        compared += _compare_features(str(rule), found, own, no_others=rule == "tiled")
    return compared


def pairs_of_connections(tables_of: Path, most: int | None) -> Iterator[tuple[SubflowSignals, SubflowSignals]]:
    """Yield the RTTs of every two subflows that have any, of a dataset's first so many connections.

    Parameters
    ----------
    tables_of : Path
        Folder with the dataset's tables.
    most : int or None
        None for all connections.
    """
    for connection in itertools.islice(_signals(tables_of), most):
        sampled = connection.acks.filter(pc.is_valid(connection.acks.column("rtt_us")))
        ids, time_ns, rtt_us = (sampled.column(name).to_numpy() for name in ("subflow_id", "time_ns", "rtt_us"))
        own = {one: SubflowSignals.of_rtts(time_ns[ids == one], rtt_us[ids == one]) for one in np.unique(ids).tolist()}
        for a, b in itertools.combinations(sorted(own), 2):
            yield own[a], own[b]


def _prove_judgements(tables_of: Path, headers: Path, place: Path, most: int | None) -> dict[str, int]:
    """Return how many judgements of the lag excess are the same, on how many pairs; all must be."""
    rule = default_detector.load(headers)[1].rule
    program = judgements.build(place, headers, compilers.installed()[0])
    pairs = list(pairs_of_connections(tables_of, most))
    found, _ = judgements.run(program, pairs, rule)
    compared = 0
    for number, ((x, y), own) in enumerate(zip(pairs, found, strict=True)):
        expected = [judgements.said(one) for one in lag_excess.judgements(x, y, rule)]
        if own != expected:
            raise VerifyError(f"sbd_lag_excess: what is said of pair {number} is not what the pipeline says")
        compared += len(own)
    return {"judgements": compared, "judged_pairs": len(pairs)}


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    tokens = {
        name: token for token, name in enumerate(_connections(arguments.tables).column("connection_id").to_pylist())
    }
    columns = [*WINDOW_KEY, "window_ns", *(feature.name for feature in EXPORTABLE)]
    windows = read_table(PAIR_WINDOW, arguments.features / "pair_window.parquet").to_pandas()[columns]
    windows["token"] = windows["connection_id"].map(tokens)
    if windows["token"].isna().any():
        raise VerifyError("features has windows of connections that tables does not have")
    verdicts = pd.read_parquet(arguments.verdicts)
    report: dict[str, Any] = {"connections": len(tokens), "windows": len(windows)}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        report["feature_values"] = _prove_features(arguments.tables, windows, arguments.headers, place)
        tiled = windows[windows["rule"] == "tiled"]
        report |= _prove_judgements(arguments.tables, arguments.headers, place, params.export.judged_connections)
        report["decisions"], report["partitions"] = {}, {}
        decided = []
        for name in sorted({path.stem for path in arguments.headers.glob("sbd_*.h")} - _OF_NO_MODEL):
            expected = tiled.merge(verdicts[verdicts["model"] == name], on=list(WINDOW_KEY), validate="one_to_one")
            program = replay.build(place, arguments.headers, name, compilers.installed()[0])
            replayed = replay.run(program, (one.lines() for one in _signals(arguments.tables)))
            both = _same_windows(name, _table(replayed), expected, no_others=True)
            different = int((both["shared_pred"] != both["shared_pred_c"]).sum())
            if different:
                raise VerifyError(f"{name}: {different} of {len(both)} decisions differ from the model's")
            decided.append(both[[*WINDOW_KEY, "model", "shared_pred_c"]].rename(columns={"shared_pred_c": "shared"}))
            report["decisions"][name] = len(both)
            report["partitions"][name] = _compare_partitions(name, replayed, expected)
    log.info("%s: all the same: %s", arguments.dataset, report)
    arguments.decisions.parent.mkdir(parents=True, exist_ok=True)
    pd.concat(decided, ignore_index=True).to_parquet(arguments.decisions, index=False)
    write_json(report, arguments.report)
    return stage.EXIT_OK
