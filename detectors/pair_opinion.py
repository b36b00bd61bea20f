"""The opinion on a pair of subflows, and the protocol of what gives it: a rule, a model or an exported header."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from smartsbd.traces.connection import Connection


@dataclass(frozen=True)
class PairOpinion:
    """The opinion on a pair, from a moment on or on a window.

    Attributes
    ----------
    subflow_a, subflow_b : int
    start_ns, span_ns : int or None, nanoseconds
        When it holds from, and for how long; None where the pair had no window at all.
    shared : bool or None
    score : float or None
        Larger is more likely shared; what it counts is the judge's own.
    reason : str or None
        Why there is no verdict.
    wrong_share : float or None
        Share of such verdicts that are wrong, where that is known.
    """

    subflow_a: int
    subflow_b: int
    start_ns: int | None
    span_ns: int | None
    shared: bool | None
    score: float | None = None
    reason: str | None = None
    wrong_share: float | None = None


class Judge(Protocol):
    """Whatever judges the pairs of a connection."""

    def opinions(self, connection: Connection) -> Iterator[PairOpinion]:
        """Yield the opinions on each pair, pair by pair and in time order.

        Parameters
        ----------
        connection : Connection
            Of two subflows or more.

        Yields
        ------
        PairOpinion
            In order of pairs, then of time.
        """
