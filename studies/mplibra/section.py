"""What the page of a run shows of MPLibra's experiments."""

from __future__ import annotations

from pathlib import Path

from smartsbd.pipelines.reporting.tables.cell import Rows
from studies.mplibra.paired_difference import COMPARED
from studies.transfers.repetitions import NOT_RUN
from studies.transfers.section import beside_paper, rows_of

TITLE = "MPLibra beside its paper"
#: What is told of each controller, and its column.
_OF_CONTROL = {
    "goodput_mbit_s": "goodput, Mbit/s",
    "link_share": "share of capacity",
    "utilisation": "utilisation",
    "jain": "Jain",
    "rivals_mbit_s": "TCP flows, Mbit/s",
    "queueing_ms": "in queues, ms",
    "completion_s": "file, s",
    "up_s": "up, s",
    "down_s": "down, s",
    "rtt_back_s": "RTT back, s",
    "shift_s": "shift, s",
}
_OF_SHARING = {"goodput_mbit_s": "goodput", "rivals_mbit_s": "TCP flows", "queueing_ms": "in queues"}


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    return {
        "beside_paper": beside_paper(reports),
        "ablations": ablations(reports),
        "sharing": sharing(reports),
        "means": means(reports),
    }


def means(reports: Path) -> Rows:
    """Return what the networks come to, controller by controller."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in rows_of(reports / "summary.csv"):
        own = found.setdefault((row["experiment"], row["setting"], row["controller"]), {})
        if row["metric"] == NOT_RUN:
            own |= dict.fromkeys(_OF_CONTROL, NOT_RUN)
        elif row["metric"] in _OF_CONTROL:
            own[row["metric"]] = f"{row['mean']:.2f}"
    return [
        {"experiment": experiment, "networks": setting, "controller": controller}
        | {label: own.get(metric, "") for metric, label in _OF_CONTROL.items()}
        for (experiment, setting, controller), own in found.items()
    ]


def ablations(reports: Path) -> Rows:
    """Return what a learnt agent adds to none and to one that answers at random, network by network."""
    return [
        {
            "experiment": row["experiment"],
            "networks": f"{row['setting']} ({row['networks']})",
            "measure": _OF_CONTROL[row["metric"]],
            "controller": row["controller"],
            "less": row["other"],
            "difference": f"{row['difference']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f})"
            if row["state"] == COMPARED
            else row["state"],
            "of": f"{row['mean']:.2f} and {row['other_mean']:.2f}" if row["state"] == COMPARED else "",
        }
        for row in rows_of(reports / "ablations.csv")
    ]


def sharing(reports: Path) -> Rows:
    """Return what MPLibra and control by verdicts come to over LIA, where bottlenecks are shared and where not."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows_of(reports / "sharing.csv"):
        own = found.setdefault((row["setting"], row["controller"]), {})
        if row["state"] == NOT_RUN:
            own[row["metric"]] = NOT_RUN
        else:
            own[row["metric"]] = f"{row['of_lia']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
    return [
        {"bottlenecks": setting, "controller": controller}
        | {f"{label}, of that under LIA": own.get(metric, "") for metric, label in _OF_SHARING.items()}
        for (setting, controller), own in found.items()
    ]
