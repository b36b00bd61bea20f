"""The singular value decomposition: made queues, and loadings against the eigenvectors of the correlations."""

from __future__ import annotations

import numpy as np
import pytest

from smartsbd.detectors.pairwise import DelayPair, Float64Array
from smartsbd.detectors.partition import partition_of
from smartsbd.detectors.svd import SVD, Decomposing, Svd, loadings
from tests.detectors.queues_made import MS, ONE_QUEUE, OTHER_QUEUE, delays, opinions

SHARED, APART = (0, 0), (0, 1)
END_MS = 16_000


def judged(series: Float64Array, decomposing: Decomposing | None = None) -> dict[tuple[int, int], bool | None]:
    """Judge series that have a value at each point of the grid already, in the columns."""
    points = len(series)
    time_ns = np.arange(points) * MS
    svd = Svd(decomposing or Decomposing(points=points))
    delays_of = {
        number: DelayPair(time_ns, own.astype(np.int64), int(own.min())) for number, own in enumerate(series.T)
    }
    return dict(svd.judged(delays_of, 0, int(time_ns[-1])))


def test_two_queues_of_two_and_one_alone() -> None:
    traces = {
        0: delays(ONE_QUEUE, 40_000, 5, END_MS),
        1: delays(OTHER_QUEUE, 50_000, 6, END_MS),
        2: delays((1330, 40_000), 60_000, 8, END_MS),
        3: delays(OTHER_QUEUE, 170_000, 5, END_MS),
        4: delays(ONE_QUEUE, 190_000, 7, END_MS),
    }
    assert {opinion.partition for opinion in opinions(SVD, "default", traces, END_MS)} == {(0, 1, 2, 1, 0)}


@pytest.mark.parametrize("base_us", [-50_000, 0, 400_000])
@pytest.mark.parametrize("scale", [0.2, 3.0])
def test_base_delay_and_scale_do_not_matter(base_us: int, scale: float) -> None:
    one = delays(ONE_QUEUE, 40_000, 5, END_MS)
    for queue, partition in ((ONE_QUEUE, SHARED), (OTHER_QUEUE, APART)):
        traces = {0: one, 1: delays(queue, base_us, 7, END_MS, scale=scale)}
        assert {opinion.partition for opinion in opinions(SVD, "owd", traces, END_MS)} == {partition}


def test_nothing_is_said_before_a_window() -> None:
    """Of 50 of the larger RTT, 50 times some 190 ms, from the later first delay; or, of one-way delays, of 10 s."""
    traces = {0: delays(ONE_QUEUE, 40_000, 5, END_MS), 1: delays(ONE_QUEUE, 190_000, 7, END_MS, start_ms=2_030)}
    first_ns = int(traces[0][0][0])
    for preset, window_ns in (("default", 50 * int(traces[1][1].min()) * 1000), ("owd", 10_000 * MS)):
        due_ns = int(traces[1][0][0]) + window_ns
        step = -((first_ns - due_ns) // (500 * MS))
        assert opinions(SVD, preset, traces, END_MS)[0].time_ns == first_ns + step * 500 * MS
    traces = {0: delays(ONE_QUEUE, 40_000, 5, 11_400), 1: delays(ONE_QUEUE, 190_000, 7, 11_400, start_ms=2_030)}
    assert opinions(SVD, "default", traces, 11_400) == []


def test_a_subflow_that_is_late_is_judged_later() -> None:
    traces = {
        0: delays(ONE_QUEUE, 40_000, 5, END_MS),
        1: delays(OTHER_QUEUE, 50_000, 6, END_MS, start_ms=5_000),
        2: delays(ONE_QUEUE, 190_000, 7, END_MS),
    }
    assert [opinion.partition for opinion in opinions(SVD, "owd", traces, END_MS)] == [(0, None, 0), (0, 1, 0)]


def test_of_a_constant_delay_nothing_is_said() -> None:
    flat = np.arange(0, END_MS * MS, 5 * MS), np.full(END_MS // 5, 150_000)
    one, other = delays(ONE_QUEUE, 40_000, 7, END_MS), delays(ONE_QUEUE, 60_000, 6, END_MS)
    assert opinions(SVD, "default", {0: flat, 1: flat}, END_MS) == []
    assert opinions(SVD, "default", {0: flat, 1: one}, END_MS) == []
    assert opinions(SVD, "default", {0: flat, 1: one, 2: other}, END_MS)[-1].partition == (None, 0, 0)


def test_loadings_by_hand() -> None:
    """Of two series with correlation 1/2 the common component has size sqrt(3/2), in equal shares: sqrt(3/4) each."""
    one, other = np.array([1.0, -1.0, 0.0]), np.array([1.0, 0.0, -1.0])
    assert np.abs(loadings(np.column_stack([one, 8 + 3 * other]))) == pytest.approx(np.full((2, 1), 0.75**0.5))
    opposite = loadings(np.column_stack([one, -other]))
    assert opposite[0, 0] == pytest.approx(-opposite[1, 0])


@pytest.mark.parametrize("seed", range(10))
def test_loadings_against_eigenvectors(seed: int) -> None:
    """Squared singular values are the correlation matrix's eigenvalues; products of loadings are free of signs."""
    rng = np.random.default_rng(seed)
    series = rng.normal(size=(126, 6)) @ rng.normal(size=(6, 6)) * 10 ** rng.integers(0, 5, 6) + 10**6
    values, vectors = np.linalg.eigh(np.corrcoef(series.T))
    expected = sum(value * np.outer(own, own) for value, own in zip(values, vectors.T, strict=True) if value > 1)
    found = loadings(series)
    assert found.shape == (6, int((values > 1).sum()))
    assert found @ found.T == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_of_two_it_is_a_threshold_of_the_correlation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    queue = rng.normal(0, 10_000, 126)
    one, other = np.rint(queue), np.rint(rng.uniform(-1, 2) * queue + rng.normal(0, 10_000, 126))
    correlation = float(np.corrcoef(one, other)[0, 1])
    for least in (correlation - 1e-6, correlation + 1e-6):
        verdict = judged(np.column_stack([one, other]), Decomposing(points=126, least_common=(1 + least) / 2))
        assert verdict == {(0, 1): correlation > 0 and correlation >= least}


def test_components_of_equal_strength() -> None:
    """Two pairs, each of one queue, whose singular values are the same: any turn of the two components is as good."""
    turn = 2 * np.pi * np.arange(120) / 120
    one, other = np.rint(10_000 * np.sin(turn)), np.rint(10_000 * np.cos(turn))
    verdicts = judged(np.column_stack([one, other, 3 * one, 2 * other]))
    assert partition_of([0, 1, 2, 3], verdicts) == (0, 1, 0, 1)


def test_a_delay_that_falls_as_the_other_rises_is_not_shared() -> None:
    rise = np.arange(126.0) * 100
    assert judged(np.column_stack([rise, 50_000 - rise])) == {(0, 1): False}


def test_a_subflow_with_little_in_common_stays_out() -> None:
    """Of three, two with one queue and a third with a fifth of its variance from it."""
    rng = np.random.default_rng(2)
    queue, own = rng.normal(0, 10_000, 126), rng.normal(0, 20_000, 126)
    verdicts = judged(np.column_stack([queue, queue + rng.normal(0, 1_000, 126), queue + own]))
    assert partition_of([0, 1, 2], verdicts) == (0, 0, 1)
