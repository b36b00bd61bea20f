"""Detectors of delay on queues of which it is known who shares one."""

from __future__ import annotations

import pytest

from smartsbd.detectors import DetectorKind
from smartsbd.detectors.correlation import CORRELATION
from smartsbd.detectors.rubenstein import RUBENSTEIN
from smartsbd.detectors.svd import SVD
from smartsbd.detectors.trend_line import TREND_LINE
from smartsbd.detectors.wavelet import WAVELET
from tests.detectors.queues_made import ONE_QUEUE, OTHER_QUEUE, delays, opinions

END_MS = 40_000
DETECTORS = [(kind, preset) for kind in (CORRELATION, RUBENSTEIN, SVD, TREND_LINE, WAVELET) for preset in kind.presets]


@pytest.fixture(params=DETECTORS, ids=lambda param: f"{param[0].name}/{param[1]}")
def detector(request: pytest.FixtureRequest) -> tuple[DetectorKind, str]:
    chosen: tuple[DetectorKind, str] = request.param
    return chosen


@pytest.mark.parametrize(("queue", "partition"), [(ONE_QUEUE, (0, 0)), (OTHER_QUEUE, (0, 1))])
def test_one_queue_is_shared_and_two_are_not(
    detector: tuple[DetectorKind, str], queue: tuple[int, int], partition: tuple[int, int]
) -> None:
    traces = {3: delays(ONE_QUEUE, 40_000, 5, END_MS), 8: delays(queue, 90_000, 7, END_MS)}
    assert {opinion.partition for opinion in opinions(*detector, traces, END_MS)} == {partition}


def test_two_of_three_share(detector: tuple[DetectorKind, str]) -> None:
    traces = {
        0: delays(ONE_QUEUE, 40_000, 5, END_MS),
        1: delays(OTHER_QUEUE, 50_000, 6, END_MS),
        2: delays(ONE_QUEUE, 90_000, 7, END_MS),
    }
    assert opinions(*detector, traces, END_MS)[-1].partition == (0, 1, 0)
