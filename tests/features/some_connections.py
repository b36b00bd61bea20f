"""Connections that a test looks at: in the fast set it takes a few of each dataset, in the set of all every one."""

from __future__ import annotations

import pandas as pd
import pytest

few_or_all = pytest.mark.parametrize("most", [4, pytest.param(None, marks=pytest.mark.slow)], ids=["few", "all"])


def some_of(rows: pd.DataFrame, most: int | None) -> pd.DataFrame:
    """Return the rows of at most so many connections, evenly spread over those that there are; of all if it is None."""
    connections = sorted(rows["connection_id"].unique())
    if most is None or len(connections) <= most:
        return rows
    return rows[rows["connection_id"].isin(connections[:: len(connections) // most][:most])]
