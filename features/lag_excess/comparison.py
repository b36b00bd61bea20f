"""The second witness: how much more a delay is like the other subflow's next one than like its own subflow's next.

The comparison test of Rubenstein, Kurose and Towsley (ToN 2002), on a tile, in sums that add up over tiles. The closer
two packets follow each other in a queue, the more alike are their delays; if two subflows share it, the other
subflow's next packet is nearer than its own next probe. Ours: a probe is a subflow's first RTT sample in each of a
tile's fifty round trips, and the lead of the cross measure is kept as a number.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

import numpy as np

from smartsbd.features.fixed import Int64Array
from smartsbd.features.lag_excess.lattice import STEPS_PER_RTT, Lattice
from smartsbd.features.series import SubflowSignals

#: Probes of either subflow that must have been compared.
LEAST_PROBES = 10
#: Delays are clamped to this (8.4 s): products of sums over four tiles stay within 63 bits.
LIMIT_US = (1 << 23) - 1
_Q15 = 15
#: The divisor, a product of deviations, is not shifted where it is below this.
_SMALL = 1 << 46


@dataclass(frozen=True)
class Probes:
    """Sums over those probes of a subflow that a sample of the other subflow follows, and then another probe.

    Attributes
    ----------
    count : int
    probe, crossing, following : int, microseconds
        Of the probes' delays, of the other subflow's next ones, of the next probes'.
    probe_2, crossing_2, following_2 : int, microseconds squared
        Of their squares.
    probe_crossing, probe_following : int, microseconds squared
        Of products.
    """

    count: int = 0
    probe: int = 0
    crossing: int = 0
    following: int = 0
    probe_2: int = 0
    crossing_2: int = 0
    following_2: int = 0
    probe_crossing: int = 0
    probe_following: int = 0

    def __add__(self, other: Probes) -> Probes:
        return Probes(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))

    def lead_q15(self) -> int | None:
        """Return the cross measure less the auto measure, Q15; None for too few probes, or delays that are constant.

        r(probe, crossing) - r(probe, following) with

            r(p, o) = ((n * sum(p * o) - sum(p) * sum(o)) << 15) / size, size = E(p) * E(o),
            E(x) = isqrt(n * sum(x^2) - sum(x)^2),

        truncated toward zero and kept within +-2^15. Where size is 2^46 or more, it is shifted right by 15 and the
        numerator is not shifted left. Fewer than ten probes are too few.

        Returns
        -------
        int in [-2^16, 2^16] or None, Q15

        Examples
        --------
        The other subflow's next delays are those of the probes; the subflow's own next delays are unrelated to them.

        >>> Probes(10, 30, 30, 30, 100, 100, 100, 100, 90).lead_q15()
        32768
        """
        if self.count < LEAST_PROBES:
            return None
        cross = self._correlation_q15(self.crossing, self.crossing_2, self.probe_crossing)
        auto = self._correlation_q15(self.following, self.following_2, self.probe_following)
        return None if cross is None or auto is None else cross - auto

    def _correlation_q15(self, total: int, squares: int, products: int) -> int | None:
        """Return the correlation of the probes' delays with others, truncated toward zero."""
        probe_spread = self.count * self.probe_2 - self.probe * self.probe
        other_spread = self.count * squares - total * total
        # Faded sums, each truncated, may fall short of a variance.
        if probe_spread <= 0 or other_spread <= 0:
            return None
        size = math.isqrt(probe_spread) * math.isqrt(other_spread)
        common = self.count * products - self.probe * total
        quotient = (abs(common) << _Q15) // size if size < _SMALL else abs(common) // (size >> _Q15)
        return min(quotient, 1 << _Q15) * (1 if common >= 0 else -1)


@dataclass(frozen=True)
class Comparison:
    """What is compared from the first subflow's side, and from the second's.

    Attributes
    ----------
    a, b : Probes
    """

    a: Probes
    b: Probes

    def __add__(self, other: Comparison) -> Comparison:
        return Comparison(self.a + other.a, self.b + other.b)

    def lead_q10(self) -> int | None:
        """Return by how much the cross measures lead over the auto measures, both sides together.

        (a.lead_q15() + b.lead_q15()) / 32, truncated toward zero: from -4 to 4 in Q10; None where a side says nothing.

        Returns
        -------
        int in [-4096, 4096] or None, Q10

        Examples
        --------
        >>> side = Probes(10, 30, 30, 30, 100, 100, 100, 100, 90)
        >>> Comparison(side, side).lead_q10()
        2048
        """
        sides = [side.lead_q15() for side in (self.a, self.b)]
        if None in sides:
            return None
        total = sum(lead for lead in sides if lead is not None)
        return (abs(total) >> 5) * (1 if total >= 0 else -1)


def _probes(probed: SubflowSignals, other: SubflowSignals, first_ns: int, last_ns: int, slot_ns: int) -> Probes:
    begin, end = np.searchsorted(probed.rtt_time_ns, [first_ns, last_ns + 1])
    time_ns = probed.rtt_time_ns[begin:end]
    places = begin + np.flatnonzero(np.diff((time_ns - first_ns) // slot_ns, prepend=-1))
    probe, following = places[:-1], places[1:]
    crossing = np.searchsorted(other.rtt_time_ns, probed.rtt_time_ns[probe], side="right")
    between = crossing < np.searchsorted(other.rtt_time_ns, probed.rtt_time_ns[following], side="left")

    def delays_us(signals: SubflowSignals, places: Int64Array) -> Int64Array:
        clamped_us: Int64Array = np.minimum(signals.rtt_us[places[between]], LIMIT_US)
        return clamped_us

    p, c, f = delays_us(probed, probe), delays_us(other, crossing), delays_us(probed, following)
    sums = (p.sum(), c.sum(), f.sum(), p @ p, c @ c, f @ f, p @ c, p @ f)
    return Probes(p.size, *(int(total) for total in sums))


def comparison(x: SubflowSignals, y: SubflowSignals, lattice: Lattice, first_ns: int, last_ns: int) -> Comparison:
    """Return what is compared from a tile's first time up to one of its times.

    A probe is a subflow's first sample in each sixteen steps from `first_ns` on. It is counted if the other subflow has
    a sample later than it and earlier than the next probe; crossing is the first of these, following is the next probe.
    Delays above 2^23 - 1 us count as that.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    lattice : Lattice
    first_ns, last_ns : int, nanoseconds

    Returns
    -------
    Comparison
        Sums over the probes of each side.

    Examples
    --------
    The first subflow's probes are crossed at 8 and 24 ms, the second's first probe at 16 ms.

    >>> ms = 1_000_000
    >>> x = SubflowSignals.of_rtts([0, 16 * ms, 32 * ms], [5, 6, 7])
    >>> y = SubflowSignals.of_rtts([8 * ms, 24 * ms], [50, 60])
    >>> sums = comparison(x, y, Lattice(0, 16_000), 0, 32 * ms)
    >>> sums.a.count, sums.a.probe, sums.a.crossing, sums.a.following, sums.a.probe_crossing
    (2, 11, 110, 13, 610)
    >>> sums.b.count, sums.b.probe, sums.b.crossing, sums.b.following, sums.b.probe_crossing
    (1, 50, 6, 60, 300)
    """
    slot_ns = STEPS_PER_RTT * lattice.step_ns
    return Comparison(_probes(x, y, first_ns, last_ns, slot_ns), _probes(y, x, first_ns, last_ns, slot_ns))
