"""What the page of a run shows of controllers crossed with schedulers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from smartsbd.pipelines.reporting.tables.cell import Rows
from studies.transfers.section import rows_of

TITLE = "Controllers crossed with schedulers"


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {"goodputs": goodputs(reports), "seconds": seconds(reports), "waits": waits(reports)}


def goodputs(reports: Path) -> Rows:
    """Return what goodput under each controller and scheduler is of that of the first in the same networks."""
    gained = rows_of(reports / "gains.csv")
    return [
        {"networks, receive buffer, transfer": setting}
        | {row["controller"]: f"{row['mean']:.2f} ({row['low']:.2f} to {row['high']:.2f})" for row in own}
        for setting, own in _by(gained, "group").items()
    ]


def seconds(reports: Path) -> Rows:
    """Return how long files take under each controller and scheduler, and how many of them arrived."""
    arrived = {
        (row["setting"], row["controller"]): row["known"]
        for row in rows_of(reports / "summary.csv")
        if row["metric"] == "completion_s"
    }
    return _means(
        reports,
        "waited_s",
        lambda row: f"{row['mean']:.2f} ({arrived.get((row['setting'], row['controller']), 0)} of {row['runs']})",
    )


def waits(reports: Path) -> Rows:
    """Return how long segments wait at the client for those before them, in ms, mean of a transfer."""
    return _means(reports, "order_delay_ms", lambda row: f"{row['mean']:.1f}")


def _by(rows: list[dict[str, Any]], column: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(str(row[column]), []).append(row)
    return found


def _means(reports: Path, metric: str, told: Callable[[dict[str, Any]], str]) -> Rows:
    rows = [row for row in rows_of(reports / "summary.csv") if row["metric"] == metric]
    return [
        {"networks, receive buffer, transfer": setting} | {row["controller"]: told(row) for row in own}
        for setting, own in _by(rows, "setting").items()
    ]
