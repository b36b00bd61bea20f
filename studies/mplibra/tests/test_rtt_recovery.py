"""When RTTs are back after a halving and whether a loss came first, on a truth and event lines made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from studies.mplibra.rtt_recovery import losses_s, rtt_back

HALF_NS = 500_000_000
QUANTILES = [0.1, 0.5, 0.9, 0.99]


def truth(*waits_ms: list[float | None]) -> dict[str, Any]:
    """Each subflow's 90 % quantile in intervals of half a second from 10 s on; None where nothing was acknowledged."""
    intervals = [
        {
            "from_ns": 20 * HALF_NS + place * HALF_NS,
            "to_ns": 20 * HALF_NS + (place + 1) * HALF_NS,
            "subflows": [
                {"queueing_us": [] if wait is None else [0, 0, round(1000 * wait), 999_000]} for wait in column
            ],
        }
        for place, column in enumerate(zip(*waits_ms, strict=True))
    ]
    return {"series": {"quantiles": QUANTILES, "intervals": intervals}}


def events(*lost: tuple[float, int, int]) -> bytes:
    lines = [f"{round(at_s * 1e9)} C=0000000a SF={subflow} V=CA {state}" for at_s, subflow, state in lost]
    return ("\n".join(["1 C=0000000a SF=0 V=RTT 120000", *lines]) + "\n").encode()


def found(own: dict[str, Any], logged: bytes = b"", subflows: int = 1) -> dict[str, float]:
    return rtt_back(own, logged, change_s=10, end_s=14, base_rtts_ms=[120.0] * subflows)


def test_the_first_time_that_is_high_ends_it() -> None:
    """High from 60 ms on; what rises again later has other reasons."""
    own = truth([10, 60, 90, 59.9, 80, 80, 10, 10])
    assert found(own) == {"rtt_back_s": 1.5, "loss_first": 0}


def test_what_is_never_high_takes_no_time_and_what_stays_high_all_of_it() -> None:
    assert found(truth([59] * 8))["rtt_back_s"] == 0
    assert found(truth([60] * 8))["rtt_back_s"] == 4
    # A queue that grows more than two seconds after the change.
    assert found(truth([0, 0, 0, 0, 90, 90, 90, 90]))["rtt_back_s"] == 0


def test_the_slowest_subflow_counts() -> None:
    own = truth([90, 0, 0, 0, 0, 0, 0, 0], [90, 90, 90, 0, 0, 0, 0, 0])
    assert found(own, subflows=2)["rtt_back_s"] == 1.5


def test_silence_is_as_what_came_before() -> None:
    assert found(truth([90, None, None, 0, 0, 0, 0, 0]))["rtt_back_s"] == 1.5
    assert found(truth([None, None, 0, 0, 0, 0, 0, 0]))["rtt_back_s"] == 0


@pytest.mark.parametrize(
    ("lost", "first"),
    [
        ([(10.9, 0, 3)], 1),
        ([(10.9, 0, 4)], 1),
        ([(9.9, 0, 3)], 0),
        ([(11.1, 0, 3)], 0),
        ([(10.9, 1, 3)], 0),
        ([(10.9, 0, 0)], 0),
        ([(10.9, 0, 2)], 0),
    ],
)
def test_a_loss_comes_first_if_the_subflow_has_one_before_it_is_back(
    lost: list[tuple[float, int, int]], first: int
) -> None:
    own = truth([90, 90, 0, 0, 0, 0, 0, 0], [0] * 8)
    assert found(own, events(*lost), subflows=2)["loss_first"] == first


def test_losses_are_changes_to_recovery_and_loss() -> None:
    logged = events((1.5, 0, 3), (2.0, 0, 0), (2.5, 1, 4), (3.0, 0, 4))
    assert losses_s(logged, 0) == [1.5, 3.0]
    assert losses_s(logged, 1) == [2.5]
