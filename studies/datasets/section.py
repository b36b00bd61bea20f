"""What the page shows of the further datasets."""

from __future__ import annotations

from pathlib import Path

from smartsbd.pipelines.reporting.tables.cell import Rows
from smartsbd.pipelines.reporting.tables.detectors import last_verdicts

TITLE = "Further datasets"


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {"verdicts": [row for path in sorted(reports.glob("verdicts/*.csv")) for row in last_verdicts(path)]}
