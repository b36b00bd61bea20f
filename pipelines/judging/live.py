"""Connections judged on samples as they come, in bounded memory: the basis of ``sbd detect --live``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from smartsbd.detectors.lag_excess import Criterion, Judgement
from smartsbd.detectors.partition import Pair
from smartsbd.detectors.verdict.common_lag import CommonLagRule
from smartsbd.detectors.verdict.timed_judgements import TimedJudgement
from smartsbd.pipelines.judging.live_common_lag import CommonLagConnection
from smartsbd.pipelines.judging.live_lag_excess import LagExcessConnection
from smartsbd.pipelines.judging.live_limits import KeptAtMost

EARLY = "token 0: before the connection has one"
BACKWARDS = "time runs backwards"
TOO_MANY_SUBFLOWS = "more subflows than a connection may have"
FORGOTTEN = "connections forgotten, more than are kept"

#: A judgement of either detector.
LiveJudgement = TimedJudgement | Judgement


class Live:
    """Connections whose pairs are judged as samples come.

    Parameters
    ----------
    rule : CommonLagRule or Criterion
        The rule of the detector that judges.
    limits : KeptAtMost, optional
    """

    def __init__(self, rule: CommonLagRule | Criterion, limits: KeptAtMost | None = None) -> None:
        self._rule = rule
        self._limits = limits or KeptAtMost()
        # In the order of their last samples.
        self._connections: dict[int, CommonLagConnection | LagExcessConnection] = {}
        self._newest_ns: dict[int, dict[int, int]] = {}
        #: Samples that are not judged, and connections that were forgotten, by reason.
        self.counts: Counter[str] = Counter()
        self.samples = 0

    def take(self, time_ns: int, token: int, subflow_id: int, rtt_us: int) -> Iterator[tuple[Pair, LiveJudgement]]:
        """Take an RTT sample; yield the judgements that it completes, with their pairs.

        Parameters
        ----------
        time_ns : int, nanoseconds
        token : int
            Of the connection.
        subflow_id : int
        rtt_us : int, microseconds

        Yields
        ------
        Pair
            Numbers of the subflows, the lower first.
        LiveJudgement
        """
        if token == 0:
            self.counts[EARLY] += 1
            return
        connection = self._connection(token)
        if subflow_id not in connection.samples:
            if len(connection.samples) >= self._limits.subflows:
                self.counts[TOO_MANY_SUBFLOWS] += 1
                return
            connection.begin(subflow_id)
        newest_ns = self._newest_ns[token]
        if time_ns < newest_ns.get(subflow_id, time_ns):
            self.counts[BACKWARDS] += 1
            return
        newest_ns[subflow_id] = time_ns
        self.samples += 1
        yield from connection.take(time_ns, subflow_id, rtt_us)

    def finish(self) -> Iterator[tuple[int, Pair, LiveJudgement]]:
        """Yield the judgements that are still due when no sample follows, with tokens and pairs."""
        for token, connection in self._connections.items():
            yield from ((token, pair, judgement) for pair, judgement in connection.finish())

    def connections(self) -> Iterator[CommonLagConnection | LagExcessConnection]:
        """Yield the state of each connection that is kept."""
        yield from self._connections.values()

    def _connection(self, token: int) -> CommonLagConnection | LagExcessConnection:
        connection = self._connections.pop(token, None) or self._begin()
        self._connections[token] = connection
        self._newest_ns.setdefault(token, {})
        if len(self._connections) > self._limits.connections:
            oldest = next(iter(self._connections))
            del self._connections[oldest], self._newest_ns[oldest]
            self.counts[FORGOTTEN] += 1
        return connection

    def _begin(self) -> CommonLagConnection | LagExcessConnection:
        if isinstance(self._rule, CommonLagRule):
            return CommonLagConnection(self._rule, self._limits, self.counts)
        return LagExcessConnection(self._rule, self._limits, self.counts)
