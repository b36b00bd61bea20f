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
            analysis,
            {
                number: delivery(subflow, analysis.start_ns, analysis.end_ns)
                for number, subflow in sorted(analysis.connection.subflows.items())
            },
        )
        for name, analysis in analysed.connections.items()
    ]


def _token(token: int | None) -> str | None:
    return None if token is None else f"{token:08x}"


def _sending(sending: SubflowSending, shift: int | None) -> dict[str, Any]:
    return {
        "segments": sending.segments,
        "payload_bytes": sending.payload_bytes,
        "sent_again": sending.resent,
        "new_bytes": sending.new_bytes,
        "reinjected_bytes": sending.reinjected_bytes,
        "repeated_bytes": sending.repeated_bytes,
        "unmapped_bytes": sending.unmapped_bytes,
        "least_window": sending.least_window,
        "most_window": sending.most_window,
        "window_shift": shift,
    }


def _delivered(delivered: Delivery, start_ns: int) -> dict[str, Any]:
    return {
        "rtt": {
            "least_us": delivered.least_rtt_us,
            "median_us": delivered.median_rtt_us(),
            "most_us": delivered.most_rtt_us,
            **delivered.rtts.content(start_ns),
        },
        "rate": {
            "acked_bytes": delivered.acked_bytes,
            "part_ns": delivered.part_ns,
            "mbit_s": [round(value, _DIGITS) for value in delivered.rate_mbit_s().tolist()],
        },
    }


def _subflow(connection: AnalysedConnection, subflow: Subflow) -> dict[str, Any]:
    number, start_ns = subflow.subflow_id, connection.analysis.start_ns
    sending = connection.analysis.sending[number]
    # Without both SYNs it is not known by how much windows are scaled.
    shifts = (
        connection.analysis.window_shift(number) if all(of_end.isn is not None for of_end in sending) else (None, None)
    )
    return {
        "subflow": number,
        "start_ns": subflow.start_ns - start_ns,
        "end_ns": subflow.end_ns - start_ns,
        "local_address": subflow.local_address,
        "local_port": subflow.local_port,
        "remote_address": subflow.remote_address,
        "remote_port": subflow.remote_port,
        **{end: _sending(of_end, shift) for end, of_end, shift in zip(DIRECTIONS, sending, shifts, strict=True)},
        **_delivered(connection.deliveries[number], start_ns),
    }


def _direction(direction: DirectionAnalysis, start_ns: int) -> dict[str, Any]:
    gaps, gap_bytes = direction.ranges.all_gaps()
    mappings = direction.mappings.content(start_ns)
    mappings["kind"] = [MAPPING_KINDS[kind] for kind in mappings["kind"]]
    return {
        "first_data_seq": None if direction.numbers.first is None else f"{direction.numbers.first:#x}",
        "mapped_until": direction.ranges.end,
        "acked_until": direction.acked,
        "most_outstanding_bytes": direction.most_outstanding,
        "gaps": {"count": gaps, "bytes": gap_bytes, "ranges": direction.ranges.gaps()[:MOST_GAPS]},
        "mappings": mappings,
        "repeated_mappings": direction.repeated,
        "reinjections": direction.reinjections.content(start_ns),
        "acks": direction.acks.content(start_ns),
    }


def _events(kind: str, points: SpacedPoints, start_ns: int) -> dict[str, Any]:
    content = points.content(start_ns)
    content["from"] = [DIRECTIONS[end] for end in content["from"]]
    numbers, flags = content.pop("number"), content.pop("flag")
    if kind in NUMBERS:
        content[NUMBERS[kind]] = numbers
    if kind == "MP_JOIN":
        content["backup"] = flags
    return content


def numbers_of(analysed: AnalysedConnection) -> dict[str, Any]:
    """Return all numbers of a connection; times are nanoseconds from its ``start_ns`` on.

    Parameters
    ----------
    analysed : AnalysedConnection

    Returns
    -------
    dict
        As JSON has it; RTTs in microseconds, rates in Mbit/s.
    """
    analysis = analysed.analysis
    connection, start_ns = analysis.connection, analysis.start_ns
    return {
        "connection": analysed.name,
        "mptcp_version": connection.mptcp_version,
        "token": _token(connection.token),
        "remote_token": _token(connection.remote_token),
        "recorded_at": sorted(set(connection.vantages.values())),
        "start_ns": start_ns,
        "length_ns": analysis.end_ns - start_ns,
        "subflows": [_subflow(analysed, subflow) for subflow in connection.ordered()],
        "data": {
            end: _direction(direction, start_ns) for end, direction in zip(DIRECTIONS, analysis.directions, strict=True)
        },
        "events": {
            kind: _events(kind, analysis.events[kind], start_ns) for kind in EVENT_KINDS if kind in analysis.events
        },
        "left_out": dict(sorted(analysis.all_left_out().items())),
    }
