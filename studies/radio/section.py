"""What the page shows of last verdicts where bottlenecks replay recorded links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.pipelines.reporting.tables.cell import Rows, interval
from smartsbd.pipelines.reporting.tables.detectors import FOR_TIME

TITLE = "Bottlenecks that replay recorded links"
#: Beside the names of dataset and detector.
_COLUMNS = (
    *("shared, not", "right of all", "of shared", "of not shared"),
    *("decided", "right where decided", "decided wrongly"),
)


def _known(row: dict[str, Any], name: str) -> str:
    return "" if pd.isna(row[name]) else interval(row, name)


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {"recorded_links": recorded_links(reports)}


def _by_detector(reports: Path) -> Iterator[tuple[dict[str, Any], dict[str, dict[str, Any]]]]:
    """Yield each detector with its rows by label."""
    key = ["dataset", "status", "detector", "parameters"]
    for path in sorted(reports.glob("*.csv")):
        for values, own in pd.read_csv(path).groupby(key, sort=False, dropna=False):
            named = dict(zip(key, values, strict=True))
            rows = [{str(name): cell for name, cell in row.items()} for row in own.to_dict("records")]
            yield named, {row["label"]: row for row in rows}


def recorded_links(reports: Path) -> Rows:
    """How right detectors' last verdicts are on real radio, by label."""
    rows: Rows = []
    for named, by_label in _by_detector(reports):
        found: dict[str, Any] = {"dataset": named["dataset"]}
        if "both" not in by_label:
            rows.append(found | {"detector": named["status"]} | dict.fromkeys(_COLUMNS, ""))
            continue
        if named["parameters"].endswith(FOR_TIME):
            continue
        both, shared, apart = (by_label[name] for name in ("both", "shared", "not shared"))
        rows.append(
            found
            | {
                "detector": f"{named['detector']}, {named['parameters']}",
                "shared, not": f"{int(shared['pairs'])} of {int(shared['drawn'])}, "
                f"{int(apart['pairs'])} of {int(apart['drawn'])}",
                "right of all": _known(both, "right"),
                "of shared": _known(shared, "right"),
                "of not shared": _known(apart, "right"),
                "decided": _known(both, "coverage"),
                "right where decided": _known(both, "decided"),
                "decided wrongly": int(both["wrong"]),
            }
        )
    return rows
