"""The accuracy of a stored model where one factor differs from training; windows without a verdict count as wrong."""

from __future__ import annotations

import numpy as np
import pandas as pd

from contracts.tables import WINDOW_KEY
from models.accuracy import WindowAccuracy, accuracy_of_windows
from models.fitted import Fitted


def judged(
    fitted: Fitted, windows: pd.DataFrame, without_verdict: pd.DataFrame, *, resamples: int, seed: int
) -> WindowAccuracy | None:
    """Judge a model on some windows.

    Parameters
    ----------
    fitted : Fitted
    windows : DataFrame of the ``pair_window`` table
        Labelled.
    without_verdict : DataFrame of the ``rejected`` table
        Labelled windows that could not be made: each counts as wrong.
    resamples, seed : int
        As :func:`models.accuracy.accuracy_of_windows` takes them.

    Returns
    -------
    WindowAccuracy or None
        None where there is no window of either kind.
    """
    if not len(windows) and not len(without_verdict):
        return None
    verdicts = fitted.judge(windows[list(fitted.feature_names)].to_numpy(dtype=np.float64))
    predictions = windows[[*WINDOW_KEY, "shared"]].assign(shared_pred=verdicts.shared_pred)
    return accuracy_of_windows(predictions, resamples=resamples, seed=seed, none=without_verdict)
