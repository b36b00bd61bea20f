"""The common lag on samples of a connection as they come, in bounded memory.

A pair receives its samples in order of time: a sample waits until the other subflow has a later one, or for a second of
the log. So the judgements are those on the whole input, to the bit (``tests/pipelines/test_live.py``), whatever the
order in which the subflows' samples come, as long as none comes later than that.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass

from smartsbd.detectors.partition import Pair
from smartsbd.detectors.verdict.common_lag import CommonLagRule
from smartsbd.detectors.verdict.timed_judgements import TimedJudgement, TimedPair
from smartsbd.features.lag_excess.lattice import FIRST_SAMPLES
from smartsbd.pipelines.judging.live_limits import LATE_NS, KeptAtMost

TOLD_LATE = "told more than a second late"


@dataclass(frozen=True)
class TimedRtt:
    """When an RTT was measured, nanoseconds, and the RTT, microseconds."""

    time_ns: int
    rtt_us: int


class RecentSamples:
    """A subflow's samples of the last second, and as many before as a pair that begins later has to know."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._recent: deque[TimedRtt] = deque()
        self._older: deque[TimedRtt] = deque(maxlen=FIRST_SAMPLES)
        self._lowest: TimedRtt | None = None

    def add(self, sample: TimedRtt) -> None:
        """Take a sample, none older than the last."""
        self._recent.append(sample)
        while len(self._recent) > self._most or self._recent[0].time_ns < sample.time_ns - LATE_NS:
            old = self._recent.popleft()
            self._older.append(old)
            if self._lowest is None or old.rtt_us < self._lowest.rtt_us:
                self._lowest = old

    def to_begin(self) -> Iterator[TimedRtt]:
        """Yield what is kept. Before the tenth sample of both, only the smallest, the last and the number matter."""
        if self._lowest is not None and self._lowest.rtt_us < min(sample.rtt_us for sample in self._older):
            yield self._lowest
        yield from self._older
        yield from self._recent


class OrderedPair:
    """A pair that receives its samples in order of time.

    Parameters
    ----------
    rule : CommonLagRule
    pair : Pair
        Numbers of the subflows.
    most : int
        Samples of a subflow that wait.
    counts : Counter of str
        Counts the samples that come too late.
    """

    def __init__(self, rule: CommonLagRule, pair: Pair, most: int, counts: Counter[str]) -> None:
        self._judged = TimedPair(rule, (f"subflow {pair[0]}", f"subflow {pair[1]}"))
        self._most = most
        self._counts = counts
        self._waiting: tuple[deque[TimedRtt], deque[TimedRtt]] = (deque(), deque())
        #: Time of the last sample that the pair received.
        self._told_ns: int | None = None

    def put(self, which: int, sample: TimedRtt) -> None:
        """Let a sample wait, none older than the last of the same subflow.

        Parameters
        ----------
        which : int
            0 or 1.
        sample : TimedRtt
        """
        if self._told_ns is not None and sample.time_ns < self._told_ns:
            self._counts[TOLD_LATE] += 1
            return
        self._waiting[which].append(sample)

    def take(self, which: int, sample: TimedRtt) -> Iterator[TimedJudgement]:
        """Take a sample; yield the judgements that it allows.

        Parameters
        ----------
        which : int
            0 or 1.
        sample : TimedRtt

        Yields
        ------
        TimedJudgement
        """
        self.put(which, sample)
        while (first := self._first()) is not None and self._is_due(first):
            yield from self._tell(first)

    def finish(self) -> Iterator[TimedJudgement]:
        """Yield the judgements on all samples that wait, and those that are still due, when no sample follows."""
        while (first := self._first()) is not None:
            yield from self._tell(first)
        last = self._judged.finish()
        if last is not None:
            yield last

    def _first(self) -> int | None:
        """Return which subflow's sample is the next; of one time the lower subflow's."""
        lower, higher = self._waiting
        if not lower or not higher:
            return 0 if lower else 1 if higher else None
        return 0 if lower[0].time_ns <= higher[0].time_ns else 1

    def _is_due(self, which: int) -> bool:
        its, others = self._waiting[which], self._waiting[1 - which]
        # If the other has none that waits, the last of these is the newest of all.
        return bool(others) or len(its) > self._most or its[-1].time_ns - its[0].time_ns > LATE_NS

    def _tell(self, which: int) -> Iterator[TimedJudgement]:
        sample = self._waiting[which].popleft()
        self._told_ns = sample.time_ns
        judged = self._judged.on_rtt(which, sample.time_ns, sample.rtt_us)
        if judged is not None:
            yield judged


class CommonLagConnection:
    """A connection whose pairs are judged by the common lag.

    Parameters
    ----------
    rule : CommonLagRule
    limits : KeptAtMost
    counts : Counter of str
        Counts the samples that come too late.
    """

    def __init__(self, rule: CommonLagRule, limits: KeptAtMost, counts: Counter[str]) -> None:
        self._rule = rule
        self._limits = limits
        self._counts = counts
        #: Of each subflow.
        self.samples: dict[int, RecentSamples] = {}
        self._pairs: dict[Pair, OrderedPair] = {}

    def begin(self, subflow_id: int) -> None:
        """Begin with a subflow."""
        self.samples[subflow_id] = RecentSamples(self._limits.samples)
        for pair in itertools.combinations(sorted(self.samples), 2):
            if subflow_id in pair:
                ordered = OrderedPair(self._rule, pair, self._limits.samples, self._counts)
                other = pair[1 - pair.index(subflow_id)]
                for sample in self.samples[other].to_begin():
                    ordered.put(pair.index(other), sample)
                self._pairs[pair] = ordered

    def take(self, time_ns: int, subflow_id: int, rtt_us: int) -> Iterator[tuple[Pair, TimedJudgement]]:
        """Take a sample of a subflow, none older than its last; yield the judgements that it allows.

        Parameters
        ----------
        time_ns : int, nanoseconds
        subflow_id : int
        rtt_us : int, microseconds

        Yields
        ------
        Pair
            Numbers of the subflows, the lower first.
        TimedJudgement
        """
        sample = TimedRtt(time_ns, rtt_us)
        self.samples[subflow_id].add(sample)
        for pair, ordered in self._pairs.items():
            if subflow_id in pair:
                yield from ((pair, judgement) for judgement in ordered.take(pair.index(subflow_id), sample))

    def finish(self) -> Iterator[tuple[Pair, TimedJudgement]]:
        """Yield the judgements that are still due when no sample follows."""
        for pair, ordered in self._pairs.items():
            yield from ((pair, judgement) for judgement in ordered.finish())
