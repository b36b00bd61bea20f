"""Trend lines of delay (Zhang et al., arXiv:1812.05816): a common queue builds up at one slope. Evidence: A, K.

While the queue of a bottleneck builds up, the delay of every flow through it rises linearly. Time is cut into groups;
in each, a least-squares line is fitted to every subflow's delays. Two subflows share where their slopes are close in
several groups of one build-up.

Known: the idea (A, abstract), and from the first author's public ns-3 code (K, ``sbd_sink.cc``, ``sbd_sink.h``) every
number of :class:`Trending` except `window_groups`, the moving harmonic mean, that a run of groups ends where one of the
two slopes is not positive, and that it is judged at its end: by close slopes, or by its length alone, whatever the
slopes. The code is of two flows, works on one-way delays, and says shared or nothing.

Ours: it says not shared where it has not said shared for a window; groups are cut at fixed times; a pair's groups are
counted from when both have given a delay; equal slopes count as close ones (the code leaves an error of 0 out); with
one-way delays, whose zero is unknown, the moving mean is the arithmetic one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Literal

from smartsbd.detectors.detector import Delay, Detector, DetectorKind, Handler
from smartsbd.detectors.event import Kind
from smartsbd.detectors.partition import Pair, pairs_of, partition_of

_NS_PER_MS = 1_000_000
_NS_PER_S = 1_000_000_000


@dataclass(frozen=True)
class Trending:
    """How delays are smoothed and fitted, and which slopes are of one queue.

    Attributes
    ----------
    delay : str
        RTT samples or one-way delays.
    mean : str
        Kind of the moving mean that smooths them; the ``harmonic`` one needs delays with a true zero.
    smoothed_over : int
        Delays that it is taken over; before there are so many, each is taken as it is.
    group_ms : int
        Length of a group.
    skipped_groups : int
        First groups of a pair that are left out: in slow start, a subflow causes its own delay.
    min_slope_us_per_s : float
        Slope above which both subflows' delays must rise for a group to count.
    max_error : float
        Difference of the slopes, as a share of the larger, below which they are close.
    close_groups : int
        Groups of close slopes in a run from which on it is of one queue.
    rising_groups : int
        Groups in a run from which on it is of one queue, whatever the slopes.
    longest_run : int
        Groups that count, above which a run is judged although it goes on.
    window_groups : int
        Groups for which a verdict of shared holds, and that a pair must have before there is any opinion on it.
    """

    delay: Delay = "rtt"
    mean: Literal["harmonic", "arithmetic"] = "harmonic"
    smoothed_over: int = 20
    group_ms: int = 100
    skipped_groups: int = 11
    min_slope_us_per_s: float = 10_000
    max_error: float = 0.15
    close_groups: int = 3
    rising_groups: int = 10
    longest_run: int = 50
    window_groups: int = 100


def slope_per_s(times_ns: Sequence[int], values: Sequence[float]) -> float | None:
    """Return the slope of the least-squares line, units of the values per second; None without two different times.

    Returns
    -------
    float or None
        Negative where the values fall.

    Examples
    --------
    >>> slope_per_s([0, 500_000_000, 1_000_000_000], [7.0, 8.0, 9.0])
    2.0
    """
    if not times_ns or times_ns[0] == times_ns[-1]:
        return None
    mean_ns = sum(time_ns - times_ns[0] for time_ns in times_ns) / len(times_ns)
    apart_ns = [time_ns - times_ns[0] - mean_ns for time_ns in times_ns]
    rise: float = sum(map(mul, apart_ns, values))
    run: float = sum(map(mul, apart_ns, apart_ns))
    return _NS_PER_S * rise / run


def slope_error(slope_a: float | None, slope_b: float | None) -> float | None:
    """Return how far two slopes are apart, as a share of the larger; None unless both are positive.

    Returns
    -------
    float or None
        From 0, for equal slopes, to below 1.

    Examples
    --------
    >>> slope_error(15.0, 20.0)
    0.25
    """
    if slope_a is None or slope_b is None or min(slope_a, slope_b) <= 0:
        return None
    return abs(slope_a - slope_b) / max(slope_a, slope_b)


class Trend:
    """The smoothed delays of one subflow in the group that is open."""

    def __init__(self, trending: Trending) -> None:
        self._over = trending.smoothed_over
        self._harmonic = trending.mean == "harmonic"
        self._summands: deque[float] = deque()
        self._sum = 0.0
        self.times_ns: list[int] = []
        self.smoothed_us: list[float] = []

    def delay(self, time_ns: int, value_us: int) -> None:
        """Take a delay."""
        summand = 1 / value_us if self._harmonic else value_us
        self._summands.append(summand)
        self._sum += summand
        if len(self._summands) > self._over:
            self._sum -= self._summands.popleft()
        self.times_ns.append(time_ns)
        if len(self._summands) < self._over:
            self.smoothed_us.append(value_us)
        else:
            self.smoothed_us.append(self._over / self._sum if self._harmonic else self._sum / self._over)

    def close(self) -> float | None:
        """End the group; return its slope, microseconds per second, None if it has no line."""
        slope = slope_per_s(self.times_ns, self.smoothed_us)
        self.times_ns, self.smoothed_us = [], []
        self._sum = sum(self._summands)  # so that rounding does not add up
        return slope


class Rises:
    """The groups in a row in which the delays of two subflows rose together."""

    def __init__(self, trending: Trending) -> None:
        self._trending = trending
        self._groups = 0
        self._shared_group: int | None = None
        #: Errors of the slopes in the groups of the run that count.
        self.errors: list[float] = []

    def _is_one_queue(self) -> bool:
        close = sum(error < self._trending.max_error for error in self.errors)
        return len(self.errors) >= self._trending.rising_groups or close >= self._trending.close_groups

    def close(self, slope_a: float | None, slope_b: float | None) -> bool | None:
        """Take the slopes of a group that ended; return whether the subflows share, None before that can be said."""
        trending = self._trending
        self._groups += 1
        if self._groups <= trending.skipped_groups:
            return None
        error = slope_error(slope_a, slope_b)
        if error is None or len(self.errors) > trending.longest_run:
            if self._is_one_queue():
                self._shared_group = self._groups
            self.errors = []
        if error is not None and min(slope_a or 0, slope_b or 0) > trending.min_slope_us_per_s:
            self.errors.append(error)
        if self._groups < trending.skipped_groups + trending.window_groups:
            return None
        return self._shared_group is not None and self._groups - self._shared_group < trending.window_groups

    def pass_over(self, groups: int) -> None:
        """Take so many groups without a delay, after at least one of them: they only move the window on."""
        self._groups += groups


class TrendLine(Detector):
    """Shared where delays rose at one slope within the last window.

    Groups are counted from the first delay of the connection; a delay at the end of one is in it.
    """

    def __init__(self, trending: Trending) -> None:
        self._trending = trending
        self._group_ns = trending.group_ms * _NS_PER_MS
        self._trends: dict[int, Trend] = {}
        self._rises: dict[Pair, Rises] = {}
        self._verdicts: dict[Pair, bool | None] = {}
        self._end_ns: int | None = None

    def handlers(self) -> Mapping[int, Handler]:
        """Delays."""
        return {Kind.RTT if self._trending.delay == "rtt" else Kind.OWD: self._on_delay}

    def reset(self, subflow_ids: Iterable[int]) -> None:
        """Begin with a new connection."""
        super().reset(subflow_ids)
        self._trends, self._rises, self._verdicts = {}, {}, {}
        self._end_ns = None

    def _on_delay(self, time_ns: int, subflow_id: int, value: int) -> None:
        if self._end_ns is None:
            self._end_ns = time_ns + self._group_ns
        elif time_ns > self._end_ns:
            self.advance(time_ns - 1)
        trend = self._trends.get(subflow_id)
        if trend is None:
            trend = self._trends[subflow_id] = Trend(self._trending)
            for pair in pairs_of(self._trends):
                self._rises.setdefault(pair, Rises(self._trending))
        trend.delay(time_ns, value)

    def advance(self, time_ns: int) -> None:
        """End the groups that are over."""
        ended = 0
        while self._end_ns is not None and time_ns >= self._end_ns:
            slopes = {subflow_id: trend.close() for subflow_id, trend in self._trends.items()}
            verdicts = {(a, b): rises.close(slopes[a], slopes[b]) for (a, b), rises in self._rises.items()}
            if verdicts != self._verdicts:
                self._verdicts = verdicts
                self._decide(self._end_ns, partition_of(self.subflow_ids, verdicts))
            self._end_ns += self._group_ns
            ended += 1
            over = max(0, time_ns - self._end_ns) // self._group_ns
            if ended > self._trending.skipped_groups + self._trending.window_groups and over:
                # The window holds nothing any more, and verdicts stay as they are until a delay comes.
                for rises in self._rises.values():
                    rises.pass_over(over)
                self._end_ns += over * self._group_ns


TREND_LINE = DetectorKind(
    name="trend-line",
    evidence="A, K",
    source="Zhang et al., arXiv:1812.05816; public code",
    build=TrendLine,
    presets={"default": Trending(), "owd": Trending(delay="owd", mean="arithmetic")},
)
