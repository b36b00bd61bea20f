"""How long a load takes to shift, on rates made by hand."""

from __future__ import annotations

import pytest

from studies.mplibra.load_shift import shifted_after_s
from studies.mplibra.rate_series import RateSeries

EDGES = tuple(0.5 * step for step in range(81))


def shift(*, moved_at_s: float, way_s: float = 0.0) -> tuple[RateSeries, RateSeries]:
    """4 and 1 Mbit/s until the second takes over, evenly in a time."""

    def taken(at_s: float) -> float:
        moved = min(1.0, max(0.0, (at_s - moved_at_s) / way_s)) if way_s else float(at_s >= moved_at_s)
        return 1 + 3 * moved

    taking = tuple(taken(at_s) for at_s in EDGES[:-1])
    return RateSeries(EDGES, tuple(5 - rate for rate in taking)), RateSeries(EDGES, taking)


@pytest.mark.parametrize(("moved_at_s", "found_s"), [(20, 2.0), (23, 5.0), (30, 12.0)])
def test_a_load_that_moves_at_once(moved_at_s: float, found_s: float) -> None:
    assert shifted_after_s(*shift(moved_at_s=moved_at_s), 20, 40) == pytest.approx(found_s, abs=0.5)


def test_a_load_that_takes_its_time_has_shifted_near_the_end_of_the_way() -> None:
    """0.9 of the way in ten seconds is after nine; the mean of two seconds is as long as one behind."""
    assert shifted_after_s(*shift(moved_at_s=20, way_s=10), 20, 40) == pytest.approx(10, abs=0.5)


def test_a_load_that_stays_counts_with_the_whole_time() -> None:
    leaving, taking = shift(moved_at_s=100)
    assert shifted_after_s(leaving, taking, 20, 40) == 20
    assert shifted_after_s(taking, leaving, 20, 40) == 20


def test_nobody_who_sends_shifts_nothing() -> None:
    nothing = RateSeries(EDGES, (0.0,) * 80)
    assert shifted_after_s(nothing, nothing, 20, 40) == 20


def test_a_hair_is_no_shift() -> None:
    taking = RateSeries(EDGES, tuple(1 + 0.1 * (at_s >= 20) for at_s in EDGES[:-1]))
    leaving = RateSeries(EDGES, (4.0,) * 80)
    assert shifted_after_s(leaving, taking, 20, 40) == 20
