"""Coupling by odds beside a switch, of runs made by hand."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from smartsbd.scenarios.closed_loop.sender_control import CONTROLS
from studies.loop.by_odds import DRAWN, EPSILONS, MIXED, compared


def run(number: int, control: str, goodput: float, rivals: float, gained_from_s: float) -> dict[str, Any]:
    identity = {"experiment": "loop_sb", "variant": "one flow beside", "place": "here", "number": number}
    outcome = {"goodput_mbit_s": goodput, "rivals_mbit_s": rivals, "gained_from_s": gained_from_s}
    return identity | {"control": control} | outcome | {"apart_share": 0.5, "theta": 0.25, "first_apart_s": 3.0}


def test_each_network_is_compared_with_itself() -> None:
    made = [
        run(0, "lia", 2.0, 8.0, math.inf),
        run(1, "lia", 4.0, 4.0, math.inf),
        run(0, "reno", 3.0, 6.0, 1.0),
        run(1, "reno", 6.0, 2.0, 1.0),
        run(0, MIXED, 2.6, 7.6, 4.0),
        run(1, MIXED, 4.0, 4.0, math.inf),
    ]
    rows = {(row["place"], row["control"]): row for row in compared(pd.DataFrame(made), resamples=100, seed=1)}
    mixed = rows["all", MIXED]
    assert mixed["over_lia"] == pytest.approx((1.3 + 1.0) / 2)
    assert (mixed["networks"], mixed["too_much"], mixed["most_over_lia"]) == (2, 1, pytest.approx(1.3))
    assert mixed["rivals_over_lia"] == pytest.approx((0.95 + 1.0) / 2)
    assert mixed["gain"] == pytest.approx(0.15 / 0.5)
    assert (mixed["gained"], rows["here", "reno"]["gained_from_s"]) == (0.5, 1.0)
    assert rows["all", "reno"]["gain"] == pytest.approx(1.0)


def test_lia_is_the_mean_of_its_runs() -> None:
    made = [run(0, "lia", 1.0, 8.0, math.inf), run(0, "lia again 1", 3.0, 4.0, math.inf), run(0, MIXED, 2.2, 6.0, 4.0)]
    made += [run(0, "reno", 4.0, 3.0, 1.0)]
    rows = {row["control"]: row for row in compared(pd.DataFrame(made), resamples=100, seed=1) if row["place"] == "all"}
    assert (rows[MIXED]["over_lia"], rows[MIXED]["rivals_over_lia"]) == (pytest.approx(1.1), 1.0)
    assert (rows[MIXED]["too_much"], rows[MIXED]["single"], rows[MIXED]["single_too_much"]) == (0, 1, 1)
    assert (rows["lia"]["over_lia"], rows["lia"]["single"], rows["lia"]["single_too_much"]) == (1.0, 2, 1)


def test_what_is_chosen_on_is_not_scored() -> None:
    seeds = {name: {network.scenario.seed for _, network in drawn.drawn()} for name, drawn in DRAWN.items()}
    assert not seeds["design"] & seeds["scored"]
    names = {name: [experiment for experiment, _ in drawn.drawn()] for name, drawn in DRAWN.items()}
    assert (names["design"].count("loop_sb"), names["scored"].count("loop_sb")) == (20, 40)
    assert (names["design"].count("loop_nsb"), names["scored"].count("loop_nsb")) == (20, 60)


def test_only_epsilon_varies() -> None:
    tried = [control for name, control in DRAWN["design"].controls.items() if name.startswith("odds")]
    assert [control.verdict_parameters["epsilon"] for control in tried] == list(EPSILONS)
    assert {(control.controller, control.verdicts) for control in tried} == {("lia", "common_lag")}
    assert DRAWN["scored"].controls[MIXED] == CONTROLS[MIXED]
