"""What the page of a run shows of FMBBR's experiments."""

from __future__ import annotations

from pathlib import Path

from smartsbd.pipelines.reporting.tables.cell import Rows
from studies.transfers.section import beside_paper, rows_of

TITLE = "FMBBR beside its paper"
#: What is told of each choice, and its column.
_OF_STARTS = {
    "goodput_mbit_s": "goodput, Mbit/s",
    "rival_first_mbit_s": "the other's first 10 s, Mbit/s",
    "rival_least_mbit_s": "its least half second",
    "rival_later_mbit_s": "its rest",
    "jain": "Jain",
    "startup_s": "start, s",
    "right_share": "groups right",
}


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {"beside_paper": beside_paper(reports), "means": means(reports)}


def means(reports: Path) -> Rows:
    """Return what the networks come to, controller by controller."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows_of(reports / "summary.csv"):
        if row["metric"] in _OF_STARTS and row["experiment"] != "one_link":
            own = found.setdefault((row["setting"], row["controller"]), {})
            own[row["metric"]] = f"{row['mean']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
    return [
        {"networks": setting, "controller, scheduler, groups": controller}
        | {label: own.get(metric, "") for metric, label in _OF_STARTS.items()}
        for (setting, controller), own in found.items()
    ]
