"""What every parser promises of any input: a reason, or rows that keep their contract, in bounded time and memory."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from smartsbd.contracts import tables
from smartsbd.contracts.contract import Column, Table
from smartsbd.traces import bounds, connection_analysis, stored
from smartsbd.traces import connection as rows_of
from smartsbd.traces.connection_analysis import ConnectionAnalysis
from smartsbd.traces.delivery import PARTS, delivery
from smartsbd.traces.formats import Read
from smartsbd.traces.quarantine import RAW_BYTES, UnreadableInputError, quarantine_columns
from smartsbd.traces.trace import Trace

#: CPU time an input may take, and each of its bytes after decompression: 20 times what the slowest parser needs, with
#: its coverage recorded.
INPUT_S, BYTE_S = 1.0, 100e-6
#: How far an input may raise the peak of memory, and each of its bytes: a refused line break is a row of quarantine.
INPUT_BYTES, BYTE_BYTES = 64 << 20, 2 << 10

Rows = dict[str, dict[str, list[Any]]]


def peak_bytes() -> int:
    """Return the most memory this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def prepare() -> None:
    """Let Arrow do once what it does when it is first used: no input is to blame for that."""
    for table in tables.TABLES:
        table.build({column.name: [] for column in table.columns})


@contextmanager
def bounded(size: int) -> Iterator[None]:
    """Fail if what is done meanwhile took longer, or more memory, than an input of so many bytes may."""
    start_s, start_bytes = time.process_time(), peak_bytes()
    yield
    took_s, grown_bytes = time.process_time() - start_s, peak_bytes() - start_bytes
    assert took_s <= INPUT_S + size * BYTE_S, f"{took_s:.1f} s of CPU time for {size} bytes"
    assert grown_bytes <= INPUT_BYTES + size * BYTE_BYTES, f"{grown_bytes} bytes of memory for {size} bytes"


def size_of(path: Path, most: int) -> int:
    """Return how many bytes an input holds, decompressed as far as it can be; not much more than `most` are counted."""
    size = 0
    try:
        for block in stored.blocks(path):
            size += len(block)
            if size > most:
                break
    except UnreadableInputError:
        pass
    return max(size, path.stat().st_size)


def check_read(found: Sequence[Read], *, sizes: Sequence[int], thorough: bool = True) -> None:
    """Check what inputs became that were read together.

    Parameters
    ----------
    found : sequence of Read
    sizes : sequence of int, bytes
        Of each, decompressed.
    thorough : bool
        Build the tables too, which takes longer than all else.
    """
    rows: Rows = {}
    traces = [one.outcome for one in found if isinstance(one.outcome, Trace)]
    for one, size in zip(found, sizes, strict=True):
        if isinstance(one.outcome, Trace):
            _check_trace(one.outcome, size)
        else:
            assert one.outcome.why.isprintable(), one.outcome.why
            assert one.outcome.path == one.path
            assert 0 <= one.outcome.offset <= size
    # A connection is in the trace of the input with its first subflow, its records in those that have them.
    assert any(trace.records_out for trace in traces) == any(trace.connections for trace in traces)
    for number, trace in enumerate(traces):
        _add_rows(rows, number, trace, len(traces))
    for table in tables.TABLES:
        if table.name in rows:
            check_columns(table, rows[table.name])
            if thorough:
                table.build(rows[table.name])


def _check_trace(trace: Trace, size: int) -> None:
    beyond = sum(trace.beyond_bounds.values())
    assert trace.records_in == trace.records_out + sum(trace.unused.values()) + len(trace.refusals) + beyond
    assert set(trace.beyond_bounds) <= bounds.REASONS
    assert len(trace.connections) <= bounds.DEFAULT.connections
    counts = [trace.records_out, trace.other_lines, trace.gaps, trace.messages_lost]
    assert min(counts + list(trace.unused.values()) + list(trace.signals.values()), default=0) >= 0
    for refusal in trace.refusals:
        assert 0 <= refusal.offset < size
        assert len(refusal.raw) <= RAW_BYTES
        # Both are shown on a terminal.
        assert (refusal.reason + refusal.detail).isprintable(), refusal
    assert all(name.isprintable() for name in [*trace.unused, *trace.signals])
    for connection in trace.connections:
        assert 1 <= len(connection.subflows) <= bounds.DEFAULT.subflows
        for subflow in connection.ordered():
            acks = subflow.all_acks()
            for times in (acks.time_ns, subflow.state_time_ns, subflow.loss_time_ns):
                assert list(times) == sorted(times)
                assert not times or subflow.start_ns <= times[0] <= times[-1] <= subflow.end_ns
            assert list(acks.acked_bytes) == sorted(acks.acked_bytes)


def _add_rows(rows: Rows, number: int, trace: Trace, inputs: int) -> None:
    def add(table: str, columns: dict[str, Any]) -> None:
        known = rows.setdefault(table, {name: [] for name in columns})
        for name, values in columns.items():
            known[name].extend(values.to_pylist() if isinstance(values, pa.Array) else values)

    for ordinal, connection in enumerate(trace.connections):
        name = f"{number}#{ordinal}"
        assert set(connection.vantages) <= set(range(inputs))
        links = sorted(connection.vantages.items())
        held = {
            "connection_id": [name] * len(links),
            "capture_id": [str(place) for place, _ in links],
            "vantage": [vantage for _, vantage in links],
        }
        add("connection_capture", held)
        for table in ("connection", "subflow", "state", "loss"):
            add(table, getattr(rows_of, f"{table}_columns")([(name, connection)]))
        add("ack", rows_of.ack_columns(list(rows_of.ack_pieces(name, connection))))
    add("quarantine", quarantine_columns(str(number), "parse", trace.refusals))


def check_columns(table: Table, columns: dict[str, list[Any]]) -> None:
    """Check rows against a table's contract as ``Table.build`` does, in a tenth of the time."""
    assert set(columns) == {column.name for column in table.columns}
    count = len(columns[table.key[0]])
    for column in table.columns:
        values = columns[column.name]
        assert len(values) == count, f"{table.name}.{column.name} has {len(values)} rows of {count}"
        present = [value for value in values if value is not None]
        assert column.nullable or len(present) == count, f"{table.name}.{column.name} is null"
        _check_values(f"{table.name}.{column.name}", column, present)
    keys = list(zip(*(columns[name] for name in table.key), strict=True))
    assert len(set(keys)) == count, f"{table.name}: a key stands twice"


def _check_values(name: str, column: Column, values: list[Any]) -> None:
    if not values:
        return
    if pa.types.is_integer(column.dtype):
        bits, signed = column.dtype.bit_width, pa.types.is_signed_integer(column.dtype)
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        assert low <= min(values) <= max(values) <= high, f"{name}: {min(values)} to {max(values)}"
    if column.low is not None:
        assert min(values) >= column.low, f"{name}: {min(values)}"
    if column.high is not None:
        assert max(values) <= column.high, f"{name}: {max(values)}"
    if column.choices:
        assert set(values) <= set(column.choices), f"{name}: {set(values)}"
    if pa.types.is_string(column.dtype):
        # No lone surrogate: tables are UTF-8.
        "".join(values).encode()


def check_analysis(one: ConnectionAnalysis) -> None:
    """What holds of every connection."""
    by_direction = zip(*one.sending.values(), strict=True)
    for direction, first_data, sending in zip(one.directions, one.connection.first_data, by_direction, strict=True):
        gaps, gap_bytes = direction.ranges.all_gaps()
        assert gaps >= len(direction.ranges.gaps()) and gap_bytes >= gaps
        if direction.ranges.end is not None and not direction.ranges.forgotten:
            lowest = direction.mappings.column("data_seq").min()
            start = int(lowest) if first_data is None else min(0, int(lowest))
            if direction.mappings.every == 1:
                assert sum(own.new_bytes for own in sending) == direction.ranges.end - start - gap_bytes
    for number, subflow in one.connection.subflows.items():
        assert one.sending[number][0].resent == subflow.retransmissions
        own = delivery(subflow, one.start_ns, one.end_ns)
        assert own.acked_in_part.sum() == own.acked_bytes and len(own.acked_in_part) == PARTS
        if own.least_rtt_us is not None:
            assert own.least_rtt_us == subflow.min_rtt_us()
    for points in one.events.values():
        assert len(points.column("time_ns")) <= connection_analysis.MOST_EVENTS
