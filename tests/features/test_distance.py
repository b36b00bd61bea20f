"""DTW by the pipeline's library, by another library and by plain loops; other kinds of warping by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from dtaidistance import dtw_ndim
from tslearn.metrics import dtw as tslearn_dtw

from smartsbd.features import distance
from smartsbd.features.connection_pairs import pairs
from smartsbd.features.reading import DEFAULT
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.recording import only_connection
from tests import naive

Ints = npt.NDArray[np.int64]
SAMPLES = Path(__file__).parents[2] / "data/samples/kernel/inputs"

HIGH = 2**21 - 1
DEGENERATE: dict[str, tuple[Ints, Ints]] = {
    "equal": (np.arange(60)[:, None], np.arange(60)[:, None]),
    "constant": (np.full((60, 1), 7), np.full((60, 1), 9)),
    "one point": (np.array([[5]]), np.array([[2]])),
    "as far apart as can be": (np.full((682, 1), HIGH), np.zeros((682, 1), dtype=np.int64)),
    "shifted": (np.eye(50, dtype=np.int64)[:, 10:11] * HIGH, np.eye(50, dtype=np.int64)[:, 12:13] * HIGH),
    "reversed": (np.arange(60)[:, None], np.arange(60)[::-1, None].copy()),
}


def random_pair(seed: int) -> tuple[Ints, Ints]:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(51, 200)), int(rng.integers(1, 3)))
    high = int(10 ** rng.integers(1, 7))
    return rng.integers(0, high, size=shape), rng.integers(0, high, size=shape)


PAIRS = DEGENERATE | {f"random {seed}": random_pair(seed) for seed in range(20)}


@pytest.mark.parametrize("name", PAIRS)
def test_three_ways_to_warp_agree(name: str) -> None:
    a, b = (own.astype(np.int64) for own in PAIRS[name])
    least = int(naive.dtw(a, b))
    assert distance.dtwd_4us(a, b) == math.isqrt(least >> 4)
    assert distance.dtwd(a.astype(np.float64), b.astype(np.float64)) == math.sqrt(least)
    assert tslearn_dtw(a.astype(np.float64), b.astype(np.float64)) == pytest.approx(math.sqrt(least), rel=1e-15)
    assert distance.dtwd_4us(a, b) <= distance.ed_4us(a, b)


def test_on_a_kernel_s_windows_both_libraries_warp_as_the_features_do() -> None:
    """RTT, and RTT with congestion, of a shared pair and of one that is not, in every tiled window."""
    logs = (only_connection([SAMPLES / f"{number}.state.csv.zst"], Dialect()) for number in (101, 106))
    of_both = [list(pairs(log, "tiled", DEFAULT)) for log in logs]
    grids = [window.grid for of_log in of_both for pair in of_log for window in pair.windows]
    assert len(grids) >= 4
    for grid in grids:
        rtt_a, rtt_b = grid.above_a_us.astype(np.float64), grid.above_b_us.astype(np.float64)
        a = np.column_stack([rtt_a, 1e6 * grid.congested_a])
        b = np.column_stack([rtt_b, 1e6 * grid.congested_b])
        for first, second in ((rtt_a[:, None], rtt_b[:, None]), (a, b)):
            ours = distance.dtwd(first, second)
            assert ours == dtw_ndim.distance_fast(first, second, inner_dist="squared euclidean")
            assert ours == pytest.approx(tslearn_dtw(first, second), rel=1e-12)
            steps = distance.warping_path(first, second)
            along = ((first[steps[:, 0]] - second[steps[:, 1]]) ** 2).sum()
            assert math.sqrt(along) == pytest.approx(ours, rel=1e-12)


def test_sum_of_distances() -> None:
    # The path repeats the 0 and pairs 10 with 10: what is left is |3 - 0|.
    a, b = np.array([[0.0], [10.0], [10.0]]), np.array([[3.0], [10.0], [10.0]])
    assert distance.other_dtwd(a, b, "l1") == 3.0
    # Points of a plane count by their distance: 5 for (3, 4).
    assert distance.other_dtwd(np.array([[3.0, 4.0]]), np.zeros((1, 2)), "l1") == 5.0


def test_symmetric_steps() -> None:
    # Twice |2 - 0|, then twice |4 - 3| over the diagonal, or |2 - 3| and |4 - 3| beside it: 6 either way.
    a, b = np.array([[2.0], [4.0]]), np.array([[0.0], [3.0]])
    assert distance.other_dtwd(a, b, "symmetric2") == pytest.approx((4 + 2) / 4)


@pytest.mark.parametrize(("rows", "columns"), [(23, 31), (31, 23), (20, 20), (1, 9), (9, 1), (1, 1), (2, 2)])
def test_symmetric_steps_equal_a_plain_recursion(rows: int, columns: int) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(rows, 2)), rng.normal(size=(columns, 2))
    least = np.full((rows + 1, columns + 1), np.inf)
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            cost = np.sqrt(((a[i - 1] - b[j - 1]) ** 2).sum())
            if i == j == 1:
                least[i, j] = 2 * cost
            else:
                least[i, j] = min(least[i - 1, j] + cost, least[i, j - 1] + cost, least[i - 1, j - 1] + 2 * cost)
    assert distance.other_dtwd(a, b, "symmetric2") == least[-1, -1] / (rows + columns)


def test_the_band_keeps_the_path_near_the_diagonal() -> None:
    a, b = (np.zeros((50, 1)) for _ in range(2))
    a[5], b[30] = 100.0, 100.0
    assert distance.dtwd(a, b) == 0.0
    assert distance.other_dtwd(a, b, "band") == pytest.approx(math.sqrt(2) * 100)
    b[:] = 0.0
    b[8] = 100.0
    assert distance.other_dtwd(a, b, "band") == 0.0


@pytest.mark.parametrize("name", PAIRS)
def test_the_path_costs_what_the_distance_says(name: str) -> None:
    a, b = PAIRS[name]
    path = distance.warping_path(a, b)
    steps = np.diff(path, axis=0)
    assert path[0].tolist() == [0, 0] and path[-1].tolist() == [len(a) - 1, len(b) - 1]
    assert {tuple(step) for step in steps.tolist()} <= {(1, 0), (0, 1), (1, 1)}
    cost = float(((a[path[:, 0]] - b[path[:, 1]]) ** 2).sum())
    assert math.sqrt(cost) == pytest.approx(distance.dtwd(a.astype(np.float64), b.astype(np.float64)))
