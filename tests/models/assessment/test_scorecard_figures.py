"""The figures of a scorecard, on verdicts whose figures are known."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from smartsbd.detectors.scoring import OnPair
from smartsbd.models.assessment.scorecard_figures import figures, rows_of
from smartsbd.models.labelled.labelled_connection import RAMPS, SWAPPED_PARTNERS, LabelledConnection, LabelledPair
from tests.models.assessment.test_input_diagnosis import S, queues

#: From 1 s to 21 s, a queue each.
CONNECTION = queues(1, common=False)


def labelled_as(name: str, shared: bool, made: str = "") -> LabelledConnection:
    path = {"congestion_control": "cubic" if shared else "reno", "loss_a_ratio": 0.0, "loss_b_ratio": 0.02}
    return replace(CONNECTION, name=name, made=made, pairs=(LabelledPair(0, 1, shared, 2 * S, path),))


#: Label, what is said and from when on, and what was made.
SAID = [
    (True, OnPair((3 * S, 5 * S), (False, True)), ""),
    (True, OnPair((4 * S,), (True,)), ""),
    (True, OnPair((), ()), ""),
    (False, OnPair((6 * S,), (True,)), ""),
    (False, OnPair((1 * S, 9 * S), (False, None)), ""),
    (False, OnPair((6 * S,), (True,)), SWAPPED_PARTNERS),
    (False, OnPair((6 * S,), (False,)), SWAPPED_PARTNERS),
    (False, OnPair((), ()), RAMPS),
]


def test_figures_of_known_verdicts() -> None:
    rows = [
        row
        for number, (shared, on, made) in enumerate(SAID)
        for row in rows_of(labelled_as(str(number), shared, made), {"judged": {(0, 1): on}, "silent": {}})
    ]
    judged, silent = figures(pd.DataFrame(rows), resamples=100, seed=1)
    assert judged["detector"] == "judged"
    assert {name: judged[name] for name in ("pairs", "right", "wrong", "none", "coverage")} == {
        "pairs": 5,
        "right": pytest.approx(2 / 5),
        "wrong": 1,
        "none": 2,
        "coverage": pytest.approx(3 / 5),
    }
    assert judged["decided"] == pytest.approx(2 / 3)
    # Right 3 s and 2 s after the label holds, and at once where it was said before.
    assert (judged["delay_s"], judged["ever_right"]) == (2.0, 3)
    assert judged["false_sharing"] == {
        "not shared": {"shared": 1, "of": 2, "decided": 1},
        SWAPPED_PARTNERS: {"shared": 1, "of": 2, "decided": 2},
        RAMPS: {"shared": 0, "of": 1, "decided": 0},
    }
    assert {value: part["pairs"] for value, part in judged["by"]["controller"].items()} == {"cubic": 3, "reno": 2}
    assert judged["by"]["loss"]["above 1 %"]["right"] == pytest.approx(2 / 5)
    assert (silent["right"], silent["coverage"], silent["decided"], silent["delay_s"]) == (0, 0, None, None)
