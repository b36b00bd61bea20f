"""Excerpts of the reports in the documents: between ``<!-- NAME -->`` and ``<!-- /NAME -->`` stands what they say.

``sbd excerpts`` refreshes them, ``--check`` fails where a document says something else. A new excerpt is one
function and one line here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from pipelines import dag
from pipelines.report import difficulty
from pipelines.reports import read_json
from traces.fault import UsageFault

#: Documents that may hold excerpts, below the project's folder.
DOCUMENTS = ("README.md", "docs/*.md")

_SETS = ("paper", "invariant", "both")
_BLOCK = re.compile(r"<!-- (?P<name>[a-z]+(?: [a-z_]+)*) -->\n(?P<text>.*?)<!-- /(?P=name) -->", re.DOTALL)


class ExcerptError(UsageFault):
    """A document asks for an excerpt that there is none of."""


def _markdown(rows: list[dict[str, Any]]) -> str:
    head = list(rows[0])
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(str(row[name]) for name in head)} |" for row in rows)])


def _number(value: float, digits: int) -> str:
    return "" if pd.isna(value) else f"{value:.{digits}f}"


def _accuracy(root: Path) -> str:
    """Accuracy of the tree per site and set of features."""
    cells: dict[str, dict[str, Any]] = {}
    for row in pd.read_csv(root / "reports/accuracy.csv").to_dict("records"):
        interval = f"{row['overall']:.3f} ({row['overall_low']:.3f} to {row['overall_high']:.3f})"
        own = cells.setdefault(row["site"], {"site": row["site"], **dict.fromkeys(_SETS, "")})
        own[row["feature_set"]] = f"{interval}; {row['sb']:.3f}, {row['nsb']:.3f}"
    return _markdown(list(cells.values()))


def _difficulty(root: Path) -> str:
    """How hard each dataset is."""
    return _markdown(
        [{str(key): cell for key, cell in row.items()} for row in difficulty(root / "reports").to_dict("records")]
    )


def _graph(root: Path) -> str:
    """Stages, and what follows from what."""
    return f"```mermaid\n{dag.mermaid(dag.read_stages(root / 'dvc.yaml'))}\n```"


def _relevance(root: Path) -> str:
    """Mutual information of every feature on each dataset ranked, beside Table 3."""
    tables = {path.stem: pd.read_csv(path) for path in sorted((root / "reports/relevance").glob("*.csv"), reverse=True)}
    first = next(iter(tables.values()))
    rows = []
    for feature in first.to_dict("records"):
        row: dict[str, Any] = {"feature": f"`{feature['feature']}`", "Table 3": feature["paper_name"]}
        row["Table 3"] = "" if pd.isna(feature["paper_name"]) else feature["paper_name"]
        row["paper: nats (rank)"] = (
            "" if pd.isna(feature["paper_nats"]) else f"{feature['paper_nats']:.3f} ({feature['paper_rank']:.0f})"
        )
        for dataset, table in tables.items():
            own = table.set_index("feature").loc[feature["feature"]]
            rank = "" if pd.isna(own["rank_in_table3"]) else f" ({own['rank_in_table3']:.0f})"
            row[f"{dataset}: nats (rank of 18)"] = f"{own['mutual_information_nats']:.3f}{rank}"
            row[f"{dataset}: chance"] = _number(own["null_95_nats"], 3)
        rows.append(row)
    return _markdown(rows)


def _agreement(root: Path) -> str:
    """Kendall's tau with Table 3."""
    rows = []
    for path in sorted((root / "reports/relevance").glob("*.json"), reverse=True):
        found = read_json(path)
        row = {
            "dataset": path.stem,
            "windows shared / not": f"{found['windows']['shared']} / {found['windows']['non_shared']}",
        }
        for what, tau in found["agreement_with_table3"].items():
            row[what] = f"{tau['kendall_tau']:.2f} ({tau['low']:.2f} to {tau['high']:.2f})"
        rows.append(row)
    return _markdown(rows)


def _ambiguities(root: Path) -> str:
    """Effect of each reading of the paper on the relevance of its features."""
    rows: dict[str, dict[str, Any]] = {}
    for path in sorted((root / "reports/ambiguities").glob("*.csv"), reverse=True):
        table = pd.read_csv(path)
        for one in table[table["reading"] != "default"].to_dict("records"):
            row = rows.setdefault(one["reading"], {"#": one["question"] or "", "reading": one["reading"]})
            moved = one["changed_by_nats"]
            changed = "" if pd.isna(moved) else f"{one['most_changed']} {moved:+.2f}" if moved else "nothing"
            row[f"{path.stem}: windows shared / not"] = f"{one['shared']} / {one['non_shared']}"
            row[f"{path.stem}: tau"] = _number(one["kendall_tau_with_default"], 2)
            row[f"{path.stem}: of the top 8"] = _number(one["top8_kept"], 0)
            row[f"{path.stem}: most changed (nats)"] = changed
    return _markdown(list(rows.values()))


EXCERPTS: dict[str, Callable[[Path], str]] = {
    "accuracy": _accuracy,
    "difficulty": _difficulty,
    "graph": _graph,
    "relevance": _relevance,
    "agreement": _agreement,
    "ambiguities": _ambiguities,
}


def documents(root: Path) -> list[Path]:
    """Return the documents that may hold excerpts."""
    return sorted(path for pattern in DOCUMENTS for path in root.glob(pattern))


def refreshed(text: str, root: Path) -> str:
    """Return a document with every excerpt as the reports below `root` have it.

    Raises
    ------
    ExcerptError
        If it asks for one that there is none of.
    """

    def block(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in EXCERPTS:
            raise ExcerptError(f"excerpt {name!r} is unknown, known are {sorted(EXCERPTS)}")
        return f"<!-- {name} -->\n{EXCERPTS[name](root)}\n<!-- /{name} -->"

    return _BLOCK.sub(block, text)
