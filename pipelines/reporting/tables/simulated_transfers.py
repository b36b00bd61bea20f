"""Tables of simulated transfers: what papers report of theirs, beside ours."""

from __future__ import annotations

import pandas as pd

from pipelines.reporting.tables.cell import Results, Rows


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
