"""Captures of packets: MPTCP connections, with the signals of the end that sends, from one file or several.

A connection is known by the keys of its MP_CAPABLE, and by their tokens in the MP_JOIN of its other subflows, in
whatever file of one call they are. A MP_JOIN whose token no key of the inputs has makes a connection of what joined
with that token. A subflow without its handshake, known by its DSS options alone, is a connection of its own.

The end that sent more is the sender. Of a subflow that several files hold, the one recorded at the sender counts, or
else the fuller.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from smartsbd.native import packet_recording
from smartsbd.traces import bounds
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.joined_captures import JoinedCaptures, most_rows, tokens_of
from smartsbd.traces.plain_flows import chosen
from smartsbd.traces.recorded import (
    FORGOTTEN,
    IMPLAUSIBLE,
    FlowSummaries,
    Recorded,
    Refusals,
    record,
    signals_of,
    spools,
)
from smartsbd.traces.trace import Trace

__all__ = ["SOURCE", "Crossing", "crossings", "join", "read", "read_together", "recognises"]

SOURCE = "pcap"

#: What names a point of a network: a node, or the link from one to another.
Point = TypeVar("Point", bound=Hashable)

ELSEWHERE = "recorded in another input too, nearer to the sender or fuller"

_MAGICS = (
    *(b"\xa1\xb2\xc3\xd4", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x4d\x3c\xb2\xa1"),
    *(b"\xa1\xb2\xcd\x34", b"\x34\xcd\xb2\xa1", b"\x0a\x0d\x0d\x0a"),
)


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is a capture."""
    return head[:4] in _MAGICS


def read(path: Path, _dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read one capture, as :func:`read_together` does.

    Parameters
    ----------
    path : Path
    _dialect : Dialect
        Of logs alone.
    most : Bounds

    Returns
    -------
    Trace
        Its connections and counts.
    """
    return read_together([path], most)[0]


def read_together(paths: Sequence[Path], most: Bounds = bounds.DEFAULT) -> list[Trace]:
    """Read captures whose subflows may belong to the same connections.

    Parameters
    ----------
    paths : sequence of Path
        Each connection is in the trace of the input that has its first subflow.
    most : Bounds
        How many flows of each capture are held, and subflows of a connection. All segments of others are refused.

    Returns
    -------
    list of Trace
        One for each input.

    Raises
    ------
    UnreadableInputError
        If one cannot be read as a whole.
    """
    with tempfile.TemporaryDirectory(prefix="sbd-") as folder:
        return join([record(path, Path(folder), most) for path in paths], most)


def join(captures: Sequence[Recorded], most: Bounds = bounds.DEFAULT) -> list[Trace]:
    """Put the subflows of some captures into connections.

    The rows stay on disk until a connection is asked for.

    Parameters
    ----------
    captures : sequence of Recorded
    most : Bounds
        How many subflows of a connection are taken, by the time they begin.

    Returns
    -------
    list of Trace
        One for each capture; each connection is in the trace of the one that has its first subflow.
    """
    captures, left_out = chosen(captures, most)
    places = spools([recorded.spool for recorded in captures])
    summaries = [recorded.summaries for recorded in captures]
    connections, members, links, _, counts = _grouped(summaries, most.subflows)
    joined = JoinedCaptures(
        paths=[recorded.path for recorded in captures],
        spools=places,
        summaries=[
            FlowSummaries(place, flow_summaries) for place, flow_summaries in zip(places, summaries, strict=True)
        ],
        connections=connections,
        members=members,
        links=links,
        most_rows=most_rows(summaries, connections, members),
    )
    return [
        Trace(
            connections=joined.of_capture(number),
            records_in=recorded.records_in,
            records_out=segments,
            unused=+(Counter(recorded.unused) + Counter({ELSEWHERE: elsewhere})),
            refusals=Refusals(places[number], *recorded.refusals),
            beyond_bounds=+Counter({bounds.TOO_MANY_FLOWS: recorded.beyond_segments, bounds.TOO_MANY_SUBFLOWS: beyond}),
            signals=recorded.signals
            + signals_of(options.tolist())
            + Counter({IMPLAUSIBLE: implausible, FORGOTTEN: forgotten}),
            left_out=left_out[number],
        )
        for number, (recorded, (segments, elsewhere, beyond, implausible, forgotten, options)) in enumerate(
            zip(captures, counts.tolist(), strict=True)
        )
    ]


def _grouped(summaries: Sequence[np.ndarray], most_subflows: int) -> tuple[np.ndarray, ...]:
    """Put the flows of captures into connections; return what native/packets/src/grouping.h says of them."""
    return packet_recording.group(
        [(flow_summaries, tokens_of(flow_summaries)) for flow_summaries in summaries], most_subflows
    )


@dataclass(frozen=True)
class Crossing(Generic[Point]):
    """Where the subflows of one connection were captured.

    Attributes
    ----------
    tokens : (int or None, int or None)
        Of the end that opened the connection, and of the other.
    subflow_ids : list of int
        In order; those of :func:`read_together`.
    seen : dict of point to set of int
        Subflows captured at each point, whether there were any or not.
    """

    tokens: tuple[int | None, int | None]
    subflow_ids: list[int]
    seen: dict[Point, frozenset[int]]


def crossings(points: Mapping[Point, Sequence[Path]]) -> list[Crossing[Point]]:
    """Return where the subflows of each connection were captured, of captures taken at several points of a network.

    A subflow is known again by its addresses, ports and first number of sequence: between the points nothing may
    translate them. One whose SYN was not captured at a point is another connection there, without tokens.

    Parameters
    ----------
    points : mapping of point to sequence of Path
        Captures at each point, one or several.

    Returns
    -------
    list of Crossing
        One for each connection.

    Raises
    ------
    UnreadableInputError
        If one cannot be read as a whole.
    """
    places = [(point, path) for point, paths in points.items() for path in paths]
    with tempfile.TemporaryDirectory(prefix="sbd-") as folder:
        summaries = [record(path, Path(folder)).summaries for _, path in places]
    # However many they are.
    connections, _, _, flows, _ = _grouped(summaries, sum(map(len, summaries)))
    connections = connections[np.argsort(connections["place"])]
    crossed = []
    firsts = np.searchsorted(flows["place"], np.arange(len(connections) + 1)).tolist()
    for tokens, first, after in zip(connections["token"].tolist(), firsts, firsts[1:], strict=False):
        connection_flows = flows[first:after]
        seen: dict[Point, set[int]] = {point: set() for point in points}
        for _, subflow_id, capture in connection_flows.tolist():
            seen[places[capture][0]].add(subflow_id)
        known = [None if token < 0 else token for token in tokens]
        crossed.append(
            Crossing(
                tokens=(known[0], known[1]),
                subflow_ids=list(range(int(connection_flows["subflow"].max()) + 1)),
                seen={point: frozenset(ids) for point, ids in seen.items()},
            )
        )
    return crossed
