"""Tables of recordings beside their simulated twins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from pipelines.reporting.tables.cell import Results, Rows, interval, number
from pipelines.reporting.tables.detectors import FOR_TIME


def _rows(results: Results, name: str) -> Iterator[dict[str, Any]]:
    for dataset in results.params.twins.recorded:
        path = results.reports / "twins" / name.format(dataset=dataset)
        if path.exists():
            for row in pd.read_csv(path).to_dict("records"):
                yield {"dataset": dataset} | {str(key): value for key, value in row.items()}


def twins(results: Results) -> Rows:
    """How right each detector's last verdicts are on recordings, and on the simulations of the same scenarios."""
    return [
        {
            "dataset": row["dataset"],
            "detector": f"{row['detector']}, {row['parameters']}",
            "pairs": row["pairs"],
            "recorded": interval(row, "recorded"),
            "simulated": interval(row, "simulated"),
            "less": interval(row, "less"),
            "decided": f"{row['decided_recorded']}, {row['decided_simulated']}",
            "wrong": f"{row['wrong_recorded']}, {row['wrong_simulated']}",
            "opposite": row["opposite"],
        }
        for row in _rows(results, "{dataset}.csv")
        if not row["parameters"].endswith(FOR_TIME)
    ]


def twin_signals(results: Results) -> Rows:
    """Return what senders saw of each subflow, recorded over simulated."""
    return [
        {
            "dataset": row["dataset"],
            "signal": row["signal"],
            "recorded": number(row["recorded"], 0),
            "simulated": number(row["simulated"], 0),
            "recorded / simulated": number(row["ratio_median"], 2),
            "5 % to 95 %": f"{number(row['ratio_low'], 2)} to {number(row['ratio_high'], 2)}",
            "rank correlation": number(row["correlation"], 2),
        }
        for row in _rows(results, "{dataset}_signals.csv")
    ]
