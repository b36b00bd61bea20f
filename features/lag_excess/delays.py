"""A subflow's RTTs at a lattice's times, and how long the silences are that they bridge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smartsbd.features.fixed import BoolArray, Int64Array
from smartsbd.features.lag_excess.lattice import DELAY_LIMIT_US, Lattice
from smartsbd.features.series import SubflowSignals

#: The class of a silence is how often this many steps can be doubled before they are as long.
SILENT_STEPS = 8
#: Of a point before the first sample, or in the longest of silences.
LONGEST = 6


@dataclass(frozen=True)
class Delays:
    """RTTs of a subflow at times of a lattice.

    Attributes
    ----------
    rtt_us : (n,) int64, microseconds
        Between two samples linear; before the first its own, in the longest silences that of the sample before.
    silence : (n,) int64
        How many of 8, 16, 32, 64, 128 and 256 steps are shorter than the silence a point lies within: 0 to 6; 6 before
        the first sample.
    """

    rtt_us: Int64Array
    silence: Int64Array


def decided_ns(signals: SubflowSignals, last_ns: int) -> int | None:
    """Return when a sender knows the RTT of a time, None if never: at the first sample that is later.

    Another sample may follow at the same time; the last of them counts.

    Returns
    -------
    int or None, nanoseconds
    """
    place = int(np.searchsorted(signals.rtt_time_ns, last_ns, side="right"))
    return int(signals.rtt_time_ns[place]) if place < signals.rtt_time_ns.size else None


def since(signals: SubflowSignals, lattice: Lattice) -> SubflowSignals:
    """Return a subflow's RTTs, beginning with its last sample up to the time at which the lattice was fixed.

    Returns
    -------
    SubflowSignals
        RTTs alone, clamped to 2^24 - 1 us.

    Examples
    --------
    >>> since(SubflowSignals.of_rtts([0, 5, 5, 9], [1, 2, 3, 4]), Lattice(7, 1)).rtt_us.tolist()
    [3, 4]
    """
    first = int(np.searchsorted(signals.rtt_time_ns, lattice.fixed_ns, side="right")) - 1
    return SubflowSignals.of_rtts(signals.rtt_time_ns[first:], np.minimum(signals.rtt_us[first:], DELAY_LIMIT_US))


def delays_at(signals: SubflowSignals, lattice: Lattice, first: int, count: int) -> Delays:
    """Return a subflow's RTTs at `count` times of a lattice from the number `first` on, all before its last sample.

    Between a sample v at s and the next one w at t, the RTT at u is

        v + sign(w - v) * (abs(w - v) * (u - s) // (t - s)).

    Where the silence t - s is longer than 256 steps it is v, and before the first sample it is that of the first.

    Parameters
    ----------
    signals : SubflowSignals
        As :func:`since` returns them.
    lattice : Lattice
    first : int
        Number of the first time; negative before the first tile.
    count : int
        How many times; neighbours are one step apart.

    Returns
    -------
    Delays
        `count` points.

    Examples
    --------
    Samples 1 ms apart, then nothing for 20: of steps of 1 ms, that is more than 8 and 16, and not 32.

    >>> lattice = Lattice(0, 16_000)
    >>> ms = lattice.start_ns + np.array([0, 1, 21, 22]) * 1_000_000
    >>> delays = delays_at(SubflowSignals.of_rtts(ms, [16_000, 16_000, 36_000, 36_000]), lattice, -1, 4)
    >>> delays.rtt_us.tolist(), delays.silence.tolist()
    ([16000, 16000, 16000, 17000], [6, 0, 0, 2])
    """
    at_ns = lattice.at_ns(first, count)
    times_ns, rtt_us = signals.rtt_time_ns, signals.rtt_us
    # Of several samples at one time the last begins what follows, the first ends what was before.
    right = np.searchsorted(times_ns, at_ns, side="left")
    left = np.maximum(np.searchsorted(times_ns, at_ns, side="right") - 1, 0)
    within: BoolArray = (left < right) & (times_ns[left] < at_ns)
    gap_ns = np.where(within, times_ns[right] - times_ns[left], 0)
    longer = [gap_ns > (SILENT_STEPS << double) * lattice.step_ns for double in range(LONGEST)]
    silence = np.where(at_ns < times_ns[0], LONGEST, np.stack(longer).sum(axis=0, dtype=np.int64))
    between = within & (silence < LONGEST)
    rise_us = rtt_us[right] - rtt_us[left]
    risen_us = np.abs(rise_us) * np.where(between, at_ns - times_ns[left], 0) // np.where(between, gap_ns, 1)
    return Delays(rtt_us[left] + np.sign(rise_us) * risen_us, silence)
