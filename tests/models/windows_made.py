"""Feature tables whose answer is known by construction."""

from __future__ import annotations

import numpy as np
import pandas as pd

from features.catalog import PAIR_WINDOW, feature_names
from models.windows import LabelledWindows, labelled_windows

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


def shuffled(made: LabelledWindows, seed: int) -> LabelledWindows:
    """The same windows, labels dealt anew to connections."""
    names = np.unique(made.connections)
    dealt = dict(zip(names, np.random.default_rng(seed).permutation(len(names)) % 2 == 0, strict=True))
    shared = np.array([dealt[name] for name in made.connections])
    return LabelledWindows(made.key, made.x, made.feature_names, shared, np.array([str(one) for one in shared]))
