"""Plain correlation of the two RTT series, with a learnt threshold: every model must be better than this."""

from __future__ import annotations

from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.labelled.windows import LabelledWindows, Positions

#: Its only input.
FEATURE = "rtt_correlation_q10"


def fit(windows: LabelledWindows, rows: Positions) -> Fitted:
    """Learn the threshold: a tree of one split, in which both labels have the same weight.

    Parameters
    ----------
    windows : LabelledWindows
        :data:`FEATURE` among its features.
    rows : (rows,) int64
        Positions of the rows learnt from.

    Returns
    -------
    Fitted
        A decision tree with :data:`FEATURE` as its only input.
    """
    from sklearn.tree import DecisionTreeClassifier

    column = [windows.feature_names.index(FEATURE)]
    stump = DecisionTreeClassifier(max_depth=1, class_weight="balanced", random_state=0)
    stump.fit(windows.x[rows][:, column], windows.shared[rows])
    return Fitted(stump, (FEATURE,), Setting(1, (("max_depth", 1),)))
