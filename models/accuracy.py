"""Accuracy in the form of SmartSBD's Table 5: shared and non-shared apart, per site and overall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from traces.tables import WINDOW_KEY


@dataclass(frozen=True)
class Accuracy:
    """Accuracy over some predictions.

    Attributes
    ----------
    predictions, windows, connections : int
        How many predictions, of how many different windows and connections: splits overlap.
    sb, nsb : float
        Share of shared, and of non-shared windows that were recognised.
    balanced : float
        Mean of `sb` and `nsb`.
    overall : float
        Share of all windows.
    overall_low, overall_high : float
        95 % bootstrap interval of `overall`, by connection.
    """

    predictions: int
    windows: int
    connections: int
    sb: float
    nsb: float
    balanced: float
    overall: float
    overall_low: float
    overall_high: float


def accuracy(predictions: pd.DataFrame, *, resamples: int, seed: int) -> Accuracy:
    """Judge predictions.

    Parameters
    ----------
    predictions : DataFrame of the ``prediction`` table
        A window may stand in several folds.
    resamples : int
        Bootstrap resamples, drawn over connections because windows of one are alike.
    seed : int

    Raises
    ------
    ValueError
        If a label is missing from `predictions`.
    """
    right = (predictions["shared_pred"] == predictions["shared"]).to_numpy(dtype=bool)
    shared = predictions["shared"].to_numpy(dtype=bool)
    if not shared.any() or shared.all():
        raise ValueError("predictions hold one label only: accuracy per label is undefined")
    names, codes = np.unique(predictions["connection_id"].to_numpy(dtype=str), return_inverse=True)
    right_per = np.bincount(codes, weights=right, minlength=len(names))
    count_per = np.bincount(codes, minlength=len(names))
    drawn = np.random.default_rng(seed).integers(0, len(names), size=(resamples, len(names)))
    resampled = right_per[drawn].sum(axis=1) / count_per[drawn].sum(axis=1)
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Accuracy(
        predictions=len(predictions),
        windows=len(predictions[list(WINDOW_KEY)].drop_duplicates()),
        connections=len(names),
        sb=float(right[shared].mean()),
        nsb=float(right[~shared].mean()),
        balanced=float(right[shared].mean() + right[~shared].mean()) / 2,
        overall=float(right.mean()),
        overall_low=float(low),
        overall_high=float(high),
    )
