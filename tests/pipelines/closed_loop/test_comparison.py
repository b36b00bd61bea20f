"""Controls compared network by network: means, closed form and accuracy of runs made by hand."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from smartsbd.pipelines.closed_loop.comparison import ALL, accuracy_by_force, compared

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


def test_a_control_whose_twin_was_not_run_stays_in_the_table() -> None:
    """MPTCP-SBD couples by OLIA: without OLIA there is its goodput, and nothing over a twin."""
    without = pd.concat([TABLE, pd.DataFrame([run(0, "mptcp_sbd", 3.0)])])
    twins = {"lia": "lia", "reno": "reno", "switched": "lia", "mptcp_sbd": "olia"}
    of_all = list(compared(without, twins.__getitem__, **OPTIONS))
    (here,) = (row for row in of_all if (row["place"], row["control"]) == ("here", "mptcp_sbd"))
    assert (here["runs"], here["goodput_mbit_s"], here["over_lia"]) == (1, 3.0, 0.75)
    assert math.isnan(here["over_twin"]) and math.isnan(here["over_twin_most"])


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
    assert accuracy_by_force(judged[:0]).empty
