"""How hard the labels of a dataset are to tell: by plain detectors on its windows, and by configured values.

Thresholds are the best ones on the same windows, so they are upper bounds of plain detectors, to be read beside any
learned one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.features.fixed import ONE_Q10
from smartsbd.models.assessment.threshold import area_under_curve, best_balanced_accuracy, overlap

_DIGITS = 4
#: Columns of the truth table, for either subflow.
_CONFIGURED = tuple(
    f"{name}_{side}_{unit}"
    for side in ("a", "b")
    for name, unit in (
        ("bottleneck", "mbit_s"),
        ("queue", "bytes"),
        ("base_rtt", "us"),
        ("loss", "ratio"),
        ("jitter", "us"),
    )
)


def by_correlation(windows: pd.DataFrame) -> dict[str, Any]:
    """Return how well plain correlation of the RTTs tells the labels, and how far the ratios of minimum RTTs overlap.

    Parameters
    ----------
    windows : DataFrame of the ``pair_window`` table
        Labelled windows of one rule.

    Returns
    -------
    dict
        ``min_rtt_ratio_overlap``, over the first window of each pair and label; and for ``pearson`` and ``spearman``
        the medians, the best threshold and its balanced accuracy. Empty if only one label occurs.
    """
    shared = windows["shared"].to_numpy(dtype=bool)
    if shared.all() or not shared.any():
        return {}
    first = windows.drop_duplicates(["connection_id", "subflow_a", "subflow_b", "shared"])
    ratio: npt.NDArray[np.float64] = first["min_rtt_ratio_q10"].to_numpy(dtype=np.float64)
    label = first["shared"].to_numpy(dtype=bool)
    figures: dict[str, Any] = {"min_rtt_ratio_overlap": round(overlap(ratio[label], ratio[~label]), _DIGITS)}
    for name, feature in (("pearson", "rtt_correlation_q10"), ("spearman", "rtt_rank_correlation_q10")):
        score = windows[feature].to_numpy(dtype=np.float64) / ONE_Q10
        threshold, balanced = best_balanced_accuracy(score, shared)
        figures[name] = {
            "median_shared": round(float(np.median(score[shared])), _DIGITS),
            "median_non_shared": round(float(np.median(score[~shared])), _DIGITS),
            "best_threshold": round(threshold, _DIGITS),
            "balanced_accuracy_at_best_threshold": round(balanced, _DIGITS),
        }
    return figures


def by_configured_value(truth: pd.DataFrame) -> dict[str, float]:
    """Return how well each configured value alone tells the label of the valid pairs.

    Parameters
    ----------
    truth : DataFrame of the ``truth`` table

    Returns
    -------
    dict of str to float
        By column, the area under the curve: 0.5 is not at all. A column is left out where only one label has it; all
        are if only one label occurs.
    """
    valid = truth[truth["valid"]]
    shared = valid["shared"].to_numpy(dtype=bool)
    if shared.all() or not shared.any():
        return {}
    return {
        name: round(area_under_curve(valid.loc[known, name].to_numpy(dtype=np.float64), shared[known]), _DIGITS)
        for name in _CONFIGURED
        if (known := valid[name].notna().to_numpy()).any() and 0 < shared[known].sum() < known.sum()
    }
