"""The compiled parser of captures held to the one in plain Python: record by record, row by row."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from smartsbd.traces import bounds
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Connection, Subflow
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.recorded import End, Flow, Recorded, Refusals, Spool, StoredAcks, record, spools, write
from smartsbd.traces.trace import Trace
from tests.traces.naive import flow as naive
from tests.traces.naive.sender import Sender

# So few that a short capture, too, has them taken more than once.
_GATHERED = 3
# Of the first byte sent: data-level numbers are compared too.
_FIRST_DATA = 2**40


def _compiled(path: Path, folder: Path, most: Bounds) -> Recorded | UnreadableInputError:
    try:
        return record(path, folder, most)
    except UnreadableInputError as error:
        return error


def _naive(path: Path, most: Bounds) -> tuple[Trace, list[naive.Flow]] | UnreadableInputError:
    trace = Trace()
    try:
        return trace, naive.flows(path, trace, plain=most.plain_flows)
    except UnreadableInputError as error:
        return error


def _senders(flow: naive.Flow) -> list[dict[str, Any]]:
    return [
        {
            "payload_bytes": one.payload_bytes,
            "resent_segments": one.resent_segments,
            "implausible": one.implausible,
            "forgotten": one.forgotten,
            "first_data_ack": (one.first_data_ack.value, one.first_data_ack.bits) if one.first_data_ack else None,
        }
        for one in flow.senders
    ]


def _same_flow(spool: Spool, found: Flow, expected: naive.Flow) -> None:
    for name in ("ends", "start_ns", "end_ns", "segments", "first_syn", "reset", "is_answered", "is_backup", "plain"):
        assert getattr(found, name) == getattr(expected, name), name
    # What was offered and not answered is of no connection.
    known = (expected.version, expected.join_token, expected.keys)
    assert (found.version, found.join_token, list(found.keys)) == ((None, None, [None] * 2) if found.plain else known)
    assert list(found.address_ids) == expected.address_ids
    assert Counter(found.signals) == expected.signals
    for one, other in zip(found.senders, _senders(expected), strict=True):
        assert {name: getattr(one, name) for name in other} == other
    for end, sender in enumerate(expected.senders):
        assert found.vantage(end) == expected.answers.vantage(end)
        subflow = rows(spool, found, end)
        reference = naive_rows(sender)
        assert subflow == reference, f"end {end}"


def rows(spool: Spool, flow: Flow, end: int) -> Subflow:
    """Return the rows of one end, as the compiled parser has them."""
    subflow = Subflow(0, 0, 0)
    write(spool, flow, end, subflow)
    subflow.stored_acks = stored = StoredAcks(spool, flow, end, _FIRST_DATA)
    subflow.acks, subflow.stored_acks = subflow.all_acks(), None
    # They are read in pieces, or those of many subflows together.
    assert stored.min_rtt_us() == subflow.acks.min_rtt_us()
    together = StoredAcks.together([stored, stored])
    assert stored.min_rtt_us() == subflow.acks.min_rtt_us()
    assert together.lengths == [len(subflow.acks)] * 2 and len(subflow.acks) <= stored.rows
    assert all(values.tolist() == 2 * list(getattr(subflow.acks, name)) for name, values in together.columns.items())
    return subflow


def in_memory(connections: Iterable[Connection]) -> list[Connection]:
    """Return connections with all their rows, so that they can be compared."""
    found = list(connections)
    for connection in found:
        for subflow in connection.subflows.values():
            subflow.acks, subflow.stored_acks = subflow.all_acks(), None
    return found


def naive_rows(sender: Sender) -> Subflow:
    """Return the rows of one end, as plain Python has them."""
    subflow = Subflow(0, 0, 0)
    sender.write(subflow, _FIRST_DATA)
    return subflow


def assert_same(path: Path, part_rows: int = 3) -> list[dict[End, Subflow]]:
    """Read a capture both ways; fail on any difference. Return, for each subflow, the rows of either end.

    The compiled parser reads it a second time, gathers few segments, and leaves its rows in parts of so many. All of it
    is done once more with flows that are no subflows.
    """
    _assert_same(path, part_rows, replace(bounds.DEFAULT, plain_flows=True))
    return _assert_same(path, part_rows, bounds.DEFAULT)


def _assert_same(path: Path, part_rows: int, most: Bounds) -> list[dict[End, Subflow]]:
    expected = _naive(path, most)
    with tempfile.TemporaryDirectory() as folder:
        found = _compiled(path, Path(folder), most)
        if isinstance(expected, UnreadableInputError) or isinstance(found, UnreadableInputError):
            assert isinstance(found, UnreadableInputError) and isinstance(expected, UnreadableInputError), (
                found,
                expected,
            )
            assert (found.offset, found.why) == (expected.offset, expected.why)
            return []
        divided = record(path, Path(folder), most, part_rows=part_rows, gathered=_GATHERED)
        spool, divided_spool = spools([found.spool, divided.spool])
        trace, flows = expected
        assert found.records_in == trace.records_in
        assert found.unused == trace.unused
        assert list(Refusals(spool, *found.refusals)) == trace.refusals
        assert len(found.flows()) == len(flows)
        for one, other in zip(found.flows(), flows, strict=True):
            _same_flow(spool, one, other)
        segments = sum(one.segments for one in found.flows())
        assert found.records_in == segments + found.unused.total() + found.refusals[1]
        result = [{one.ends[end]: rows(spool, one, end) for end in (0, 1)} for one in found.flows()]
        in_parts = [{one.ends[end]: rows(divided_spool, one, end) for end in (0, 1)} for one in divided.flows()]
        assert in_parts == result
        return result


def assert_same_content(content: bytes) -> list[dict[End, Subflow]]:
    """Do the same with the content of a capture."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "capture"
        path.write_bytes(content)
        return assert_same(path)
