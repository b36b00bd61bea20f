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
    return sum(subflow.packets.payload_bytes for subflow in connection.subflows.values() if subflow.packets is not None)


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

    Returns
    -------
    CaptureAnalysis
        Those that sent most, by name; the others are counted by the reason.

    Raises
    ------
    UnreadableInputError
        If a capture cannot be read any more.
    """
    left_out: Counter[str] = Counter()

    def candidates() -> Iterator[tuple[int, int, str, Connection]]:
        for place, (name, connection) in enumerate(connections):
            if any(subflow.packets is None for subflow in connection.subflows.values()):
                left_out[NO_PACKETS] += 1
                continue
            left_out[TOO_MANY_TO_ANALYSE] += 1
            yield _payload_bytes(connection), -place, name, connection

    largest = heapq.nlargest(MOST_CONNECTIONS, candidates(), key=lambda candidate: candidate[:2])
    left_out[TOO_MANY_TO_ANALYSE] -= len(largest)
    analyses: dict[str, ConnectionAnalysis] = {}
    places: dict[Path, dict[int, _Place]] = {}
    for _, _, name, connection in sorted(largest, key=lambda candidate: -candidate[1]):
        packets = {
            number: subflow.packets for number, subflow in connection.subflows.items() if subflow.packets is not None
        }
        if len(places.keys() | {flow.path for flow in packets.values()}) > MOST_CAPTURES:
            left_out[TOO_MANY_CAPTURES] += 1
            continue
        analyses[name] = ConnectionAnalysis(connection)
        for number, flow in packets.items():
            places.setdefault(flow.path, {})[flow.number] = _Place(analyses[name], number, flow.sender)
    streams = [_placed(path, flow_places, most) for path, flow_places in places.items()]
    for _, segment, place in streams[0] if len(streams) == 1 else heapq.merge(*streams, key=lambda placed: placed[0]):
        place.analysis.take(segment, place.subflow, int(segment.end != place.sender))
    return CaptureAnalysis(analyses, +left_out)
