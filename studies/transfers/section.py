"""Parts of the page's sections on simulated transfers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.pipelines.reporting.tables.cell import Rows


def beside_paper(reports: Path) -> Rows:
    """Return what a paper reports, and what its experiments come to in the simulator; no rows without results."""
    return [
        {
            "experiment": row["experiment"],
            "paper: reports": row["paper"],
            "ours": row["ours"],
            "must show": row["must_show"],
            "held": row["held"],
            "what ours differs in": row["substitution"],
        }
        for row in rows_of(reports / "beside_paper.csv", keep_default_na=False)
    ]


def rows_of(table: Path, **options: Any) -> list[dict[str, Any]]:
    """Return the rows of a table, none without it.

    Parameters
    ----------
    table : Path
        CSV file.
    **options
        Of :func:`pandas.read_csv`.
    """
    if not table.exists():
        return []
    return [{str(key): cell for key, cell in row.items()} for row in pd.read_csv(table, **options).to_dict("records")]
