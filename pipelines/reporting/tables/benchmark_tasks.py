"""The leaderboard of the benchmark: every detector of ours on every task."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from smartsbd.pipelines.benchmark.task import SIZES, TASKS
from smartsbd.pipelines.benchmark.task_score import NOT_RUN
from smartsbd.pipelines.reporting.tables.cell import Results, Rows, interval, number


def leaderboard(results: Results) -> Rows:
    """Give the share right of all labels: a row for each size and detector, a column for each task."""
    return _shares(results.reports / "leaderboard.csv")


def leaderboard_of_full(results: Results) -> Rows:
    """Give the same of the larger sizes, which the profile ``full`` has run (reports/full/leaderboard.csv)."""
    return _shares(results.reports / "full/leaderboard.csv", sizes=("M", "L"))


def _shares(path: Path, sizes: Collection[str] = SIZES) -> Rows:
    if not path.exists():
        return []
    table = pd.read_csv(path)
    right = {
        (row["size"], row["detector"], row["task"]): f"{row['right']:.3f}{'*' if row['seen'] else ''}"
        for row in table[table["detector"] != NOT_RUN].to_dict("records")
    }
    named = list(dict.fromkeys((size, detector) for size in sizes for at_size, detector, _ in right if at_size == size))
    return [
        {"size": size, "detector": detector} | {task: right.get((size, detector, task), NOT_RUN) for task in TASKS}
        for size, detector in named
    ]


def leaderboard_details(results: Results) -> Rows:
    """Give every figure of the leaderboard, with its interval; why it is not the task's, or was not run."""
    path = results.reports / "leaderboard.csv"
    if not path.exists():
        return []
    return [
        {
            "task": row["task"],
            "size": row["size"],
            "detector": row["detector"],
            "labels: shared, not": "" if pd.isna(row["right"]) else f"{row['shared']}, {row['labels'] - row['shared']}",
            "right": "" if pd.isna(row["right"]) else interval(row, "right"),
            "decided": number(row["decided"], 3),
            "right of decided": number(row["right_of_decided"], 3),
            "first verdict, s": number(row["first_s"], 1),
            "why": "" if pd.isna(row["why"]) else row["why"],
        }
        for row in (
            {str(name): cell for name, cell in record.items()} for record in pd.read_csv(path).to_dict("records")
        )
    ]
