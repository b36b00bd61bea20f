"""The label of a rejected window, and a comparison of features: on small tables made by hand."""

from __future__ import annotations

from features.window import Rejected
from models.labelled.extraction import _label_of
from pipelines.stages.compare import _compared
from tests.models.windows_made import pair_window


def test_a_rejected_window_has_the_label_of_its_place() -> None:
    truth = [{"from_ns": 50, "shared": True, "site": None, "valid": True}]
    connection = {"start_ns": 0, "end_ns": 100}
    placed = _label_of(truth, connection, Rejected("tiled", "why", 60, 20))
    assert placed is not None and placed.shared
    assert _label_of(truth, connection, Rejected("tiled", "why", 40, 20)) is None
    assert _label_of(truth, connection, Rejected("tiled", "why")) is None


def test_a_comparison_by_hand() -> None:
    from models.labelled.windows import labelled_windows

    rows = pair_window(4, per_connection=1, seed=0).assign(shared=[True, True, False, False])
    trained = labelled_windows(rows.assign(rtt_ed_4us=[1, 2, 3, 4]), "tiled", ("rtt_ed_4us",))
    other = labelled_windows(rows.assign(rtt_ed_4us=[1, 9, 3, 4]), "tiled", ("rtt_ed_4us",))
    found = _compared(0, trained, other)
    # Of the four pairs of a shared and another window, the shared one is larger in none, and in two.
    assert (found["auc_trained"], found["auc_development"]) == (0.0, 0.5)
    assert (found["ks_shared"], found["ks_non_shared"]) == (0.5, 0.0)
    # 1 lies below the 1 % quantile (1.03), 4 above the 99 % one (3.97), and so does 9.
    assert found["outside"] == 0.75
