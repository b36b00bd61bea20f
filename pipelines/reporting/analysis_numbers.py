"""The numbers of an analysed connection: what `sbd inspect --json` prints, and what its page and its figure show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from smartsbd.traces.capture_analysis import CaptureAnalysis
from smartsbd.traces.connection import Subflow
from smartsbd.traces.connection_analysis import (
    DIRECTIONS,
    EVENT_KINDS,
    MAPPING_KINDS,
    MOST_GAPS,
    NUMBERS,
    ConnectionAnalysis,
    DirectionAnalysis,
    SpacedPoints,
    SubflowSending,
)
from smartsbd.traces.delivery import Delivery, delivery

_DIGITS = 6


@dataclass(frozen=True)
class AnalysedConnection:
    """A connection, its analysis, and how each of its subflows delivered.

    Attributes
    ----------
    name : str
    analysis : ConnectionAnalysis
    deliveries : dict of int to Delivery
        By subflow.
    """

    name: str
    analysis: ConnectionAnalysis
    deliveries: dict[int, Delivery]


def with_deliveries(analysed: CaptureAnalysis) -> list[AnalysedConnection]:
    """Return the connections of an input with how their subflows delivered."""
    return [
        AnalysedConnection(
            name,
            one,
            {
                number: delivery(subflow, one.start_ns, one.end_ns)
                for number, subflow in sorted(one.connection.subflows.items())
            },
        )
        for name, one in analysed.connections.items()
    ]


def _token(token: int | None) -> str | None:
    return None if token is None else f"{token:08x}"


def _sending(own: SubflowSending, shift: int | None) -> dict[str, Any]:
    return {
        "segments": own.segments,
        "payload_bytes": own.payload_bytes,
        "sent_again": own.resent,
        "new_bytes": own.new_bytes,
        "reinjected_bytes": own.reinjected_bytes,
        "repeated_bytes": own.repeated_bytes,
        "unmapped_bytes": own.unmapped_bytes,
        "least_window": own.least_window,
        "most_window": own.most_window,
        "window_shift": shift,
    }


def _delivered(own: Delivery, start_ns: int) -> dict[str, Any]:
    return {
        "rtt": {
            "least_us": own.least_rtt_us,
            "median_us": own.median_rtt_us(),
            "most_us": own.most_rtt_us,
            **own.rtts.content(start_ns),
        },
        "rate": {
            "acked_bytes": own.acked_bytes,
            "part_ns": own.part_ns,
            "mbit_s": [round(value, _DIGITS) for value in own.rate_mbit_s().tolist()],
        },
    }


def _subflow(one: AnalysedConnection, subflow: Subflow) -> dict[str, Any]:
    number, start_ns = subflow.subflow_id, one.analysis.start_ns
    sending = one.analysis.sending[number]
    # Without both SYNs it is not known by how much windows are scaled.
    shifts = one.analysis.window_shift(number) if all(own.isn is not None for own in sending) else (None, None)
    return {
        "subflow": number,
        "start_ns": subflow.start_ns - start_ns,
        "end_ns": subflow.end_ns - start_ns,
        "local_address": subflow.local_address,
        "local_port": subflow.local_port,
        "remote_address": subflow.remote_address,
        "remote_port": subflow.remote_port,
        **{end: _sending(own, shift) for end, own, shift in zip(DIRECTIONS, sending, shifts, strict=True)},
        **_delivered(one.deliveries[number], start_ns),
    }


def _direction(own: DirectionAnalysis, start_ns: int) -> dict[str, Any]:
    gaps, gap_bytes = own.ranges.all_gaps()
    mappings = own.mappings.content(start_ns)
    mappings["kind"] = [MAPPING_KINDS[kind] for kind in mappings["kind"]]
    return {
        "first_data_seq": None if own.numbers.first is None else f"{own.numbers.first:#x}",
        "mapped_until": own.ranges.end,
        "acked_until": own.acked,
        "most_outstanding_bytes": own.most_outstanding,
        "gaps": {"count": gaps, "bytes": gap_bytes, "ranges": own.ranges.gaps()[:MOST_GAPS]},
        "mappings": mappings,
        "repeated_mappings": own.repeated,
        "reinjections": own.reinjections.content(start_ns),
        "acks": own.acks.content(start_ns),
    }


def _events(kind: str, points: SpacedPoints, start_ns: int) -> dict[str, Any]:
    found = points.content(start_ns)
    found["from"] = [DIRECTIONS[end] for end in found["from"]]
    numbers, flags = found.pop("number"), found.pop("flag")
    if kind in NUMBERS:
        found[NUMBERS[kind]] = numbers
    if kind == "MP_JOIN":
        found["backup"] = flags
    return found


def numbers_of(one: AnalysedConnection) -> dict[str, Any]:
    """Return all numbers of a connection; times are nanoseconds from its ``start_ns`` on.

    Parameters
    ----------
    one : AnalysedConnection
    """
    analysis = one.analysis
    connection, start_ns = analysis.connection, analysis.start_ns
    return {
        "connection": one.name,
        "mptcp_version": connection.mptcp_version,
        "token": _token(connection.token),
        "remote_token": _token(connection.remote_token),
        "recorded_at": sorted(set(connection.vantages.values())),
        "start_ns": start_ns,
        "length_ns": analysis.end_ns - start_ns,
        "subflows": [_subflow(one, subflow) for subflow in connection.ordered()],
        "data": {end: _direction(own, start_ns) for end, own in zip(DIRECTIONS, analysis.directions, strict=True)},
        "events": {
            kind: _events(kind, analysis.events[kind], start_ns) for kind in EVENT_KINDS if kind in analysis.events
        },
        "left_out": dict(sorted(analysis.all_left_out().items())),
    }
