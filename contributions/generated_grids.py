"""Pairs of series that a feature must bear: random ones, and those at the edges of what a window may hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from smartsbd.features.fixed import POINTS_LIMIT, RTT_LIMIT_US, BoolArray, Int64Array
from smartsbd.features.series import PairGrid

#: Points of a window of 50 round trips whose grid is not coarsened, both ends included.
_LEAST_POINTS = 51
#: Largest RTT of a grid, microseconds.
_LONGEST_US = 2**31 - 1
_WINDOW_RTTS = 50
_LINKS_MBIT_S = (0.1, 1000.0)


def _constant(_: np.random.Generator, n: int) -> Int64Array:
    return np.zeros(n, dtype=np.int64)


def _beyond_the_clamp(rng: np.random.Generator, n: int) -> Int64Array:
    return rng.integers(0, 2 * RTT_LIMIT_US, size=n)


def _few_values(rng: np.random.Generator, n: int) -> Int64Array:
    return rng.integers(0, 3, size=n)


def _spikes(rng: np.random.Generator, n: int) -> Int64Array:
    chance = 0.05
    return (rng.random(n) < chance) * rng.integers(0, 3 * RTT_LIMIT_US)


def _walk(rng: np.random.Generator, n: int) -> Int64Array:
    steps = np.cumsum(rng.normal(0, 10.0 ** rng.integers(0, 5), size=n))
    above_us: Int64Array = (steps - steps.min()).astype(np.int64)
    return above_us


#: How an RTT may lie above its base; a walk is chosen twice as often as each of the others.
_MANNERS: tuple[Callable[[np.random.Generator, int], Int64Array], ...] = (
    _constant,
    _beyond_the_clamp,
    _few_values,
    _spikes,
    _walk,
    _walk,
)


def _draw_rtt_us(rng: np.random.Generator, n: int) -> Int64Array:
    base_us = int(rng.integers(1, 400_000))
    return base_us + _MANNERS[rng.integers(0, len(_MANNERS))](rng, n)


def _draw_congestion(rng: np.random.Generator, n: int) -> BoolArray:
    never, always, longest = 0, 1, 0.2
    manner = rng.integers(0, 4)
    if manner in (never, always):
        return np.full(n, manner == always)
    congested: BoolArray = np.cumsum(rng.random(n) < rng.random() * longest) % 2 == 1
    return congested


def drawn_grid(rng: np.random.Generator) -> PairGrid:
    """Draw two series as a window may hold them: some 80 points, seldom the most or the fewest there are.

    The two are alike in some grids and have nothing in common in others.

    Returns
    -------
    PairGrid
        Of the same number of points in all series.
    """
    seldom, alike = 0.02, 0.3
    n = _LEAST_POINTS + int(rng.geometric(0.03))
    if rng.random() < seldom:
        n = int(rng.choice([_LEAST_POINTS, _LEAST_POINTS + 1, POINTS_LIMIT]))
    n = min(n, POINTS_LIMIT)
    rtt_a_us = _draw_rtt_us(rng, n)
    rtt_b_us = rtt_a_us + rng.integers(0, 1_000) if rng.random() < alike else _draw_rtt_us(rng, n)
    congested_a = _draw_congestion(rng, n)
    congested_b = congested_a.copy() if rng.random() < alike else _draw_congestion(rng, n)
    acked_bytes = [np.cumsum(rng.integers(0, 1 << int(rng.integers(1, 45)), size=n)) for _ in range(2)]
    rate_mbit_s = [rng.uniform(*_LINKS_MBIT_S) * rng.random(n) for _ in range(2)]
    min_rtt_b_us = int(rng.integers(1, 300_000))
    min_rtt_a_us = min(int(min_rtt_b_us * (1 + rng.random() * 13)), 2**31)
    return PairGrid(
        rtt_a_us=rtt_a_us,
        rtt_b_us=rtt_b_us,
        congested_a=congested_a,
        congested_b=congested_b,
        acked_a_bytes=acked_bytes[0],
        acked_b_bytes=acked_bytes[1],
        rate_a_mbit_s=rate_mbit_s[0],
        rate_b_mbit_s=rate_mbit_s[1],
        min_rtt_a_us=min_rtt_a_us,
        min_rtt_b_us=min_rtt_b_us,
        step_ns=max(min_rtt_b_us * 1000, _WINDOW_RTTS * min_rtt_a_us * 1000 // n),
    )


def edge_grids() -> dict[str, PairGrid]:
    """Return grids at the edges, by what each is.

    Those of the most points hold what makes every sum of an exact feature as large as it can be.

    Returns
    -------
    dict of str to PairGrid
        By what each grid is.
    """
    rising = list(range(50_000, 50_060))
    most = PairGrid.of(rtt_a_us=[1] * POINTS_LIMIT, rtt_b_us=[1] * POINTS_LIMIT)
    high_us = 1 + 2 * RTT_LIMIT_US
    place = np.arange(POINTS_LIMIT, dtype=np.int64)
    alternating_us = np.where(place % 2 == 0, high_us, 1).astype(np.int64)
    always = np.ones(POINTS_LIMIT, dtype=np.bool_)
    return {
        "two points": PairGrid.of(rtt_a_us=[50_000, 51_000], rtt_b_us=[60_000, 60_001], congested_a=[True, False]),
        "two points of one value": PairGrid.of(rtt_a_us=[50_000, 50_000]),
        "both RTTs constant": PairGrid.of(rtt_a_us=[50_000] * 60, rtt_b_us=[80_000] * 60),
        "one RTT constant": PairGrid.of(rtt_a_us=rising, rtt_b_us=[80_000] * 60),
        "both always congested": PairGrid.of(rtt_a_us=rising, congested_a=[True] * 60, congested_b=[True] * 60),
        "one always congested": PairGrid.of(rtt_a_us=rising, congested_a=[True] * 60),
        "nothing acknowledged by one": PairGrid.of(rtt_a_us=rising, acked_b_bytes=list(range(0, 6000, 100))),
        "RTTs as long as can be": PairGrid.of(rtt_a_us=[_LONGEST_US, 1] * 30, rtt_b_us=[1, _LONGEST_US] * 30),
        "as far apart as can be": replace(
            most,
            rtt_a_us=np.full(POINTS_LIMIT, high_us),
            congested_a=always,
            min_rtt_a_us=2**31,
            step_ns=2**31 * _WINDOW_RTTS * 1000 // (POINTS_LIMIT - 1),
        ),
        "in opposition": replace(
            most,
            rtt_a_us=alternating_us,
            rtt_b_us=alternating_us[::-1].copy(),
            congested_a=alternating_us > 1,
        ),
        "all the same": replace(
            most, rtt_a_us=alternating_us, rtt_b_us=alternating_us.copy(), congested_a=always, congested_b=always.copy()
        ),
        "one step": replace(most, rtt_a_us=np.where(place < POINTS_LIMIT - 1, 1, high_us), rtt_b_us=alternating_us),
        "huge deliveries": replace(most, acked_a_bytes=place**2 * 2**40, acked_b_bytes=place * 2**45),
    }


def generated_grids(drawn_count: int = 100, seed: int = 20230105) -> dict[str, PairGrid]:
    """Return grids at the edges and so many random ones, by name; the same ones each time.

    Returns
    -------
    dict of str to PairGrid
        Those at the edges first.

    Examples
    --------
    >>> grids = generated_grids()
    >>> len(grids), grids["two points"].rtt_a_us.tolist()
    (113, [50000, 51000])
    """
    rng = np.random.default_rng(seed)
    return edge_grids() | {f"drawn grid {number}": drawn_grid(rng) for number in range(drawn_count)}
