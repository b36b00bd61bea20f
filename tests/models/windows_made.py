"""Feature tables whose answer is known by construction."""

from __future__ import annotations

import numpy as np
import pandas as pd

from smartsbd.features.catalog import PAIR_WINDOW, feature_names
from smartsbd.models.labelled.partners import pair_name
from smartsbd.models.labelled.windows import LabelledWindows, labelled_windows, windows_of_kinds

NAMES = feature_names("paper")


def pair_window(connections: int = 60, per_connection: int = 3, seed: int = 0) -> pd.DataFrame:
    """Every window of a connection has its label; only rtt_sd_ratio_q10 tells it, above 1000 or not."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(connections):
        shared = number % 2 == 0
        for window in range(per_connection):
            row: dict[str, object] = {column.name: 1 for column in PAIR_WINDOW.columns}
            row |= {"connection_id": f"c{number:03d}", "subflow_a": 0, "subflow_b": 1, "rule": "tiled"}
            row |= {"window_start_ns": window, "shared": shared, "dataset": "made", "site": f"s{number % 3}"}
            row |= {name: int(rng.integers(0, 1 << 24)) for name in NAMES}
            row["rtt_sd_ratio_q10"] = int(rng.integers(0, 1001) if shared else rng.integers(1001, 2001))
            rows.append(row)
    return pd.DataFrame(rows)


def windows(connections: int = 60, per_connection: int = 3, seed: int = 0) -> LabelledWindows:
    return labelled_windows(pair_window(connections, per_connection, seed), "tiled", NAMES)


def swapped(pairs: list[tuple[str, str]], site: str = "s0") -> pd.DataFrame:
    """A window of swapped partners a pair; it looks shared."""
    rows = pair_window(2 * len(pairs), 1).iloc[::2].copy()
    rows["connection_id"] = [pair_name(*pair) for pair in pairs]
    return rows.assign(shared=False, site=site)


def of_kinds(connections: int = 60, pairs: list[tuple[str, str]] | None = None, seed: int = 0) -> LabelledWindows:
    """Tiled windows, a triggered one each, and windows of swapped partners."""
    tiled = pair_window(connections, 3, seed)
    triggered = pair_window(connections, 1, seed + 1).assign(rule="triggered")
    return windows_of_kinds(pd.concat([tiled, triggered]), ["tiled", "triggered"], swapped(pairs or []), NAMES)
