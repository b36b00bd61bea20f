"""Tables of detectors of the literature beside models: windows, time, partitions, last verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.pipelines.reporting import published as paper
from smartsbd.pipelines.reporting.tables.cell import Results, Rows, interval, number, recalls

#: Parameter sets that were chosen by the share of time: of little difference, and in the reports.
FOR_TIME = " for time"


#: Columns that tell rows of baselines apart.
_LABELS = ("detector", "parameters", "on", "evidence")


def judged(results: Results, name: str) -> list[dict[str, Any]]:
    """Return rows of a table of baselines over all sites, those of every dataset one after the other."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for path in results.files("baselines", f"{{dataset}}/{name}.csv"):
        table = pd.read_csv(path)
        for record in table[table["site"] == ALL_SITES].to_dict("records"):
            row = {str(key): value for key, value in record.items()}
            labels: dict[str, Any] = {label: row[label] for label in _LABELS if label in row}
            by_dataset = rows.setdefault(tuple(labels.values()), dict(labels))
            by_dataset[path.parent.name] = row
    return list(rows.values())


def _beside(results: Results, name: str, columns: Mapping[str, Callable[[dict[str, Any]], str]]) -> Rows:
    """Return a table of baselines with some columns for each dataset."""
    rows = []
    for by_dataset in judged(results, name):
        row: dict[str, Any] = {label: by_dataset[label] for label in _LABELS if label in by_dataset}
        for path in results.files("baselines", "{dataset}"):
            of_dataset = by_dataset.get(path.name)
            row |= {f"{path.name}: {label}": cell(of_dataset) if of_dataset else "" for label, cell in columns.items()}
        rows.append(row)
    return rows


def _balanced(row: dict[str, Any]) -> str:
    return "" if pd.isna(row["balanced"]) else interval(row, "balanced")


def papersway(results: Results) -> Rows:
    """Models on held-out triggered windows, baselines on all connections (Table 5)."""
    return _beside(results, "all", {"balanced": _balanced, "shared, not": recalls})


def samerows(results: Results) -> Rows:
    """Everything on the same held-out tiled windows, with the paired difference to plain correlation."""
    difference = {"less correlation": lambda row: interval(row, "less_correlation")}
    return _beside(results, "same", {"balanced": _balanced, "shared, not": recalls, **difference})


def overtime(results: Results) -> Rows:
    """Share of time that baselines are right."""
    return _beside(results, "time", {"balanced": _balanced, "shared, not": recalls})


def bias(results: Results) -> Rows:
    """Shared and not shared of the detectors the paper compares, beside its Table 5."""
    ours = {
        name: {(row["detector"], row["parameters"]): row for row in judged(results, name)} for name in ("all", "time")
    }
    rows = []
    for scheme, key in paper.SCHEMES.items():
        if scheme == "AUTO":
            continue
        form = "time" if scheme in paper.TIMED else "all"
        row = {"detector": ", ".join(key), "share of": "time" if form == "time" else "decisions"}
        published = paper.TABLE5["all"][scheme]
        row["Table 5: shared, not"] = f"{published.shared:.3f}, {published.not_shared:.3f}"
        for path in results.files("baselines", "{dataset}"):
            of_dataset = ours[form].get(key, {}).get(path.name)
            row[f"{path.name}: shared, not"] = recalls(of_dataset) if of_dataset else ""
        rows.append(row)
    return rows


def partitions(results: Results) -> Rows:
    """How often detectors find the whole partition of three and more subflows."""
    rows = []
    for path in sorted((results.reports / "partitions").glob("*.csv")):
        table = pd.read_csv(path)
        rows += [
            {
                "detector": known["detector"],
                "parameters": known["parameters"],
                "exact at the end": interval(known, "exact"),
                "time exact": interval(known, "exact_time"),
                "connections": known["connections"],
                "pairs, balanced": "" if pd.isna(known["pairs_balanced"]) else interval(known, "pairs_balanced"),
                "pairs: shared, not": recalls(known, "pairs_"),
            }
            for known in ({str(key): value for key, value in row.items()} for row in table.to_dict("records"))
            if not known["parameters"].endswith(FOR_TIME)
        ]
    return rows


#: Detectors of the table of last verdicts: what others are held against, and those.
_LAST = (
    ("lag-excess", "default"),
    ("lag-excess", "alone"),
    ("common-lag", "default"),
    ("correlation", "default"),
    ("wavelet", "default"),
    ("rubenstein-r", "default"),
    ("c-mpbbr", "default"),
    ("forest_invariant", "trained on sites"),
    ("forest_invariant", "trained on diverse"),
)


#: Detectors of the table on the front page, and their names there.
_FRONT = {
    ("common-lag", "default"): "common lag, the default of `sbd detect`",
    ("lag-excess", "default"): "lag excess",
    ("rubenstein-r", "default"): "comparison test (2002)",
    ("wavelet", "default"): "wavelets (2008)",
    ("forest_invariant", "trained on sites"): "forest on our features, learnt on `sites`",
    ("tree_paper", "trained on sites"): "tree on the paper's features, learnt on `sites`",
}
_FRONT_DATASETS = ("diverse", "unseen", "groups", "sensitivity", "kernel", "kernel_hard", "testbed")


def summary(results: Results) -> Rows:
    """How right six detectors' last verdicts are, of all pairs of datasets that none of them is trained on."""
    rows: Rows = [{"detector": called} for called in _FRONT.values()]
    for dataset in _FRONT_DATASETS:
        name = Path("verdicts", f"{dataset}.csv")
        path = next((file for file in (results.reports / name, results.further / name) if file.exists()), None)
        if path is None:
            continue
        right = {
            (record["detector"], record["parameters"]): record["right"]
            for record in pd.read_csv(path).to_dict("records")
        }
        for row, judge in zip(rows, _FRONT, strict=True):
            row[dataset] = number(right[judge], 3) if judge in right else ""
    return rows


def verdicts(results: Results) -> Rows:
    """How right the last verdict on each pair is, of all pairs and where there is one."""
    return [row for path in results.files("verdicts", "{dataset}.csv") for row in last_verdicts(path)]


def last_verdicts(path: Path) -> Rows:
    """Return how right the last verdict on each pair of a dataset is.

    Parameters
    ----------
    path : Path
        CSV file of the stage ``verdicts``, called as the dataset is.

    Returns
    -------
    list of dict
        Cells as text, by column; shares from 0 to 1.
    """
    records = {(record["detector"], record["parameters"]): record for record in pd.read_csv(path).to_dict("records")}
    rows = []
    for name in _LAST:
        if name not in records:
            continue
        known = {str(key): value for key, value in records[name].items()}
        rows.append(
            {
                "dataset": path.stem,
                "detector": ", ".join(name),
                "pairs: shared, not": f"{known['shared']}, {known['pairs'] - known['shared']}",
                "right of all": interval(known, "right"),
                "less lag-excess": "" if name == _LAST[0] else interval(known, "less"),
                "right where decided": "" if pd.isna(known["decided"]) else interval(known, "decided"),
                "shared, not": recalls(known, "decided_"),
                "decided: shared, not": ", ".join(
                    number(known[f"coverage_{of}"], 2) for of in ("shared", "not_shared")
                ),
                "first verdict, s": number(known["first_s"], 1),
            }
        )
    return rows


_SETTLED = "settled after a change, T"


def learnt_verdicts(results: Results) -> Rows:
    """How right the last verdicts of families learnt on one dataset are, of all pairs and where there is one."""
    path = results.reports / "learnt_verdicts" / "accuracy.csv"
    if not path.exists():
        return []
    table = pd.read_csv(path)
    names = ["model", "features", "of", "verdict"]
    empty = {**dict.fromkeys(table["dataset"].unique().tolist(), ""), _SETTLED: ""}
    rows: dict[str, dict[str, Any]] = {}
    for known in ({str(key): value for key, value in row.items()} for row in table.to_dict("records")):
        row = rows.setdefault(str([known[name] for name in names]), {name: known[name] for name in names} | empty)
        decided = "" if pd.isna(known["decided"]) else f", {known['decided']:.3f}"
        row[known["dataset"]] = f"{known['right']:.3f}{decided}"
        if pd.notna(known["settled_windows"]):
            row[_SETTLED] = number(known["settled_windows"], 1)
    return list(rows.values())


def verdict_controls(results: Results) -> Rows:
    """Say what families find where there is nothing to find."""
    path = results.reports / "learnt_verdicts" / "controls.csv"
    if not path.exists():
        return []
    return [
        {
            "control": known["control"],
            "dataset": known["dataset"],
            "model": "" if pd.isna(known["model"]) else known["model"],
            "features": known["features"] if pd.isna(known["of"]) else f"{known['features']}, {known['of']}",
            "measure": known["measure"],
            "pairs": known["pairs"],
            "value": number(known["value"], 3)
            if pd.isna(known["low"])
            else f"{known['value']:.3f} ({known['low']:.3f} to {known['high']:.3f})",
        }
        for known in ({str(key): value for key, value in row.items()} for row in pd.read_csv(path).to_dict("records"))
    ]


def shifts(results: Results) -> Rows:
    """How long after a change the detectors are right, and stay so for T."""
    rows = []
    for path in sorted((results.reports / "shift").glob("*.csv")):
        table = pd.read_csv(path)
        for name, of_detector in table.groupby(["detector", "parameters"], sort=False):
            if str(name[1]).endswith(FOR_TIME):
                continue
            row = {"detector": name[0], "parameters": name[1]}
            for record in of_detector.to_dict("records"):
                what = f"to {record['change_to']}"
                row[f"{what}: right already / never settled, of"] = (
                    f"{record['already_right']} / {record['never_settled']}, {record['changes']}"
                )
                row[f"{what}: settled, s (T)"] = (
                    f"{number(record['settled_s_median'], 1)} ({number(record['settled_windows_median'], 1)})"
                )
                row[f"{what}: phase right"] = number(record["right_share_of_phase"], 2)
            rows.append(row)
    return rows


def elsewhere(results: Results) -> Rows:
    """Baselines on the windows of datasets that nothing is learnt from."""
    evaluated = results.params.evaluation_only
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    datasets = [name for name in evaluated if (results.reports / f"replay_accuracy/{name}.csv").is_file()]
    for dataset in datasets:
        for record in pd.read_csv(results.reports / f"replay_accuracy/{dataset}.csv").to_dict("records"):
            known = {str(key): value for key, value in record.items()}
            if not known["parameters"].endswith(FOR_TIME):
                key = (known["detector"], known["parameters"])
                row = rows.setdefault(key, {"detector": key[0], "parameters": key[1]} | dict.fromkeys(datasets, ""))
                row[dataset] = _balanced(known)
    return [rows[key] for key in sorted(rows)]
