"""Outcomes of runs with the loop closed, on small truths whose values are computed by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from smartsbd.pipelines.closed_loop.run_outcome import jain, judged, outcome, seconds, switches

S = 10**9


def truth(*labels: tuple[int, bool]) -> dict[str, Any]:
    """A connection of two subflows from 1 s to 11 s that delivers 1 MB a second, a rival that receives 0.5 MB."""
    intervals = [
        {
            "from_ns": at * S,
            "to_ns": (at + 1) * S,
            "delivered_bytes": 1_000_000 if at else 0,
            "background_bytes": [7, 500_000],
            "subflows": [{"group": 0}, {"group": int(at > 5)}],
        }
        for at in range(11)
    ]
    return {
        "duration_s": 11.0,
        "subflows": [{"established_ns": S}, {"established_ns": 2 * S}],
        "connection": {"delivered_bytes": 10_000_000},
        "pairs": [{"subflow_a": 0, "subflow_b": 1, "from_ns": at, "shared": shared} for at, shared in labels],
        "series": {"intervals": intervals},
    }


def told(*groups: tuple[int, list[int]], **more: Any) -> dict[str, Any]:
    return {"groups": [{"from_ns": at, "groups": own} for at, own in groups], "verdicts": [], **more}


def test_rates_are_taken_from_the_first_handshake_on() -> None:
    one = outcome(truth((0, True)), None, 1)
    assert (one.goodput_mbit_s, one.rival_mbit_s) == pytest.approx((8.0, 4.0))
    assert one.jain == pytest.approx(144 / 160) == jain([8.0, 4.0])
    assert math.isnan(one.apart_share) and math.isnan(one.changes)
    assert math.isnan(outcome(truth((0, True)), None, None).jain)


def test_shares_of_time_are_those_of_groups_and_labels() -> None:
    """Shared up to 6 s; groups part at 4 s: 3 s right, 2 s wrong, 5 s right."""
    one = outcome(truth((0, True), (6 * S, False)), told((0, [0, 0]), (4 * S, [0, 1])), None)
    assert one.apart_share == pytest.approx(0.7)
    assert one.right_share == pytest.approx(0.8)
    assert (one.right_at_end, one.changes, one.first_apart_s) == (1.0, 1, 3.0)


def test_what_never_parts_parts_after_infinity_and_what_begins_apart_at_once() -> None:
    assert outcome(truth((0, False)), told((0, [0, 0])), None).first_apart_s == math.inf
    one = outcome(truth((0, True)), told((0, [0, 1])), None)
    assert (one.first_apart_s, one.apart_share, one.right_share, one.right_at_end) == (0.0, 1.0, 0.0, 0.0)


def test_shares_are_over_all_pairs() -> None:
    three = truth((0, True))
    three["subflows"].append({"established_ns": 2 * S})
    three["pairs"] += [{"subflow_a": a, "subflow_b": 2, "from_ns": 0, "shared": False} for a in (0, 1)]
    one = outcome(three, told((0, [0, 0, 0]), (6 * S, [0, 0, 1])), None)
    assert one.apart_share == pytest.approx(2 / 3 * 0.5)
    assert one.right_share == pytest.approx(1 / 3 + 2 / 3 * 0.5)
    assert one.right_at_end == 1.0


def window(from_s: float, to_s: float, shared: bool) -> dict[str, Any]:
    length_ns = round((to_s - from_s) * S)
    return {
        "subflow_a": 0,
        "subflow_b": 1,
        "window_start_ns": round(from_s * S),
        "window_ns": length_ns,
        "shared": shared,
    }


def test_a_window_has_the_label_and_the_control_of_its_time() -> None:
    windows = [window(1, 3, True), window(3, 5, True), window(5, 7, False), window(7, 9, False)]
    run = told((0, [0, 0]), (4 * S, [0, 1])) | {"verdicts": windows, "decided": 4}
    found = list(judged(truth((0, True), (6 * S, False)), run))
    assert [one["in_force"] for one in found] == ["coupled", "both", "apart", "apart"]
    assert [one["shared"] for one in found] == [True, True, None, False]
    assert [one["said"] for one in found] == [True, True, False, False]
    assert [one["decided_ns"] for one in found] == [3 * S, 5 * S, 7 * S, 9 * S]


def test_a_change_at_the_end_of_a_window_is_not_of_it() -> None:
    run = told((0, [0, 0]), (3 * S, [0, 1])) | {"verdicts": [window(1, 3, False)], "decided": 1}
    (one,) = judged(truth((0, True), (3 * S, False)), run)
    assert (one["in_force"], one["shared"]) == ("coupled", True)


def test_judgements_may_be_left_open_and_opinions_of_baselines_are_no_windows() -> None:
    said = [
        {"subflow_a": 0, "subflow_b": 1, "decided_ns": at * S, "said": word}
        for at, word in ((3, "shared"), (5, "apart"), (7, "between"))
    ]
    run = told((0, [0, 0]), (4 * S, [0, 1])) | {"judgements": said}
    found = [(one["said"], one["in_force"]) for one in judged(truth((0, True)), run)]
    assert found == [(True, "coupled"), (False, "apart"), (None, "apart")]
    assert list(judged(truth((0, True)), told((0, [0, 0])) | {"verdicts": [{"from_ns": 1, "groups": [0, 1]}]})) == []


def test_delays_are_counted_from_the_change_up_to_the_next() -> None:
    moving = truth((0, True), (4 * S, False), (8 * S, True))
    late, missed = switches(moving, told((0, [0, 0]), (5 * S, [0, 1])), 20.0)
    assert (late["delay_s"], late["delay_windows"], late["held"]) == (1.0, 1.0, False)
    assert (missed["delay_s"], missed["held"], missed["shared"]) == (math.inf, False, True)
    first, second = switches(moving, told((0, [0, 1]), (7 * S, [0, 0])), 20.0)
    assert (first["delay_s"], first["held"]) == (0.0, True)
    assert (second["delay_s"], second["held"]) == (0.0, True)


def test_seconds_have_rates_and_how_many_groups_there_are() -> None:
    found = list(seconds(truth((0, True)), 1))
    assert len(found) == 11
    assert found[5] == {"from_s": 5.0, "goodput_mbit_s": 8.0, "rival_mbit_s": 4.0, "groups": 1}
    assert found[6]["groups"] == 2
    assert math.isnan(next(seconds(truth((0, True)), None))["rival_mbit_s"])
