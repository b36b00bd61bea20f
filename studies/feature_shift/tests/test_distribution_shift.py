"""A comparison of features: on small tables made by hand."""

from __future__ import annotations

from smartsbd.models.labelled.windows import labelled_windows
from studies.feature_shift.distribution_shift import distribution_shift
from tests.models.windows_made import pair_window


def test_a_comparison_by_hand() -> None:
    rows = pair_window(4, per_connection=1, seed=0).assign(shared=[True, True, False, False])
    trained = labelled_windows(rows.assign(rtt_ed_4us=[1, 2, 3, 4]), "tiled", ("rtt_ed_4us",))
    other = labelled_windows(rows.assign(rtt_ed_4us=[1, 9, 3, 4]), "tiled", ("rtt_ed_4us",))
    shift = distribution_shift(0, trained, other)
    # Of the four pairs of a shared and another window, the shared one is larger in none, and in two.
    assert (shift["auc_trained"], shift["auc_development"]) == (0.0, 0.5)
    assert (shift["ks_shared"], shift["ks_non_shared"]) == (0.5, 0.0)
    # 1 lies below the 1 % quantile (1.03), 4 above the 99 % one (3.97), and so does 9.
    assert shift["outside"] == 0.75
