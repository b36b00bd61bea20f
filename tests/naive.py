"""The definitions as plain loops, written from the text and not from the pipeline's code.

Integers throughout, divisions and roots as C does them. Slow and obvious on purpose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Samples = Sequence[tuple[int, int]]

LIMIT_US = 2_097_151
CONGESTED_US = 1_000_000
CAP = 16_777_215


def divide_toward_zero(numerator: int, denominator: int) -> int:
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator >= 0) == (denominator > 0) else -quotient


def rtt_at(samples: Samples, at_ns: int) -> int:
    """Linear between the last sample at or before and the first after; held at both ends.

    Of several samples at one time the last counts.
    """
    before = None
    after = None
    for time_ns, rtt_us in samples:
        if time_ns <= at_ns:
            before = (time_ns, rtt_us)
        elif after is None or time_ns == after[0]:
            after = (time_ns, rtt_us)
    if before is None:
        assert after is not None
        return after[1]
    if after is None:
        return before[1]
    return before[1] + divide_toward_zero((after[1] - before[1]) * (at_ns - before[0]), after[0] - before[0])


def congested_at(changes: Samples, at_ns: int) -> int:
    state = 0
    for time_ns, ca_state in changes:
        if time_ns <= at_ns:
            state = ca_state
    return 1 if state in (3, 4) else 0


def min_rtt_us(samples: Samples, until_ns: int) -> int:
    return min(rtt_us for time_ns, rtt_us in samples if time_ns <= until_ns)


def entries_ns(changes: Samples) -> list[int]:
    found = []
    congested = False
    for time_ns, ca_state in changes:
        if ca_state in (3, 4) and not congested:
            found.append(time_ns)
        congested = ca_state in (3, 4)
    return found


def geometry(min_a_us: int, min_b_us: int) -> tuple[int, int, int]:
    """T, step and number of points."""
    window_ns = 50 * max(min_a_us, min_b_us) * 1000
    step_ns = min(min_a_us, min_b_us) * 1000
    while window_ns > 681 * step_ns:
        step_ns = -(-window_ns // 681)
    points = 0
    while points * step_ns <= window_ns:
        points += 1
    return window_ns, step_ns, points


def triggered_start_ns(rtt: tuple[Samples, Samples], changes: tuple[Samples, Samples]) -> int | None:
    """The earliest max(a, b) over pairs of entries within T of each other; None if there is none."""
    best = None
    for a in entries_ns(changes[0]):
        for b in entries_ns(changes[1]):
            start_ns = max(a, b)
            known = [[rtt_us for time_ns, rtt_us in one if time_ns <= start_ns] for one in rtt]
            if not known[0] or not known[1]:
                continue
            window_ns = 50 * max(min(known[0]), min(known[1])) * 1000
            if abs(a - b) <= window_ns and (best is None or start_ns < best):
                best = start_ns
    return best


Point = tuple[int, ...]


def squared(u: Point, v: Point) -> int:
    return sum((p - q) * (p - q) for p, q in zip(u, v, strict=True))


def ed(a: Sequence[Point], b: Sequence[Point]) -> int:
    return math.isqrt(sum(squared(u, v) for u, v in zip(a, b, strict=True)) >> 4)


def dtwd(a: Sequence[Point], b: Sequence[Point]) -> int:
    cost = [[0] * len(b) for _ in a]
    for i, u in enumerate(a):
        for j, v in enumerate(b):
            reached = []
            if i > 0:
                reached.append(cost[i - 1][j])
            if j > 0:
                reached.append(cost[i][j - 1])
            if i > 0 and j > 0:
                reached.append(cost[i - 1][j - 1])
            cost[i][j] = squared(u, v) + (min(reached) if reached else 0)
    return math.isqrt(cost[-1][-1] >> 4)


def ratio(numerator: int, denominator: int) -> int:
    if denominator == 0:
        return 1024 if numerator == 0 else CAP
    return min(numerator * 1024 // denominator, CAP)


def deviation(values: Sequence[int]) -> int:
    return math.isqrt(len(values) * sum(value * value for value in values) - sum(values) ** 2)


def features(
    rtt: tuple[Samples, Samples], changes: tuple[Samples, Samples], start_ns: int
) -> tuple[dict[str, int], int]:
    """The nine features of the window at `start_ns`, and how many points were clamped."""
    low = [min_rtt_us(one, start_ns) for one in rtt]
    _, step_ns, points = geometry(low[0], low[1])
    grid = [start_ns + k * step_ns for k in range(points)]
    raw = [[rtt_at(one, at_ns) for at_ns in grid] for one in rtt]
    common = min(*raw[0], *raw[1])
    clamped = sum(value - common > LIMIT_US for one in raw for value in one)
    series = [[min(value - common, LIMIT_US) for value in one] for one in raw]
    congested = [[congested_at(one, at_ns) for at_ns in grid] for one in changes]
    b, a = (0, 1) if low[0] <= low[1] else (1, 0)
    r = [[(value,) for value in one] for one in series]
    c = [[(value * CONGESTED_US,) for value in one] for one in congested]
    rc = [[u + v for u, v in zip(one, other, strict=True)] for one, other in zip(r, c, strict=True)]
    return {
        "rtt_ed_4us": ed(r[a], r[b]),
        "cstate_ed_4us": ed(c[a], c[b]),
        "rtt_cstate_ed_4us": ed(rc[a], rc[b]),
        "rtt_dtwd_4us": dtwd(r[a], r[b]),
        "cstate_dtwd_4us": dtwd(c[a], c[b]),
        "rtt_cstate_dtwd_4us": dtwd(rc[a], rc[b]),
        "rtt_sd_ratio_q10": ratio(deviation(series[a]), deviation(series[b])),
        "cstate_sd_ratio_q10": ratio(deviation(congested[a]), deviation(congested[b])),
        "min_rtt_ratio_q10": ratio(low[a], low[b]),
    }, clamped
