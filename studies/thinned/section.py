"""What the page of a run shows of connections as other tools show them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from smartsbd.pipelines.reporting.tables.cell import Rows, interval, number

TITLE = "What other tools show of a connection"

_TICKS = {"own": "its own for each subflow", "common": "the same for all subflows"}


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {"shown_by_tools": shown_by_tools(reports)}


def shown_by_tools(reports: Path) -> Rows:
    """How right the lag excess's last verdicts are on connections as other tools show them."""
    path = reports / "accuracy.csv"
    if not path.exists():
        return []
    table = pd.read_csv(path, keep_default_na=False, na_values={"interval_ms": [""], "decided": [""]})
    return [
        {
            "dataset": row["dataset"],
            "shown by": row["kind"],
            "sampling times": _TICKS.get(row["ticks"], ""),
            "interval (ms)": number(row["interval_ms"], 0),
            "pairs": row["pairs"],
            "right": interval(row, "right"),
            "right where decided": number(row["decided"], 3),
            "decided": number(row["coverage"], 3),
            "decided wrongly": row["wrong"],
            "most frequent reason for none": row["reason"],
        }
        for row in ({str(name): cell for name, cell in one.items()} for one in table.to_dict("records"))
    ]
