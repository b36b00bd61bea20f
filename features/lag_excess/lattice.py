"""Where tiles lie: times a sixteenth of the larger minimum RTT apart, from the first samples on.

No congestion is needed. What a tile is does not depend on where a recording ends, which a live sender does not know.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from features.fixed import Int64Array
from features.series import SubflowSignals

#: Steps in the larger minimum RTT.
STEPS_PER_RTT = 16
#: Steps in a tile: fifty of the larger minimum RTT.
TILE_STEPS = 800
#: Steps of a tile after which it is judged for the first time.
PART_STEPS = 400
#: Samples that either subflow has before anything begins, and how many of the larger minimum RTT are waited then.
FIRST_SAMPLES = 10
_WAITED_RTTS = 4
_NS_PER_US = 1000

TOO_FEW_SAMPLES = "a subflow has fewer than ten RTT samples"
TOO_SHORT = "fewer than 30 round trips were seen of both subflows"


@dataclass(frozen=True)
class Lattice:
    """Times at which a pair's RTTs are taken; fixed once it begins.

    Attributes
    ----------
    start_ns : int, nanoseconds
        First time of the first tile.
    min_rtt_us : int, microseconds
        The larger of the two smallest RTTs up to the start.
    """

    start_ns: int
    min_rtt_us: int

    @property
    def step_ns(self) -> int:
        """From one time to the next, nanoseconds.

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

    It starts four times the larger minimum RTT after the tenth sample of the later subflow.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair.

    Examples
    --------
    >>> slow = SubflowSignals.of_rtts(range(0, 200_000_000, 10_000_000), [30_000] * 20)
    >>> fast = SubflowSignals.of_rtts(range(0, 200_000_000, 10_000_000), [20_000] * 20)
    >>> lattice_of(slow, fast)
    Lattice(start_ns=210000000, min_rtt_us=30000)
    """
    if min(x.rtt_us.size, y.rtt_us.size) < FIRST_SAMPLES:
        return TOO_FEW_SAMPLES
    tenth_ns = max(int(own.rtt_time_ns[FIRST_SAMPLES - 1]) for own in (x, y))
    start_ns = tenth_ns + _WAITED_RTTS * _NS_PER_US * _larger_min_rtt_us(x, y, tenth_ns)
    return Lattice(start_ns, _larger_min_rtt_us(x, y, start_ns))


def _larger_min_rtt_us(x: SubflowSignals, y: SubflowSignals, at_ns: int) -> int:
    counts = (int(np.searchsorted(own.rtt_time_ns, at_ns, side="right")) for own in (x, y))
    return max(int(own.lowest_rtt_us[count - 1]) for own, count in zip((x, y), counts, strict=True))
