"""How much a model gains from more connections to learn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score

from smartsbd.models.families import Family
from smartsbd.models.families.fitted import Setting
from smartsbd.models.labelled.split import Split, shuffle_splits
from smartsbd.models.labelled.windows import LabelledWindows, Positions
from smartsbd.models.search.fitting import Method, by_relevance, fit, predict


def _part(windows: LabelledWindows, rows: Positions, share: float, seed: int, block: int) -> Positions:
    """Return the rows of a share of the connections, drawn by site and label."""
    if share == 1:
        return rows
    splits = shuffle_splits(
        windows.connections[rows], windows.stratum[rows], splits=1, test_share=1 - share, seed=seed, block=block
    )
    return rows[splits[0].train]


def learning_curve(
    windows: LabelledWindows,
    family: Family,
    setting: Setting,
    splits: Sequence[Split],
    shares: Sequence[float],
    method: Method,
) -> pd.DataFrame:
    """Return the accuracy of a setting by the number of connections learnt from.

    Features are ranked, and inputs scaled, on the rows learnt from only; the test side is the same for every share.

    Parameters
    ----------
    windows : LabelledWindows
    family : Family
    setting : Setting
        Fixed beforehand: nothing is chosen.
    splits : sequence of Split
    shares : sequence of float in (0, 1]
        Of the training side's connections.
    method : Method

    Returns
    -------
    DataFrame
        One row for each split and share: ``fold``, ``connections``, ``balanced`` (balanced accuracy on the test side).
    """
    rows = []
    for fold, split in enumerate(splits):
        for share in shares:
            train = _part(windows, split.train, share, method.seed + fold, method.block)
            fitted = fit(windows, family, setting, by_relevance(windows, train, method.seed), train, method)
            called_shared = predict(windows, fitted, split.test).shared_pred
            rows.append(
                {
                    "fold": fold,
                    "connections": len(np.unique(windows.connections[train])),
                    "balanced": balanced_accuracy_score(windows.shared[split.test], called_shared),
                }
            )
    return pd.DataFrame(rows)
