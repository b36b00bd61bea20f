"""The tables, from rows whose shares are known."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from studies.active import check_tables


def pair(**known: Any) -> dict[str, Any]:
    row: dict[str, Any] = {"set": "net", "number": 0, "shared": False, "used": 1.0, "active": None}
    row |= {"active_ever_shared": False, "active_m": 10.0, "active_s": 1.0}
    return row | known


def test_a_verdict_that_was_once_shared_counts_even_if_it_is_taken_back() -> None:
    rows = pd.DataFrame(
        [
            pair(active=False, active_ever_shared=True),
            pair(active=True, active_ever_shared=True),
            pair(active=False),
            pair(),
            pair(shared=True, active=True, active_ever_shared=True),
            pair(shared=True, active=False),
        ]
    )
    of_net, of_all = check_tables.check(rows)
    for row in (of_net, of_all):
        assert (row["separate"], row["false_shared_pairs"], row["ever_shared_pairs"]) == (4, 1, 2)
        assert (row["shared"], row["false_apart_pairs"], row["decided_pairs"]) == (2, 1, 5)
        assert row["right_of_decided"] == 0.6
        assert row["right_of_all"] == 0.5


def test_flow_queues_are_in_no_sum() -> None:
    rows = pd.DataFrame([pair(active=False), pair(set="fq_codel", active=True, active_ever_shared=True)])
    by_set = {row["set"]: row for row in check_tables.check(rows)}
    assert by_set["fq_codel"]["ever_shared_pairs"] == 1
    assert by_set["all"]["pairs"] == 1
    assert by_set["all"]["ever_shared_pairs"] == 0


def test_networks_that_were_not_used_do_not_count_except_of_sets_that_count_whole() -> None:
    rows = pd.DataFrame([pair(used=0.89), pair(used=0.9), pair(set="twin", used=0.5)])
    assert check_tables.counted(rows)["used"].tolist() == [0.9, 0.5]


def test_the_free_veto_takes_shared_back_alone() -> None:
    rows = pd.DataFrame(
        {
            "lia common-lag": [True, True, False, None, True],
            "lia rubenstein-r": [False, True, False, False, None],
        }
    )
    assert check_tables.vetoed(rows).tolist() == [pd.NA, True, False, pd.NA, True]


def test_what_a_control_gains_is_over_the_other_on_the_same_network() -> None:
    rows = [
        {"set": "net", "number": number, "shared": False, "control": control, "goodput_mbit_s": goodput}
        | {"rivals_mbit_s": 2.0, "apart_share": 0.5}
        for number, goodputs in enumerate([(1, 2, 1, 2), (2, 2, 2, 3)])
        for control, goodput in zip(("lia", "reno", "common_lag", "checked"), goodputs, strict=True)
    ]
    runs = pd.DataFrame(rows)
    by_control = {row["control"]: row for row in check_tables.loop(runs, resamples=50, seed=1) if row["set"] == "net"}
    assert by_control["reno"]["over_lia"] == 1.5
    assert by_control["checked"]["over_lia"] == 1.75
    assert by_control["checked"]["over_switch"] == 1.75
    assert by_control["common_lag"]["over_lia"] == 1.0


@pytest.mark.parametrize(
    ("products", "name"), [(0.0, "below 0.5"), (0.5, "0.5 to 1"), (1.99, "1 to 2"), (9.0, "2 and more")]
)
def test_queues_are_told_apart_by_their_depth(products: float, name: str) -> None:
    assert check_tables.depth(products) == name
