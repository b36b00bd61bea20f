"""A learned model among the detectors: its verdicts on windows become opinions of each connection."""

from __future__ import annotations

import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.stored.window_opinions import opinions_by_connection

#: Shared where the feature is above one half.
FITTED = Fitted(
    DecisionTreeClassifier(max_depth=1).fit([[0.0], [1.0]], [False, True]), ("x",), Setting(1, (("max_depth", 1),))
)


def test_each_connection_has_the_opinions_of_its_windows() -> None:
    rows = [("c#0", 0, 1.0), ("c#0", 10, 1.0), ("c#0", 20, 0.0), ("c#1", 5, 0.0)]
    windows = pd.DataFrame(rows, columns=["connection_id", "window_start_ns", "x"])
    windows = windows.assign(window_ns=10, subflow_a=0, subflow_b=3)
    found = opinions_by_connection(FITTED, windows, {"c#0": [0, 2, 3], "c#1": [0, 3], "c#2": [0, 1]})
    said = {name: [(one.time_ns, one.partition) for one in opinions] for name, opinions in found.items()}
    assert said == {
        # A verdict holds from its window's end; the second says what the first did.
        "c#0": [(10, (0, None, 0)), (30, (0, None, 1))],
        "c#1": [(15, (0, 1))],
        "c#2": [],
    }
