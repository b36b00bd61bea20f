"""When rates have settled, on rates made by hand."""

from __future__ import annotations

import pytest

from studies.mplibra.convergence import FINAL_S, HELD_S, final_mean, settled_after_s
from studies.mplibra.rate_series import RateSeries


def series(*rates: float, step_s: float = 0.5) -> RateSeries:
    return RateSeries(tuple(step_s * place for place in range(len(rates) + 1)), rates)


def test_a_ramp_has_settled_where_means_of_two_seconds_are_within_a_tenth() -> None:
    """From 4 by 0.5 a second: the mean of [6, 8) is 7.5 of 8 where the ramp ends at 8 s, that of [5, 7) is 7."""
    ramp = [4 + 0.5 * second for second in range(8)]
    found = settled_after_s(series(*ramp, *[8.0] * 42, step_s=1.0), 0, 50)
    assert found == 6


def test_what_has_the_final_rate_at_once_has_settled_at_once() -> None:
    assert settled_after_s(series(*[3.0] * 60), 10, 30) == 0


def test_a_dip_long_after_does_not_count_but_one_soon_after_does() -> None:
    """A rate that falls for a second within 10 s has not settled before it."""
    late = series(*[8.0] * 30, *[4.0] * 3, *[8.0] * 47)
    assert HELD_S == 10 and settled_after_s(late, 0, 40) == 0
    soon = series(*[8.0] * 10, *[4.0] * 3, *[8.0] * 67)
    assert 4 < settled_after_s(soon, 0, 40) <= 6.5


def test_what_never_settles_counts_with_the_whole_time() -> None:
    assert settled_after_s(series(*[2.0, 2.0, 2.0, 2.0, 2.0, 8.0, 8.0, 8.0, 8.0, 8.0] * 8), 0, 40) == 40


def test_the_final_mean_is_of_the_end_or_of_the_second_half() -> None:
    rates = series(*[1.0] * 40, *[5.0] * 20)
    assert FINAL_S == 10
    assert final_mean(rates, 0, 30) == 5
    assert final_mean(rates, 18, 22) == pytest.approx(5)
    assert final_mean(rates, 10, 20) == 1


@pytest.mark.parametrize("end_s", [20.0, 40.0])
def test_what_lies_outside_of_the_time_does_not_matter(end_s: float) -> None:
    whole = [1.0] * 10 + [6.0] * int(2 * end_s - 10)
    after = series(*whole, *[1.0] * 20)
    assert settled_after_s(after, 5, end_s) == settled_after_s(series(*whole), 5, end_s) == 0
