"""Tuning sees the training side alone; differences are paired. Expected values by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from smartsbd.detectors import DETECTORS
from smartsbd.detectors.grid import ParameterGridError, best_preset, points
from smartsbd.models.assessment.comparison import accuracy_by_detector, difference, of_folds, tuned

#: Parameter set x is right on a and b alone, y on c and d, z half everywhere.
JUDGED = pd.DataFrame(
    [
        {"connection_id": name, "preset": preset, "shared": name in "ac", "right": right}
        for preset, rights in (("x", (1, 1, 0, 0)), ("y", (0, 0, 1, 1)), ("z", (0.5,) * 4))
        for name, right in zip("abcd", rights, strict=True)
    ]
)


def test_each_split_takes_what_is_best_on_its_training_side() -> None:
    rows, chosen = tuned(JUDGED, {0: {"c", "d"}, 1: {"a", "b"}, 2: {"a", "d"}})
    # Trained on a and b, x is best, and wrong on c and d. In the third split x and y are right on one label each and
    # so equal to z: the first is taken.
    assert chosen == {0: "x", 1: "y", 2: "x"}
    assert [(row.fold, row.connection_id, row.right) for row in rows.itertuples()] == [
        (0, "c", 0),
        (0, "d", 0),
        (1, "a", 0),
        (1, "b", 0),
        (2, "a", 1),
        (2, "d", 0),
    ]


def test_labels_weigh_the_same_in_a_choice() -> None:
    # x is right on three of four rows, y on one of each label.
    rows = {"preset": [*"xxxxyyyy"], "shared": [True] * 3 + [False] + [True] * 3 + [False]}
    assert best_preset(pd.DataFrame(rows | {"right": [1, 1, 1, 0, 1, 0, 0, 1]})) == "y"


def test_test_rows_of_what_needs_no_choice() -> None:
    rows = of_folds(JUDGED[JUDGED["preset"] == "z"], {0: {"c"}, 3: {"a", "c"}})
    assert list(zip(rows["fold"], rows["connection_id"], strict=True)) == [(0, "c"), (3, "a"), (3, "c")]


def test_differences_of_other_rows_are_refused() -> None:
    one = pd.DataFrame({"window": [1, 2], "right": [1.0, 1.0]})
    for other in ([1], [1, 3], [1, 2, 3]):
        with pytest.raises(ValueError, match="of which"):
            difference(one, pd.DataFrame({"window": other, "right": 0.0}), ["window"])


def test_a_grid_is_around_the_default() -> None:
    kind = DETECTORS["rfc8382"]
    found = points(kind, {"p_f": [0.1, 0.2], "n": [30]})
    assert list(found) == ["n=30,p_f=0.1", "n=30,p_f=0.2"]
    assert found["n=30,p_f=0.1"].n == 30
    assert found["n=30,p_f=0.1"].p_s == kind.presets["default"].p_s
    with pytest.raises(ParameterGridError, match=r"\['p_x'\]"):
        points(kind, {"p_x": [1]})


def test_accuracy_counts_windows_without_an_opinion_as_wrong() -> None:
    said = [("a", "x", True, True), ("a", "x", None, True), ("a", "x", False, False), ("b", "y", True, False)]
    columns = ("detector", "preset", "shared_pred", "shared")
    opinion = pd.DataFrame(said, columns=columns).assign(connection_id=["one", "two", "three", "one"])
    first, second = accuracy_by_detector(opinion, resamples=20, seed=1).to_dict("records")
    assert (first["detector"], first["parameters"], first["windows"], first["none"]) == ("a", "x", 3, 1)
    assert (first["recall_shared"], first["recall_not_shared"], first["balanced"]) == (0.5, 1, 0.75)
    assert (second["detector"], second["recall_not_shared"]) == ("b", 0)
