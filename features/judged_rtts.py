"""Which RTTs of a subflow the common lag and the lag excess judge by, and which of them allow a verdict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smartsbd.features import connection_pairs
from smartsbd.features.reading import DEFAULT, Reading
from smartsbd.features.series import SubflowSignals
from smartsbd.traces.connection import NOT_OBSERVED, Connection, Subflow

SAMPLES, SMOOTHED, NO_RTTS = "samples", "smoothed", "none"

KIND_NOT_JUDGED = "smoothed RTTs at every ACK allow no verdict"
SMOOTHED_NOT_JUDGED = "the common lag takes no smoothed RTTs; --model lag-excess takes those of ss, up to 50 ms apart"
TOO_FAR_APART = "the RTTs of a subflow are more than 50 ms apart, too far for a verdict"

_NS_PER_US = 1000
_US_PER_MS = 1000

_NOTHING = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64))


@dataclass(frozen=True)
class JudgedRtts:
    """The RTTs that a subflow is judged by.

    Attributes
    ----------
    kind : str
        ``samples``; ``smoothed`` where there is no sample; ``none``.
    signals : SubflowSignals
        The RTTs are among them.
    at_intervals : bool
        A tool asked for them from time to time; otherwise there is one for each ACK.
    resolution_us : int, microseconds
        What the last digit of their times counts.
    """

    kind: str
    signals: SubflowSignals
    at_intervals: bool = False
    resolution_us: int = 0

    @property
    def min_us(self) -> int | None:
        """The smallest, microseconds; None if there is none."""
        rtt_us = self.signals.rtt_us
        return int(rtt_us.min()) if rtt_us.size else None

    @property
    def median_interval_us(self) -> int | None:
        """Median time from one to the next, microseconds, no shorter than times tell; None of fewer than two."""
        time_ns = self.signals.rtt_time_ns
        if time_ns.size <= 1:
            return None
        return max(int(np.median(np.diff(time_ns))) // _NS_PER_US, self.resolution_us)

    @property
    def mean_queueing_us(self) -> int | None:
        """Mean of what is above the smallest, microseconds; None if there is none."""
        rtt_us = self.signals.rtt_us
        return int(rtt_us.mean()) - int(rtt_us.min()) if rtt_us.size else None


def _smoothed(subflow: Subflow) -> SubflowSignals:
    """Return the smoothed RTTs of a subflow; of a tool that asks from time to time, without what it shows again."""
    pieces = [
        (np.array(acks.time_ns, np.int64), np.array(acks.srtt_us, np.int64), np.array(acks.acked_bytes, np.int64))
        for acks in subflow.ack_pieces()
    ]
    joined = (np.concatenate(series) for series in zip(*pieces, strict=True)) if pieces else _NOTHING
    time_ns, srtt_us, acked_bytes = joined
    known = srtt_us != NOT_OBSERVED
    time_ns, srtt_us, acked_bytes = time_ns[known], srtt_us[known], acked_bytes[known]
    if subflow.at_intervals and srtt_us.size:
        new = np.concatenate([[True], (np.diff(srtt_us) != 0) | (np.diff(acked_bytes) != 0)])
        time_ns, srtt_us = time_ns[new], srtt_us[new]
    return SubflowSignals.of_rtts(time_ns, srtt_us)


def judged(connection: Connection, reading: Reading = DEFAULT) -> dict[int, JudgedRtts]:
    """Return the RTTs that a connection's subflows are judged by, by number: samples, or else smoothed RTTs.

    Parameters
    ----------
    connection : Connection
    reading : Reading

    Returns
    -------
    dict of int to JudgedRtts
        One for each subflow; of kind ``none`` if it has no RTT.

    Examples
    --------
    >>> subflow = Subflow(0, 0, 9)
    >>> subflow.acks.append(5, 0, srtt_us=20_000)
    >>> subflow.acks.append(9, 0)
    >>> rtts = judged(Connection(None, {0: "sender"}, False, subflows={0: subflow}))[0]
    >>> rtts.kind, rtts.signals.rtt_time_ns.tolist(), rtts.signals.rtt_us.tolist()
    ('smoothed', [5], [20000])
    """
    of_subflow = {}
    for subflow_id, sampled in connection_pairs.signals(connection, reading).items():
        subflow = connection.subflows[subflow_id]
        kind, signals = SAMPLES, sampled
        if not sampled.rtt_us.size:
            signals = _smoothed(subflow)
            kind = SMOOTHED if signals.rtt_us.size else NO_RTTS
        of_subflow[subflow_id] = JudgedRtts(kind, signals, subflow.at_intervals, subflow.resolution_ns // _NS_PER_US)
    return of_subflow


@dataclass(frozen=True)
class VerdictRule:
    """Which RTTs allow a verdict; no other place decides that.

    Attributes
    ----------
    at_every_ack, at_intervals : frozenset of str
        Kinds that are judged, of RTTs at every ACK and of those that a tool asked for from time to time.
    most_interval_ms : int
        Of the latter, the longest median time from one to the next.

    References
    ----------
    studies/thinned/README.md: up to 50 ms, samples at intervals and smoothed
    RTTs without repetitions are right where decided on 0.95 or more of each design set; smoothed RTTs at every ACK are
    not.
    """

    at_every_ack: frozenset[str] = frozenset({SAMPLES})
    at_intervals: frozenset[str] = frozenset({SAMPLES, SMOOTHED})
    #: 50 ms were measured, and 100 failed; timers are late by some.
    most_interval_ms: int = 60

    def refused(self, x: JudgedRtts, y: JudgedRtts) -> str | None:
        """Return why RTTs of a pair allow no verdict, None if they do, or if there are none.

        Returns
        -------
        str or None

        Examples
        --------
        >>> def every(ms, kind):
        ...     return JudgedRtts(kind, SubflowSignals.of_rtts(np.arange(9) * ms * 1_000_000, np.full(9, 25_000)), True)
        >>> VerdictRule().refused(every(50, SMOOTHED), every(50, SAMPLES))
        >>> VerdictRule().refused(every(50, SMOOTHED), every(100, SAMPLES))
        'the RTTs of a subflow are more than 50 ms apart, too far for a verdict'
        """
        for rtts in (x, y):
            if rtts.kind == NO_RTTS:
                continue
            if rtts.kind not in (self.at_intervals if rtts.at_intervals else self.at_every_ack):
                return SMOOTHED_NOT_JUDGED if rtts.at_intervals else KIND_NOT_JUDGED
            interval_us = rtts.median_interval_us
            if rtts.at_intervals and interval_us is not None and interval_us > self.most_interval_ms * _US_PER_MS:
                return TOO_FAR_APART
        return None


#: What `sbd detect` goes by: of smoothed RTTs, 0.85 to 0.96 of its verdicts were right (docs/questions.md).
RULE = VerdictRule(at_intervals=frozenset({SAMPLES}))
#: What it goes by with ``--model lag-excess``.
LAG_EXCESS_RULE = VerdictRule()
