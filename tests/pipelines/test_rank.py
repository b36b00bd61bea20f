"""On windows of a real kernel the ranking's estimates are scikit-learn's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.feature_selection import mutual_info_classif

from smartsbd.contracts.contract import read_table
from smartsbd.features.catalog import PAIR_WINDOW, feature_names
from smartsbd.models.labelled.windows import labelled_windows
from smartsbd.models.search.information import Estimator


def test_information_of_real_windows(searched: Path) -> None:
    rows = read_table(PAIR_WINDOW, searched / "data/features/kernel/pair_window.parquet").to_pandas()
    windows = labelled_windows(rows, "tiled", feature_names("all"))
    assert min(np.bincount(windows.shared)) >= 10
    for seed in range(3):
        theirs = mutual_info_classif(windows.x, windows.shared, discrete_features=False, random_state=seed)
        np.testing.assert_array_equal(Estimator(windows.x, seed=seed).nats(windows.shared), theirs)
