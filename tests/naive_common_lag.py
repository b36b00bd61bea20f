"""The sums of the common lag as plain loops, written from the text and not from the pipeline's code.

Of one lattice, all samples known: what is left out around stalls is left out at once. Agreements are compiled, since
there are many.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tests.naive import Ints, compiled

BLOCK = 256
SPANS = (2, 4, 8, 16, 32, 64, 128, 256)
STEPS_PER_RTT = 16
NULL_LAGS = 20
CAP_US = 256_000
LIMIT_US = 2**24 - 1
SPREAD_US = 2**22 - 1
DEVIATION_US = 2**20 - 1

Samples = list[tuple[int, int]]


class BlockSums(NamedTuple):
    """What a block says: rows of (agreement, counted) at each lag of each band, and plain sums of the rest."""

    agreements: list[tuple[int, int]]
    level_products: list[int]
    level_counted: list[int]
    level_squares: list[int]
    level_both: int
    adjacent: list[list[int]]
    probes: list[list[int]]


class Lattice(NamedTuple):
    """Where it begins, its step, the place of the sample that begins it, and whether a later one begins another."""

    start_ns: int
    step_ns: int
    place: int
    outgrown: bool


def lattice(samples: Sequence[tuple[int, int, int]]) -> Lattice:
    """Return the lattice of samples (time, subflow, RTT) in the order in which they come."""
    smallest, seen, start = [LIMIT_US, LIMIT_US], [0, 0], None
    for place, (time_ns, which, rtt_us) in enumerate(samples):
        seen[which] += 1
        smallest[which] = min(smallest[which], rtt_us)
        trip_us = max(1, min(max(smallest), CAP_US))
        if start is None and min(seen) >= 10:
            start = (time_ns, trip_us, place)
        elif start is not None and 10 * trip_us < 7 * start[1]:
            return Lattice(start[0], start[1] * 1000 // 16, start[2], True)
    assert start is not None
    return Lattice(start[0], start[1] * 1000 // 16, start[2], False)


def of_each(samples: Sequence[tuple[int, int, int]]) -> list[Samples]:
    """Return each subflow's samples."""
    return [[(time_ns, rtt_us) for time_ns, which, rtt_us in samples if which == own] for own in (0, 1)]


def stalls(a: Samples, b: Samples, where: Lattice) -> list[tuple[int, int]]:
    """Return from when to when samples are left out."""

    def silences(samples: Samples) -> list[tuple[int, int]]:
        ends = itertools.pairwise(samples)
        return [
            (before[0], after[0])
            for before, after in ends
            if after[0] >= where.start_ns and after[0] - before[0] > 8 * where.step_ns
        ]

    together = [
        (min(one[0], other[0]), max(one[1], other[1]) + 16 * where.step_ns)
        for one in silences(a)
        for other in silences(b)
        if abs(one[1] - other[1]) <= where.step_ns // 2
    ]
    return sorted(together, key=lambda window: window[1])[3:]


def delays(samples: Samples, cuts: Sequence[tuple[int, int]], where: Lattice, steps: int) -> tuple[Ints, Ints]:
    """Return the delay at each step, and the level of the silence in which it lies."""
    delay, level = np.zeros(steps, np.int64), np.zeros(steps, np.int64)
    place = 0
    for step in range(steps):
        at_ns = where.start_ns + step * where.step_ns
        while place + 1 < len(samples) and samples[place + 1][0] <= at_ns:
            place += 1
        time_ns, rtt_us = samples[place]
        delay[step] = rtt_us
        if time_ns < at_ns and place + 1 == len(samples):
            level[step] = 7
        elif time_ns < at_ns:
            after_ns, after_us = samples[place + 1]
            gap_ns = after_ns - time_ns
            level[step] = sum(gap_ns > 8 * 2**power * where.step_ns for power in range(7))
            if level[step] < 6:
                rise_us = int(abs(after_us - rtt_us) * (at_ns - time_ns) // gap_ns)
                delay[step] += rise_us if after_us >= rtt_us else -rise_us
        if any(from_ns < at_ns < to_ns for from_ns, to_ns in cuts):
            level[step] = 7
    return delay, level


def signs(delay: Ints, level: Ints, span: int, stride: int) -> Ints:
    """Return the sign of each change that counts, 0 of others; a mean is over a block and the two before."""
    too_silent = max(1, SPANS.index(span))
    changes: list[int | None] = []
    for end in range(0, len(delay), stride):
        first = end + 1 - span
        if first < 0 or sum(level[first : end + 1] >= too_silent) > span // 2:
            changes.append(None)
            continue
        middle = first + span // 2
        changes.append(int(delay[middle : end + 1].sum()) - int(delay[first:middle].sum()))
    per_block = BLOCK // stride
    found = np.zeros(len(changes), np.int64)
    for place, change in enumerate(changes):
        block = place // per_block
        near = [own for own in changes[max(0, block - 2) * per_block : (block + 1) * per_block] if own is not None]
        if change is not None:
            found[place] = 1 if change * len(near) > sum(near) else -1
    return found


@compiled
def agreement(later: Ints, sooner: Ints, first: int, last: int, lag: int) -> tuple[int, int]:
    """Return the sum of products of signs, and how many there are, of places up to and without the last."""
    total, count = 0, 0
    for place in range(first, last):
        if place >= lag and later[place] != 0 and sooner[place - lag] != 0:
            total += later[place] * sooner[place - lag]
            count += 1
    return total, count


def agreements(a: Ints, b: Ints, span: int, stride: int, block: int) -> list[tuple[int, int]]:
    """Return what agrees in a block at each lag of a band."""
    possible = STEPS_PER_RTT // stride
    null = possible + max(2, span // stride) + 1
    lags = [*range(-null - 19, -null + 1), *range(-possible, possible + 1), *range(null, null + 20)]
    first, last = block * BLOCK // stride, (block + 1) * BLOCK // stride
    return [agreement(a, b, first, last, lag) if lag >= 0 else agreement(b, a, first, last, -lag) for lag in lags]


def mean_at(delay: Ints, block: int) -> int:
    """Return the mean delay over a block and the two before."""
    near = delay[max(0, block - 2) * BLOCK : (block + 1) * BLOCK]
    return int(near.sum()) // len(near)


def bounded(value: int, most: int) -> int:
    """Return a value, at most so far from 0."""
    return max(-most, min(most, value))


def adjacent(
    own: Samples, other_ns: Sequence[int], from_ns: int, to_ns: int, mean_us: int, reference_us: int
) -> list[int]:
    """Return count, squares before and after, and products, of samples in a row with one of the other's between."""
    sums = [0, 0, 0, 0]
    by = mean_us - reference_us
    for before, after in itertools.pairwise(own):
        between = bisect_right(other_ns, after[0]) - bisect_right(other_ns, before[0])
        if from_ns <= after[0] < to_ns and between > 0:
            x, y = (bounded(rtt_us - reference_us, SPREAD_US) - by for _, rtt_us in (before, after))
            sums = [sums[0] + 1, sums[1] + x * x, sums[2] + y * y, sums[3] + x * y]
    return sums


def probes(
    own: Samples, other: Samples, from_ns: int, to_ns: int, where: Lattice, references_us: tuple[int, int]
) -> list[int]:
    """Return count, totals, squares and products of probes, crossings and following probes."""
    slot_ns = 8 * where.step_ns
    first: Samples = []
    for time_ns, rtt_us in own:
        slot = (time_ns - where.start_ns) // slot_ns
        if not first or (first[-1][0] - where.start_ns) // slot_ns != slot:
            first.append((time_ns, rtt_us))
    count, totals, squares, products = 0, [0, 0, 0], [0, 0, 0], [0, 0, 0]
    other_ns = [time_ns for time_ns, _ in other]
    for probe, following in itertools.pairwise(first):
        later = bisect_right(other_ns, probe[0])
        if not from_ns <= following[0] < to_ns or later == len(other) or other_ns[later] > following[0]:
            continue
        crossing = other[later]
        pairs = ((probe, references_us[0]), (crossing, references_us[1]), (following, references_us[0]))
        deviations = [bounded(sample[1] - reference_us, DEVIATION_US) for sample, reference_us in pairs]
        count += 1
        for place, deviation in enumerate(deviations):
            totals[place] += deviation
            squares[place] += deviation * deviation
            products[place] += deviations[0] * deviation
    return [count, *totals, *squares, *products]


def block_sums(samples: Sequence[tuple[int, int, int]], where: Lattice, blocks: int) -> list[BlockSums]:
    """Return what each block says, of samples in the order in which they come."""
    a, b = of_each(samples)
    cuts = stalls(a, b, where)
    kept = [
        [sample for sample in own if not any(from_ns < sample[0] < to_ns for from_ns, to_ns in cuts)] for own in (a, b)
    ]
    since = [
        [sample for sample in own if not any(from_ns < sample[0] < to_ns for from_ns, to_ns in cuts)]
        for own in of_each(samples[where.place :])
    ]
    times_ns = [[time_ns for time_ns, _ in own] for own in since]
    both = [delays(own, cuts, where, blocks * BLOCK) for own in kept]
    bands = [(span, max(1, span // 4)) for span in SPANS]
    of_band = [[signs(delay, level, span, stride) for delay, level in both] for span, stride in bands]
    found = []
    for block in range(blocks):
        from_ns = where.start_ns + block * BLOCK * where.step_ns
        to_ns = from_ns + BLOCK * where.step_ns
        means = [mean_at(delay, block) for delay, _ in both]
        references = [int(delay[0]) for delay, _ in both]
        agreed = [
            row
            for (span, stride), (x, y) in zip(bands, of_band, strict=True)
            for row in agreements(x, y, span, stride, block)
        ]
        found.append(
            BlockSums(
                agreed,
                *levels(both, block),
                [
                    adjacent(since[own], times_ns[1 - own], from_ns, to_ns, means[own], references[own])
                    for own in (0, 1)
                ],
                [
                    probes(since[own], since[1 - own], from_ns, to_ns, where, (references[own], references[1 - own]))
                    for own in (0, 1)
                ],
            )
        )
    return found


def levels(both: Sequence[tuple[Ints, Ints]], block: int) -> tuple[list[int], list[int], list[int], int]:
    """Return products and counts at lags of -4 to 4, squares, and how many these are."""

    def deviation(which: int, step: int) -> int | None:
        delay, level = both[which]
        if step < 0 or level[step] >= 4:
            return None
        return bounded(int(delay[step]) - mean_at(delay, step // BLOCK), DEVIATION_US)

    products, counted, squares, count = [0] * 9, [0] * 9, [0, 0], 0
    for step in range(block * BLOCK, (block + 1) * BLOCK, 4):
        here = [deviation(which, step) for which in (0, 1)]
        if here[0] is not None and here[1] is not None:
            squares = [squares[0] + here[0] ** 2, squares[1] + here[1] ** 2]
            count += 1
        for lag in range(-4, 5):
            later, sooner = (0, 1) if lag >= 0 else (1, 0)
            x, y = here[later], deviation(sooner, step - 4 * abs(lag))
            if x is not None and y is not None:
                products[lag + 4] += x * y
                counted[lag + 4] += 1
    return products, counted, squares, count
