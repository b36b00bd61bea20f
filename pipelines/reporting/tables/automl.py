"""AutoML's results as tables of text for the page."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.models.automl.distillation import TRUTH
from smartsbd.models.labelled.window_set import are_of_kind
from smartsbd.pipelines.reporting.tables.cell import Rows, as_is

#: Settings of a search's leaderboard, and kinds of an ensemble, that are shown.
_BEST = 10
_KINDS = 3


def _number(value: float, form: str) -> str:
    return "" if pd.isna(value) else format(value, form)


def _interval(row: Mapping[Hashable, Any], name: str, form: str) -> str:
    if pd.isna(row[name]):
        return ""
    return f"{row[name]:{form}} ({row[f'{name}_low']:{form}} to {row[f'{name}_high']:{form}})"


def _made_of(row: Mapping[Hashable, Any]) -> str:
    """Return the estimators of the largest weight, and which limits acted or why there was no run."""
    kinds = [] if pd.isna(row["kinds"]) else str(row["kinds"]).split(", ")
    shown = ", ".join([*kinds[:_KINDS], *([f"{len(kinds) - _KINDS} more kinds"] if len(kinds) > _KINDS else [])])
    return shown if pd.isna(row["note"]) else "; ".join(filter(None, [shown, str(row["note"])]))


def candidates(folder: Path, rule: str) -> Rows:
    """Return one row for each of AutoML's candidates: accuracy on windows of the rule trained on, then time and size.

    Parameters
    ----------
    folder : Path
        AutoML's results on a dataset; without them there are no rows.
    rule : str
        Rule of the windows.

    Returns
    -------
    list of dict
        Cells as text, by column.
    """
    path = folder / "accuracy.csv"
    if not path.is_file():
        return []
    table = pd.read_csv(path)
    table = table[table["site"] == ALL_SITES]
    own_rule = table["test_set"].isna() | are_of_kind(table["test_set"], rule)
    return [
        {
            "features": row["feature_set"],
            "model, whose labels": row["model"]
            if row["learnt_from"] == TRUTH
            else f"{row['model']} of {row['learnt_from']}",
            "accuracy": _interval(row, "overall", ".3f"),
            "less the tree": _interval(row, "less_tree", "+.3f"),
            "CPU s": _number(row["cpu_s"], ".1f"),
            "settings tried": _number(row["evaluations"], ".0f"),
            "kB": _number(row["model_bytes"] / 1000, ",.0f"),
            "for a kernel": {True: "yes", False: "no"}.get(row["kernel"], ""),
            "made of; limits that acted": _made_of(row),
        }
        for row in table[own_rule].to_dict("records")
    ]


def details(folder: Path) -> dict[str, Rows]:
    """Return every row of accuracy, the members of the ensembles and the best settings of each search, by file."""
    if not (folder / "accuracy.csv").is_file():
        return {}
    accuracy, members, ranked = (pd.read_csv(folder / f"{name}.csv") for name in ("accuracy", "members", "leaderboard"))
    best = ranked.groupby(["engine", "feature_set", "fold"], sort=False).head(_BEST)
    return {
        "accuracy.csv": as_is(accuracy.drop(columns=["kinds", "note"])),
        "members.csv": as_is(members.drop(columns="setting", errors="ignore")),
        "leaderboard.csv": as_is(best.drop(columns="setting", errors="ignore")),
    }
