"""Signs of a queue on a subflow's path: without one, nothing can be known of what two paths share.

Jitter has no memory that lasts for half a round trip, a queue has: probes half a round trip apart resemble each other.
Where the delay has come back to the smallest one, that queue has gone, and with it what was learnt from it.
Where samples come too seldom for that, a mean delay that is far above the smallest one is a sign, since jitter and a
delayed acknowledgement (40 ms in Linux and ns-3) add less. A smaller rise is a sign where delays vary with it, which
those that wait for a timer do not, or where samples of a burst differ less than others do
(docs/experiments/no-queue.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smartsbd.detectors.verdict.sample_sums import SPREAD_US
from smartsbd.features.fixed import truncated

_PARTS = 256
#: Samples of a subflow that are no further apart than this are close, steps.
CLOSE_STEPS = 2
#: Pairs of close samples that the sums hold at most.
_MOST_CLOSE = 65_536 * _PARTS
#: Pairs, or probes, without which no memory is found.
_LEAST = 8 * _PARTS
#: A correlation has to exceed 1.75 standard deviations of chance: the square of that, in sixteenths.
_SQUARED_DEVIATIONS_Q4 = 49
#: How far the mean delay is above the smallest: a sign by itself; where delays vary by a third of that; where close
#: samples remember.
_HIGH_US, _VARYING_US, _RISEN_US = 56_000, 32_000, 10_000
#: What a rise counts as at most.
_MOST_RISEN_US = (1 << 20) - 1
#: Most bits of a number that is squared.
_MOST_BITS = 16


@dataclass
class CloseSums:
    """Sums over pairs of a subflow's close samples that fade; delays are less that at the lattice's start.

    Attributes
    ----------
    count : int
        In parts of 256.
    total, squares : int
        Of the earlier delays, us and us squared.
    differences : int
        Squares of the differences, us squared.
    """

    count: int = 0
    total: int = 0
    squares: int = 0
    differences: int = 0

    def add(self, before_us: int, after_us: int, reference_us: int) -> None:
        """Count a pair, unless the sums hold the most that they can.

        Parameters
        ----------
        before_us, after_us : int, us
        reference_us : int, us
            The delay at the lattice's start.
        """
        if self.count >= _MOST_CLOSE:
            return
        before, after = (min(max(delay - reference_us, -SPREAD_US), SPREAD_US) for delay in (before_us, after_us))
        self.count += _PARTS
        self.total += before
        self.squares += before**2
        self.differences += (after - before) ** 2

    def fade(self, eighths: int) -> None:
        """Let every sum lose so many eighths of itself, rounded down."""
        size = abs(self.total) - (abs(self.total) * eighths >> 3)
        self.total = size if self.total >= 0 else -size
        self.count -= self.count * eighths >> 3
        self.squares -= self.squares * eighths >> 3
        self.differences -= self.differences * eighths >> 3

    def remember(self) -> bool:
        """Tell whether close samples differ less than chance would have it.

        The correlation of a pair is one less half of the ratio of von Neumann (1941): mean squared difference over
        variance.

        Returns
        -------
        bool
            False with fewer than 8 pairs.

        Examples
        --------
        >>> close = CloseSums()
        >>> for level_us in (0, 900, 0, 900) * 2:
        ...     close.add(level_us, level_us + 10, reference_us=0)
        >>> close.remember()
        True
        >>> close = CloseSums()
        >>> for before_us, after_us in ((0, 900), (900, 0)) * 4:
        ...     close.add(before_us, after_us, reference_us=0)
        >>> close.remember()
        False
        """
        if self.count < _LEAST:
            return False
        mean = truncated(self.total * _PARTS, self.count)
        whole = 2 * (self.squares - self.total * mean)
        less = whole - self.differences
        if less <= 0:
            return False
        by = max(0, whole.bit_length() - _MOST_BITS)
        whole, less = whole >> by, less >> by
        return 16 * less**2 * self.count >= _SQUARED_DEVIATIONS_Q4 * whole**2 * _PARTS


def probes_remember(correlation_q10: int | None, parts: int) -> bool:
    """Tell whether a subflow's probes resemble the next ones more than chance would have it, by 1.75 deviations.

    Parameters
    ----------
    correlation_q10 : int or None
        Of probes half a round trip apart.
    parts : int
        Their number, in parts of 256.

    Returns
    -------
    bool
        False with fewer than 8 probes.

    Examples
    --------
    >>> probes_remember(512, 256 * 12), probes_remember(512, 256 * 13)
    (False, True)
    """
    if correlation_q10 is None or correlation_q10 <= 0 or parts < _LEAST:
        return False
    return 16 * correlation_q10**2 * parts >= _SQUARED_DEVIATIONS_Q4 * _PARTS << 20


def _squared_deviation(probes: Sequence[int]) -> int:
    """Return the variance of a subflow's probes, times their number squared."""
    parts, total, squares = probes[0], probes[1], probes[4]
    return (parts * squares >> 8) - total**2


def _squared_rise(probes: Sequence[int], risen_us: int) -> int:
    """Return the square of a rise, of the same scale."""
    return (max(0, min(risen_us, _MOST_RISEN_US)) * (probes[0] >> 8)) ** 2


def has_gone(probes: Sequence[int], risen_us: int) -> bool:
    """Tell whether the queue that the probes met has gone: the rise is less than an eighth of their deviation.

    Parameters
    ----------
    probes : sequence of int
        Sums of a subflow's probes, as :func:`shows_queue` takes them.
    risen_us : int, us

    Returns
    -------
    bool
        False with fewer than 8 probes.
    """
    return probes[0] >= _LEAST and 64 * _squared_rise(probes, risen_us) < _squared_deviation(probes)


def shows_queue(probes: Sequence[int], correlation_q10: int | None, close: CloseSums, risen_us: int) -> bool:
    """Tell whether there is a sign of a queue on a subflow's path.

    Parameters
    ----------
    probes : sequence of int
        Sums of its probes: their number in parts of 256; totals of the delays of probes, of the other's next samples
        and of the next probes; squares of the same.
    correlation_q10 : int or None
        Of probes half a round trip apart.
    close : CloseSums
    risen_us : int, us
        Mean delay over this block and the two before, less the smallest delay of all.

    Returns
    -------
    bool
        False also where too few probes were seen to know.
    """
    if risen_us >= _HIGH_US:
        return True
    if risen_us >= _RISEN_US and close.remember():
        return True
    if probes[0] < _LEAST:
        return False
    if risen_us >= _VARYING_US and 9 * _squared_deviation(probes) >= _squared_rise(probes, risen_us):
        return True
    # Delays that hardly vary, far from that at the lattice's start, are lost in what sums round off.
    if 64 * _squared_deviation(probes) < probes[1] ** 2:
        return False
    return probes_remember(correlation_q10, probes[0]) and not has_gone(probes, risen_us)
