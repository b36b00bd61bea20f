"""Two subflows' RTTs, made to meet every branch of the lag excess: bursts, silences, equal times, extremes."""

from __future__ import annotations

import random

from smartsbd.features.lag_excess.lattice import DELAY_LIMIT_US
from smartsbd.features.series import SubflowSignals

MS = 1_000_000


def queue_us(rng: random.Random, steps: int, most_us: int) -> list[int]:
    """Return a queueing delay that wanders between 0 and `most_us`, one value for each millisecond."""
    found, level = [], 0
    for _ in range(steps):
        level = min(max(level + rng.randint(-most_us // 12 - 1, most_us // 12 + 1), 0), most_us)
        found.append(level)
    return found


def subflow(
    rng: random.Random, queue: list[int], base_us: int, way_back_ms: int, gap_ns: int, *, odd: bool = True
) -> SubflowSignals:
    """Return the samples of a subflow that meets a queue; odd ones have silences and impossible RTTs among them."""
    time_ns, times_ns, rtt_us = rng.randint(0, 50 * MS), [], []
    while time_ns < len(queue) * MS:
        for _ in range(rng.choice([1, 1, 1, 2])):  # several at one time
            extreme = DELAY_LIMIT_US + 5 if odd and rng.random() < 0.0005 else 0
            times_ns.append(time_ns + way_back_ms * MS)
            rtt_us.append(base_us + queue[time_ns // MS] + rng.randint(0, 50) + extreme)
        silent_ns = rng.choice([2, 8, 16, 100, 300, 2000]) * base_us * 1000 // 16 if odd and rng.random() < 0.01 else 0
        time_ns += rng.randint(1, 2 * gap_ns) + silent_ns
    return SubflowSignals.of_rtts(times_ns, rtt_us)


def pair(seed: int) -> tuple[SubflowSignals, SubflowSignals, bool]:
    """Return two subflows, and whether they meet one queue.

    Of five, one has a queue that hardly moves, one a queue of more than ten round trips, one stops again and again, one
    has a sample in three round trips.
    """
    rng = random.Random(seed)  # noqa: S311 - test data
    base_us = rng.choice([1_000, 20_000, 60_000])
    most_us = {0: 3, 1: 40 * base_us}.get(seed % 5, 2 * base_us)
    shared = rng.random() < 0.5
    queues = [queue_us(rng, base_us // 1000 * 400, most_us) for _ in range(2)]
    gap_ns = 3 * base_us * 1000 if seed % 5 == 3 else base_us * 1000 // rng.choice([4, 20, 40])
    x = subflow(rng, queues[0], base_us, 0, gap_ns)
    y = subflow(rng, queues[0 if shared else 1], base_us * 2 // 3, base_us // 3000, gap_ns)
    if seed % 5 == 2:  # the host stops for two round trips, every eight
        x, y = (stopped(own, 8 * base_us * 1000, 2 * base_us * 1000) for own in (x, y))
    return x, y, shared


def stopped(own: SubflowSignals, every_ns: int, for_ns: int) -> SubflowSignals:
    """Return what a host sees that takes no ACK for a while, again and again: all of them afterwards, and late."""
    time_ns = own.rtt_time_ns
    waited_ns = (every_ns - time_ns % every_ns) * (time_ns % every_ns >= every_ns - for_ns)
    return SubflowSignals.of_rtts(time_ns + waited_ns, own.rtt_us + waited_ns // 1000)
