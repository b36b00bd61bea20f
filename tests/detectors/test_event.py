"""Events of a connection's tables, in time order."""

from __future__ import annotations

import pyarrow as pa

from smartsbd.detectors.event import Event, Kind, events_of

ACKS = pa.table(
    {
        "subflow_id": pa.array([0, 0, 1, 0], pa.int16()),
        "time_ns": pa.array([10, 30, 20, 40], pa.int64()),
        "acked_bytes": pa.array([100, 300, 70, 250], pa.int64()),
        "rtt_us": pa.array([5, None, 6, 7], pa.int64()),
        "owd_us": pa.array([None, None, -3, None], pa.int64()),
        "ece": pa.array([None, True, True, False], pa.bool_()),
    }
)
STATES = pa.table(
    {
        "subflow_id": pa.array([0, 0, 1], pa.int16()),
        "time_ns": pa.array([10, 35, 20], pa.int64()),
        "ca_state": pa.array([1, 3, 4], pa.int8()),
    }
)
LOSSES = pa.table(
    {
        "subflow_id": pa.array([1], pa.int16()),
        "time_ns": pa.array([20], pa.int64()),
        "packets": pa.array([4], pa.int32()),
    }
)


def test_all_kinds_in_order_of_time_kind_and_subflow() -> None:
    assert list(events_of(ACKS, STATES, LOSSES, set(Kind))) == [
        Event(10, 0, Kind.CA, 1),
        Event(10, 0, Kind.ACK, 100),
        Event(10, 0, Kind.RTT, 5),
        Event(20, 1, Kind.CA, 4),
        Event(20, 1, Kind.LOSS, 4),
        Event(20, 1, Kind.ACK, 70),
        Event(20, 1, Kind.MARK, 70),
        Event(20, 1, Kind.RTT, 6),
        Event(20, 1, Kind.OWD, -3),
        Event(30, 0, Kind.ACK, 300),
        Event(30, 0, Kind.MARK, 200),
        Event(35, 0, Kind.CA, 3),
        Event(40, 0, Kind.ACK, 250),
        Event(40, 0, Kind.RTT, 7),
    ]


def test_only_what_is_wanted() -> None:
    assert list(events_of(ACKS, STATES, LOSSES, {Kind.OWD})) == [Event(20, 1, Kind.OWD, -3)]
    assert list(events_of(ACKS, STATES, LOSSES, ())) == []


def test_without_losses_entries_into_recovery_and_loss_stand_for_them() -> None:
    assert list(events_of(ACKS, STATES, LOSSES[:0], {Kind.LOSS})) == [
        Event(20, 1, Kind.LOSS, 1),
        Event(35, 0, Kind.LOSS, 1),
    ]
