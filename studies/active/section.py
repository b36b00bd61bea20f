"""What the page of a run shows of the active check."""

from __future__ import annotations

from pathlib import Path

from smartsbd.pipelines.reporting.tables.cell import Rows, interval, number
from studies.transfers.section import rows_of

TITLE = "The active check, beside what only watches"


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {"tests": tests(reports), "loop": loop(reports)}


def tests(reports: Path) -> Rows:
    """Return how right each test is, by set of networks."""
    return [
        {
            "networks": row["set"],
            "test": row["test"],
            "pairs": row["pairs"],
            "decided": row["decided_pairs"],
            "right of all": interval(row, "right_of_all"),
            "right of decided": interval(row, "right_of_decided"),
            "false shared": f"{row['false_shared_pairs']} of {row['separate']}",
            "false apart": f"{row['false_apart_pairs']} of {row['shared']}",
        }
        for row in rows_of(reports / "tests.csv")
    ]


def loop(reports: Path) -> Rows:
    """Return what a switch gains with the check and without it."""
    return [
        {
            "networks": row["set"],
            "bottleneck": "shared" if row["shared"] else "separate",
            "control": row["control"],
            "goodput over LIA": interval(row, "over_lia"),
            "bulk rivals over theirs beside LIA": interval(row, "rivals_over_lia"),
            "of the time apart": number(row["apart_share"], 2),
        }
        for row in rows_of(reports / "loop.csv")
    ]
