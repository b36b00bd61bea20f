"""Tables of simulated transfers: what papers report of theirs, beside ours."""

from __future__ import annotations

import pandas as pd

from pipelines.reporting.tables.cell import Results, Rows


def mpol(results: Results) -> Rows:
    """Return what the MP-OL paper reports, and what its experiments come to in the simulator."""
    path = results.reports / "mpol" / "beside_paper.csv"
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
