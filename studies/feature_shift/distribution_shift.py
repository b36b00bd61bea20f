"""How far the values of a feature lie from those that were trained on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from smartsbd.models.assessment.threshold import area_under_curve
from smartsbd.models.labelled.windows import LabelledWindows

#: What is compared.
COLUMNS = ("auc_trained", "auc_development", "ks_shared", "ks_non_shared", "outside")
#: Between these quantiles of a feature lie nearly all of its training windows.
_SEEN = (0.01, 0.99)


def distribution_shift(feature: int, trained: LabelledWindows, other: LabelledWindows) -> dict[str, float]:
    """Compare a feature's values on windows that were trained on with those on others.

    Parameters
    ----------
    feature : int
        Its position in the windows' features.
    trained, other : LabelledWindows
        Of the same features; both labels in each.

    Returns
    -------
    dict
        ``auc_trained``, ``auc_development``: area under the ROC curve of the feature alone, on either. ``ks_shared``,
        ``ks_non_shared``: Kolmogorov-Smirnov distance between the two, for either label. ``outside``: share of the
        other windows that lie beyond the 1 % and 99 % quantiles of the windows trained on.
    """
    learnt, met = trained.x[:, feature], other.x[:, feature]

    def distance(label: bool) -> float:
        # Slow to import.
        from scipy.stats import ks_2samp

        return float(ks_2samp(learnt[trained.shared == label], met[other.shared == label]).statistic)

    low, high = np.quantile(learnt, _SEEN)
    outside: npt.NDArray[np.bool_] = (met < low) | (met > high)
    return {
        "auc_trained": area_under_curve(learnt, trained.shared),
        "auc_development": area_under_curve(met, other.shared),
        "ks_shared": distance(True),
        "ks_non_shared": distance(False),
        "outside": float(outside.mean()),
    }
