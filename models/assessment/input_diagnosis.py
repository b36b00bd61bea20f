"""What may be wrong with the recordings that a detector is judged on, each a plain sentence with its count.

No detector tells paths apart by delays that say nothing of the paths. The findings: delays of one queue that both
subflows pass before their paths part, times without samples, too few samples, and clocks that were set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from smartsbd.detectors.event import Int64Array
from smartsbd.models.assessment.trend import correlation
from smartsbd.models.labelled.labelled_connection import LabelledConnection, LabelledPair

#: Correlation of two subflows' delays at lag 0 from which on they are taken for those of one queue; ours.
ONE_QUEUE = 0.7
#: Share of the pairs labelled not shared from which on one queue is reported as the likely cause; ours.
_MANY = 0.5
_STEP_NS = 20_000_000
_LEAST_POINTS = 100
#: A subflow without a sample for so long is idle; all of a connection at once for so long, and its clock is suspect.
_IDLE_NS, _SILENCE_NS = 1_000_000_000, 2_000_000_000
#: Fewer samples a second are too few.
FEW_PER_S = 10
_NS_PER_S = 1e9

Rtts = tuple[Int64Array, Int64Array]


@dataclass(frozen=True)
class InputFinding:
    """A finding on the recordings.

    Attributes
    ----------
    what : str
        A short name.
    count, of : int
        How many, and of how many.
    suspect : bool
        It may explain why detectors fail on them.
    sentence : str
    """

    what: str
    count: int
    of: int
    suspect: bool
    sentence: str


def _agreement(x: Rtts, y: Rtts) -> float:
    """Return the correlation of two subflows' delays at the same times; nan where they are seen too little."""
    start_ns, end_ns = max(x[0][0], y[0][0]), min(x[0][-1], y[0][-1])
    grid_ns = np.arange(start_ns, end_ns, _STEP_NS)
    if len(grid_ns) < _LEAST_POINTS:
        return np.nan
    x_us, y_us = (np.interp(grid_ns, time_ns, rtt_us)[None, :] for time_ns, rtt_us in (x, y))
    return float(correlation(x_us, y_us)[0])


def lag0_agreement(x: Rtts, y: Rtts) -> float:
    """Return how well the delays of two subflows agree at lag 0: at the times of sending, or at those of arrival.

    A queue at the sender is met when a segment is sent, one on the common way back when its ACK arrives. The larger of
    the two correlations counts.

    Parameters
    ----------
    x, y : (times in ns, RTTs in us)
        Samples of each subflow, in order of time.

    Returns
    -------
    float
        nan where one of them has fewer than two samples, or both are seen for less than 2 s at once.

    Examples
    --------
    >>> time_ns = np.arange(0, 10**10, 10**7)
    >>> queue_us = (np.sin(time_ns / 10**9) * 10**4).astype(np.int64)
    >>> near = [(time_ns + 1000 * (base_us + queue_us), base_us + queue_us) for base_us in (20_000, 90_000)]
    >>> round(lag0_agreement(*near), 3)
    1.0
    """
    if min(len(x[0]), len(y[0])) <= 1:
        return np.nan
    sent = []
    for time_ns, rtt_us in (x, y):
        sent_ns = time_ns - rtt_us * 1000
        order = np.argsort(sent_ns, kind="stable")
        sent.append((sent_ns[order], rtt_us[order]))
    agreements = [_agreement(sent[0], sent[1]), _agreement(x, y)]
    known = [agreement for agreement in agreements if not np.isnan(agreement)]
    return max(known) if known else np.nan


def _one_queue(pairs: Sequence[tuple[LabelledPair, float]]) -> Iterator[InputFinding]:
    for shared, label in ((False, "not shared"), (True, "shared")):
        known = [agreement for pair, agreement in pairs if pair.shared is shared and not np.isnan(agreement)]
        alike = sum(agreement >= ONE_QUEUE for agreement in known)
        suspect = not shared and alike > 0 and alike >= _MANY * len(known)
        sentence = f"In {alike} of {len(known)} pairs labelled {label}, the delays of both subflows agree at lag 0."
        if suspect:
            sentence += (
                " They seem to come of one queue before the paths part: no detector of delays can tell these pairs"
                " from shared ones."
            )
        yield InputFinding(f"delays alike, {label}", alike, len(known), suspect, sentence)


def _idle(subflows: Sequence[Int64Array]) -> InputFinding:
    seconds = idle = 0
    for time_ns in subflows:
        span_ns = int(time_ns[-1] - time_ns[0]) if len(time_ns) else 0
        gaps_ns = np.diff(time_ns)
        seconds += round(span_ns / _NS_PER_S)
        idle += round(float(gaps_ns[gaps_ns > _IDLE_NS].sum()) / _NS_PER_S)
    sentence = f"For {idle} of {seconds} seconds, a subflow had no RTT sample for more than a second."
    return InputFinding("idle", idle, seconds, idle * 10 > seconds, sentence)


def _few(subflows: Sequence[Int64Array]) -> InputFinding:
    few = 0
    for time_ns in subflows:
        span_s = float(time_ns[-1] - time_ns[0]) / _NS_PER_S if len(time_ns) else 0.0
        few += len(time_ns) < FEW_PER_S * max(span_s, 1.0)
    sentence = f"{few} of {len(subflows)} subflows have fewer than {FEW_PER_S} RTT samples a second."
    return InputFinding("few samples", few, len(subflows), few > 0, sentence)


def _silences(connections: Sequence[LabelledConnection]) -> InputFinding:
    silent = 0
    for connection in connections:
        every_ns = np.sort(np.concatenate([time_ns for time_ns, _ in connection.rtts().values()]))
        silent += bool((np.diff(every_ns) > _SILENCE_NS).any())
    cause = ": the clock was set forward, or the host stood still." if silent else "."
    sentence = f"In {silent} of {len(connections)} connections, no subflow has an RTT sample for more than 2 s{cause}"
    return InputFinding("silence of all", silent, len(connections), silent > 0, sentence)


def diagnosis(connections: Sequence[LabelledConnection], backwards: int) -> list[InputFinding]:
    """Return what may be wrong with recordings; what was made as a control is left out.

    Parameters
    ----------
    connections : sequence of LabelledConnection
    backwards : int
        Records that were refused because their time is before that of the record before.

    Returns
    -------
    list of InputFinding
        One for each question, whether or not it is suspect.
    """
    recorded = [connection for connection in connections if not connection.made]
    agreements, subflows = [], []
    for connection in recorded:
        rtts = connection.rtts()
        subflows += [time_ns for time_ns, _ in rtts.values()]
        agreements += [(pair, lag0_agreement(rtts[pair.subflow_a], rtts[pair.subflow_b])) for pair in connection.pairs]
    cause = ": a clock was set back, or lines are out of order." if backwards else "."
    sentence = f"{backwards} records have a time before that of the record before them{cause}"
    return [
        *_one_queue(agreements),
        _idle(subflows),
        _few(subflows),
        _silences(recorded),
        InputFinding("time runs backwards", backwards, backwards, backwards > 0, sentence),
    ]
