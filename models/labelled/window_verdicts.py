"""A model's verdicts on windows, as rows of the ``prediction`` table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.contracts.contract import write_table
from smartsbd.contracts.tables import PREDICTION
from smartsbd.features.fixed import SCORE_DIGITS
from smartsbd.models.labelled.windows import LabelledWindows


@dataclass(frozen=True)
class Verdicts:
    """Verdicts on some windows.

    Attributes
    ----------
    score : (rows,) float64 in [0, 1]
        Grows with the belief in a shared bottleneck.
    shared_pred : (rows,) bool
    """

    score: npt.NDArray[np.float64]
    shared_pred: npt.NDArray[np.bool_]


def prediction_rows(
    windows: LabelledWindows, rows: npt.NDArray[np.int64], verdicts: Verdicts, **labels: str | int
) -> pd.DataFrame:
    """Return verdicts as rows of the ``prediction`` table.

    Parameters
    ----------
    windows : LabelledWindows
    rows : (rows,) int64
        Positions of the windows judged.
    verdicts : Verdicts
        On them.
    **labels
        Further columns: ``model``, ``feature_set``, ``train_set``, ``test_set``, ``fold``.

    Returns
    -------
    DataFrame
        One row for each position, with the score rounded as tables have it.
    """
    return windows.key.iloc[rows].assign(
        **labels,
        score=np.round(verdicts.score, SCORE_DIGITS),
        shared_pred=verdicts.shared_pred,
        shared=windows.shared[rows],
        site=np.array([place or None for place in windows.site[rows]], dtype=object),
    )


def write_predictions(predictions: pd.DataFrame, path: Path) -> None:
    """Write rows of the ``prediction`` table; further columns are left out."""
    write_table(PREDICTION, {column.name: predictions[column.name].tolist() for column in PREDICTION.columns}, path)
