"""Tables of the features: relevance, agreement with the paper's."""

from __future__ import annotations

from typing import Any

import pandas as pd

from smartsbd.pipelines.reporting.report_files import read_json
from smartsbd.pipelines.reporting.tables.cell import Results, Rows, number


def relevance(results: Results) -> Rows:
    """Mutual information of every feature on each dataset ranked, beside Table 3."""
    tables = {path.stem: pd.read_csv(path) for path in results.files("relevance", "{dataset}.csv")}
    rows = []
    first = next(iter(tables.values()), pd.DataFrame())
    for feature in first.to_dict("records"):
        row: dict[str, Any] = {
            "feature": f"`{feature['feature']}`",
            "Table 3": "" if pd.isna(feature["paper_name"]) else feature["paper_name"],
        }
        row["paper: nats (rank)"] = (
            "" if pd.isna(feature["paper_nats"]) else f"{feature['paper_nats']:.3f} ({feature['paper_rank']:.0f})"
        )
        for dataset, table in tables.items():
            estimate = table.set_index("feature").loc[feature["feature"]]
            rank = "" if pd.isna(estimate["rank_in_table3"]) else f" ({estimate['rank_in_table3']:.0f})"
            row[f"{dataset}: nats (rank of 18)"] = f"{estimate['mutual_information_nats']:.3f}{rank}"
            row[f"{dataset}: chance"] = number(estimate["null_95_nats"], 3)
        rows.append(row)
    return rows


def agreement(results: Results) -> Rows:
    """Kendall's tau with Table 3."""
    rows = []
    for path in results.files("agreement", "{dataset}.json"):
        report = read_json(path)
        row = {
            "dataset": path.stem,
            "windows shared / not": f"{report['windows']['shared']} / {report['windows']['non_shared']}",
        }
        for what, tau in report["agreement_with_table3"].items():
            row[what] = f"{tau['kendall_tau']:.2f} ({tau['low']:.2f} to {tau['high']:.2f})"
        rows.append(row)
    return rows
