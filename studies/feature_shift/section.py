"""What the page of a run shows of features on a real kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.pipelines.reporting.tables.cell import Rows

TITLE = "Which features carry over"


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {"shifts": shifts(reports)}


def shifts(reports: Path) -> Rows:
    """How far the kernel's features lie from those trained on."""
    rows: dict[str, dict[str, Any]] = {}
    for shift in pd.read_csv(reports / "shifts.csv").to_dict("records"):
        row = rows.setdefault(shift["feature"], {"feature": f"`{shift['feature']}`"})
        name = shift["trained_on"]
        row["kernel: area"] = f"{shift['auc_development']:.2f}"
        row[f"{name}: area"] = f"{shift['auc_trained']:.2f}"
        row[f"{name}: distance shared / not"] = f"{shift['ks_shared']:.2f} / {shift['ks_non_shared']:.2f}"
        row[f"{name}: outside"] = f"{shift['outside']:.2f}"
    return list(rows.values())
