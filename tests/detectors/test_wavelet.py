"""Wavelet denoising: made queues, a Haar transform by hand, and the library's own threshold."""

from __future__ import annotations

import numpy as np
import pytest
import pywt

from smartsbd.detectors.event import Int64Array
from smartsbd.detectors.pairwise import DelayPair, Float64Array
from smartsbd.detectors.wavelet import WAVELET, Denoising, Wavelet, denoised, transform
from tests.detectors.queues_made import MS, ONE_QUEUE, OTHER_QUEUE, delays, opinions

SHARED, APART = (0, 0), (0, 1)
END_MS = 16_000
NORMAL_MEDIAN = 0.6744897501960817


def denoised_by_library(series: Float64Array, wavelet: str) -> Float64Array:
    """Denoise a series level by level, with the library's soft threshold."""
    levels = pywt.wavedec(series, wavelet)
    least = np.median(np.abs(levels[-1])) / NORMAL_MEDIAN * np.sqrt(2 * np.log(len(series)))
    shrunk = [pywt.threshold(level, least, mode="soft") for level in levels[1:]]
    found: Float64Array = pywt.waverec([levels[0], *shrunk], wavelet)[: len(series)]
    return found


def haar_denoised(series: list[float]) -> list[float]:
    """Denoise a series whose length is a power of two, by sums and differences of neighbours."""
    levels: list[list[float]] = []
    sums = series
    while len(sums) > 1:
        pairs = list(zip(sums[::2], sums[1::2], strict=True))
        levels.append([(a - b) / 2**0.5 for a, b in pairs])
        sums = [(a + b) / 2**0.5 for a, b in pairs]
    finest = sorted(abs(detail) for detail in levels[0])
    middle = (finest[(len(finest) - 1) // 2] + finest[len(finest) // 2]) / 2
    least = middle / NORMAL_MEDIAN * (2 * np.log(len(series))) ** 0.5
    for level in reversed(levels):
        shrunk = [np.sign(detail) * max(abs(detail) - least, 0.0) for detail in level]
        sums = [(total + sign * d) / 2**0.5 for total, d in zip(sums, shrunk, strict=True) for sign in (1, -1)]
    return sums


@pytest.mark.parametrize("base_us", [-50_000, 0, 400_000])
@pytest.mark.parametrize("scale", [0.2, 3.0])
def test_base_delay_and_scale_do_not_matter(base_us: int, scale: float) -> None:
    one = delays(ONE_QUEUE, 40_000, 5, END_MS)
    for queue, partition in ((ONE_QUEUE, SHARED), (OTHER_QUEUE, APART)):
        traces = {0: one, 1: delays(queue, base_us, 7, END_MS, scale=scale)}
        assert {opinion.partition for opinion in opinions(WAVELET, "owd", traces, END_MS)} == {partition}


def test_denoising_finds_a_queue_under_noise() -> None:
    """A slow queue under noise of other causes: the delays are hardly correlated, the denoised ones are."""
    rng = np.random.default_rng(5)
    time_ns = np.arange(0, END_MS * MS, 10 * MS)
    queue_us = 20_000 * np.sin(2 * np.pi * time_ns / (5_000 * MS))
    one, other = ((100_000 + queue_us + rng.normal(0, 25_000, len(time_ns))).astype(np.int64) for _ in range(2))
    assert np.corrcoef(one, other)[0, 1] < 0.4
    assert opinions(WAVELET, "default", {0: (time_ns, one), 1: (time_ns, other)}, END_MS)[-1].partition == SHARED


def test_nothing_is_said_before_a_window() -> None:
    """Of 10 s, counted from the later subflow's first delay; steps are of half a second from the earlier's."""
    traces = {0: delays(ONE_QUEUE, 40_000, 5, END_MS), 1: delays(ONE_QUEUE, 90_000, 7, END_MS, start_ms=2_030)}
    assert opinions(WAVELET, "default", traces, END_MS)[0].time_ns == traces[0][0][0] + 12_500 * MS
    traces = {0: delays(ONE_QUEUE, 40_000, 5, 12_400), 1: delays(ONE_QUEUE, 90_000, 7, 12_400, start_ms=2_030)}
    assert opinions(WAVELET, "default", traces, 12_400) == []


def test_of_a_constant_delay_nothing_is_said() -> None:
    flat = np.arange(0, END_MS * MS, 5 * MS), np.full(END_MS // 5, 50_000)
    for other in (flat, delays(ONE_QUEUE, 40_000, 7, END_MS)):
        assert opinions(WAVELET, "default", {0: flat, 1: other}, END_MS) == []


def test_haar_by_hand() -> None:
    """Details of the finest level are all sqrt(2) in size, of the next 0 and 2, of the last -38 / sqrt(2).

    The threshold is sqrt(2) / 0.6745 * sqrt(2 ln 8) = 4.28: only the last is left, and less by that. It stands for a
    step of 19 between the halves, about their mean of 20.5.
    """
    series = np.array([[10.0, 12.0, 10.0, 12.0, 30.0, 32.0, 30.0, 28.0]])
    half_step = 9.5 - np.sqrt(2 * np.log(8)) / NORMAL_MEDIAN / 2
    expected = 20.5 + np.repeat([-half_step, half_step], 4)
    assert denoised(series, "haar")[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_haar_against_sums_and_differences(seed: int) -> None:
    series = np.cumsum(np.random.default_rng(seed).normal(0, 1000, (2, 64)), axis=1)
    for own, found in zip(series, denoised(series, "haar"), strict=True):
        assert found == pytest.approx(haar_denoised(own.tolist()), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("points", "wavelet"), [(100, "db4"), (101, "db4"), (77, "sym8"), (64, "haar")])
def test_matrices_against_the_library(seed: int, points: int, wavelet: str) -> None:
    """Both series with a threshold of their own, the same as level by level."""
    series = np.cumsum(np.random.default_rng(seed).normal(0, [[1000], [10]], (2, points)), axis=1)
    for own, found in zip(series, denoised(series, wavelet), strict=True):
        assert found == pytest.approx(denoised_by_library(own, wavelet), abs=1e-7)


def test_a_transform_goes_there_and_back() -> None:
    used = transform(100, "db4")
    assert used.analysis @ used.synthesis == pytest.approx(np.eye(100), abs=1e-10)
    sizes = [len(level) for level in pywt.wavedec(np.zeros(100), "db4")]
    assert (used.approximation, used.finest, used.analysis.shape[1]) == (sizes[0], sizes[-1], sum(sizes))


@pytest.mark.parametrize("seed", range(20))
def test_verdicts_against_a_plain_recomputation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    queue = np.cumsum(rng.normal(0, 1000, 2000))

    def made(own: float) -> tuple[Int64Array, Int64Array]:
        value = queue * (1 - own) + own * np.cumsum(rng.normal(0, 1000, 2000)) + rng.normal(0, 2000, 2000)
        return np.sort(rng.integers(0, 10_000 * MS, 2000)), (200_000 + value).astype(np.int64)

    traces = [made(0.5), made(rng.uniform(0, 1))]
    grid = [number * 10_000 * MS / 99 for number in range(100)]
    x, y = (denoised_by_library(np.interp(grid, times_ns, values), "db4") for times_ns, values in traces)
    expected = float(np.corrcoef(x, y)[0, 1])
    one, other = (DelayPair(times_ns, values, int(values.min())) for times_ns, values in traces)
    for threshold in (expected - 1e-4, expected + 1e-4):
        judge = Wavelet(Denoising(threshold=threshold)).judge
        assert judge(one, other, 0, 10_000 * MS) is (expected > threshold)
