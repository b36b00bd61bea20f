"""What a run came to, against values computed by hand."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest

from studies.transfers.performance import (
    METRICS,
    begun,
    ended,
    jain_index,
    noticed,
    performance,
    share_in_mode,
    variation,
)

S = 1_000_000_000
MODES = [
    {"from_ns": S, "mode": "start"},
    {"from_ns": 2 * S, "mode": "learn"},
    {"from_ns": 4 * S, "mode": "watch"},
    {"from_ns": 8 * S, "mode": "learn"},
]


def truth(delivered: list[int], rival: list[int] | None = None, **connection: Any) -> dict[str, Any]:
    """A series of whole seconds; the second subflow has a quarter of what was acknowledged."""
    intervals = [
        {
            "from_ns": place * S,
            "to_ns": (place + 1) * S,
            "delivered_bytes": count,
            "background_bytes": [] if rival is None else [rival[place]],
        }
        for place, count in enumerate(delivered)
    ]
    return {
        "duration_s": len(delivered),
        "connection": {"delivered_bytes": sum(delivered), **connection},
        "subflows": [{"acked_bytes": 300, "modes": MODES}, {"acked_bytes": 100, "modes": []}],
        "series": {"intervals": intervals},
    }


def measured(of: dict[str, Any], **more: Any) -> dict[str, float]:
    usual: dict[str, Any] = {"capacity_mbit_s": 16.0, "start_s": 0.5, "warm_up_s": 2.0}
    return performance(of, **{**usual, **more})


def test_goodput_is_of_whole_intervals_after_the_warm_up() -> None:
    """1 and 3 MB in a second each are 16 Mbit/s in the mean; what came before does not count."""
    found = measured(truth([9_000_000, 9_000_000, 1_000_000, 3_000_000]))
    assert set(found) == set(METRICS)
    assert (found["goodput_mbit_s"], found["link_share"], found["variation"]) == pytest.approx((16.0, 1.0, 0.5))
    assert found["last_share"] == 0.25
    assert all(isnan(found[name]) for name in ("jain", "completion_s", "learn_share", "noticed_share"))


def test_the_connection_is_one_flow_beside_its_rival() -> None:
    found = measured(truth([0, 0, 3_000_000, 3_000_000], [7, 7, 1_000_000, 1_000_000]))
    assert found["jain"] == pytest.approx(0.8)
    assert isnan(measured(truth([0, 0, 0], [5, 5, 0]))["jain"])


def test_a_further_connection_is_one_flow_too() -> None:
    """Three flows of 3, 1 and 2 MB have an index of 36 / 42; the warm-up does not count."""
    of = truth([0, 0, 3_000_000], [7, 7, 1_000_000])
    for interval, delivered in zip(of["series"]["intervals"], (9, 9, 2_000_000), strict=True):
        interval["further_connections"] = [{"delivered_bytes": delivered, "acked_bytes": [delivered, 5]}]
    assert measured(of)["jain"] == pytest.approx(36 / 42)


def test_a_transfer_is_timed_from_its_syn_to_its_last_byte() -> None:
    found = measured(
        truth([1_000_000, 1_000_000, 0], transfer_bytes=2_000_000, completed_ns=2 * S + S // 2), learns=True
    )
    assert (found["completion_s"], found["goodput_mbit_s"]) == pytest.approx((2.0, 8.0))
    assert isnan(found["variation"]) and isnan(found["learn_share"])
    assert ended(found)


def test_a_transfer_that_does_not_end_has_no_goodput() -> None:
    found = measured(truth([1_000_000, 0, 0], transfer_bytes=2_000_000, completed_ns=None))
    assert isnan(found["goodput_mbit_s"]) and isnan(found["completion_s"])
    assert not ended(found)


def test_learning_is_counted_where_the_controller_can() -> None:
    """Of 9 s from the first mode on, it learns from 2 to 4 and from 8 to 10: 4. It begins to once in the last 8 s."""
    found = measured(truth([1] * 10), learns=True, changes_s=(3.0, 5.0))
    assert found["learn_share"] == pytest.approx(4 / 9)
    assert found["learns_per_minute"] == pytest.approx(2 / (8 / 60))
    assert found["noticed_share"] == 1.0
    assert isnan(measured(truth([1] * 10))["learns_per_minute"])


def test_a_change_is_noticed_in_time_or_not_at_all() -> None:
    assert noticed(MODES, 3.0)  # It learns already.
    assert noticed(MODES, 3.5) and noticed(MODES, 4.0 + 1e-6)
    assert not noticed(MODES[:3], 4.5)
    assert not noticed([{"from_ns": 0, "mode": "watch"}, {"from_ns": 11 * S, "mode": "learn"}], 5.0)


def test_parts() -> None:
    assert jain_index([2, 2, 2]) == 1 and jain_index([1, 0, 0, 0]) == 0.25 and isnan(jain_index([0, 0]))
    assert variation([2, 4, 6]) == pytest.approx((8 / 3) ** 0.5 / 4)
    assert isnan(variation([])) and isnan(variation([0, 0]))
    assert share_in_mode("watch", MODES, 10) == pytest.approx(4 / 9)
    assert [begun("learn", MODES, begin, end) for begin, end in ((0, 10), (2, 8), (3, 8))] == [2, 1, 0]
