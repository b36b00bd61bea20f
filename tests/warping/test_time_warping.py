"""The compiled distances beside dtaidistance's, digit for digit, and beside plain loops."""

from __future__ import annotations

import math
import signal
import threading
import time

import numpy as np
import numpy.typing as npt
import pytest
from dtaidistance import dtw_ndim

from smartsbd.native import time_warping
from tests import naive

Floats = npt.NDArray[np.float64]


def series(seed: int, channels: int, points: int, count: int) -> Floats:
    """Values of unlike size; every third time on a grid, where many paths cost the same."""
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(count, points, channels)) * 10.0 ** rng.integers(-3, 7, size=channels)
    return np.rint(drawn) if seed % 3 == 0 else drawn


def of_library(a: Floats, b: Floats) -> float:
    found: float = dtw_ndim.distance_fast(a, b, inner_dist="squared euclidean")
    return found


@pytest.mark.parametrize("seed", range(60))
def test_every_distance_is_the_librarys(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    channels, points, others = (int(rng.integers(1, high)) for high in (6, 70, 70))
    a = series(seed, channels, points, int(rng.integers(1, 5)))
    b = series(seed + 3, channels, others, int(rng.integers(1, 20)))
    expected = np.array([[of_library(one, other) for other in b] for one in a])
    np.testing.assert_array_equal(time_warping.distances_between(a, b), expected)
    np.testing.assert_array_equal(time_warping.distances_between(b, a), expected.T)
    np.testing.assert_array_equal([[time_warping.distance(one, other) for other in b] for one in a], expected)


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 16, 37])
def test_within_a_set(count: int) -> None:
    view = series(count, 2, 51, count)
    found = time_warping.distances_within(view)
    np.testing.assert_array_equal(found, time_warping.distances_between(view, view))
    if count > 1:
        expected = dtw_ndim.distance_matrix_fast(view, parallel=False, only_triu=False)
        np.testing.assert_array_equal(found, expected)
    assert (np.diag(found) == 0).all()


def test_plain_loops_give_the_same() -> None:
    a, b = (np.random.default_rng(seed).integers(0, 2**21, size=(40, 2)) for seed in (1, 2))
    as_reals = [own.astype(np.float64) for own in (a, b)]
    assert time_warping.distance(*as_reals) == math.sqrt(naive.dtw(a, b))


def test_huge_values_do_not_become_nan() -> None:
    a, b = np.full((9, 1), 1e200), np.zeros((5, 1))
    assert time_warping.distance(a, b) == math.inf
    assert time_warping.distances_between(a[None], b[None]).tolist() == [[math.inf]]


def test_what_is_not_contiguous_is_copied() -> None:
    view = series(1, 4, 30, 6)[:, ::2, 1:3]
    np.testing.assert_array_equal(
        time_warping.distances_within(view), time_warping.distances_within(np.ascontiguousarray(view))
    )


def test_nothing_to_compare() -> None:
    some, none = np.zeros((3, 5, 2)), np.zeros((0, 5, 2))
    assert time_warping.distances_within(none).shape == (0, 0)
    assert time_warping.distances_between(some, none).shape == (3, 0)
    assert time_warping.distances_between(none, some).shape == (0, 3)


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        (np.zeros((5, 2)), np.zeros((5, 3)), "differ in the number of channels"),
        (np.zeros((0, 2)), np.zeros((5, 2)), "has the shape"),
        (np.zeros((5, 0)), np.zeros((5, 0)), "has the shape"),
        (np.zeros(5), np.zeros((5, 1)), "has the shape"),
        (np.full((5, 1), math.nan), np.zeros((5, 1)), "not a finite number"),
        (np.zeros((5, 1)), np.full((5, 1), -math.inf), "not a finite number"),
    ],
)
def test_series_that_are_refused(a: Floats, b: Floats, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        time_warping.distance(a, b)
    with pytest.raises(ValueError, match=reason.replace("has the", "have the")):
        time_warping.distances_between(a[None], b[None])


def test_a_long_call_can_be_interrupted_and_lets_others_run() -> None:
    view = np.zeros((4_000, 200, 1))
    began = time.monotonic()
    ran: list[float] = []

    def interrupt() -> None:
        ran.append(time.monotonic() - began)
        signal.raise_signal(signal.SIGINT)

    # A process that a shell began in the background ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            time_warping.distances_within(view)
    finally:
        signal.signal(signal.SIGINT, before)
    timer.join()
    assert ran
