"""What a run under a controller is measured by, on truths made by hand."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest

from studies.mplibra.control_quality import METRICS, after_capacity_steps, after_rival_moved, control_quality
from studies.mplibra.queueing_delay import queueing_ms

NS = 1_000_000_000


def truth(
    acked: list[tuple[int, int]], rivals: list[list[int]], waits_us: list[tuple[int, int]] | None = None, **more: Any
) -> dict[str, Any]:
    """A series of whole seconds: bytes of both subflows and of each rival, medians of the queueing delay."""
    waits_us = waits_us or [(0, 0)] * len(acked)
    intervals = [
        {
            "from_ns": place * NS,
            "to_ns": (place + 1) * NS,
            "delivered_bytes": sum(both),
            "background_bytes": beside,
            "subflows": [
                {"acked_bytes": own, "queueing_us": [0, wait, wait, wait] if own else []}
                for own, wait in zip(both, waits, strict=True)
            ],
        }
        for place, (both, beside, waits) in enumerate(zip(acked, rivals, waits_us, strict=True))
    ]
    return {
        "duration_s": len(acked),
        "connection": {"delivered_bytes": sum(map(sum, acked)), **more},
        "subflows": [{"acked_bytes": sum(both[place] for both in acked), "modes": []} for place in range(2)],
        "series": {"quantiles": [0.1, 0.5, 0.9, 0.99], "intervals": intervals},
    }


def measured(own: dict[str, Any]) -> dict[str, float]:
    return control_quality(own, capacity_mbit_s=20.0, start_s=0.5, warm_up_s=1.0)


def test_utilisation_is_of_all_that_was_received_after_the_warm_up() -> None:
    """8 and 4 Mbit/s of the subflows and 6 of the rivals in the mean, of 20."""
    own = truth([(9, 9), (1_000_000, 500_000), (1_000_000, 500_000)], [[9, 9], [500_000, 0], [500_000, 500_000]])
    found = measured(own)
    assert found["goodput_mbit_s"] == pytest.approx(12)
    assert found["rivals_mbit_s"] == pytest.approx(6)
    assert found["first_mbit_s"] == pytest.approx(8)
    assert found["utilisation"] == pytest.approx(18 / 20)
    assert found["link_share"] == pytest.approx(12 / 20)
    assert found["jain"] == pytest.approx((12 + 4 + 2) ** 2 / (3 * (12**2 + 4**2 + 2**2)))
    assert set(found) <= set(METRICS)


def test_without_rivals_there_is_nothing_of_them() -> None:
    found = measured(truth([(0, 0), (1_250_000, 1_250_000)], [[], []]))
    assert isnan(found["rivals_mbit_s"]) and isnan(found["jain"])
    assert found["utilisation"] == found["link_share"] == pytest.approx(1)


def test_a_transfer_that_ends_has_a_time_and_no_utilisation() -> None:
    own = truth([(500_000, 500_000)] * 2, [[], []], transfer_bytes=2_000_000, completed_ns=2 * NS)
    found = measured(own)
    assert found["completion_s"] == pytest.approx(1.5)
    assert found["goodput_mbit_s"] == pytest.approx(16 / 1.5)
    assert all(isnan(found[name]) for name in ("utilisation", "rivals_mbit_s", "first_mbit_s"))


def test_delay_is_that_of_medians_by_what_was_acknowledged() -> None:
    own = truth([(9, 9), (300, 100), (0, 100)], [[]] * 3, [(99_000, 99_000), (10_000, 30_000), (99_000, 50_000)])
    assert queueing_ms(own, 1.0) == pytest.approx((300 * 10 + 100 * 30 + 100 * 50) / 500)
    assert isnan(queueing_ms(truth([(0, 0)], [[]]), 0))


def test_steps_are_judged_by_the_slower_subflow() -> None:
    """4 Mbit/s each to 10 s, 8 to 30 s, and 4 again; the second one takes 5 s up, and the queue is high for 2 s."""
    low, high = (500_000, 500_000), (1_000_000, 1_000_000)
    rates = [low] * 10 + [(1_000_000, 500_000)] * 5 + [high] * 15 + [low] * 20
    waits = [(0, 0)] * 30 + [(80_000, 80_000)] * 2 + [(0, 0)] * (len(rates) - 32)
    own = truth(rates, [[]] * len(rates), waits)
    own["duration_s"] = len(rates)
    found = after_capacity_steps(own, b"", up_s=10, down_s=30, base_rtts_ms=[120, 120])
    assert found["up_s"] == 5
    assert found["rtt_back_s"] == 2
    assert found["loss_first"] == 0
    assert set(found) <= set(METRICS)


def test_a_shift_is_from_the_first_subflow_to_the_second() -> None:
    rates = [(800_000, 200_000)] * 24 + [(200_000, 800_000)] * 16
    own = truth(rates, [[]] * 40)
    assert after_rival_moved(own, 20) == {"shift_s": 6}
    back = truth([(b, a) for a, b in rates], [[]] * 40)
    assert after_rival_moved(back, 20) == {"shift_s": 20}
