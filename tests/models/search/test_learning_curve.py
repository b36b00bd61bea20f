"""A learning curve learns from part of the training side and never from the test side."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd

from smartsbd.models.families import family_of
from smartsbd.models.families.fitted import Setting
from smartsbd.models.labelled.split import shuffle_splits
from smartsbd.models.search.fitting import Method
from smartsbd.models.search.learning_curve import learning_curve
from tests.models.windows_made import windows

SETTING = Setting(3, (("max_depth", 2),))
METHOD = Method(inner_folds=2, seed=0)
SHARES = (0.25, 0.5, 1.0)


def curve(test_labels_turned: bool = False) -> pd.DataFrame:
    made = windows(connections=96)
    splits = shuffle_splits(made.connections, made.stratum, splits=3, test_share=0.25, seed=0)
    if test_labels_turned:
        shared = made.shared.copy()
        shared[splits[0].test] = ~shared[splits[0].test]
        made = dataclasses.replace(made, shared=shared)
    return learning_curve(made, family_of("tree"), SETTING, splits[: 1 if test_labels_turned else 3], SHARES, METHOD)


def test_more_connections_and_a_telling_feature_found() -> None:
    found = curve()
    assert len(found) == 3 * len(SHARES)
    counts = found.groupby("fold")["connections"].apply(list)
    assert all(own == [18, 36, 72] for own in counts)
    assert (found.loc[found["connections"] == 72, "balanced"] > 0.95).all()


def test_test_labels_are_judged_on_and_not_learnt_from() -> None:
    right, turned = curve(), curve(test_labels_turned=True)
    np.testing.assert_allclose(turned["balanced"], 1 - right.loc[right["fold"] == 0, "balanced"])
