"""What the page of a run shows of MP-OL's experiments."""

from __future__ import annotations

from pathlib import Path

from smartsbd.pipelines.reporting.tables.cell import Rows
from studies.transfers.section import beside_paper

TITLE = "MP-OL beside its paper"


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {"beside_paper": beside_paper(reports)}
