"""Boxes by hand: which subflows have a place, and in which order the boxes stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from smartsbd.models.assessment.box_plot import boxes, places


def row(subflow_a: int = 0, subflow_b: int = 1, **others: Any) -> dict[str, Any]:
    known = {"valid": True, "shared": True, "connection_id": "d/one#0", "site": None, "path_a": "lte", "path_b": None}
    return known | {"subflow_a": subflow_a, "subflow_b": subflow_b} | others


def test_a_dataset_without_a_valid_label_has_no_boxes() -> None:
    assert boxes({}, "rtt_ms").empty
    assert places([row(valid=False)], "d") == {}


def test_places_without_a_site_are_called_by_the_dataset() -> None:
    assert places([row()], "d") == {
        ("d/one#0", 0): ("d", "shared", "lte"),
        ("d/one#0", 1): ("d", "shared", "path"),
    }


def test_a_subflow_whose_pairs_have_both_labels_has_no_place() -> None:
    rows = [row(), row(0, 2, shared=False, path_b="lte")]
    assert set(places(rows, "d")) == {("d/one#0", 1), ("d/one#0", 2)}


def test_boxes_stand_by_place_then_path_then_label() -> None:
    one = [np.array([1.0]), np.array([3.0])]
    parts = {("b", "shared", "lte"): one, ("a", "shared", "wifi"): one, ("a", "shared", "lte"): one}
    found = boxes(parts | {("a", "not shared", "wifi"): one}, "rtt_ms")
    assert found[["place", "path", "label"]].to_numpy().tolist() == [
        ["a", "lte", "shared"],
        ["a", "wifi", "not shared"],
        ["a", "wifi", "shared"],
        ["b", "lte", "shared"],
    ]
    assert set(found["median"]) == {2.0} and set(found["quantity"]) == {"rtt_ms"}
