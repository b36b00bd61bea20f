"""A detector's figures on a task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from smartsbd.models.assessment.comparison import RIGHT, accuracy_of
from smartsbd.models.last_verdict.final_verdict import FIRST_S, SAID
from smartsbd.pipelines.benchmark.task import BenchmarkTask

#: The name of the detector where a task was not run.
NOT_RUN = "not run"
#: Why a figure is not said to be the task's: its tables were not compared, because git has no digests of them.
NOT_OURS = "tables are not ours"


@dataclass(frozen=True)
class TaskScore:
    """A row of the leaderboard.

    Attributes
    ----------
    task, size, detector : str
    seen : bool
        Its thresholds or inputs were chosen with the judged connections in view.
    labels, shared : int
        How many are judged, and how many of them say shared.
    right, right_low, right_high : float
        Share of all labels whose last verdict is right; 95 % interval by connection.
    decided : float
        Share of the labels that have a last verdict.
    right_of_decided : float
        Of these, the share that is right; nan if there are none.
    first_s : float
        Median time from when a label holds until there is a verdict, of those that have one; nan if none has, and where
        pieces of labels are judged.
    why : str
        Why these are not the task's figures: why it was not run, or :data:`NOT_OURS`; empty if they are.
    """

    task: str
    size: str
    detector: str
    seen: bool = False
    labels: int = 0
    shared: int = 0
    right: float = np.nan
    right_low: float = np.nan
    right_high: float = np.nan
    decided: float = np.nan
    right_of_decided: float = np.nan
    first_s: float = np.nan
    why: str = ""

    @classmethod
    def of(
        cls, task: BenchmarkTask, size: str, detector: str, rows: pd.DataFrame, *, resamples: int, seed: int
    ) -> TaskScore:
        """Return the figures of a detector.

        Parameters
        ----------
        task : BenchmarkTask
        size, detector : str
        rows : DataFrame
            As :meth:`~smartsbd.pipelines.benchmark.task_tables.TaskTables.judged` returns them.
        resamples, seed : int
            As :func:`~smartsbd.models.assessment.accuracy.accuracy` takes them.

        Returns
        -------
        TaskScore
        """
        accuracy = accuracy_of(rows, resamples=resamples, seed=seed)
        decided = rows[rows[SAID].notna()]
        return cls(
            task=task.name,
            size=size,
            detector=detector,
            seen=detector in task.seen_by,
            labels=len(rows),
            shared=int(rows["shared"].sum()),
            right=accuracy.overall,
            right_low=accuracy.overall_low,
            right_high=accuracy.overall_high,
            decided=len(decided) / len(rows),
            right_of_decided=float(decided[RIGHT].mean()) if len(decided) else np.nan,
            first_s=np.nan if task.judged_every_s is not None else float(rows[FIRST_S].median()),
        )

    @classmethod
    def not_run(cls, task: BenchmarkTask, size: str, why: str) -> TaskScore:
        """Return that a task was not run at a size.

        Parameters
        ----------
        task : BenchmarkTask
        size : str
        why : str

        Returns
        -------
        TaskScore
            Its numbers are nan or 0.
        """
        return cls(task=task.name, size=size, detector=NOT_RUN, why=why)

    def row(self) -> dict[str, Any]:
        """Return it as a row of a table."""
        return dict(vars(self))
