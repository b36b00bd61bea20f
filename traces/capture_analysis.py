"""The connections of a capture, analysed packet by packet: the capture is read a second time."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from smartsbd.traces import bounds
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Connection
from smartsbd.traces.connection_analysis import ConnectionAnalysis, ListedSegment
from smartsbd.traces.recorded import listed_segments

#: Connections of an input that are analysed; of more, those that sent most.
MOST_CONNECTIONS = 64
#: Captures that are read at once.
MOST_CAPTURES = 64

TOO_MANY_TO_ANALYSE = f"connections beyond the {MOST_CONNECTIONS} that sent most"
TOO_MANY_CAPTURES = f"connections that go over captures beyond the {MOST_CAPTURES} read at once"
NO_PACKETS = "connections of an input that is no capture"


@dataclass(frozen=True)
class CaptureAnalysis:
    """The connections of an input.

    Attributes
    ----------
    connections : dict of str to ConnectionAnalysis
        By name, in order.
    left_out : Counter of str
        Connections that were not analysed, by the reason.
    """

    connections: dict[str, ConnectionAnalysis]
    left_out: Counter[str]


@dataclass(frozen=True)
class _Place:
    """Where the segments of a flow belong."""

    analysis: ConnectionAnalysis
    subflow: int
    sender: int


#: A time, the segment of that time, and where it belongs.
_Placed = tuple[int, ListedSegment, _Place]


def _payload_bytes(connection: Connection) -> int:
    return sum(one.packets.payload_bytes for one in connection.subflows.values() if one.packets is not None)


def _placed(path: Path, places: Mapping[int, _Place], most: Bounds) -> Iterator[_Placed]:
    for listed in listed_segments(path, places.keys(), most):
        for values in listed.tolist():
            segment = ListedSegment._make(values)
            yield segment.time_ns, segment, places[segment.flow]


def analysed(connections: Iterable[tuple[str, Connection]], most: Bounds = bounds.DEFAULT) -> CaptureAnalysis:
    """Return the connections of one input, analysed.

    Parameters
    ----------
    connections : iterable of (str, Connection)
        Those of the input, and their names. The captures that have their packets must be where they were.
    most : Bounds
        As they were read with.

    Raises
    ------
    UnreadableInputError
        If a capture cannot be read any more.
    """
    left_out: Counter[str] = Counter()

    def candidates() -> Iterator[tuple[int, int, str, Connection]]:
        for place, (name, connection) in enumerate(connections):
            if any(one.packets is None for one in connection.subflows.values()):
                left_out[NO_PACKETS] += 1
                continue
            left_out[TOO_MANY_TO_ANALYSE] += 1
            yield _payload_bytes(connection), -place, name, connection

    largest = heapq.nlargest(MOST_CONNECTIONS, candidates(), key=lambda one: one[:2])
    left_out[TOO_MANY_TO_ANALYSE] -= len(largest)
    found: dict[str, ConnectionAnalysis] = {}
    places: dict[Path, dict[int, _Place]] = {}
    for _, _, name, connection in sorted(largest, key=lambda one: -one[1]):
        packets = {number: one.packets for number, one in connection.subflows.items() if one.packets is not None}
        if len(places.keys() | {one.path for one in packets.values()}) > MOST_CAPTURES:
            left_out[TOO_MANY_CAPTURES] += 1
            continue
        found[name] = ConnectionAnalysis(connection)
        for number, one in packets.items():
            places.setdefault(one.path, {})[one.number] = _Place(found[name], number, one.sender)
    streams = [_placed(path, own, most) for path, own in places.items()]
    for _, segment, place in streams[0] if len(streams) == 1 else heapq.merge(*streams, key=lambda one: one[0]):
        place.analysis.take(segment, place.subflow, int(segment.end != place.sender))
    return CaptureAnalysis(found, +left_out)
