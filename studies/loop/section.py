"""What the page shows of experiments with the loop closed, in the order of the paper's sections 5.2 and 5.3."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.pipelines.closed_loop.comparison import ALL
from smartsbd.pipelines.reporting.published import TABLE7
from smartsbd.pipelines.reporting.tables.cell import Rows, number
from studies.loop.claims import CLAIMS

TITLE = "The loop closed"
#: What a table of goodput has a column for: experiment and variant.
_GAINS = {
    ("loop_nsb", "rate limited"): "not shared, rate limited rivals",
    ("loop_nsb", "bulk"): "not shared, bulk rivals",
    ("loop_sb", "one flow beside"): "shared with one flow",
}

_DEFAULT = "lag_excess"
#: Judge again and again, not window by window.
_ACCUMULATING = (_DEFAULT, "common_lag")


def tables(reports: Path) -> dict[str, Rows]:
    """Return the section's tables by the name that its template has."""
    shown = (accuracy, cases, closed_form, delays, gains, harm, kernel, kernel_accuracy, kernel_costs, reported, right)
    return {rows_of.__name__: rows_of(reports) for rows_of in shown}


def _read(reports: Path, name: str) -> pd.DataFrame:
    path = reports / f"{name}.csv"
    return pd.read_csv(path) if path.exists() else pd.DataFrame()


def _interval(row: dict[str, Any], name: str, digits: int = 2) -> str:
    if pd.isna(row[name]):
        return ""
    if pd.isna(row[f"{name}_low"]):
        return number(row[name], digits)
    return f"{row[name]:.{digits}f} ({row[f'{name}_low']:.{digits}f} to {row[f'{name}_high']:.{digits}f})"


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): cell for key, cell in row.items()} for row in table.to_dict("records")]


def gains(reports: Path) -> Rows:
    """Return the goodput of every control over LIA's, by experiment, beside what the paper reports."""
    table = _read(reports, "compared")
    if table.empty:
        return []
    pooled = [row for row in _rows(table) if row["place"] == ALL]
    rows: dict[str, dict[str, Any]] = {}
    for (experiment, variant), column in _GAINS.items():
        for row in pooled:
            if (row["experiment"], row["variant"]) == (experiment, variant):
                own = rows.setdefault(row["control"], {"control": row["control"]})
                own[column] = _interval(row, "over_lia")
                if experiment == "loop_sb":
                    own["Jain's index with that flow"] = number(row["jain"], 2)
                    own["most over LIA"] = number(row["over_twin_most"], 2)
    return list(rows.values())


def reported(reports: Path) -> Rows:
    """Return what the paper reports of its running implementation, beside ours."""
    table = _read(reports, "compared")
    if table.empty:
        return []
    pooled = {(row["experiment"], row["variant"], row["control"]): row for row in _rows(table) if row["place"] == ALL}
    rows = []
    for reported in CLAIMS:
        ours = [
            f"{control}, {variant}: {_interval(pooled[experiment, variant, control], reported.column)}"
            for experiment, variant, control in reported.ours
            if (experiment, variant, control) in pooled
        ]
        rows.append({"where": reported.where, "paper": reported.value, "ours": "; ".join(ours)})
    return rows


def closed_form(reports: Path) -> Rows:
    """Return how far switched controls are from the closed form, by experiment."""
    table = _read(reports, "compared")
    if table.empty:
        return []
    chain = {
        (row["experiment"], row["variant"], row["judge"]): number(row["chain_share"], 3)
        for row in _rows(_read(reports, "chain"))
    }
    return [
        {
            "experiment": row["experiment"],
            "variant": row["variant"],
            "control": row["control"],
            "networks": row["runs"],
            "share of time uncoupled": number(row["apart_share"], 3),
            "by a chain of two states": chain.get((row["experiment"], row["variant"], row["control"]), ""),
            "over its coupled twin": _interval(row, "over_twin"),
            "over uncoupled Reno": _interval(row, "over_reno"),
            "less the closed form": _interval(row, "off_closed_form", 3),
        }
        for row in _rows(table)
        if row["place"] == ALL and row["experiment"] in {"loop_nsb", "loop_sb"} and pd.notna(row["apart_share"])
    ]


def kernel(reports: Path) -> Rows:
    """Return what controllers of a kernel came to, beside what the simulator says of the same networks."""
    measured, simulated = _read(reports, "kernel"), _read(reports, "compared")
    if measured.empty or simulated.empty:
        return []
    measured, simulated = (one[one["experiment"] == "loop_kernel"] for one in (measured, simulated))
    return [
        {
            "variant": row["variant"],
            "control": row["control"],
            "run by": name,
            "networks": row["runs"],
            "goodput (Mbit/s)": number(row["goodput_mbit_s"], 2),
            "over LIA": _interval(row, "over_lia"),
            "most over LIA": number(row["over_twin_most"], 2),
            "over Reno": _interval(row, "over_reno"),
            "a rival has (Mbit/s)": number(row["rival_mbit_s"], 2),
            "Jain's index": number(row["jain"], 2),
            "right, and at the end": ""
            if pd.isna(row["right_share"])
            else f"{row['right_share']:.2f}, {row['right_at_end']:.2f}",
        }
        for variant in measured["variant"].unique()
        for name, table in (("simulator", simulated), ("kernel", measured))
        for row in _rows(table)
        if row["place"] == ALL and row["variant"] == variant
    ]


def cases(reports: Path) -> Rows:
    """Return how long groups were right in the cases of Table 6, by a kernel's sender and by the simulator's."""
    measured, simulated = _read(reports, "kernel"), _read(reports, "compared")
    if measured.empty or simulated.empty:
        return []
    rows: dict[str, dict[str, Any]] = {}
    for name, table in (("kernel", measured), ("simulator", simulated)):
        for row in _rows(table):
            if row["experiment"] != "loop_unseen" or row["place"] == ALL or row["control"] != _DEFAULT:
                continue
            own = rows.setdefault(row["place"], {"case": row["place"]})
            own[f"{name}: runs"] = row["runs"]
            own[f"{name}: right, and at the end"] = f"{row['right_share']:.2f}, {row['right_at_end']:.2f}"
            own[f"{name}: over LIA"] = _interval(row, "over_lia")
    return list(rows.values())


def kernel_costs(reports: Path) -> Rows:
    """Return what verdicts cost a kernel's sender, beside the paper's Table 7."""
    table = _read(reports, "kernel_costs")
    rows = [
        {
            "what": f"{row['control']}, {row['experiment']}",
            "runs": row["runs"],
            "CPU, mean / most": f"{row['percent']:.3f} % / {row['percent_most']:.3f} %",
            "time a T, mean / most": f"{row['ms_per_window']:.2f} / {row['ms_per_window_most']:.2f} ms",
            "of it in ACKs": f"{row['hook_percent']:.3f} %",
            "longest at once": f"{row['work_most_ms']:.2f} ms",
        }
        for row in _rows(table)
    ]
    blank = dict.fromkeys(("runs", "of it in ACKs", "longest at once"), "")
    published = [
        {"what": f"the paper's {name}"}
        | blank
        | {
            "CPU, mean / most": f"{cost.cpu_percent[0]:.3f} % / {cost.cpu_percent[1]:.3f} %",
            "time a T, mean / most": f"{cost.time_ms[0]:.2f} / {cost.time_ms[1]:.2f} ms",
        }
        for name, cost in TABLE7.items()
    ]
    return [*rows, *published] if rows else []


def right(reports: Path) -> Rows:
    """Return the share of time in which groups are right, by experiment and switched control."""
    table = _read(reports, "compared")
    if table.empty:
        return []
    pooled = [row for row in _rows(table) if row["place"] == ALL and pd.notna(row["right_share"])]
    rows: dict[str, dict[str, Any]] = {}
    for row in pooled:
        own = rows.setdefault(row["control"], {"control": row["control"]})
        name = row["experiment"] + (f", {row['variant']}" if row["experiment"] in {"loop_nsb", "loop_shift"} else "")
        own[name] = f"{row['right_share']:.2f}, {row['right_at_end']:.2f}"
    return list(rows.values())


def accuracy(reports: Path) -> Rows:
    """Return how right each source is by label and by what is in force while it watches, over all experiments.

    Judgements that accumulate are left out: what is in force at their time is what they have just set.
    """
    table = _read(reports, "accuracy")
    return [] if table.empty else _accuracy(table[~table["judge"].isin(_ACCUMULATING)])


def kernel_accuracy(reports: Path) -> Rows:
    """Return how right verdicts of a kernel's sender are by label and by what is in force while it watches."""
    table = _read(reports, "kernel_accuracy")
    return [] if table.empty else _accuracy(table)


def _accuracy(table: pd.DataFrame) -> Rows:
    rows = []
    for name, own in table.groupby(["judge", "control", "shared", "in_force"], sort=True):
        decided = own["verdicts"] - own["open"]
        right = (own["right"].fillna(0) * decided).sum()
        judge, control, shared, force = name
        rows.append(
            {
                "judge": judge,
                "label": "shared" if shared else "not shared",
                "run": f"in the loop, {force}" if control not in {"lia", "reno"} else f"under {control}",
                "control": control,
                "verdicts": int(own["verdicts"].sum()),
                "left open": int(own["open"].sum()),
                "right of the others": number(right / decided.sum(), 3) if decided.sum() else "",
            }
        )
    return rows


def delays(reports: Path) -> Rows:
    """Return how long groups took to follow a bottleneck that moved, over all sites."""
    table = _read(reports, "delays")
    if table.empty:
        return []
    return [
        {
            "variant": row["variant"],
            "control": row["control"],
            "change": "to shared" if row["shared"] else "to own links",
            "changes": row["changes"],
            "right already": row["held"],
            "never right": row["never"],
            "median delay (s)": number(row["delay_s"], 1),
            "median delay (T)": number(row["delay_windows"], 2),
        }
        for row in _rows(table)
        if row["place"] == ALL
    ]


def harm(reports: Path) -> Rows:
    """Return what one TCP flow has beside each control, over what it has beside a connection of one path."""
    table = _read(reports, "harm")
    if table.empty:
        return []
    rows: dict[str, dict[str, Any]] = {}
    for row in _rows(table):
        own = rows.setdefault(row["control"], {"control": row["control"]})
        own[row["place"]] = number(row["rival_share"], 2)
        if row["place"] == ALL:
            own[ALL] = _interval(row, "rival_share")
            own["own goodput (Mbit/s)"] = number(row["goodput_mbit_s"], 2)
            own["Jain's index"] = number(row["jain"], 2)
    return list(rows.values())
