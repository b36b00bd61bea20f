"""Parts of the tables of text: the run's results, numbers, intervals, names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.models.families import FAMILIES
from smartsbd.models.stored.stored_model import CORRELATION, NEIGHBOURS
from smartsbd.pipelines.params import Params, read_params

#: Rows of a table, each the text of its cells by column; the first row has every column.
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Results:
    """The results of a run: its reports and its parameters."""

    reports: Path
    params: Params

    @classmethod
    def of(cls, root: Path) -> Results:
        """Return the run whose reports are below a project's folder."""
        return cls(root / "reports", read_params(root / "params.yaml"))

    @property
    def further(self) -> Path:
        """Where the reports of datasets beyond those of the main road are, if they were run."""
        return self.reports.parent / "studies/datasets/reports"

    def files(self, folder: str, name: str) -> list[Path]:
        """Return the parts of a report with one file or folder for each dataset, in the parameters' order of datasets.

        Parameters
        ----------
        folder : str
            Of the report.
        name : str
            Of the file, with ``{dataset}``.

        Returns
        -------
        list of Path
            Those that are there.
        """
        paths = (self.reports / folder / name.format(dataset=dataset) for dataset in self.params.datasets)
        return [path for path in paths if path.exists()]


def number(value: float, digits: int) -> str:
    """Return a number with `digits` digits after the point; empty if it is missing."""
    return "" if pd.isna(value) else "never" if math.isinf(value) else f"{value:z.{digits}f}"


def model_name(name: str) -> str:
    """Return a model's name, marked where it is not one of the paper's."""
    ours = name in (NEIGHBOURS, CORRELATION) or FAMILIES[name].ours
    return f"{name} (ours)" if ours else name


def interval(row: dict[str, Any], name: str = "overall") -> str:
    """Return a value of a row, with its interval."""
    return f"{row[name]:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f})"


def recalls(row: dict[str, Any], prefix: str = "") -> str:
    """Return the recall of shared and of not shared rows; `prefix` begins the names of their columns."""
    return ", ".join(number(row[f"{prefix}recall_{label}"], 3) for label in ("shared", "not_shared"))


def as_is(frame: pd.DataFrame) -> Rows:
    """Return a table as it is, with three digits after the point."""
    return [
        {
            str(name): "" if pd.isna(cell) else f"{cell:.3f}" if isinstance(cell, float) else cell
            for name, cell in row.items()
        }
        for row in frame.to_dict("records")
    ]
