"""Reports that are in git: fixed order, fixed digits, nothing of clock or machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smartsbd.contracts.whole_file import write_whole, written_whole

if TYPE_CHECKING:
    import pandas as pd

#: Digits after the point in tables: far fewer than float64 has, so that the last bit never shows.
DIGITS = 6


def write_json(content: Any, path: Path) -> None:
    """Write `content` with sorted keys."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole((json.dumps(content, indent=2, sort_keys=True) + "\n").encode(), path)


def read_json(path: Path) -> Any:
    """Read a report that :func:`write_json` wrote."""
    return json.loads(path.read_text())


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table with :data:`DIGITS` digits after the point."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part:
        frame.to_csv(part, index=False, float_format=f"%.{DIGITS}f", lineterminator="\n")


def write_parquet(frame: pd.DataFrame, path: Path) -> None:
    """Write a table unrounded, for stages that read it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part:
        frame.to_parquet(part, index=False)
