"""What the page of a run shows of the readings of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.pipelines.reporting.tables.cell import Rows, number

TITLE = "Readings of the paper"


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {"readings": readings(reports)}


def readings(reports: Path) -> Rows:
    """Return the effect of each reading of the paper on the relevance of its features."""
    rows: dict[str, dict[str, Any]] = {}
    for path in sorted(reports.glob("*.csv")):
        table = pd.read_csv(path)
        for effect in table[table["reading"] != "default"].to_dict("records"):
            row = rows.setdefault(effect["reading"], {"#": effect["question"] or "", "reading": effect["reading"]})
            moved = effect["changed_by_nats"]
            changed = "" if pd.isna(moved) else f"{effect['most_changed']} {moved:+.2f}" if moved else "nothing"
            row[f"{path.stem}: windows shared / not"] = f"{effect['shared']} / {effect['non_shared']}"
            row[f"{path.stem}: tau"] = number(effect["kendall_tau_with_default"], 2)
            row[f"{path.stem}: of the top 8"] = number(effect["top8_kept"], 0)
            row[f"{path.stem}: most changed (nats)"] = changed
    return list(rows.values())
