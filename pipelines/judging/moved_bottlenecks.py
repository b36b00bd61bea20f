"""Bottlenecks that move: how long after a change each detector's opinion is right (section 5.3.3).

Two times are measured: until the opinion is first right, and until it is right for T, 50 times the larger minimum RTT
of the pair. Both are given in seconds and in T. A detector that already held the right opinion, such as one that never
changes it, needs no time: such changes are counted separately. "Never" counts as an infinite time in the median.
"""

from __future__ import annotations

import logging
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.contracts.fault import Fault
from smartsbd.detectors.bottleneck_moves import Move, moves
from smartsbd.detectors.replaying import names_of, opinions_in
from smartsbd.detectors.scoring import OnPair

log = logging.getLogger(__name__)

_NS_PER_S = 1e9


class NothingMovesError(Fault):
    """There is no change of a label, or no detector gave an opinion."""


def _moves(folder: Path, truths: Path) -> tuple[list[Move], Counter[str], dict[str, list[int]]]:
    """Return the times after a change, how many changes are left out and why, and each connection's subflows."""
    min_rtt_us: dict[str, dict[int, int | None]] = defaultdict(dict)
    for row in read_table(tables.SUBFLOW, folder / "subflow.parquet").to_pylist():
        min_rtt_us[row["connection_id"]][row["subflow_id"]] = row["min_rtt_us"]
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    of_pair = defaultdict(list)
    for row in read_table(tables.TRUTH, truths).to_pylist():
        of_pair[row["connection_id"], row["subflow_a"], row["subflow_b"]].append(row)
    moved, left_out = moves(
        of_pair, min_rtt_us, {connection["connection_id"]: connection["end_ns"] for connection in connections}
    )
    return moved, left_out, {name: sorted(subflow_ids) for name, subflow_ids in min_rtt_us.items()}


def _changes(moved: Sequence[Move], subflows: Mapping[str, list[int]], replayed: Path) -> pd.DataFrame:
    """Return, for every change, when each detector's opinion was right."""
    opinions = opinions_in(read_table(tables.GROUPING, replayed / "grouping.parquet"))
    names = names_of(read_table(tables.TIME_SHARE, replayed / "time_share.parquet"))
    rows: list[dict[str, Any]] = []
    for phase in moved:
        start_ns, until_ns = phase.from_ns, phase.until_ns
        places = [subflows[phase.connection_id].index(subflow) for subflow in (phase.subflow_a, phase.subflow_b)]
        for detector, preset in names:
            on_pair = OnPair.of(opinions.get(phase.connection_id, {}).get((detector, preset), []), *places)
            first_ns, settled_ns = (
                on_pair.right_after_ns(phase.shared, start_ns, until_ns, held_ns) for held_ns in (0, phase.window_ns)
            )
            rows.append(
                {
                    "connection_id": phase.connection_id,
                    "from_ns": start_ns,
                    "shared": phase.shared,
                    "detector": detector,
                    "preset": preset,
                    "window_s": phase.window_ns / _NS_PER_S,
                    # "Never" is later than any time.
                    "first_s": math.inf if first_ns is None else first_ns / _NS_PER_S,
                    "settled_s": math.inf if settled_ns is None else settled_ns / _NS_PER_S,
                    "right": on_pair.lasting_ns(start_ns, until_ns)[phase.shared] / (until_ns - start_ns),
                }
            )
    return pd.DataFrame(rows)


def _row(detector: str, preset: str, shared: bool, changes: pd.DataFrame) -> dict[str, Any]:
    moved = changes[changes["first_s"] > 0]
    row: dict[str, Any] = {
        "detector": detector,
        "parameters": preset,
        "change_to": "shared" if shared else "not shared",
        "changes": len(changes),
        "already_right": len(changes) - len(moved),
        "never_right": int(np.isinf(moved["first_s"]).sum()),
        "never_settled": int(np.isinf(moved["settled_s"]).sum()),
    }
    for name in ("first", "settled"):
        in_windows = moved[f"{name}_s"] / moved["window_s"]
        row |= {f"{name}_s_median": moved[f"{name}_s"].median(), f"{name}_windows_median": in_windows.median()}
        row[f"{name}_windows_largest"] = in_windows.max()
    return {**row, "right_share_of_phase": changes["right"].mean()}


def moved_bottlenecks(folder: Path, truth: Path, replayed: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return when each detector was right after each change, and a row for each detector and label.

    Parameters
    ----------
    folder : Path
        With the dataset's tables.
    truth : Path
        The dataset's truth table.
    replayed : Path
        Folder with the detectors' opinions on the dataset.

    Returns
    -------
    DataFrame
        One row for each change and detector; times in seconds, infinite for never.
    DataFrame
        One row for each detector and label; times in seconds and in windows of T.

    Raises
    ------
    NothingMovesError
        If there is no change of a label, or no detector gave an opinion.
    """
    moved, left_out, subflows = _moves(folder, truth)
    for why, count in sorted(left_out.items()):
        log.warning("left out: %d changes, %s", count, why)
    changes = _changes(moved, subflows, replayed)
    if changes.empty:
        raise NothingMovesError(f"{folder}: no change to judge, left out {dict(left_out)}")
    by_detector = changes.groupby(["detector", "preset", "shared"], sort=False)
    rows = [
        _row(str(name), str(preset), bool(shared), of_detector) for (name, preset, shared), of_detector in by_detector
    ]
    return changes, pd.DataFrame(rows).assign(left_out=left_out.total())
