"""What counts as a sign of a queue, against its definition in floating point, and on made delays."""

from __future__ import annotations

import numpy as np
import pytest

from smartsbd.detectors.verdict.common_lag import CommonLagJudgement, CommonLagPair, CommonLagRule
from smartsbd.detectors.verdict.queue_evidence import CloseSums, shows_queue

MS = 1_000_000
#: No probe, and so nothing that remembers or varies.
NO_PROBES = [0] * 10


def judged(rtts_us: tuple[np.ndarray, np.ndarray], every_ms: float, rule: CommonLagRule) -> list[CommonLagJudgement]:
    """Judge two paths whose samples come in turn."""
    pair = CommonLagPair(rule)
    said: list[CommonLagJudgement] = []
    for place in range(rtts_us[0].size):
        for which in range(2):
            time_ns = round((place + which / 2) * every_ms * MS)
            said += pair.on_rtt(which, time_ns, int(rtts_us[which][place]))
    return said


@pytest.mark.parametrize("seed", range(6))
def test_close_samples_remember_as_von_neumann_has_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    after_us = rng.normal(0, 4_000, 400).round().astype(int)
    # From all chance to hardly any.
    before_us = (after_us * seed / 5 + rng.normal(0, 1_500, 400)).round().astype(int)
    close = CloseSums()
    for before, after in zip(before_us, after_us, strict=True):
        close.add(int(before) + 40_000, int(after) + 40_000, 40_000)
    mean_square = ((after_us - before_us) ** 2).mean() / before_us.var()
    correlation = 1 - mean_square / 2
    assert close.remember() == (correlation > 0 and correlation * 20 >= 1.75)


def test_close_sums_hold_no_more_than_they_may() -> None:
    close = CloseSums()
    for _ in range(70_000):
        close.add(1 << 24, -(1 << 24), 0)
    assert close.count == 65_536 * 256
    assert close.differences < 1 << 63
    assert close.squares < 1 << 61
    close.fade(8)
    assert (close.count, close.total, close.squares, close.differences) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("probes", "correlation_q10", "risen_us", "expected"),
    [
        # A correlation of 0.35 of 25 probes is 1.75 standard deviations.
        ([25 * 256, *[0] * 9], 359, 0, True),
        ([25 * 256, *[0] * 9], 358, 0, False),
        ([25 * 256, *[0] * 9], -359, 0, False),
        # Delays that varied by 12 ms when there was a queue, and are 1.5 ms above the smallest one now.
        ([25 * 256, 0, 0, 0, 25 * 12_000**2, *[0] * 5], 359, 1_500, True),
        ([25 * 256, 0, 0, 0, 25 * 12_000**2, *[0] * 5], 359, 1_499, False),
        # Of seven probes nothing is known.
        ([7 * 256, *[0] * 9], 1024, 0, False),
        (NO_PROBES, None, 56_000, True),
        (NO_PROBES, None, 55_999, False),
        # Delays that vary by 12 ms, a third of 36.
        ([10 * 256, 0, 0, 0, 10 * 12_000**2, 0, 0, 0, 0, 0], None, 36_000, True),
        ([10 * 256, 0, 0, 0, 10 * 12_000**2, 0, 0, 0, 0, 0], None, 36_001, False),
        ([10 * 256, 0, 0, 0, 10 * 12_000**2, 0, 0, 0, 0, 0], None, 31_999, False),
    ],
)
def test_each_sign_has_its_bound(probes: list[int], correlation_q10: int | None, risen_us: int, expected: bool) -> None:
    assert shows_queue(probes, correlation_q10, CloseSums(), risen_us) is expected


def test_a_small_rise_takes_a_burst_that_agrees() -> None:
    close = CloseSums()
    for level_us in (0, 20_000) * 8:
        close.add(level_us, level_us, 0)
    assert shows_queue(NO_PROBES, None, close, 10_000)
    assert not shows_queue(NO_PROBES, None, close, 9_999)
    assert not shows_queue(NO_PROBES, None, CloseSums(), 10_000)


@pytest.mark.parametrize("every_ms", [4, 50])
def test_nothing_is_said_of_jitter_that_has_no_memory(every_ms: float) -> None:
    rng = np.random.default_rng(7)
    count = round(60_000 / every_ms)
    rtts_us = (50_000 + rng.gamma(0.7, 3_000, count), 65_000 + rng.normal(0, 2_000, count))
    said = judged(rtts_us, every_ms, CommonLagRule())
    assert len(said) > 20
    without = [one.shared for one in judged(rtts_us, every_ms, CommonLagRule(needs_queues=False))]
    assert np.mean([one.shared is None for one in said]) > 0.95
    assert np.mean([shared is None for shared in without]) < 0.5


def test_a_path_without_a_queue_is_named_and_what_was_said_is_forgotten() -> None:
    """Both paths have one queue for 40 s; then the second is idle, and in the end it is not."""
    rng = np.random.default_rng(3)
    steps = np.clip(rng.normal(0, 6_000, 12_000), -12_000, 12_000).cumsum()
    queue_us = abs(steps % 80_000 - 40_000)
    idle_us = 20_000 + rng.uniform(0, 300, 12_000)
    second_us = np.where(np.arange(12_000) // 4_000 == 1, idle_us, 20_000 + queue_us)
    said = judged((30_000 + queue_us, second_us), 10, CommonLagRule())
    third = len(said) // 3
    assert said[third - 3].shared is True
    middle = said[third + 12 : 2 * third - 1]
    assert {one.shared for one in middle} == {None}
    assert {one.queues for one in middle} == {(True, False)}
    assert said[-1].shared is True
    assert said[-1].queues == (True, True)
