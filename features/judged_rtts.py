"""Which RTTs of a subflow the lag excess judges by, and which of them allow a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from features import connection_pairs
from features.reading import DEFAULT, Reading
from features.series import SubflowSignals
from traces.connection import NOT_OBSERVED, Connection, Subflow

SAMPLES, SMOOTHED, NO_RTTS = "samples", "smoothed", "none"

KIND_NOT_JUDGED = "RTTs of this kind allow no verdict"
TOO_FAR_APART = "the RTTs of a subflow are too far apart for a verdict by RTTs of this kind"

_NS_PER_US = 1000


@dataclass(frozen=True)
class JudgedRtts:
    """The RTTs that a subflow is judged by.

    Attributes
    ----------
    kind : str
        ``samples``; ``smoothed`` where there is no sample; ``none``.
    signals : SubflowSignals
        The RTTs are among them.
    """

    kind: str
    signals: SubflowSignals

    @property
    def min_us(self) -> int | None:
        """The smallest, microseconds; None if there is none."""
        rtt_us = self.signals.rtt_us
        return int(rtt_us.min()) if rtt_us.size else None

    @property
    def median_interval_us(self) -> int | None:
        """Median time from one to the next, microseconds; None of fewer than two."""
        time_ns = self.signals.rtt_time_ns
        return int(np.median(np.diff(time_ns))) // _NS_PER_US if time_ns.size > 1 else None

    @property
    def mean_queueing_us(self) -> int | None:
        """Mean of what is above the smallest, microseconds; None if there is none."""
        rtt_us = self.signals.rtt_us
        return int(rtt_us.mean()) - int(rtt_us.min()) if rtt_us.size else None


def _smoothed(subflow: Subflow) -> SubflowSignals:
    """Return the smoothed RTTs of a subflow."""
    time_ns, srtt_us = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for acks in subflow.ack_pieces():
        own_us = np.array(acks.srtt_us, dtype=np.int64)
        known = own_us != NOT_OBSERVED
        time_ns.append(np.array(acks.time_ns, dtype=np.int64)[known])
        srtt_us.append(own_us[known])
    return SubflowSignals.of_rtts(np.concatenate(time_ns), np.concatenate(srtt_us))


def judged(connection: Connection, reading: Reading = DEFAULT) -> dict[int, JudgedRtts]:
    """Return the RTTs that a connection's subflows are judged by, by number: samples, or else smoothed RTTs.

    Parameters
    ----------
    connection : Connection
    reading : Reading

    Examples
    --------
    >>> subflow = Subflow(0, 0, 9)
    >>> subflow.acks.append(5, 0, srtt_us=20_000)
    >>> subflow.acks.append(9, 0)
    >>> found = judged(Connection(None, {0: "sender"}, False, subflows={0: subflow}))[0]
    >>> found.kind, found.signals.rtt_time_ns.tolist(), found.signals.rtt_us.tolist()
    ('smoothed', [5], [20000])
    """
    found = {}
    for subflow_id, signals in connection_pairs.signals(connection, reading).items():
        smoothed = signals if signals.rtt_us.size else _smoothed(connection.subflows[subflow_id])
        if signals.rtt_us.size:
            found[subflow_id] = JudgedRtts(SAMPLES, signals)
        else:
            found[subflow_id] = JudgedRtts(SMOOTHED if smoothed.rtt_us.size else NO_RTTS, smoothed)
    return found


@dataclass(frozen=True)
class VerdictRule:
    """Which RTTs allow a verdict: the one place where that is said.

    Attributes
    ----------
    kinds : frozenset of str
        That are judged.
    most_interval_rtts : mapping of str to float
        By kind, the longest median interval from one RTT to the next, of either subflow, in the larger of the two
        smallest RTTs. A kind that is not there has no bound but those of the lag excess itself.
    """

    kinds: frozenset[str] = frozenset({SAMPLES, SMOOTHED})
    most_interval_rtts: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def refused(self, x: JudgedRtts, y: JudgedRtts) -> str | None:
        """Return why RTTs of a pair allow no verdict, None if they do, or if there are none.

        Examples
        --------
        >>> own = JudgedRtts(SMOOTHED, SubflowSignals.of_rtts(np.arange(9) * 100_000_000, np.full(9, 25_000)))
        >>> VerdictRule(most_interval_rtts={SMOOTHED: 3.5}).refused(own, own)
        'the RTTs of a subflow are too far apart for a verdict by RTTs of this kind'
        >>> VerdictRule(most_interval_rtts={SMOOTHED: 4.0}).refused(own, own)
        """
        pair = [own for own in (x, y) if own.kind != NO_RTTS]
        if any(own.kind not in self.kinds for own in pair):
            return KIND_NOT_JUDGED
        min_us = max((own.min_us or 0 for own in pair), default=0)
        for own in pair:
            most, interval_us = self.most_interval_rtts.get(own.kind), own.median_interval_us
            if most is not None and interval_us is not None and interval_us > most * min_us:
                return TOO_FAR_APART
        return None


#: What `sbd detect` goes by. No bound on intervals is set: how accuracy falls with them is not measured yet.
RULE = VerdictRule()
