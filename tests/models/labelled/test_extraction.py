"""The label of a rejected window: on a truth made by hand."""

from __future__ import annotations

from smartsbd.features.window import Rejected
from smartsbd.models.labelled.extraction import label_of_rejected


def test_a_rejected_window_has_the_label_of_its_place() -> None:
    truth = [{"from_ns": 50, "shared": True, "site": None, "valid": True}]
    connection = {"start_ns": 0, "end_ns": 100}
    placed = label_of_rejected(truth, connection, Rejected("tiled", "why", 60, 20))
    assert placed is not None and placed.shared
    assert label_of_rejected(truth, connection, Rejected("tiled", "why", 40, 20)) is None
    assert label_of_rejected(truth, connection, Rejected("tiled", "why")) is None
