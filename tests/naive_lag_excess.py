"""The lag excess as plain loops of integers, written from the text and not from the pipeline's code.

Sums of a tile are compiled, since there are many; what is made of sums is plain Python.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tests.naive import Ints, Times, compiled

SPANS = (2, 4, 8, 16, 32, 64, 128)
STEPS_PER_RTT = 16
TILE = 800
LEAD = 127
NULL_LAGS = 20
MOST_LAGS = 2 * (STEPS_PER_RTT + NULL_LAGS) + 1
DELAY_LIMIT_US = 2**24 - 1
PROBE_LIMIT_US = 2**23 - 1
EXCESS_NAMES = tuple(f"excess_{span}_q10" for span in SPANS)
PEAK_NAMES = tuple(f"peak_{span}_q10" for span in SPANS)
NAMES = (*EXCESS_NAMES, *PEAK_NAMES, "lead_q10")


class Lattice(NamedTuple):
    """Where a pair's tiles lie."""

    fixed_ns: int
    min_rtt_us: int


class Sums(NamedTuple):
    """What a tile adds up: agreement and counts by band and lag, two rows of the comparison's nine sums, and depth."""

    agreement: Ints
    counted: Ints
    compared: Ints
    deep: bool


@compiled
def delay_at(time_ns: Times, rtt_us: Times, at_ns: int, step_ns: int) -> tuple[int, int]:
    """Return the RTT at a time and its silence: how many of 8, 16, ... 256 steps are shorter; 6 before any sample."""
    low, high = 0, len(time_ns)
    while low < high:
        middle = (low + high) // 2
        if time_ns[middle] <= at_ns:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return rtt_us[0], 6
    before = low - 1
    if time_ns[before] == at_ns:
        return rtt_us[before], 0
    gap_ns = time_ns[low] - time_ns[before]
    level = 0
    while level < 6 and gap_ns > (8 << level) * step_ns:
        level += 1
    if level == 6:
        return rtt_us[before], 6
    rise = rtt_us[low] - rtt_us[before]
    risen = abs(rise) * (at_ns - time_ns[before]) // gap_ns
    return rtt_us[before] + (risen if rise >= 0 else -risen), level


@compiled
def signs_of(rtt_us: Ints, silence: Ints, span: int, steps: int) -> Ints:
    """Return the sign of each change of a band, 1 or -1, 0 where it does not count."""
    stride = max(1, span // 4)
    half = span // 2
    longest = 0
    while (8 << longest) < 2 * span:
        longest += 1
    points = (steps + stride - 1) // stride
    change = np.zeros(points, np.int64)
    counts = np.zeros(points, np.int64)
    total, counted = 0, 0
    for point in range(points):
        at = 127 + point * stride
        silent = 0
        for back in range(span):
            change[point] += rtt_us[at - back] if back < half else -rtt_us[at - back]
            silent += silence[at - back] > longest
        if silent <= half:
            counts[point] = 1
            total += change[point]
            counted += 1
    for point in range(points):
        if counts[point]:
            counts[point] = 1 if change[point] * counted > total else -1
    return counts


@compiled
def agreement_of(a: Ints, b: Ints, span: int) -> Ints:
    """Return for each lag, ascending, by how much agreeing signs outnumber the others, and how many there are."""
    stride = max(1, span // 4)
    possible = 16 // stride
    first_null = possible + max(2, span // stride) + 1
    found = np.zeros((2, 2 * 20 + 2 * possible + 1), np.int64)
    row = 0
    for lag in range(-first_null - 19, first_null + 20):
        if possible < abs(lag) < first_null:
            continue
        for place in range(len(a)):
            if 0 <= place - lag < len(b) and a[place] and b[place - lag]:
                found[0, row] += a[place] * b[place - lag]
                found[1, row] += 1
        row += 1
    return found


@compiled
def compared(
    time_ns: Times, rtt_us: Times, other_ns: Times, other_us: Times, first_ns: int, last_ns: int, slot_ns: int
) -> Ints:
    """Return the nine sums of a subflow's probes, the other's next sample and the next probe."""
    sums = np.zeros(9, np.int64)
    probe = -1
    for sample in range(len(time_ns)):
        if time_ns[sample] < first_ns or time_ns[sample] > last_ns:
            continue
        slot = (time_ns[sample] - first_ns) // slot_ns
        if probe >= 0 and slot == (time_ns[probe] - first_ns) // slot_ns:
            continue
        if probe >= 0:
            crossing = 0
            while crossing < len(other_ns) and other_ns[crossing] <= time_ns[probe]:
                crossing += 1
            if crossing < len(other_ns) and other_ns[crossing] < time_ns[sample]:
                p = min(rtt_us[probe], 8_388_607)
                c = min(other_us[crossing], 8_388_607)
                f = min(rtt_us[sample], 8_388_607)
                for number, value in enumerate((1, p, c, f, p * p, c * c, f * f, p * c, p * f)):
                    sums[number] += value
        probe = sample
    return sums


def since(time_ns: Ints, rtt_us: Ints, fixed_ns: int) -> tuple[Ints, Ints]:
    """Return the samples from the last one on that came no later than the lattice was fixed."""
    first = max(place for place in range(len(time_ns)) if time_ns[place] <= fixed_ns)
    return time_ns[first:], np.minimum(rtt_us[first:], DELAY_LIMIT_US)


def lattice_of(x: tuple[Ints, Ints], y: tuple[Ints, Ints]) -> Lattice:
    """Return where tiles lie: from the tenth sample of the later subflow on."""
    fixed_ns = max(int(time_ns[9]) for time_ns, _ in (x, y))
    lowest = max(int(rtt_us[time_ns <= fixed_ns].min()) for time_ns, rtt_us in (x, y))
    return Lattice(fixed_ns, min(lowest, DELAY_LIMIT_US))


def sums_of(x: tuple[Ints, Ints], y: tuple[Ints, Ints], lattice: Lattice, number: int, steps: int) -> Sums:
    """Return what a tile, or half of it, adds up.

    Parameters
    ----------
    x, y : (time_ns, rtt_us)
        Of :func:`since`.
    lattice : Lattice
    number, steps : int
    """
    step_ns = lattice.min_rtt_us * 1000 // STEPS_PER_RTT
    first_ns = lattice.fixed_ns + 4000 * lattice.min_rtt_us + number * TILE * step_ns
    last_ns = first_ns + (steps - 1) * step_ns
    sides = []
    deep = False
    for time_ns, rtt_us in (x, y):
        points = [delay_at(time_ns, rtt_us, first_ns + at * step_ns, step_ns) for at in range(-LEAD, steps)]
        delays, silence = (np.array(one, dtype=np.int64) for one in zip(*points, strict=True))
        sides.append([signs_of(delays, silence, span, steps) for span in SPANS])
        deep = deep or int(delays[LEAD:].sum()) > 10 * lattice.min_rtt_us * steps
    agreement = np.zeros((2, len(SPANS), MOST_LAGS), dtype=np.int64)
    for band, (a, b, span) in enumerate(zip(*sides, SPANS, strict=True)):
        found = agreement_of(a, b, span)
        agreement[:, band, : found.shape[1]] = found
    slot_ns = STEPS_PER_RTT * step_ns
    both = np.stack([compared(*x, *y, first_ns, last_ns, slot_ns), compared(*y, *x, first_ns, last_ns, slot_ns)])
    return Sums(agreement[0], agreement[1], both, deep)


def _toward_zero(value: int, by: int) -> int:
    return abs(value) // by * (1 if value >= 0 else -1)


def excess_of(agreement: Sequence[int], counted: Sequence[int], span: int) -> tuple[int, int] | None:
    """Return excess and peak of a band, Q10; None if too little was counted."""
    stride = max(1, span // 4)
    possible = 16 // stride
    lags = 2 * possible + 1 + 2 * NULL_LAGS
    most = max(counted[:lags])
    found = [_toward_zero(agreement[lag] << 15, counted[lag]) if counted[lag] else 0 for lag in range(lags)]
    enough = [10 * counted[lag] >= 3 * most for lag in range(lags)]
    inner = range(NULL_LAGS, NULL_LAGS + 2 * possible + 1)
    null = [found[lag] for lag in range(lags) if lag not in inner and enough[lag] and counted[lag] >= 8]
    best = [found[lag] for lag in inner if enough[lag]]
    if most < 12 or len(null) < 10 or not best:
        return None
    total, count, peak = sum(null), len(null), max(best)
    spread = math.isqrt(count * sum(one * one for one in null) - total * total + count * count * (2**30 // 10_000))
    excess = _toward_zero((count * peak - total) << 10, spread)
    return min(max(excess, -2048), 8192), _toward_zero(peak, 32)


def lead_of(compared: Ints) -> int | None:
    """Return by how much the cross measures lead, both sides together, Q10; None where a side says nothing."""
    total = 0
    for side in compared.tolist():
        n, p, c, f, pp, cc, ff, pc, pf = side
        if n < 10:
            return None
        for other, squares, products, sign in ((c, cc, pc, 1), (f, ff, pf, -1)):
            own, its = n * pp - p * p, n * squares - other * other
            if own <= 0 or its <= 0:
                return None
            size = math.isqrt(own) * math.isqrt(its)
            common = n * products - p * other
            value = (abs(common) << 15) // size if size < 1 << 46 else abs(common) // (size >> 15)
            total += sign * min(value, 1 << 15) * (1 if common >= 0 else -1)
    return _toward_zero(total, 32)


def features(kept: Sequence[Sums]) -> dict[str, int | None]:
    """Return the features of what is kept: the sums of some tiles; all None if there are none."""
    if not kept:
        return dict.fromkeys(NAMES)
    agreement, counted = (sum(one[at] for one in kept).tolist() for at in (0, 1))  # type: ignore[union-attr]
    bands = [excess_of(agree, count, span) for agree, count, span in zip(agreement, counted, SPANS, strict=True)]
    values = [
        *(None if one is None else one[0] for one in bands),
        *(None if one is None else one[1] for one in bands),
        lead_of(np.sum([one.compared for one in kept], axis=0)),
    ]
    return dict(zip(NAMES, values, strict=True))
