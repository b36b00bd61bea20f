"""One-way delays from the timestamps of ACKs captured near the sender, in exact fractions.

The receiver's clock (TSval) against the capture's is a line, by least squares; what an ACK is off the line is how much
longer or shorter its way back was than the mean, and its RTT sample less that is the delay of the segment on its way
there, and the mean way back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from smartsbd.traces.connection import NOT_OBSERVED
from smartsbd.traces.sequence import unwrapped

_KNOWN_TICKS_NS = (1_000, 1_000_000, 4_000_000, 10_000_000)
_OFF = Fraction(1, 10)
# To this the tick is rounded, and to microseconds the mean way back.
_TICK_PART_NS = Fraction(1, 2**20)
_MAX_US = 2**31 - 1


def _rounded(number: Fraction) -> int:
    """Return the nearest integer, of two the one farther from 0."""
    away = math.floor(abs(number) + Fraction(1, 2))
    return away if number > 0 else -away


def tick_ns(times_ns: Sequence[int], values: Sequence[int]) -> Fraction | None:
    """Return the length of the clock's tick, None if it is not near one that is known."""
    count, all_ns, all_values = len(times_ns), sum(times_ns), sum(values)
    square = count * sum(one * one for one in times_ns) - all_ns**2
    product = count * sum(one * other for one, other in zip(times_ns, values, strict=True)) - all_ns * all_values
    if not square or not product:
        return None
    found = Fraction(square, product)
    return found if any(abs(found / known - 1) <= _OFF for known in _KNOWN_TICKS_NS) else None


def one_way_us(times_ns: Sequence[int], rtts_us: Sequence[int], tsvals: Sequence[int]) -> dict[int, int]:
    """Return the one-way delays, by row; of rows without a TSval, and those whose delay cannot be, there is none."""
    rows = [row for row, tsval in enumerate(tsvals) if tsval != NOT_OBSERVED]
    if not rows:
        return {}
    elapsed_ns = [times_ns[row] - times_ns[rows[0]] for row in rows]
    values = [tsvals[rows[0]]]
    for row in rows[1:]:
        values.append(unwrapped(values[-1], tsvals[row]))
    values = [value - values[0] for value in values]
    exact = tick_ns(elapsed_ns, values)
    if exact is None:
        return {}
    tick = _rounded(exact / _TICK_PART_NS) * _TICK_PART_NS
    mean_us = _rounded((sum(elapsed_ns) - sum(values) * tick) / len(rows) / 1000)
    found = {}
    for row, own_ns in zip(rows, elapsed_ns, strict=True):
        # TSval anew, from the line: after a jump of the clock the next ones are not off by 2^32.
        value = unwrapped(tsvals[rows[0]] + _rounded(own_ns / tick), tsvals[row]) - tsvals[rows[0]]
        back_us = (own_ns - math.floor(value * tick)) // 1000 - mean_us
        if 0 <= rtts_us[row] - back_us <= _MAX_US >= rtts_us[row]:
            found[row] = rtts_us[row] - back_us
    return found
