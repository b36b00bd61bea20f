"""A subflow's RTTs at a lattice's times, and how long the silences are that they bridge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from features.fixed import BoolArray, Int64Array
from features.lag_excess.lattice import Lattice
from features.resample import interpolate
from features.series import SubflowSignals

#: RTTs are clamped to this (16.8 s): sums over a tile stay within 63 bits, a point within 28.
DELAY_LIMIT_US = (1 << 24) - 1
#: Silences are told apart by how often this many steps can be doubled before they are as long.
SILENT_STEPS = 8
#: Of a point before the first sample, or in the longest of silences.
LONGEST = 6


@dataclass(frozen=True)
class Delays:
    """RTTs of a subflow at times of a lattice.

    Attributes
    ----------
    rtt_us : (n,) int64, microseconds
        Between two samples linear; before the first its own.
    silence : (n,) int64
        How many of 8, 16, 32, 64, 128 and 256 steps are shorter than the silence a point lies within: 0 to 6; 6 before
        the first sample.
    """

    rtt_us: Int64Array
    silence: Int64Array


def known_before_ns(signals: SubflowSignals) -> int:
    """Return the time before which a subflow's RTTs are known: that of its last sample.

    At the very time of a sample another may follow, of which the last counts.
    """
    return int(signals.rtt_time_ns[-1])


def decided_ns(signals: SubflowSignals, last_ns: int) -> int:
    """Return when a sender knows the RTT of a time: at the first sample that is later."""
    return int(signals.rtt_time_ns[np.searchsorted(signals.rtt_time_ns, last_ns, side="right")])


def delays_at(signals: SubflowSignals, lattice: Lattice, first: int, count: int) -> Delays:
    """Return a subflow's RTTs at `count` times of a lattice from the number `first` on, all before its last sample.

    Examples
    --------
    Samples 1 ms apart, then nothing for 20: of steps of 1 ms, that is more than 8 and 16, and not 32.

    >>> own = SubflowSignals.of_rtts([0, 1_000_000, 21_000_000, 22_000_000], [16_000, 16_000, 36_000, 36_000])
    >>> found = delays_at(own, Lattice(0, 16_000), -1, 4)
    >>> found.rtt_us.tolist(), found.silence.tolist()
    ([16000, 16000, 16000, 17000], [6, 0, 0, 2])
    """
    at_ns = lattice.at_ns(first, count)
    rtt_us = interpolate(signals.rtt_time_ns, np.minimum(signals.rtt_us, DELAY_LIMIT_US), at_ns)
    times = signals.rtt_time_ns
    right = np.searchsorted(times, at_ns, side="left")
    within: BoolArray = np.append(times, -1)[right] != at_ns
    gap_ns = np.where(within, np.concatenate(([0], np.diff(times), [0]))[right], 0)
    longer = [gap_ns > (SILENT_STEPS << double) * lattice.step_ns for double in range(LONGEST)]
    silence = np.where(at_ns < times[0], LONGEST, np.stack(longer).sum(axis=0, dtype=np.int64))
    return Delays(rtt_us, silence)
