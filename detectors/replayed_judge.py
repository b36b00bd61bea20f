"""A replayed detector as a judge of recordings: each opinion on a pair holds until the next one."""

from __future__ import annotations

from collections.abc import Iterator

from smartsbd.detectors.detector import Detector, replayed
from smartsbd.detectors.event import events_of
from smartsbd.detectors.pair_opinion import PairOpinion
from smartsbd.detectors.partition import pairs_of
from smartsbd.detectors.scoring import OnPair
from smartsbd.features import connection_pairs
from smartsbd.traces.connection import Connection

NO_OPINION = "the detector has no opinion"
#: Nothing holds for any time.
NO_LENGTH = "all records are of one time"


class ReplayedJudge:
    """Judges by a detector that is replayed on the events of a connection.

    Parameters
    ----------
    detector : Detector
    """

    def __init__(self, detector: Detector) -> None:
        self.detector = detector

    def opinions(self, connection: Connection) -> Iterator[PairOpinion]:
        """Yield the opinions on each pair.

        Parameters
        ----------
        connection : Connection

        Yields
        ------
        PairOpinion
            Pair by pair and in time order, at least one for each pair; each holds for its span, and the last one to the
            end.
        """
        subflow_ids = sorted(connection.subflows)
        start_ns, end_ns = connection.span_ns()
        if start_ns == end_ns:
            yield from (PairOpinion(a, b, start_ns, 0, None, reason=NO_LENGTH) for a, b in pairs_of(subflow_ids))
            return
        events = events_of(*connection_pairs.rows(connection), self.detector.kinds)
        changed = replayed(self.detector, subflow_ids, events, end_ns)
        for a, b in pairs_of(subflow_ids):
            changes = OnPair.of(changed, subflow_ids.index(a), subflow_ids.index(b)).changes(start_ns, end_ns)
            until_ns = [*(time_ns for time_ns, _ in changes[1:]), end_ns]
            for (time_ns, shared), to_ns in zip(changes, until_ns, strict=True):
                # The end may cut an opinion off.
                if time_ns != to_ns:
                    reason = NO_OPINION if shared is None else None
                    yield PairOpinion(a, b, time_ns, to_ns - time_ns, shared, reason=reason)
