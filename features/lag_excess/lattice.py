"""Where tiles lie: times a sixteenth of the larger minimum RTT apart, from the first samples on.

No congestion is needed. What a tile is does not depend on where a recording ends, which a live sender does not know.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smartsbd.features.fixed import Int64Array
from smartsbd.features.series import SubflowSignals

#: Steps in the larger minimum RTT.
STEPS_PER_RTT = 16
#: Steps in a tile: fifty of the larger minimum RTT.
TILE_STEPS = 800
#: Steps of a tile after which it is judged for the first time.
PART_STEPS = 400
#: Samples that each subflow has before anything begins, and the wait after that in larger minimum RTTs.
FIRST_SAMPLES = 10
_WAITED_RTTS = 4
_NS_PER_US = 1000
#: RTTs are clamped to this (16.8 s): sums over tiles stay within 63 bits, a point within 28.
DELAY_LIMIT_US = (1 << 24) - 1

TOO_FEW_SAMPLES = "a subflow has fewer than ten RTT samples"
TOO_SHORT = "fewer than 30 round trips were seen of both subflows"


@dataclass(frozen=True)
class Lattice:
    """Times at which a pair's RTTs are taken, fixed when both subflows have ten samples.

    Attributes
    ----------
    fixed_ns : int, nanoseconds
        Time of the tenth sample of the later subflow. What was before is forgotten, except for the last sample of each.
    min_rtt_us : int, microseconds
        The larger of the two smallest RTTs up to then.
    """

    fixed_ns: int
    min_rtt_us: int

    @property
    def start_ns(self) -> int:
        """First time of the first tile: four times the larger minimum RTT later.

        Returns
        -------
        int, nanoseconds

        Examples
        --------
        >>> Lattice(0, 20_000).start_ns
        80000000
        """
        return self.fixed_ns + _WAITED_RTTS * _NS_PER_US * self.min_rtt_us

    @property
    def step_ns(self) -> int:
        """From one time to the next, nanoseconds.

        Returns
        -------
        int, nanoseconds
            Truncated.

        Examples
        --------
        >>> Lattice(0, 20_000).step_ns
        1250000
        """
        return self.min_rtt_us * _NS_PER_US // STEPS_PER_RTT

    def at_ns(self, first: int, count: int) -> Int64Array:
        """Return `count` times from the number `first` on, which may be negative; (count,) int64, nanoseconds."""
        return self.start_ns + self.step_ns * np.arange(first, first + count, dtype=np.int64)


def lattice_of(x: SubflowSignals, y: SubflowSignals) -> Lattice | str:
    """Return where a pair's tiles lie, or why there is no place.

    Of times up to the tenth sample of the later subflow, the smallest RTT of either is taken; the larger of the two, at
    most 2^24 - 1 us, makes the step.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair.

    Returns
    -------
    Lattice or str
        :data:`TOO_FEW_SAMPLES` if a subflow has fewer than ten RTTs.

    Examples
    --------
    >>> slow = SubflowSignals.of_rtts(range(0, 200_000_000, 10_000_000), [30_000] * 20)
    >>> fast = SubflowSignals.of_rtts(range(0, 200_000_000, 10_000_000), [20_000] * 20)
    >>> lattice_of(slow, fast)
    Lattice(fixed_ns=90000000, min_rtt_us=30000)
    """
    if min(x.rtt_us.size, y.rtt_us.size) < FIRST_SAMPLES:
        return TOO_FEW_SAMPLES
    fixed_ns = max(int(signals.rtt_time_ns[FIRST_SAMPLES - 1]) for signals in (x, y))
    counts = (int(np.searchsorted(signals.rtt_time_ns, fixed_ns, side="right")) for signals in (x, y))
    lowest_us = (int(signals.lowest_rtt_us[count - 1]) for signals, count in zip((x, y), counts, strict=True))
    return Lattice(fixed_ns, min(max(lowest_us), DELAY_LIMIT_US))


def reason_before_judgement(x: SubflowSignals, y: SubflowSignals) -> str:
    """Return why a pair has no verdict before its first judgement.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair.

    Returns
    -------
    str
        :data:`TOO_FEW_SAMPLES` or :data:`TOO_SHORT`.

    Examples
    --------
    >>> seen, unseen = (SubflowSignals.of_rtts(range(count), [30_000] * count) for count in (10, 9))
    >>> reason_before_judgement(seen, unseen), reason_before_judgement(seen, seen)
    ('a subflow has fewer than ten RTT samples', 'fewer than 30 round trips were seen of both subflows')
    """
    lattice = lattice_of(x, y)
    return lattice if isinstance(lattice, str) else TOO_SHORT
