"""How hard a dataset is: what simple correlation of the RTTs reaches on it, and what settings give away.

Every labelled tiled window counts. The thresholds are the best ones on these very windows: upper
bounds of two plain detectors, to be read beside any learned one.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from joblib import Parallel, delayed

from features import correlation
from features.catalog import PAIR_WINDOW
from features.resample import grid_ns, interpolate
from features.series import signals_of
from models.threshold import area_under_curve, best_balanced_accuracy, overlap
from pipelines import figures, stage
from pipelines.params import Params
from pipelines.reports import write_json
from traces import tables
from traces.contract import TableReader, read_table, write_table

log = logging.getLogger(__name__)

_CONNECTIONS_PER_TASK = 16
_DIGITS = 4
_SETTINGS = tuple(
    f"{name}_{side}_{unit}"
    for side in ("a", "b")
    for name, unit in (
        ("bottleneck", "mbit_s"),
        ("queue", "bytes"),
        ("base_rtt", "us"),
        ("loss", "ratio"),
        ("jitter", "us"),
    )
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--pair-window", type=Path, required=True, help="its pair_window table")
    parser.add_argument("--correlation", type=Path, required=True, help="correlation table to write")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the figures of difficulty")
    parser.add_argument("--figure", type=Path, required=True, help="PNG file: RTTs per place and path")


def _correlations(windows: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    readers = [TableReader(table, folder / f"{table.name}.parquet") for table in (tables.ACK, tables.STATE)]
    rows = []
    signals: dict[tuple[str, int], Any] = {}
    for window in windows:
        connection_id = window["connection_id"]
        at_ns = grid_ns(window["window_start_ns"], window["step_ns"], window["n"])
        series = []
        for subflow in (window["subflow_a"], window["subflow_b"]):
            if (connection_id, subflow) not in signals:
                acks, states = (reader.rows_of(connection_id) for reader in readers)
                signals[connection_id, subflow] = signals_of(acks, states, subflow)
            own = signals[connection_id, subflow]
            series.append(interpolate(own.rtt_time_ns, own.rtt_us, at_ns))
        key = {name: window[name] for name in (*tables.WINDOW_KEY, "shared")}
        rows.append({**key, "pearson": correlation.pearson(*series), "spearman": correlation.spearman(*series)})
    return rows


def _windows(pair_window: pd.DataFrame) -> pd.DataFrame:
    return pair_window[(pair_window["rule"] == "tiled") & pair_window["shared"].notna()]


def _telling(rows: pd.DataFrame, windows: pd.DataFrame) -> dict[str, Any]:
    """Return what tells the labels apart, and how well; nothing if only one label occurs."""
    shared = rows["shared"].to_numpy(dtype=bool)
    if shared.all() or not shared.any():
        return {}
    first = windows.drop_duplicates(["connection_id", "subflow_a", "subflow_b", "shared"])
    ratio: npt.NDArray[np.float64] = first["min_rtt_ratio_q10"].to_numpy(dtype=np.float64)
    label = first["shared"].to_numpy(dtype=bool)
    found: dict[str, Any] = {"min_rtt_ratio_overlap": round(overlap(ratio[label], ratio[~label]), _DIGITS)}
    for name in ("pearson", "spearman"):
        score = rows[name].to_numpy(dtype=np.float64)
        threshold, balanced = best_balanced_accuracy(score, shared)
        found[name] = {
            "median_shared": round(float(np.median(score[shared])), _DIGITS),
            "median_non_shared": round(float(np.median(score[~shared])), _DIGITS),
            "best_threshold": round(threshold, _DIGITS),
            "balanced_accuracy_at_best_threshold": round(balanced, _DIGITS),
        }
    return found


def _settings(truth: pd.DataFrame) -> dict[str, float]:
    """Return how well each configured value alone tells the label of the valid pairs: 0.5 is not at all."""
    valid = truth[truth["valid"]]
    shared = valid["shared"].to_numpy(dtype=bool)
    if shared.all() or not shared.any():
        return {}
    return {
        name: round(area_under_curve(valid.loc[known, name].to_numpy(dtype=np.float64), shared[known]), _DIGITS)
        for name in _SETTINGS
        if (known := valid[name].notna().to_numpy()).any() and 0 < shared[known].sum() < known.sum()
    }


def _boxes(truth: list[dict[str, Any]], folder: Path, dataset: str) -> pd.DataFrame:
    """Return Tukey boxes of the RTT samples of each site and kind of path."""
    place: dict[tuple[str, int], tuple[str, str]] = {}
    for row in truth:
        for side in ("a", "b"):
            place[row["connection_id"], row[f"subflow_{side}"]] = (
                str(row["site"] or dataset),
                str(row[f"path_{side}"]),
            )
    samples = defaultdict(list)
    acks = TableReader(tables.ACK, folder / "ack.parquet")
    for connection_id in acks:
        rows = acks.rows_of(connection_id).select(["subflow_id", "rtt_us"]).to_pandas().dropna()
        for subflow, own in rows.groupby("subflow_id"):
            if (connection_id, subflow) in place:
                samples[place[connection_id, subflow]].append(own["rtt_us"].to_numpy(dtype=np.int64) / 1000)
    boxes = []
    for (group, path), parts in sorted(samples.items()):
        rtt_ms = np.concatenate(parts)
        q1, median, q3 = np.quantile(rtt_ms, [0.25, 0.5, 0.75])
        inside = rtt_ms[(rtt_ms >= q1 - 1.5 * (q3 - q1)) & (rtt_ms <= q3 + 1.5 * (q3 - q1))]
        values = {
            "low": inside.min(),
            "q1": q1,
            "median": median,
            "q3": q3,
            "high": inside.max(),
            "mean": rtt_ms.mean(),
        }
        boxes.append({"group": group, "path": path, **{name: round(float(ms), 3) for name, ms in values.items()}})
    return pd.DataFrame(boxes)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    windows = _windows(read_table(PAIR_WINDOW, arguments.pair_window).to_pandas())
    names = windows["connection_id"].unique()
    tasks = [
        windows[windows["connection_id"].isin(names[at : at + _CONNECTIONS_PER_TASK])].to_dict("records")
        for at in range(0, len(names), _CONNECTIONS_PER_TASK)
    ]
    parts = Parallel(n_jobs=stage.workers(params, len(names)))(
        delayed(_correlations)(task, arguments.tables) for task in tasks
    )
    columns = [column.name for column in tables.CORRELATION.columns]
    rows = pd.DataFrame([row for part in parts for row in part], columns=columns)
    write_table(tables.CORRELATION, {name: rows[name].tolist() for name in columns}, arguments.correlation)
    truth = read_table(tables.TRUTH, arguments.tables / "truth.parquet")
    boxes = _boxes(truth.to_pylist(), arguments.tables, arguments.dataset)
    report = {
        "windows": {
            label: int((rows["shared"] == shared).sum()) for label, shared in (("shared", True), ("non_shared", False))
        },
        "connections": len(names),
        **_telling(rows, windows),
        "area_under_curve_of_settings": _settings(truth.to_pandas()),
        "rtt_ms": boxes.to_dict("records"),
    }
    write_json(report, arguments.report)
    figures.save(figures.rtt_boxes(boxes), arguments.figure)
    log.info("%s: %s", arguments.dataset, {name: report.get(name) for name in ("pearson", "spearman")})
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("difficulty", __doc__ or "", add_arguments, run))
