"""How hard a dataset is: what simple correlation of the RTTs reaches on it, and what settings give away.

Every labelled tiled window counts. The thresholds are the best ones on these very windows: upper
bounds of two plain detectors, to be read beside any learned one.
"""

from __future__ import annotations

import argparse
import logging
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from contracts import tables
from contracts.contract import TableReader, read_table
from features.catalog import PAIR_WINDOW
from features.fixed import ONE_Q10
from models.threshold import area_under_curve, best_balanced_accuracy, overlap
from pipelines.params import Params
from pipelines.reporting.figures import series, style
from pipelines.reporting.report_files import write_json
from pipelines.running import stage

log = logging.getLogger(__name__)

_DIGITS = 4
_BOX_DIGITS = 3
_Place = tuple[str, str, str]
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
    parser.add_argument("--truth", type=Path, required=True, help="its truth table")
    parser.add_argument("--pair-window", type=Path, required=True, help="its pair_window table")
    parser.add_argument("--series", type=Path, required=True, help="its series table")
    parser.add_argument("--boxes", type=Path, required=True, help="parquet file: what the figures show")
    parser.add_argument("--report", type=Path, required=True, help="JSON file for the figures of difficulty")
    parser.add_argument("--rtt-figure", type=Path, required=True, help="PNG file: RTTs per place, label and path")
    parser.add_argument(
        "--rate-figure", type=Path, required=True, help="PNG file: throughput per place, label and path"
    )


def _windows(pair_window: pd.DataFrame) -> pd.DataFrame:
    return pair_window[(pair_window["rule"] == "tiled") & pair_window["shared"].notna()]


def _telling(rows: pd.DataFrame) -> dict[str, Any]:
    """Return what tells the labels apart, and how well; nothing if only one label occurs."""
    shared = rows["shared"].to_numpy(dtype=bool)
    if shared.all() or not shared.any():
        return {}
    first = rows.drop_duplicates(["connection_id", "subflow_a", "subflow_b", "shared"])
    ratio: npt.NDArray[np.float64] = first["min_rtt_ratio_q10"].to_numpy(dtype=np.float64)
    label = first["shared"].to_numpy(dtype=bool)
    found: dict[str, Any] = {"min_rtt_ratio_overlap": round(overlap(ratio[label], ratio[~label]), _DIGITS)}
    for name, feature in (("pearson", "rtt_correlation_q10"), ("spearman", "rtt_rank_correlation_q10")):
        score = rows[feature].to_numpy(dtype=np.float64) / ONE_Q10
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


def _tukey(values: npt.NDArray[np.float64]) -> dict[str, float]:
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75])
    inside = values[(values >= q1 - 1.5 * (q3 - q1)) & (values <= q3 + 1.5 * (q3 - q1))]
    found = {"low": inside.min(), "q1": q1, "median": median, "q3": q3, "high": inside.max(), "mean": values.mean()}
    return {name: round(float(value), _BOX_DIGITS) for name, value in found.items()}


def _statistics(parts: dict[_Place, list[npt.NDArray[np.float64]]], quantity: str) -> pd.DataFrame:
    names = ("place", "label", "path")
    columns = ["quantity", *names, "low", "q1", "median", "q3", "high", "mean"]
    return pd.DataFrame(
        [
            {"quantity": quantity, **dict(zip(names, key, strict=True)), **_tukey(np.concatenate(own))}
            for key, own in sorted(parts.items(), key=lambda item: (item[0][0], item[0][2], item[0][1]))
        ],
        columns=columns,
    )


def _places(truth: list[dict[str, Any]], dataset: str) -> dict[tuple[str, int], _Place]:
    """Return place, label and path of each subflow whose pairs all have one valid label."""
    found: dict[tuple[str, int], set[_Place]] = defaultdict(set)
    for row in truth:
        if not row["valid"]:
            continue
        label = "shared" if row["shared"] else "not shared"
        for side in ("a", "b"):
            place = (row["site"] or dataset, label, row[f"path_{side}"] or "path")
            found[row["connection_id"], row[f"subflow_{side}"]].add(place)
    return {subflow: places.pop() for subflow, places in found.items() if len(places) == 1}


def _rtts_ms(places: dict[tuple[str, int], _Place], folder: Path) -> pd.DataFrame:
    """Return boxes of all RTT samples, per place, label and path (SmartSBD, Fig. 3)."""
    samples = defaultdict(list)
    acks = TableReader(tables.ACK, folder / "ack.parquet", ("subflow_id", "rtt_us"))
    for connection_id in acks:
        rows = acks.rows_of(connection_id).to_pandas().dropna()
        for subflow, own in rows.groupby("subflow_id"):
            place = places.get((connection_id, int(str(subflow))))
            if place:
                samples[place].append(own["rtt_us"].to_numpy(dtype=np.float64) / 1000)
    return _statistics(samples, "rtt_ms")


def _rates_mbit_s(places: dict[tuple[str, int], _Place], windows: pd.DataFrame, series: Path) -> pd.DataFrame:
    """Return boxes of the overall throughput of each triggered window, per place, label and path (Fig. 5)."""
    rates = defaultdict(list)
    reader = TableReader(
        tables.SERIES, series, ("rule", "subflow_a", "subflow_b", "k", "acked_a_bytes", "acked_b_bytes")
    )
    for window in windows[windows["rule"] == "triggered"].to_dict("records"):
        rows = reader.rows_of(window["connection_id"]).to_pandas()
        own = rows[(rows["rule"] == "triggered") & (rows["subflow_a"] == window["subflow_a"])]
        own = own[own["subflow_b"] == window["subflow_b"]].sort_values("k")
        for side in ("a", "b"):
            place = places.get((window["connection_id"], window[f"subflow_{side}"]))
            delivered = own[f"acked_{side}_bytes"].iloc[-1] - own[f"acked_{side}_bytes"].iloc[0]
            if place:
                span_us = (window["n"] - 1) * window["step_ns"] / 1000
                rates[place].append(np.array([delivered * 8 / span_us]))
    return _statistics(rates, "rate_mbit_s")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    pair_window = read_table(PAIR_WINDOW, arguments.pair_window).to_pandas()
    rows = _windows(pair_window)
    truth = read_table(tables.TRUTH, arguments.truth)
    places = _places(truth.to_pylist(), arguments.dataset)
    rtts_ms = _rtts_ms(places, arguments.tables)
    rates_mbit_s = _rates_mbit_s(places, pair_window, arguments.series)
    arguments.boxes.parent.mkdir(parents=True, exist_ok=True)
    pd.concat([rtts_ms, rates_mbit_s]).to_parquet(arguments.boxes, index=False)
    report = {
        "windows": {
            label: int((rows["shared"] == shared).sum()) for label, shared in (("shared", True), ("non_shared", False))
        },
        "connections": rows["connection_id"].nunique(),
        **_telling(rows),
        "area_under_curve_of_settings": _settings(truth.to_pandas()),
        "rtt_ms": rtts_ms.drop(columns="quantity").to_dict("records"),
        "rate_mbit_s": rates_mbit_s.drop(columns="quantity").to_dict("records"),
    }
    write_json(report, arguments.report)
    style.save(series.boxes(rtts_ms, "RTT (ms)"), arguments.rtt_figure)
    style.save(series.boxes(rates_mbit_s, "throughput over T (Mbit/s)"), arguments.rate_figure)
    log.info("%s: %s", arguments.dataset, {name: report.get(name) for name in ("pearson", "spearman")})
    return stage.EXIT_OK
