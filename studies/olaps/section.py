"""What the page of a run shows of OLAPS's experiments."""

from __future__ import annotations

from pathlib import Path

from smartsbd.pipelines.reporting.tables.cell import Rows
from studies.transfers.section import beside_paper, rows_of

TITLE = "OLAPS beside its paper"


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {"beside_paper": beside_paper(reports), "gains": gains(reports)}


def gains(reports: Path) -> Rows:
    """Return what each scheduler's goodput is of that of redundant in the same networks."""
    return [
        {
            "experiment": row["experiment"],
            "networks": f"{row['group']} ({row['networks']})",
            "scheduler": row["controller"],
            "Mbit/s": f"{row['goodput_mbit_s']:.2f}",
            "of redundant": f"{row['mean']:.2f} ({row['low']:.2f} to {row['high']:.2f})",
            "below 1": f"{row['below_1']:.2f}",
            "below 0.75": f"{row['below_075']:.2f}",
            "most": f"{row['most']:.2f}",
        }
        for row in rows_of(reports / "gains.csv", keep_default_na=False)
    ]
