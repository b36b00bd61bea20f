"""What a run under a scheduler came to, from a truth of known numbers."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest

from studies.transfers.scheduling import METRICS, scheduling

_S = 1_000_000_000


def truth(**connection: Any) -> dict[str, Any]:
    whole = {
        "delivered_bytes": 1_000_000,
        "copied_segments": 100,
        "order_delay_us": {"segments": 1000, "mean": 2000, "p50": 0, "p95": 9000, "p99": 9500, "most": 10_000},
    }
    return {
        "duration_s": 10.5,
        "connection": whole | connection,
        "subflows": [{"acked_bytes": 900_000}, {"acked_bytes": 100_000}],
    }


def test_numbers_are_those_of_the_truth() -> None:
    found = scheduling(truth(), mss_bytes=1000, start_s=0.5)
    assert tuple(found) == METRICS
    assert (found["goodput_mbit_s"], found["copies_share"]) == (0.8, 0.1)
    assert (found["order_delay_ms"], found["order_delay_p95_ms"]) == (2.0, 9.0)
    for name in ("third_share", "mean_reward", "restarts", "until_none_s", "until_all_s"):
        assert isnan(found[name])


def test_a_learner_is_asked_when_it_found_each_share() -> None:
    rounds = [
        {"from_ns": second * _S, "share": 0.5, "reward": None if second == 3 else 0.5, "changed": second in (4, 5)}
        for second in range(10)
    ]
    found = scheduling(truth(rounds=rounds), mss_bytes=1000, start_s=0.5, changes_s=(3.5,))
    assert (found["mean_reward"], found["restarts"]) == (0.5, 2)
    # More than half of ten intervals have it when the sixth begins, 1.5 s after the change.
    assert found["until_half_s"] == 1.5
    assert isnan(found["until_all_s"])


def test_nothing_delivered_has_no_shares_and_no_delays() -> None:
    nothing = truth(delivered_bytes=0, copied_segments=0, order_delay_us=None)
    nothing["subflows"] = [{"acked_bytes": 0}] * 3
    found = scheduling(nothing, mss_bytes=1000, start_s=0.5)
    assert found["goodput_mbit_s"] == 0
    assert all(isnan(found[name]) for name in ("copies_share", "order_delay_ms", "third_share"))


def test_the_third_subflow_has_a_share() -> None:
    three = truth()
    three["subflows"].append({"acked_bytes": 1_000_000})
    assert scheduling(three, mss_bytes=1000, start_s=0.5)["third_share"] == pytest.approx(0.5)
