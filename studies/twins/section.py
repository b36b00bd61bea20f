"""What the page shows of recordings beside their simulated twins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.pipelines.reporting.tables.cell import Rows, interval, number
from smartsbd.pipelines.reporting.tables.detectors import FOR_TIME

TITLE = "Recordings beside their simulated twins"
_SIGNALS = "_signals"


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {"twins": twins(reports), "twin_signals": twin_signals(reports), "figures": figures(reports)}


def figures(reports: Path) -> Rows:
    """Return the datasets that have a figure."""
    return [{"dataset": path.stem} for path in sorted(reports.glob("*.png"))]


def _rows(reports: Path, ending: str) -> Iterator[dict[str, Any]]:
    for path in sorted(reports.glob(f"*{_SIGNALS}.csv")):
        dataset = path.stem.removesuffix(_SIGNALS)
        for row in pd.read_csv(reports / f"{dataset}{ending}.csv").to_dict("records"):
            yield {"dataset": dataset} | {str(key): value for key, value in row.items()}


def twins(reports: Path) -> Rows:
    """How right each detector's last verdicts are on recordings, and on the simulations of the same scenarios."""
    return [
        {
            "dataset": row["dataset"],
            "detector": f"{row['detector']}, {row['parameters']}",
            "pairs": row["pairs"],
            "recorded": interval(row, "recorded"),
            "simulated": interval(row, "simulated"),
            "less": interval(row, "less"),
            "decided": f"{row['decided_recorded']}, {row['decided_simulated']}",
            "wrong": f"{row['wrong_recorded']}, {row['wrong_simulated']}",
            "opposite": row["opposite"],
        }
        for row in _rows(reports, "")
        if not row["parameters"].endswith(FOR_TIME)
    ]


def twin_signals(reports: Path) -> Rows:
    """Return what senders saw of each subflow, recorded over simulated."""
    return [
        {
            "dataset": row["dataset"],
            "signal": row["signal"],
            "recorded": number(row["recorded"], 0),
            "simulated": number(row["simulated"], 0),
            "recorded / simulated": number(row["ratio_median"], 2),
            "5 % to 95 %": f"{number(row['ratio_low'], 2)} to {number(row['ratio_high'], 2)}",
            "rank correlation": number(row["correlation"], 2),
        }
        for row in _rows(reports, _SIGNALS)
    ]
