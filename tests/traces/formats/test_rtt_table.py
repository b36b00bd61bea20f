"""Rows of a table of RTTs become samples of a path; other rows are refused, and other columns make it unreadable."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.traces import assembly, bounds
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import NOT_OBSERVED
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import rtt_table
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace


def read(tmp_path: Path, content: bytes, most: Bounds = bounds.DEFAULT) -> Trace:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert rtt_table.recognises(content)
    return rtt_table.read(path, Dialect(), most)


def test_paths_are_subflows_in_order_of_appearance(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        b"time_s,path,rtt_ms,bytes\n1700000000.5,wwan0,80.25,1400\n1700000000.25,wlan0,24.5117,\n1700000001,wwan0,,2800\n",
    )
    assert (trace.records_in, trace.records_out, trace.refusals) == (3, 3, [])
    (connection,) = trace.connections
    first, second = connection.ordered()
    assert (first.name, second.name) == ("wwan0", "wlan0")
    assert list(first.acks.time_ns) == [1700000000_500000000, 1700000001_000000000]
    assert list(first.acks.rtt_us) == [80250, NOT_OBSERVED]
    assert list(first.acks.acked_bytes) == [1400, 2800]
    assert list(second.acks.rtt_us) == [24511]


def test_columns_are_in_any_order_and_of_either_unit(tmp_path: Path) -> None:
    trace = read(tmp_path, b'\xef\xbb\xbf"rtt_us","time_ns","path"\r\n24511,5,"a b"\r\n')
    (subflow,) = trace.connections[0].ordered()
    assert (list(subflow.acks.time_ns), list(subflow.acks.rtt_us), subflow.name) == ([5], [24511], "a b")


def test_what_is_no_row_is_refused_with_its_reason(tmp_path: Path) -> None:
    rows = [
        b"x,a,1",
        b"1,a",
        b"1,,1",
        b"1,a,-1",
        b"1,a,nan",
        b"1,a,",
        b"1,a,0",
        b"1,a,9999999999",
        b"2,a,1",
        b"1.5,a,1",
    ]
    trace = read(tmp_path, b"\n".join([b"time_s,path,rtt_ms", *rows, b"1,%s,1" % (b"p" * 65)]))
    assert (trace.records_in, trace.records_out) == (11, 1)
    assert trace.refused() == {
        rtt_table.NO_VALUE: 1,
        rtt_table.MALFORMED: 6,
        assembly.OUT_OF_RANGE: 2,
        assembly.BACKWARDS: 1,
    }
    assert trace.refusals[0].offset == 19


def test_paths_beyond_the_bound_are_refused(tmp_path: Path) -> None:
    rows = b"".join(b"%d,path %d,1\n" % (place, place % 5) for place in range(50))
    trace = read(tmp_path, b"time_s,path,rtt_ms\n" + rows, Bounds(subflows=3))
    assert (trace.records_out, trace.refused()) == (30, {bounds.TOO_MANY_SUBFLOWS: 20})
    assert [subflow.name for subflow in trace.connections[0].ordered()] == ["path 0", "path 1", "path 2"]


@pytest.mark.parametrize(
    ("header", "why"),
    [
        (
            b"time_s,path,rtt_ms,loss",
            "column 'loss' is unknown, known are bytes, path, rtt_ms, rtt_us, time_ns, time_s",
        ),
        (b"time_s,path,rtt_ms,path", "column 'path' is twice"),
        (b"time_s,time_ns,path,rtt_ms", "one column of times and one of RTTs"),
    ],
)
def test_a_table_of_other_columns_is_unreadable(tmp_path: Path, header: bytes, why: str) -> None:
    with pytest.raises(UnreadableInputError, match=why):
        read(tmp_path, header + b"\n")


def test_a_table_without_paths_is_unreadable_whoever_took_it_for_one(tmp_path: Path) -> None:
    table = tmp_path / "rtts.csv"
    table.write_bytes(b'\xef\xbb\xbf"time_ns","rtt_us"\n"2147483647","path"\n')
    with pytest.raises(UnreadableInputError, match="a table has a column path"):
        rtt_table.read(table, Dialect())
