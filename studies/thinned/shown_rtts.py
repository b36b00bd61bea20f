"""The RTTs of a subflow as other tools show them, made of the sender's own samples.

A tool looks at ticks, or at every ACK. It shows single RTTs, or the RTT as the sender smooths it. Every RTT here is a
sample of the sender, or smoothed from its samples: where it has none, nothing is shown.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from smartsbd.detectors.smoothed_rtt import smoothed
from smartsbd.features.fixed import BoolArray, Int64Array
from smartsbd.features.series import SubflowSignals

_NS_PER_US = 1000


@dataclass(frozen=True)
class Ticks:
    """Moments at which a tool looks.

    Attributes
    ----------
    interval_ns : int, nanoseconds
        From one to the next.
    offset_ns : int, nanoseconds
        One of them: the tick of the number 0.
    """

    interval_ns: int
    offset_ns: int

    @classmethod
    def draw(cls, interval_ns: int, seed: Sequence[int]) -> Ticks:
        """Return ticks whose offset is drawn: a whole number of nanoseconds from 0 on, below the interval.

        Parameters
        ----------
        interval_ns : int
        seed : sequence of int
            As :func:`numpy.random.default_rng` takes it.
        """
        return cls(interval_ns, int(np.random.default_rng(seed).integers(interval_ns)))

    def numbers(self, time_ns: Int64Array) -> Int64Array:
        """Return the number of the last tick at or before each time; (n,) int64.

        Examples
        --------
        >>> Ticks(10, 3).numbers(np.array([2, 3, 12, 13])).tolist()
        [-1, 0, 0, 1]
        """
        found: Int64Array = (time_ns - self.offset_ns) // self.interval_ns
        return found


def _of(signals: SubflowSignals, kept: BoolArray) -> SubflowSignals:
    return SubflowSignals.of_rtts(signals.rtt_time_ns[kept], signals.rtt_us[kept])


def echoes(signals: SubflowSignals, ticks: Ticks, _end_ns: int) -> SubflowSignals:
    """Return what ``ping`` shows beside the subflow's traffic: of each tick, the RTT of one packet that leaves then.

    This is the sample of the first segment that left at or after the tick, when its ACK comes. If none left before the
    next tick, nothing is shown. So an echo is taken to wait in the queues that the segment waits in, and not to meet a
    delayed ACK. Its reply comes as much later as the segment left after the tick.

    Parameters
    ----------
    signals : SubflowSignals
    ticks : Ticks
        When an echo leaves.
    _end_ns : int
        Not needed: it is for who asks where there is no sample.

    Examples
    --------
    Two segments left at 0 and at 2 ms, after the tick at 0. None left after those at 10 and at 20 ms, and one at 31.

    >>> ms = np.array([20, 21, 51]) * 1_000_000
    >>> shown = echoes(SubflowSignals.of_rtts(ms, [20_000, 19_000, 20_000]), Ticks(10_000_000, 0), 0)
    >>> (shown.rtt_time_ns // 1_000_000).tolist(), shown.rtt_us.tolist()
    ([20, 51], [20000, 20000])
    """
    left_ns = np.maximum.accumulate(signals.rtt_time_ns - _NS_PER_US * signals.rtt_us)
    numbers = ticks.numbers(left_ns)
    return _of(signals, np.diff(numbers, prepend=numbers[:1] - 1) > 0)


def last_of_each(signals: SubflowSignals, ticks: Ticks, _end_ns: int) -> SubflowSignals:
    """Return what a log with fewer lines shows: the last sample between two ticks, with its own time.

    Parameters
    ----------
    signals : SubflowSignals
    ticks : Ticks
    _end_ns : int
        Not needed, as in :func:`echoes`.

    Examples
    --------
    >>> shown = last_of_each(SubflowSignals.of_rtts([1, 5, 12, 35], [7, 8, 9, 6]), Ticks(10, 0), 0)
    >>> shown.rtt_time_ns.tolist(), shown.rtt_us.tolist()
    ([5, 12, 35], [8, 9, 6])
    """
    numbers = ticks.numbers(signals.rtt_time_ns)
    return _of(signals, np.diff(numbers, append=numbers[-1:] + 1) > 0)


def smoothed_signals(signals: SubflowSignals) -> SubflowSignals:
    """Return the smoothed RTT after each sample, as tcp_probe and ss have it: whole microseconds, truncated.

    Parameters
    ----------
    signals : SubflowSignals

    Examples
    --------
    100; then 7/8 of it and 1/8 of 180; then 110 - 110/8 + 1/8, in eighths 880 - 110 + 1.

    >>> smoothed_signals(SubflowSignals.of_rtts([0, 5, 9], [100, 180, 1])).rtt_us.tolist()
    [100, 110, 96]

    References
    ----------
    RFC 6298; Linux, tcp_rtt_estimator and tcp_get_info.
    """
    eighths_us = itertools.accumulate(signals.rtt_us.tolist(), smoothed, initial=0)
    shown_us = np.fromiter(itertools.islice(eighths_us, 1, None), dtype=np.int64, count=signals.rtt_us.size) >> 3
    return SubflowSignals.of_rtts(signals.rtt_time_ns, shown_us)


def polled(signals: SubflowSignals, ticks: Ticks, end_ns: int) -> SubflowSignals:
    """Return what is shown by who asks at every tick: the newest RTT, again where there is no newer one.

    Parameters
    ----------
    signals : SubflowSignals
    ticks : Ticks
        From the first sample on.
    end_ns : int, nanoseconds
        Last time at which someone asks.

    Examples
    --------
    >>> shown = polled(SubflowSignals.of_rtts([1, 5, 35], [7, 8, 9]), Ticks(10, 0), 50)
    >>> shown.rtt_time_ns.tolist(), shown.rtt_us.tolist()
    ([10, 20, 30, 40, 50], [8, 8, 8, 9, 9])
    """
    at_ns, places = _asked(signals, ticks, end_ns)
    return SubflowSignals.of_rtts(at_ns, signals.rtt_us[places])


def polled_news(signals: SubflowSignals, ticks: Ticks, end_ns: int) -> SubflowSignals:
    """Return what :func:`polled` does, without the ticks since whose predecessor no sample came.

    Parameters
    ----------
    signals, ticks, end_ns
        As :func:`polled` takes them.

    Examples
    --------
    >>> shown = polled_news(SubflowSignals.of_rtts([1, 5, 35], [7, 8, 8]), Ticks(10, 0), 50)
    >>> shown.rtt_time_ns.tolist(), shown.rtt_us.tolist()
    ([10, 40], [8, 8])
    """
    at_ns, places = _asked(signals, ticks, end_ns)
    news = np.diff(places, prepend=-1) > 0
    return SubflowSignals.of_rtts(at_ns[news], signals.rtt_us[places[news]])


def _asked(signals: SubflowSignals, ticks: Ticks, end_ns: int) -> tuple[Int64Array, Int64Array]:
    """Return the ticks from the first sample to the end, and the place of the last sample up to each."""
    if not signals.rtt_us.size:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    first, last = ticks.numbers(np.array([signals.rtt_time_ns[0] - 1, end_ns])).tolist()
    at_ns = ticks.offset_ns + ticks.interval_ns * np.arange(first + 1, last + 1, dtype=np.int64)
    return at_ns, np.searchsorted(signals.rtt_time_ns, at_ns, side="right") - 1


@dataclass(frozen=True)
class Tool:
    """What a tool shows.

    Attributes
    ----------
    smooths : bool
        It shows the smoothed RTT, not the samples.
    at_ticks : callable, optional
        Takes signals, ticks, and the connection's end, and returns what is shown; None if all is shown.
    """

    smooths: bool
    at_ticks: Callable[[SubflowSignals, Ticks, int], SubflowSignals] | None = None


#: Tools by the name of what they leave: the sender's own log first, which the others are compared with.
TOOLS: Mapping[str, Tool] = {
    "log": Tool(smooths=False),
    "ping": Tool(smooths=False, at_ticks=echoes),
    "csv": Tool(smooths=False, at_ticks=last_of_each),
    "tcp_probe": Tool(smooths=True),
    "ss": Tool(smooths=True, at_ticks=polled),
    "ss_news": Tool(smooths=True, at_ticks=polled_news),
}
