"""What the page of a run shows of what captures tell of a sender."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.pipelines.reporting.tables.cell import Rows, number

TITLE = "What captures tell of the sender"


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {"inferred": inferred(reports), "changed": changed(reports)}


def inferred(reports: Path) -> Rows:
    """Differences between what captures tell and the sender's log."""
    rows: list[dict[str, Any]] = []
    for found in pd.read_csv(reports / "signals.csv").to_dict("records"):
        one = {str(name): value for name, value in found.items()}

        def spread(name: str, unit: float, one: dict[str, Any] = one) -> str:
            low, middle, high = (one[f"{name}_{percent}"] / unit for percent in ("2.5", "50", "97.5"))
            return "" if pd.isna(middle) else f"{middle:.3f} ({low:.3f} to {high:.3f})"

        points = [int(one[name]) for name in ("both_uncongested", "both_congested")]
        wrong = [int(one[name]) for name in ("only_inferred_congested", "only_logged_congested")]
        rows.append(
            {
                "connections": one["set"],
                "RTT samples logged / inferred / of one ACK": " / ".join(
                    str(int(one[name])) for name in ("rtts_logged", "rtts_inferred", "rtts_of_one_ack")
                ),
                "difference, ms: median (95 %)": spread("rtt_difference_us", 1e3),
                "grid points congested in neither / both": " / ".join(map(str, points)),
                "in the capture only / log only": " / ".join(map(str, wrong)),
                "entries logged / inferred": f"{int(one['entries_logged'])} / {int(one['entries_inferred'])}",
                "entry later by, ms: median (95 %)": spread("entry_difference_us", 1e3),
                "windows compared / same verdict": f"{int(one['windows_compared'])} / {int(one['same_verdict'])}",
            }
        )
    return rows


def changed(reports: Path) -> Rows:
    """Return how much inference changes each feature."""
    found = pd.read_csv(reports / "features.csv")
    rows: list[dict[str, Any]] = []
    sets = [name for name in dict.fromkeys(found["set"]) if found.loc[found["set"] == name, "windows"].max()]
    for feature in dict.fromkeys(found["feature"]):
        row: dict[str, Any] = {"feature": feature}
        for name in sets:
            one = found[(found["set"] == name) & (found["feature"] == feature)].iloc[0]
            spread = one["interquartile_range"]
            for quantile in ("median_change", "change_95"):
                label = "median" if quantile == "median_change" else "95 %"
                row[f"{name}: {label}"] = number(one[quantile] / spread, 3) if spread else ""
        rows.append(row)
    return rows
