"""Controls compared network by network: means, closed form, accuracy, delays and harm of runs made by hand."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from models.closed_loop.comparison import (
    ALL,
    CHAIN,
    DELAYS,
    HARM,
    accuracy_by_force,
    compared,
    delays,
    harm,
    two_state_chain,
)

OPTIONS = {"resamples": 200, "seed": 1}
NOTHING = dict.fromkeys(("rival_mbit_s", "jain", "apart_share", "right_share", "right_at_end"), math.nan)


def run(number: int, control: str, goodput: float, place: str = "here", **more: Any) -> dict[str, Any]:
    identity = {"experiment": "one", "variant": "only", "place": place, "number": number, "control": control}
    return identity | NOTHING | {"goodput_mbit_s": goodput} | more


def rows(table: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    twins = {"lia": "lia", "reno": "reno", "switched": "lia"}
    return {(one["place"], one["control"]): one for one in compared(table, twins.__getitem__, **OPTIONS)}


TABLE = pd.DataFrame(
    [
        run(0, "lia", 4.0),
        run(0, "reno", 8.0),
        run(0, "switched", 6.0, apart_share=0.5, right_share=0.5, right_at_end=1.0),
        run(1, "lia", 5.0),
        run(1, "reno", 10.0),
        run(1, "switched", 9.0, apart_share=0.75, right_share=0.75, right_at_end=0.0),
        run(0, "lia", 1.0, "there"),
        run(0, "reno", 1.0, "there"),
        run(0, "switched", 2.0, "there", apart_share=1.0, right_share=0.0, right_at_end=0.0),
    ]
)


def test_goodput_is_compared_on_the_same_network() -> None:
    found = rows(TABLE)
    here = found["here", "switched"]
    assert here["over_twin"] == here["over_lia"] == pytest.approx((6 / 4 + 9 / 5) / 2)
    assert here["over_twin_most"] == pytest.approx(1.8)
    assert here["over_reno"] == pytest.approx((6 / 8 + 9 / 10) / 2)
    assert (here["runs"], here["right_at_end"]) == (2, 0.5)
    assert found["here", "reno"]["over_lia"] == 2.0
    assert found["here", "reno"]["over_twin"] == 1.0
    assert found[ALL, "switched"]["over_twin"] == pytest.approx((1.5 + 1.8 + 2.0) / 3)


def test_the_closed_form_is_taken_off_network_by_network() -> None:
    """1 + 0.5 (2 - 1) = 1.5 and 1 + 0.75 (2 - 1) = 1.75; over there Reno gains nothing."""
    found = rows(TABLE)
    assert found["here", "switched"]["off_closed_form"] == pytest.approx((0.0 + 0.05) / 2)
    assert found["there", "switched"]["off_closed_form"] == pytest.approx(1.0)
    assert math.isnan(found["here", "lia"]["off_closed_form"])


def test_intervals_are_of_networks() -> None:
    here = rows(TABLE)["here", "switched"]
    assert here["over_twin_low"] == pytest.approx(1.5) and here["over_twin_high"] == pytest.approx(1.8)
    there = rows(TABLE)["there", "switched"]
    assert there["over_twin"] == 2.0 and math.isnan(there["over_twin_low"])
    assert math.isnan(rows(TABLE)["here", "lia"]["off_closed_form"])
    whole = rows(TABLE)["here", "lia"]
    assert (whole["over_twin_low"], whole["over_twin_high"]) == (1.0, 1.0)


def test_accuracy_leaves_out_what_changed_and_counts_what_was_left_open() -> None:
    verdicts = [
        ("coupled", True, True),
        ("coupled", True, False),
        ("coupled", True, None),
        ("both", True, False),
        ("apart", True, False),
        ("coupled", None, True),
        ("apart", False, False),
    ]
    judged = pd.DataFrame(
        [
            {"experiment": "one", "judge": "tree", "control": "tree", "in_force": force, "shared": shared, "said": said}
            for force, shared, said in verdicts
        ]
    )
    found = accuracy_by_force(judged)[["shared", "in_force", "verdicts", "open", "right"]]
    assert list(found.itertuples(index=False, name=None)) == [
        (False, "apart", 1, 0, 1.0),
        (True, "apart", 1, 0, 0.0),
        (True, "coupled", 3, 1, 0.5),
    ]


def test_a_chain_of_two_states_follows_from_verdicts_on_unswitched_runs() -> None:
    """Where nothing is shared: apart with chance 0.75, back with 0.25, so 0.75 of the time. Others are left out."""
    said = [("lia", False)] * 3 + [("lia", True), ("lia", None)] + [("reno", False)] * 3 + [("reno", True)]
    said += [("tree", True)] * 9
    judged = pd.DataFrame(
        [
            {"experiment": name, "variant": "only", "judge": "tree", "control": control, "said": one, "shared": label}
            for name, labels in (("one", (False,)), ("moving", (False, True)), ("unknown", (None,)))
            for label in labels
            for control, one in said
        ]
    )
    table = pd.DataFrame([run(0, "tree", 1.0, apart_share=0.5), run(1, "tree", 1.0, apart_share=0.7)])
    (found,) = two_state_chain(judged, table, "lia", "reno")
    assert tuple(found) == CHAIN
    assert (found["shared"], found["right_coupled"], found["right_apart"]) == (False, 0.75, 0.75)
    assert (found["chain_share"], found["apart_share"]) == (pytest.approx(0.75), pytest.approx(0.6))
    assert list(two_state_chain(judged, table.assign(control="other"), "lia", "reno")) == []
    assert list(two_state_chain(judged[:0], table, "lia", "reno")) == []


def test_harm_is_what_is_left_of_what_a_rival_has_beside_one_path() -> None:
    table = pd.DataFrame(
        [
            run(0, "one path", 5.0, rival_mbit_s=4.0),
            run(0, "reno", 6.0, rival_mbit_s=3.0),
            run(1, "one path", 5.0, rival_mbit_s=5.0),
            run(1, "reno", 6.0, rival_mbit_s=2.5),
        ]
    )
    found = {(one["place"], one["control"]): one for one in harm(table, "one path", **OPTIONS)}
    assert found["here", "reno"]["rival_share"] == pytest.approx((0.75 + 0.5) / 2)
    assert found[ALL, "one path"]["rival_share"] == 1.0
    assert tuple(found[ALL, "one path"]) == HARM
    assert list(harm(table[:0], "one path", **OPTIONS)) == []


def test_delays_are_medians_of_what_was_not_right_already() -> None:
    changes = [(False, 2.0), (False, math.inf), (False, 4.0), (True, 0.0)]
    table = pd.DataFrame(
        [
            {"variant": "only", "place": "here", "control": "tree", "shared": True, "held": held, "delay_s": delay}
            | {"delay_windows": delay / 2}
            for held, delay in changes
        ]
    )
    here, pooled = delays(table)
    assert (here["changes"], here["held"], here["never"]) == (4, 1, 1)
    assert (here["delay_s"], here["delay_windows"]) == (4.0, 2.0)
    assert pooled == here | {"place": ALL}
    assert tuple(here) == DELAYS
    assert list(delays(table[:0])) == [] and accuracy_by_force(table[:0]).empty
