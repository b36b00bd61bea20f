"""What the page shows of last verdicts under each controller, scheduler and receive buffer at the sender."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.pipelines.reporting.page import text
from smartsbd.pipelines.reporting.tables.cell import Rows, number
from smartsbd.pipelines.reporting.tables.detectors import FOR_TIME

TITLE = "Controllers and schedulers at the sender"

#: The lag excess, which one table has alone.
_LAG_EXCESS = ("lag-excess", "default")
#: Base scenarios below which no difference is called one: intervals over so few say little.
_FEW = 20
#: The datasets whose networks are run under several choices.
_CONTROLLERS, _SCHEDULERS = "controllers", "schedulers"


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    shown = (
        *(by_controller, by_scheduler, controller_signals, detectors_by_controller, detectors_by_scheduler),
        scheduler_signals,
    )
    readings = {
        _CONTROLLERS: text(controller_reading(reports)),
        _SCHEDULERS: text(scheduler_reading(reports)),
    }
    return {rows_of.__name__: rows_of(reports) for rows_of in shown} | {"readings": [readings]}


def _read(reports: Path, name: str) -> list[dict[str, Any]]:
    path = reports / name
    if not path.exists():
        return []
    return [{str(key): cell for key, cell in row.items()} for row in pd.read_csv(path).to_dict("records")]


def _default(reports: Path, dataset: str) -> list[dict[str, Any]]:
    rows = _read(reports, f"{dataset}.csv")
    return [row for row in rows if (row["detector"], row["parameters"]) == _LAG_EXCESS]


def _interval(row: dict[str, Any], name: str) -> str:
    return "" if pd.isna(row[name]) else f"{row[name]:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f})"


def _of_default(row: dict[str, Any]) -> dict[str, Any]:
    """Return what a table has of the lag excess under a choice, except for the difference."""
    return {
        "pairs: run, valid": f"{row['drawn']}, {row['pairs']}",
        "right of all": _interval(row, "right"),
        "without a verdict": number(row["none_share"], 3),
        "right where decided": _interval(row, "decided"),
        "valid in both": row["both"],
    }


def by_controller(reports: Path) -> Rows:
    """How right the lag excess's last verdicts are under each controller and scheduler."""
    rows = _default(reports, _CONTROLLERS)
    return [
        {"controller, scheduler": row["choice"]}
        | _of_default(row)
        | {f"less {row['reference']}": "" if row["choice"] == row["reference"] else _interval(row, "less")}
        for row in rows
    ]


def by_scheduler(reports: Path) -> Rows:
    """How right the lag excess's last verdicts are under each scheduler and receive buffer."""
    return [
        {"scheduler, receive buffer": row["choice"]}
        | _of_default(row)
        | {"less": "" if row["choice"] == row["reference"] else f"{_interval(row, 'less')} of {row['reference']}"}
        for row in _default(reports, _SCHEDULERS)
    ]


def detectors_by_controller(reports: Path) -> Rows:
    """How right each detector's last verdicts are under each controller and scheduler, of all pairs."""
    return _detectors(reports, _CONTROLLERS)


def detectors_by_scheduler(reports: Path) -> Rows:
    """How right each detector's last verdicts are under each scheduler and receive buffer, of all pairs."""
    columns = _detectors(reports, _SCHEDULERS)
    choices = [name for name in columns[0] if name not in ("detector", "parameters")] if columns else []
    return [
        {"scheduler, receive buffer": choice}
        | {f"{own['detector']}, {own['parameters']}": own[choice] for own in columns}
        for choice in choices
    ]


def _detectors(reports: Path, dataset: str) -> list[dict[str, Any]]:
    """Return one row for each detector, with how right it is under each choice."""
    table = [row for row in _read(reports, f"{dataset}.csv") if not row["parameters"].endswith(FOR_TIME)]
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row in table:
        name = (row["detector"], row["parameters"])
        own = rows.setdefault(name, {"detector": name[0], "parameters": name[1]})
        own[row["choice"]] = number(row["right"], 3) + ("" if row["choice"] == row["reference"] else _less(row))
    return list(rows.values())


def _less(row: dict[str, Any]) -> str:
    """Return the difference to the reference, marked if its interval leaves 0 out."""
    if pd.isna(row["less"]):
        return ""
    mark = "*" if row["bases"] >= _FEW and (row["less_low"] > 0 or row["less_high"] < 0) else ""
    return f", {row['less']:+.3f}{mark}"


def controller_signals(reports: Path) -> Rows:
    """Return what senders saw under each controller and scheduler: medians over all networks."""
    return _signals(reports, _CONTROLLERS, "controller, scheduler")


def scheduler_signals(reports: Path) -> Rows:
    """Return what senders saw under each scheduler and receive buffer: medians over all networks."""
    return _signals(reports, _SCHEDULERS, "scheduler, receive buffer")


def _signals(reports: Path, dataset: str, column: str) -> Rows:
    return [
        {
            column: row["choice"],
            "valid labels": f"{row['valid']} of {row['drawn']}",
            "bottleneck used": number(row["utilisation"], 2),
            "RTT samples": number(row["rtt_samples"], 0),
            "mean queueing (ms)": number(row["mean_queueing_us"] / 1000, 1),
            "standard deviation of RTTs (ms)": number(row["sd_rtt_us"] / 1000, 1),
            "losses (beginnings of Recovery or Loss)": number(row["episodes"], 1),
            "acknowledged (kB)": number(row["acked_bytes"] / 1000, 0),
        }
        for row in _read(reports, f"{dataset}_signals.csv")
    ]


def controller_reading(reports: Path) -> str:
    """Say in a sentence or two under which controllers the lag excess is less right than under the first."""
    return _reading(reports, _CONTROLLERS)


def scheduler_reading(reports: Path) -> str:
    """Say under which schedulers and receive buffers the lag excess is less right than under their reference."""
    return _reading(reports, _SCHEDULERS)


def _reading(reports: Path, dataset: str) -> str:
    rows = _default(reports, dataset)
    known = [row for row in rows if pd.notna(row["less"])]
    if len(known) < 2:  # noqa: PLR2004 - the first and another
        return ""
    first, *others = known
    most = max(row["bases"] for row in known)
    if most < _FEW:
        return (
            f"This run has {most} base scenarios, too few to tell {dataset} apart: its intervals say little."
            " studies/senders/README.md has the whole."
        )
    beside = f"`{first['choice']}`" if dataset == _CONTROLLERS else "what each is compared with"
    worse = [f"`{row['choice']}` ({row['less']:+.2f})" for row in others if row["less_high"] < 0]
    better = [f"`{row['choice']}` ({row['less']:+.2f})" for row in others if row["less_low"] > 0]
    said = f"Against {beside} on the same networks, the lag excess is less right under"
    text = f"{said} {', '.join(worse)}." if worse else f"{said} no other choice: no interval lies below 0."
    return f"{text} It is more often right under {', '.join(better)}." if better else text
