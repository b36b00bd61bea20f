"""Tables of simulated transfers: what papers report of theirs, beside ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from models.transfers.paired_difference import COMPARED
from models.transfers.repetitions import NOT_RUN
from pipelines.reporting.tables.cell import Results, Rows

#: What is told of each choice on the networks of the FMBBR paper, and its column.
_OF_STARTS = {
    "goodput_mbit_s": "goodput, Mbit/s",
    "rival_first_mbit_s": "the other's first 10 s, Mbit/s",
    "rival_least_mbit_s": "its least half second",
    "rival_later_mbit_s": "its rest",
    "jain": "Jain",
    "startup_s": "start, s",
    "right_share": "groups right",
}


#: The same on the networks of the MPLibra paper.
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


def _beside_paper(results: Results, name: str) -> Rows:
    path = results.reports / name / "beside_paper.csv"
    if not path.exists():
        return []
    table = pd.read_csv(path, keep_default_na=False)
    return [
        {
            "experiment": row["experiment"],
            "paper: reports": row["paper"],
            "ours": row["ours"],
            "must show": row["must_show"],
            "held": row["held"],
            "what ours differs in": row["substitution"],
        }
        for row in table.to_dict("records")
    ]


def mpol(results: Results) -> Rows:
    """Return what the MP-OL paper reports, and what its experiments come to in the simulator."""
    return _beside_paper(results, "mpol")


def olaps(results: Results) -> Rows:
    """Return what the OLAPS paper reports, and what its experiments come to in the simulator."""
    return _beside_paper(results, "olaps")


def fmbbr(results: Results) -> Rows:
    """Return what the FMBBR paper reports, and what its experiments come to in the simulator."""
    return _beside_paper(results, "fmbbr")


def fmbbr_means(results: Results) -> Rows:
    """Return what the networks of the FMBBR paper come to, controller by controller."""
    path = results.reports / "fmbbr" / "summary.csv"
    if not path.exists():
        return []
    found: dict[tuple[str, str], dict[str, str]] = {}
    for row in pd.read_csv(path).to_dict("records"):
        if row["metric"] in _OF_STARTS and row["experiment"] != "one_link":
            own = found.setdefault((row["setting"], row["controller"]), {})
            own[row["metric"]] = f"{row['mean']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
    return [
        {"networks": setting, "controller, scheduler, groups": controller}
        | {label: own.get(metric, "") for metric, label in _OF_STARTS.items()}
        for (setting, controller), own in found.items()
    ]


def mplibra(results: Results) -> Rows:
    """Return what the MPLibra paper reports, and what its experiments come to in the simulator."""
    return _beside_paper(results, "mplibra")


def mplibra_means(results: Results) -> Rows:
    """Return what the networks of the MPLibra paper come to, controller by controller."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in _report(results, "mplibra", "summary"):
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


def mplibra_ablations(results: Results) -> Rows:
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
        for row in _report(results, "mplibra", "ablations")
    ]


def mplibra_sharing(results: Results) -> Rows:
    """Return what MPLibra and control by verdicts come to over LIA, where bottlenecks are shared and where not."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for row in _report(results, "mplibra", "sharing"):
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


def scheduler_gains(results: Results) -> Rows:
    """Return what each scheduler's goodput is of that of redundant in the same networks."""
    path = results.reports / "olaps" / "gains.csv"
    if not path.exists():
        return []
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
        for row in pd.read_csv(path, keep_default_na=False).to_dict("records")
    ]


def crossed(results: Results) -> Rows:
    """Return what goodput under each controller and scheduler is of that of the first in the same networks."""
    gained = _report(results, "crossed", "gains")
    return [
        {"networks, receive buffer, transfer": setting}
        | {row["controller"]: f"{row['mean']:.2f} ({row['low']:.2f} to {row['high']:.2f})" for row in own}
        for setting, own in _by(gained, "group").items()
    ]


def crossed_seconds(results: Results) -> Rows:
    """Return how long files take under each controller and scheduler, and how many of them arrived."""
    arrived = {
        (row["setting"], row["controller"]): row["known"]
        for row in _report(results, "crossed", "summary")
        if row["metric"] == "completion_s"
    }
    return _crossed_means(
        results,
        "waited_s",
        lambda row: f"{row['mean']:.2f} ({arrived.get((row['setting'], row['controller']), 0)} of {row['runs']})",
    )


def crossed_waits(results: Results) -> Rows:
    """Return how long segments wait at the client for those before them, in ms, mean of a transfer."""
    return _crossed_means(results, "order_delay_ms", lambda row: f"{row['mean']:.1f}")


def _report(results: Results, stage: str, name: str) -> list[dict[str, Any]]:
    """Return the rows of a stage's report, none without it."""
    path = results.reports / stage / f"{name}.csv"
    if not path.exists():
        return []
    return [{str(key): cell for key, cell in row.items()} for row in pd.read_csv(path).to_dict("records")]


def _by(rows: list[dict[str, Any]], column: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(str(row[column]), []).append(row)
    return found


def _crossed_means(results: Results, metric: str, told: Callable[[dict[str, Any]], str]) -> Rows:
    rows = [row for row in _report(results, "crossed", "summary") if row["metric"] == metric]
    return [
        {"networks, receive buffer, transfer": setting} | {row["controller"]: told(row) for row in own}
        for setting, own in _by(rows, "setting").items()
    ]
