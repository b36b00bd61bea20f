"""The seconds of a connection, of whatever its input has: packets, or RTTs, acknowledgements and losses of a log."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from smartsbd.detectors.pair_opinion import PairOpinion
from smartsbd.features.judged_rtts import JudgedRtts, judged
from smartsbd.limits.packet_seconds import NS_PER_S, PacketSeconds, PacketSubflow
from smartsbd.limits.second import ABSENT, BACKUP, OPEN, RESET, UNANSWERED, Second
from smartsbd.traces import bounds
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import NOT_OBSERVED, Connection, Subflow
from smartsbd.traces.connection_analysis import ListedSegment
from smartsbd.traces.recorded import listed_segments
from smartsbd.traces.vantage import SENDER

#: Seconds for which a loss is felt: the window has to grow again.
RECENT = 3
_NS_PER_US = 1000
_MOST_QUANTILE = 95
#: Stands for a second subflow that the input does not have.
MISSING = -1


@dataclass(frozen=True)
class SubflowSeconds:
    """A subflow, second by second.

    Attributes
    ----------
    subflow : int
        Its number; :data:`MISSING` of one that is not there.
    name : str or None
        Of its path, where the input has one.
    seconds : tuple of Second
    """

    subflow: int
    name: str | None
    seconds: tuple[Second, ...]


@dataclass(frozen=True)
class _Sharing:
    """What is said of the pairs of a connection, over time."""

    opinions: tuple[PairOpinion, ...]
    silent: frozenset[int]

    def of(self, subflow: int, others: Iterable[int], time_ns: int) -> tuple[int, ...] | None:
        """Return the subflows with which one shares its bottleneck at a time, None where that is not known."""
        shared, unknown = [], False
        for other in others:
            if other in self.silent:
                continue
            verdict = self._pair(min(subflow, other), max(subflow, other), time_ns)
            if verdict:
                shared.append(other)
            unknown |= verdict is None
        return tuple(shared) if shared or not unknown else None

    def _pair(self, a: int, b: int, time_ns: int) -> bool | None:
        """Return the verdict at a time, or the first one that comes."""
        of_pair = [
            (opinion.start_ns, opinion.shared)
            for opinion in self.opinions
            if (opinion.subflow_a, opinion.subflow_b) == (a, b) and opinion.start_ns is not None
        ]
        until = [shared for start_ns, shared in of_pair if start_ns <= time_ns and shared is not None]
        after = [shared for _, shared in of_pair if shared is not None]
        return until[-1] if until else after[0] if after else None


def _placed(
    path: Path, places: Mapping[int, tuple[int, int]], most: Bounds
) -> Iterator[tuple[int, ListedSegment, int, int]]:
    for listed in listed_segments(path, places.keys(), most):
        for values in listed.tolist():
            segment = ListedSegment._make(values)
            subflow, sender = places[segment.flow]
            yield segment.time_ns, segment, subflow, int(segment.end != sender)


def _of_packets(connection: Connection, most: Bounds) -> PacketSeconds | None:
    """Return what the packets of a connection say; None if they are not there."""
    places: dict[Path, dict[int, tuple[int, int]]] = {}
    for number, subflow in connection.subflows.items():
        if subflow.packets is None:
            return None
        places.setdefault(subflow.packets.path, {})[subflow.packets.number] = (number, subflow.packets.sender)
    start_ns, end_ns = connection.span_ns()
    seconds = PacketSeconds(connection.subflows, start_ns, end_ns)
    streams = [_placed(path, flows, most) for path, flows in places.items()]
    for _, segment, number, end in heapq.merge(*streams, key=lambda placed: placed[0]):
        seconds.take(segment, number, end)
    seconds.finish(end_ns)
    return seconds


def is_seen_by_sender(connection: Connection) -> bool:
    """Tell whether it was recorded at the sender alone: what is outstanding elsewhere is another thing."""
    return set(connection.vantages.values()) == {SENDER}


def _is_alone(connection: Connection) -> bool:
    """Tell whether its only subflow is the one that opened it, in a capture from the handshake on."""
    flows = [subflow.packets for subflow in connection.subflows.values()]
    return len(flows) == 1 and flows[0] is not None and flows[0].has_syn and not flows[0].is_join


def _standing(subflow: Subflow, packets: PacketSubflow | None, start_ns: int, last_ns: int, sent_bytes: int) -> str:
    """Return what a subflow was at the end of a second that began at a time; resets that end a connection are none."""
    flow, end_ns = subflow.packets, start_ns + NS_PER_S
    if flow is None or packets is None:
        return OPEN
    if packets.reset_ns is not None and packets.reset_ns < min(end_ns, last_ns - NS_PER_S) and not sent_bytes:
        return RESET
    if flow.is_join and flow.has_syn and not flow.is_answered:
        return UNANSWERED
    return BACKUP if packets.is_backup(end_ns) and not sent_bytes else OPEN


def _per_second(time_ns: np.ndarray, values: np.ndarray, start_ns: int, count: int) -> list[np.ndarray]:
    """Return the values of each second."""
    place = (time_ns - start_ns) // NS_PER_S
    return [values[place == number] for number in range(count)]


def _logged_bytes(subflow: Subflow, start_ns: int, count: int) -> list[int]:
    """Return the bytes that were acknowledged in each second."""
    acks = subflow.all_acks()
    time_ns, acked = np.array(acks.time_ns, dtype=np.int64), np.array(acks.acked_bytes, dtype=np.int64)
    known = acked != NOT_OBSERVED
    parts = _per_second(time_ns[known], acked[known], start_ns, count)
    ends = list(accumulate((int(part.max()) if part.size else 0 for part in parts), max))
    first = int(acked[known][0]) if known.any() else 0
    return [max(0, end - max(before, first)) for before, end in zip([first, *ends], ends, strict=False)]


def _lost(subflow: Subflow, start_ns: int, count: int) -> list[int]:
    """Return the packets that a log says were lost in each second."""
    time_ns = np.array(subflow.loss_time_ns, dtype=np.int64)
    packets = np.array(subflow.loss_packets, dtype=np.int64)
    return [int(part.sum()) for part in _per_second(time_ns, packets, start_ns, count)]


def _seconds(
    subflow: Subflow, rtts: JudgedRtts, packets: PacketSubflow | None, start_ns: int, end_ns: int, joined: int
) -> list[Second]:
    count = (end_ns - start_ns) // NS_PER_S + 1
    delays = _per_second(rtts.signals.rtt_time_ns, rtts.signals.rtt_us - (rtts.min_us or 0), start_ns, count)
    sent = [second.sent_bytes for second in packets.seconds] if packets else _logged_bytes(subflow, start_ns, count)
    resent = [second.resent for second in packets.seconds] if packets else _lost(subflow, start_ns, count)
    seconds = []
    for number in range((subflow.start_ns - start_ns) // NS_PER_S, count):
        begin_ns = max(start_ns + number * NS_PER_S, subflow.start_ns)
        length_s = (min(start_ns + (number + 1) * NS_PER_S, end_ns) - begin_ns) / NS_PER_S
        if length_s <= 0:
            continue
        values: dict[str, Any] = {
            "start_s": (begin_ns - start_ns) / NS_PER_S,
            "length_s": length_s,
            "standing": _standing(subflow, packets, start_ns + number * NS_PER_S, end_ns, sent[number]),
            "sent_bytes": sent[number],
            "resent": resent[number],
            "recently_resent": sum(resent[max(0, number - RECENT) : number + 1]),
            "base_rtt_us": rtts.min_us,
            "queueing_us": int(np.median(delays[number])) if delays[number].size else None,
            "most_queueing_us": int(np.percentile(delays[number], _MOST_QUANTILE)) if delays[number].size else None,
            "reset_reason": None if subflow.packets is None else subflow.packets.reset,
            "joined": joined,
        }
        if packets is not None:
            seen = packets.seconds[number]
            before = packets.seconds[number - 1].most_in_flight if number else None
            queueing_us = int(np.median(delays[number])) if delays[number].size else 0
            rtt_ns = None if rtts.min_us is None else (rtts.min_us + queueing_us) * _NS_PER_US
            values |= {
                "reinjected_bytes": seen.reinjected_bytes,
                "full_share": seen.full_s / seen.seen_s if seen.seen_s else None,
                "held_share": seen.held_s / seen.full_s if seen.full_s else None,
                "idle_share": seen.idle_s / seen.seen_s if seen.seen_s else None,
                "silent_share": seen.silent_share(rtt_ns, start_ns + number * NS_PER_S),
                "unevenness": seen.unevenness(),
                "most_in_flight": seen.most_in_flight,
                "most_in_flight_before": before,
                "window_bytes": seen.window_bytes,
            }
        seconds.append(Second(**values))
    return seconds


def _standing_alone(second: Second) -> Second:
    """Return what holds of a second wherever it was recorded: what the subflow was, and what passed."""
    return Second(
        start_s=second.start_s,
        length_s=second.length_s,
        standing=second.standing,
        sent_bytes=second.sent_bytes,
        reset_reason=second.reset_reason,
        joined=second.joined,
    )


def observed(
    connection: Connection, opinions: Iterable[PairOpinion] = (), most: Bounds = bounds.DEFAULT
) -> list[SubflowSeconds]:
    """Return the seconds of a connection's subflows; one that is missing has them too.

    Parameters
    ----------
    connection : Connection
        Its captures, if it is of captures, must be where they were.
    opinions : iterable of PairOpinion
        The verdict on its pairs.
    most : Bounds
        As it was read with.

    Returns
    -------
    list of SubflowSeconds
        By number.

    Raises
    ------
    UnreadableInputError
        If a capture cannot be read any more.
    """
    start_ns, end_ns = connection.span_ns()
    seen, rtts = _of_packets(connection, most), judged(connection)
    packets = {} if seen is None else seen.subflows
    joined = sum(
        subflow.packets is None or subflow.packets.is_answered or bool(subflow.packets.sent_bytes)
        for subflow in connection.ordered()
    )
    of_subflow = {
        subflow.subflow_id: _seconds(
            subflow, rtts[subflow.subflow_id], packets.get(subflow.subflow_id), start_ns, end_ns, joined - 1
        )
        for subflow in connection.ordered()
    }
    if packets and not is_seen_by_sender(connection):
        of_subflow = {number: [_standing_alone(second) for second in seconds] for number, seconds in of_subflow.items()}
    is_alone = seen is not None and seen.is_whole() and _is_alone(connection)
    if len(of_subflow) == 1 and not is_alone:
        (number, seconds), *_ = of_subflow.items()
        return [SubflowSeconds(number, connection.subflows[number].name, tuple(seconds))]
    whole = _with_sharing(connection, of_subflow, tuple(opinions))
    if is_alone:
        absent = tuple(Second(second.start_s, second.length_s, ABSENT) for second in whole[0].seconds)
        whole.append(SubflowSeconds(MISSING, None, absent))
    return whole


def _with_sharing(
    connection: Connection, of_subflow: Mapping[int, list[Second]], opinions: tuple[PairOpinion, ...]
) -> list[SubflowSeconds]:
    """Return the seconds with what is known of each subflow and the others."""
    start_ns, _ = connection.span_ns()
    # Echoes carry no data, and show the queue.
    silent = frozenset(
        number
        for number, seconds in of_subflow.items()
        if not any(second.sent_bytes for second in seconds)
        and (connection.subflows[number].packets is not None or not any(second.queueing_us for second in seconds))
    )
    sharing = _Sharing(opinions, silent)
    sent_at = {
        int(second.start_s): {
            number
            for number, others in of_subflow.items()
            for other in others
            if int(other.start_s) == int(second.start_s) and other.sent_bytes
        }
        for seconds in of_subflow.values()
        for second in seconds
    }
    whole = []
    for number, seconds in of_subflow.items():
        others = [other for other in of_subflow if other != number]
        told = tuple(
            replace(
                second,
                others_send=bool(sent_at[int(second.start_s)] - {number}),
                shared_with=sharing.of(number, others, start_ns + round(second.start_s * NS_PER_S)),
            )
            for second in seconds
        )
        whole.append(SubflowSeconds(number, connection.subflows[number].name, told))
    return whole
