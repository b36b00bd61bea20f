"""How many connections of a dataset a test looks at: a change waits for a few, the set of all tests has every one."""

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
