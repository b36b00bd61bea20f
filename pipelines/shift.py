"""Bottlenecks that move: how long after a change each detector's opinion is right (section 5.3.3).

Twice: until the opinion is right first, and until it is right and stays so for T, 50 times the larger smallest RTT of
the pair. Both in seconds and in T. A detector that held the right opinion already, as one does that never changes it,
needs no time: such changes are counted apart, and those after which the opinion never gets right.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd

from features.window import WINDOW_RTTS
from models.detectors.scoring import OnPair
from pipelines import stage
from pipelines.params import Params
from pipelines.replaying import phases, said_in
from pipelines.reports import write_csv
from traces import tables
from traces.contract import read_table

log = logging.getLogger(__name__)

_NS_PER_US = 1000
_NS_PER_S = 1e9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--grouping", type=Path, required=True, help="its grouping table")
    parser.add_argument("--judged", type=Path, required=True, help="parquet file: every change of every connection")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: every detector")


def _min_rtts_us(folder: Path) -> dict[str, dict[int, int]]:
    """Return the smallest RTT of each subflow by connection, microseconds."""
    found: dict[str, dict[int, int]] = defaultdict(dict)
    for row in read_table(tables.SUBFLOW, folder / "subflow.parquet").to_pylist():
        found[row["connection_id"]][row["subflow_id"]] = row["min_rtt_us"]
    return found


def _changes(folder: Path, grouping: Path) -> pd.DataFrame:
    """Return every change of a pair's label to a valid one, with T and when each detector's opinion was right."""
    said = said_in(read_table(tables.GROUPING, grouping))
    names = sorted({name for own in said.values() for name in own})
    min_rtt_us, ends_ns = _min_rtts_us(folder), {}
    for connection in read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist():
        ends_ns[connection["connection_id"]] = connection["end_ns"]
    of_pair = defaultdict(list)
    for row in read_table(tables.TRUTH, folder / "truth.parquet").to_pylist():
        of_pair[row["connection_id"], row["subflow_a"], row["subflow_b"]].append(row)
    rows: list[dict[str, Any]] = []
    for (connection_id, a, b), truth in sorted(of_pair.items()):
        own_us = min_rtt_us[connection_id]
        place = {subflow_id: number for number, subflow_id in enumerate(sorted(own_us))}
        window_ns = WINDOW_RTTS * max(own_us[a], own_us[b]) * _NS_PER_US
        for phase, until_ns in phases(truth, ends_ns[connection_id])[1:]:
            if not phase["valid"]:
                continue
            start_ns, shared = phase["from_ns"], phase["shared"]
            for detector, preset in names:
                opinions = said.get(connection_id, {}).get((detector, preset), [])
                on_pair = OnPair.of(opinions, place[a], place[b])
                first_ns, settled_ns = (
                    on_pair.right_after_ns(shared, start_ns, until_ns, held_ns) for held_ns in (0, window_ns)
                )
                rows.append(
                    {
                        "connection_id": connection_id,
                        "from_ns": start_ns,
                        "shared": shared,
                        "detector": detector,
                        "preset": preset,
                        "window_s": window_ns / _NS_PER_S,
                        "first_s": None if first_ns is None else first_ns / _NS_PER_S,
                        "settled_s": None if settled_ns is None else settled_ns / _NS_PER_S,
                        "right": on_pair.lasting_ns(start_ns, until_ns)[shared] / (until_ns - start_ns),
                    }
                )
    return pd.DataFrame(rows).astype({"first_s": float, "settled_s": float})


def _row(detector: str, preset: str, shared: bool, own: pd.DataFrame) -> dict[str, Any]:
    moved = own[own["first_s"] != 0]
    in_windows = {name: moved[f"{name}_s"] / moved["window_s"] for name in ("first", "settled")}
    return {
        "detector": detector,
        "parameters": preset,
        "change_to": "shared" if shared else "not shared",
        "changes": len(own),
        "already_right": len(own) - len(moved),
        "never_right": int(moved["first_s"].isna().sum()),
        "never_settled": int(moved["settled_s"].isna().sum()),
        "first_s_median": moved["first_s"].median(),
        "first_windows_median": in_windows["first"].median(),
        "settled_s_median": moved["settled_s"].median(),
        "settled_s_largest": moved["settled_s"].max(),
        "settled_windows_median": in_windows["settled"].median(),
        "settled_windows_largest": in_windows["settled"].max(),
        "right_share_of_phase": own["right"].mean(),
    }


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    changes = _changes(arguments.tables, arguments.grouping)
    by_detector = changes.groupby(["detector", "preset", "shared"], sort=False)
    rows = [_row(str(name), str(preset), bool(shared), own) for (name, preset, shared), own in by_detector]
    arguments.judged.parent.mkdir(parents=True, exist_ok=True)
    changes.to_parquet(arguments.judged, index=False)
    write_csv(pd.DataFrame(rows), arguments.table)
    for row in rows:
        log.info(
            "%s, %s: %s after %.1f s", row["detector"], row["parameters"], row["change_to"], row["settled_s_median"]
        )
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("shift", __doc__ or "", add_arguments, run))
