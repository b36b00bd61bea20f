"""Judges of pairs by their delays: each judgement holds until the next one, and the last one to the end."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Protocol

from smartsbd.detectors.lag_excess import Criterion
from smartsbd.detectors.pair_opinion import PairOpinion
from smartsbd.detectors.partition import pairs_of
from smartsbd.detectors.verdict.common_lag import CommonLagRule
from smartsbd.features import judged_rtts
from smartsbd.features.fixed import ONE_Q10, SCORE_DIGITS
from smartsbd.features.judged_rtts import VerdictRule
from smartsbd.features.reading import Reading
from smartsbd.features.series import SubflowSignals
from smartsbd.traces.connection import Connection


class DelayJudgement(Protocol):
    """A judgement on the delays of a pair."""

    @property
    def decided_ns(self) -> int:
        """From when on."""

    @property
    def shared(self) -> bool | None:
        """The verdict."""

    @property
    def score_q10(self) -> int | None:
        """What it rests on."""

    @property
    def reason(self) -> str | None:
        """Why there is no verdict."""

    @property
    def wrong_share(self) -> float | None:
        """Share of such verdicts that are wrong, where that is known."""


class DelayJudge(ABC):
    """A judge of pairs by their delays.

    Parameters
    ----------
    reading : Reading
    """

    #: When the evidence suffices for a verdict.
    rule: CommonLagRule | Criterion

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    @property
    @abstractmethod
    def judged_by(self) -> VerdictRule:
        """Which RTTs allow a verdict."""

    @abstractmethod
    def judgements(self, x: SubflowSignals, y: SubflowSignals, names: tuple[str, str]) -> Iterable[DelayJudgement]:
        """Return the judgements on a pair, in time order.

        Parameters
        ----------
        x, y : SubflowSignals
            Lower subflow number first.
        names : tuple of str
            What the two are called in a reason.

        Returns
        -------
        iterable of DelayJudgement
            Each holds from its `decided_ns` until the next.
        """

    @abstractmethod
    def reason_before(self, x: SubflowSignals, y: SubflowSignals) -> str | None:
        """Return why there is no judgement before the first one.

        Parameters
        ----------
        x, y : SubflowSignals

        Returns
        -------
        str or None
            In words for a reader of the verdict.
        """

    def opinions(self, connection: Connection) -> Iterator[PairOpinion]:
        """Yield the opinions on each pair.

        Parameters
        ----------
        connection : Connection

        Yields
        ------
        PairOpinion
            Pair by pair and in time order; together they cover the connection.
        """
        rtts = judged_rtts.judged(connection, self.reading)
        start_ns, end_ns = connection.span_ns()
        for a, b in pairs_of(rtts):
            x, y = rtts[a].signals, rtts[b].signals
            refused = self.judged_by.refused(rtts[a], rtts[b])
            judgements = [] if refused else list(self.judgements(x, y, (f"subflow {a}", f"subflow {b}")))
            changes_ns = [start_ns, *(judgement.decided_ns for judgement in judgements), end_ns]
            early = refused or self.reason_before(x, y)
            yield PairOpinion(a, b, start_ns, changes_ns[1] - start_ns, None, reason=early)
            for judgement, (time_ns, until_ns) in zip(judgements, itertools.pairwise(changes_ns[1:]), strict=True):
                score_q10 = judgement.score_q10
                yield PairOpinion(
                    a,
                    b,
                    time_ns,
                    until_ns - time_ns,
                    judgement.shared,
                    None if score_q10 is None else round(score_q10 / ONE_Q10, SCORE_DIGITS),
                    judgement.reason,
                    judgement.wrong_share,
                )
