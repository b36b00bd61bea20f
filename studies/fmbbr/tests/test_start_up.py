"""What a run's start is measured by, on a truth made by hand."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest

from studies.fmbbr.start_up import METRICS, rival_rates, start_up

NS = 1_000_000_000


def truth(**changed: Any) -> dict[str, Any]:
    """20 s in intervals of half a second: the connection begins at 2 s, the rival has 5 Mbit/s but for the third."""
    intervals = [
        {
            "from_ns": step * NS // 2,
            "to_ns": (step + 1) * NS // 2,
            "delivered_bytes": 625_000 if step >= 4 else 0,
            "background_bytes": [62_500 if step == 6 else 312_500],
        }
        for step in range(40)
    ]
    subflows = [
        {"probed_mbit_s": rate, "startup_ended_ns": round(at_s * NS)} for rate, at_s in ((8.0, 2.5), (6.0, 3.25))
    ]
    return {"duration_s": 20.0, "series": {"intervals": intervals}, "subflows": subflows} | changed


def measured(own: dict[str, Any], *, beside: bool = True) -> dict[str, float]:
    return start_up(own, start_s=2.0, warm_up_s=10.0, alone_mbit_s=[10.0, 8.0], beside=beside)


def test_a_run_by_hand() -> None:
    found = measured(truth())
    assert found["goodput_mbit_s"] == pytest.approx(10)
    assert found["jain"] == pytest.approx(15**2 / (2 * (10**2 + 5**2)))
    assert found["rival_first_mbit_s"] == pytest.approx((19 * 5 + 1) / 20)
    assert found["rival_least_mbit_s"] == pytest.approx(1)
    assert found["rival_later_mbit_s"] == pytest.approx(5)
    assert (found["probed_first"], found["probed_second"]) == pytest.approx((0.8, 0.75))
    assert isnan(found["probed_third"])
    assert found["startup_s"] == pytest.approx(1.25)
    assert (found["after_2s_mb"], found["after_4s_mb"]) == pytest.approx((2.5, 5.0))
    assert tuple(found) == METRICS[: len(found)]


def test_rates_are_by_the_end_of_their_interval() -> None:
    rates = dict(rival_rates(truth(), 2.0))
    assert rates[1.5] == pytest.approx(1)
    assert rates[1.0] == rates[2.0] == pytest.approx(5)


def test_a_start_that_has_not_ended_has_no_time() -> None:
    own = truth()
    own["subflows"][1]["startup_ended_ns"] = None
    assert isnan(measured(own)["startup_s"])
    assert measured(own)["probed_second"] == pytest.approx(0.75)


def test_a_controller_that_does_not_tell_has_no_start() -> None:
    own = truth(subflows=[{}, {}])
    assert isnan(measured(own)["startup_s"]) and isnan(measured(own)["probed_first"])


def test_without_anybody_beside_there_is_no_rival() -> None:
    found = measured(truth(), beside=False)
    assert all(isnan(found[name]) for name in ("jain", "rival_first_mbit_s", "rival_least_mbit_s"))


def test_another_connection_is_a_rival_too() -> None:
    own = truth()
    for one in own["series"]["intervals"]:
        one["background_bytes"] = []
        one["further_connections"] = [{"delivered_bytes": 625_000}]
    assert measured(own)["jain"] == pytest.approx(1)
