"""Three and more subflows: how often detectors find the whole partition, and their accuracy on its pairs.

A learned model judges pairs; the partition is that of the paper's section 7. Only connections count whose pairs all
have a valid label. A pair without an opinion counts as separate if both its subflows were judged with others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader, read_table
from smartsbd.contracts.fault import Fault
from smartsbd.detectors.partition import Pair, pairs_of
from smartsbd.detectors.replaying import opinions_in
from smartsbd.detectors.scoring import OnPair, exact_ns, scored_from_ns
from smartsbd.models.assessment.comparison import RIGHT, accuracy_of
from smartsbd.pipelines.params.learning import Evaluate

_INTERVAL = ("", "_low", "_high")


class NothingToJudgeError(Fault):
    """No connection has a label for each of its pairs."""


def _labels(truth: Path, subflow_ids: Mapping[str, Collection[int]]) -> tuple[dict[str, dict[Pair, bool]], int]:
    """Return the labels of the connections whose pairs all have a valid one for all time; and how many others are."""
    rows = defaultdict(list)
    for row in read_table(tables.TRUTH, truth).to_pylist():
        rows[row["connection_id"]].append(row)
    labels_of = {}
    for connection_id, truths in rows.items():
        labels = {(row["subflow_a"], row["subflow_b"]): row["shared"] for row in truths}
        whole = set(labels) == set(pairs_of(subflow_ids.get(connection_id, ())))
        if whole and len(labels) == len(truths) and all(row["valid"] for row in truths):
            labels_of[connection_id] = labels
    return labels_of, len(rows) - len(labels_of)


def _judged(folder: Path, truth: Path, replayed: Path) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Return how exact each detector is on each connection and each pair, and the number of connections left out.

    The share of time is nan where there is none to score.
    """
    starts_ns: dict[str, dict[int, int]] = defaultdict(dict)
    for row in read_table(tables.SUBFLOW, folder / "subflow.parquet").to_pylist():
        starts_ns[row["connection_id"]][row["subflow_id"]] = row["start_ns"]
    labels, left_out = _labels(truth, starts_ns)
    states = TableReader(tables.STATE, folder / "state.parquet", ("subflow_id", "time_ns", "ca_state"))
    ends_ns = {
        row["connection_id"]: row["end_ns"]
        for row in read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    }
    opinions_by_connection = opinions_in(read_table(tables.GROUPING, replayed / "grouping.parquet"))
    shares = read_table(tables.TIME_SHARE, replayed / "time_share.parquet").to_pandas()
    # A detector is judged where it was replayed: not every connection has its signal.
    replayed_on = shares[["connection_id", "detector", "preset"]].drop_duplicates()
    names = {
        str(connection_id): sorted(zip(replays["detector"], replays["preset"], strict=True))
        for connection_id, replays in replayed_on.groupby("connection_id")
    }
    wholes: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    for connection_id, shared in sorted(labels.items()):
        subflow_ids = sorted(starts_ns[connection_id])
        place = {subflow_id: number for number, subflow_id in enumerate(subflow_ids)}
        own_states, end_ns = states.rows_of(connection_id), ends_ns[connection_id]
        from_ns = max(
            scored_from_ns(own_states, starts_ns[connection_id][subflow_id], subflow_id) for subflow_id in subflow_ids
        )
        for detector, preset in names.get(connection_id, []):
            opinions = opinions_by_connection.get(connection_id, {}).get((detector, preset), [])
            on_pairs = {(a, b): OnPair.of(opinions, place[a], place[b]) for a, b in shared}
            right = {pair: on.at(end_ns - 1) == shared[pair] for pair, on in on_pairs.items()}
            known = {"connection_id": connection_id, "detector": detector, "preset": preset}
            time = exact_ns(on_pairs, shared, from_ns, end_ns) / (end_ns - from_ns) if from_ns < end_ns else np.nan
            wholes.append({**known, "subflows": len(subflow_ids), "exact": all(right.values()), "exact_time": time})
            pairs += [{**known, "shared": shared[pair], "right": right[pair]} for pair in shared]
    return pd.DataFrame(wholes), pd.DataFrame(pairs), left_out


def partitions(folder: Path, truth: Path, replayed: Path, options: Evaluate) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return how exact each detector is on each connection, and a row for each detector.

    Parameters
    ----------
    folder : Path
        With the dataset's tables.
    truth : Path
        The dataset's truth table.
    replayed : Path
        Folder with the detectors' opinions on the dataset.
    options : Evaluate
        Of the intervals.

    Returns
    -------
    DataFrame
        One row for each connection and detector.
    DataFrame
        One row for each detector: shares from 0 to 1, with 95 % intervals.

    Raises
    ------
    NothingToJudgeError
        If no connection has a valid label of each of its pairs.
    """
    wholes, pairs, left_out = _judged(folder, truth, replayed)
    if wholes.empty:
        raise NothingToJudgeError(f"{folder}: no connection has a valid label of every pair")
    rows = []
    for (detector, preset), of_detector in wholes.groupby(["detector", "preset"], sort=False):
        row: dict[str, Any] = {"detector": detector, "parameters": preset, "connections": len(of_detector)}
        row |= {"left_out": left_out, "without_scored_time": int(of_detector["exact_time"].isna().sum())}
        for column in ("exact", "exact_time"):
            # A partition has no label: all count alike.
            scored = of_detector[of_detector[column].notna()].assign(
                **{RIGHT: of_detector[column].astype(float)}, shared=False
            )
            accuracy = accuracy_of(scored, resamples=options.resamples, seed=options.seed)
            row |= {f"{column}{end}": getattr(accuracy, f"overall{end}") for end in _INTERVAL}
        of_pairs = pairs[(pairs["detector"] == detector) & (pairs["preset"] == preset)]
        accuracy = accuracy_of(of_pairs, resamples=options.resamples, seed=options.seed)
        row |= {
            "pairs": len(of_pairs),
            "pairs_recall_shared": accuracy.recall_shared,
            "pairs_recall_not_shared": accuracy.recall_not_shared,
        }
        row |= {f"pairs_balanced{end}": getattr(accuracy, f"balanced{end}") for end in _INTERVAL}
        rows.append(row)
    return wholes, pd.DataFrame(rows)
