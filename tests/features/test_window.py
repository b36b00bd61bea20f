"""Windows of another length, and signals with RTT samples missing."""

from __future__ import annotations

import numpy as np
import pytest

from smartsbd.features.reading import Reading
from smartsbd.features.series import SubflowSignals
from smartsbd.features.window import Rejected, Window, geometry, tiled, triggered
from tests.features.test_against_naive import signals

MS = 1_000_000
END_NS = 6_000 * MS
#: Above five standard deviations of a binomial share of this many.
SAMPLES, TOLERANCE = 10_000, 0.025


def congested_at(entry_ms: int, rtt_us: int) -> SubflowSignals:
    """An RTT sample every 10 ms, and congestion for a millisecond."""
    rtt = [(t * 10 * MS, rtt_us) for t in range(600)]
    return signals(rtt, [(entry_ms * MS, 3), ((entry_ms + 1) * MS, 0)])


@pytest.mark.parametrize(
    ("window_rtts", "starts_ms", "points"),
    [
        (25, list(range(100, 5_501, 500)), 51),
        (50, list(range(100, 4_101, 1_000)), 101),
        (100, [100, 2_100], 201),
    ],
)
def test_tiles_of_another_length(window_rtts: int, starts_ms: list[int], points: int) -> None:
    """The larger minimum RTT is 20 ms, the step 10 ms; tiles begin when both were congested and end within 6 s."""
    found = tiled(congested_at(0, 20_000), congested_at(100, 10_000), END_NS, window_rtts=window_rtts)
    assert all(isinstance(one, Window) for one in found)
    assert [one.start_ns for one in found] == [start * MS for start in starts_ms]
    assert {one.n for one in found if isinstance(one, Window)} == {points}
    assert {one.window_ns for one in found} == {window_rtts * 20 * MS}


@pytest.mark.parametrize(
    ("trigger", "window_rtts", "start_ms"),
    [
        # Congested 1.5 s apart: within T of 2 s, not of 1 s.
        ("later", 50, None),
        ("later", 100, 1_700),
        ("earlier", 100, 200),
        # The tile of 2 s from the first sample on holds both entries, that of 1 s does not.
        ("tile", 50, None),
        ("tile", 100, 2_000),
    ],
)
def test_triggers_of_another_length(trigger: str, window_rtts: int, start_ms: int | None) -> None:
    reading = Reading.model_validate({"trigger": trigger})
    (found,) = triggered(congested_at(200, 20_000), congested_at(1_700, 10_000), END_NS, reading, window_rtts)
    assert isinstance(found, Rejected) == (start_ms is None)
    assert found.start_ns == (None if start_ms is None else start_ms * MS)


def test_a_long_window_is_coarsened_to_the_limit() -> None:
    """100 times 100 ms in at most 681 steps: of 10^10 / 681 ns, rounded up, of which 680 fit."""
    window = geometry("tiled", 0, 1_000, 100_000, 100)
    assert (window.window_ns, window.step_ns, window.n) == (10_000_000_000, 14_684_288, 681)
    assert window.coarsened


def sampled() -> SubflowSignals:
    acks = [(t * MS, 1_000 * t) for t in range(SAMPLES)]
    return signals([(t * MS, 10_000 + t) for t in range(SAMPLES)], [(5 * MS, 3), (9 * MS, 0)], acks)


@pytest.mark.parametrize("missing_share", [0.5, 0.8, 0.95])
def test_samples_are_missing_and_nothing_else(missing_share: float) -> None:
    whole = sampled()
    rest = whole.thinned(missing_share, np.random.default_rng(3))
    assert abs(rest.rtt_us.size / SAMPLES - (1 - missing_share)) < TOLERANCE
    # Each sample is known by its time: those that are left keep their value and order.
    places = rest.rtt_time_ns // MS
    assert (np.diff(places) > 0).all() and np.array_equal(rest.rtt_us, 10_000 + places)
    # RTTs rise, so that the first sample left is the smallest; the very first is missing with this seed.
    assert rest.lowest_rtt_us[-1] == rest.rtt_us[0] > whole.lowest_rtt_us[-1]
    for name in ("ack_time_ns", "acked_bytes", "rate_time_ns", "rate_mbit_s", "state_time_ns", "congested"):
        assert np.array_equal(getattr(rest, name), getattr(whole, name))


def test_what_is_missing_at_a_share_is_missing_at_a_larger_one() -> None:
    left = [
        set(sampled().thinned(share, np.random.default_rng(7)).rtt_time_ns.tolist()) for share in (0, 0.5, 0.8, 0.95)
    ]
    assert left[0] == {t * MS for t in range(SAMPLES)}
    assert left[0] > left[1] > left[2] > left[3]
