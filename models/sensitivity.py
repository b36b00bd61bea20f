"""A stored model where one thing is other than in training: its accuracy, windows without a verdict being wrong."""

from __future__ import annotations

import numpy as np
import pandas as pd

from models.accuracy import Accuracy, accuracy
from models.fitted import Fitted
from traces.tables import WINDOW_KEY


def judged(
    fitted: Fitted, windows: pd.DataFrame, without_verdict: pd.DataFrame, *, resamples: int, seed: int
) -> Accuracy | None:
    """Judge a model on some windows.

    Parameters
    ----------
    fitted : Fitted
    windows : DataFrame of the ``pair_window`` table
        Labelled.
    without_verdict : DataFrame of the ``rejected`` table
        Labelled windows that were looked for in vain: each is wrong.
    resamples, seed : int
        As :func:`models.accuracy.accuracy` takes them.

    Returns
    -------
    Accuracy or None
        None where there is no window of either kind.
    """
    if not len(windows) and not len(without_verdict):
        return None
    verdicts = fitted.judge(windows[list(fitted.feature_names)].to_numpy(dtype=np.float64))
    predictions = windows[[*WINDOW_KEY, "shared"]].assign(shared_pred=verdicts.shared_pred)
    return accuracy(predictions, resamples=resamples, seed=seed, none=without_verdict)
