"""Rows of a table of RTTs become samples of a path; other rows are refused, and other columns make it unreadable."""

from __future__ import annotations

import datetime
import gzip
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from smartsbd.traces import assembly, bounds, formats, stored
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import NOT_OBSERVED
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import rtt_table
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

ROOT = Path(__file__).parents[3]


def read(tmp_path: Path, content: bytes, most: Bounds = bounds.DEFAULT, unit: str | None = None) -> Trace:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert rtt_table.recognises(content)
    return rtt_table.read(path, Dialect(rtt_unit=unit), most)


def read_any(tmp_path: Path, content: bytes) -> Trace:
    """Read an input as what it is, which must be a table of RTTs."""
    path = tmp_path / "a"
    path.write_bytes(content)
    assert formats.format_of(path).source == rtt_table.SOURCE
    return rtt_table.read(path, Dialect())


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
        (b"time_s,path,rtt_ms,loss", "column 'loss' is unknown; columns found: 'time_s', 'path', 'rtt_ms', 'loss'; w"),
        (b"time_s,path,rrt_ms", r"column 'rrt_ms' is unknown \(the nearest known name is rtt_ms\)"),
        (b"time_s,path,srtt_ms", r"column 'srtt_ms' is unknown \(a smoothed RTT is no sample\)"),
        (b"time_s,path,rtt_ms,path", "column 'path' is twice"),
        (b"time_s,time_ns,path,rtt_ms", "one column of times, and 'time_s', 'time_ns' are 2"),
        (b"time_s,path,rtt_ms,rtt_us", "one column of RTTs, and 'rtt_ms', 'rtt_us' are 2"),
        (b"timestamp,rtt", "column 'rtt' names no unit: name it rtt_ms or the like, or say --unit ms"),
        (b"time_s,rtt_a,rtt_b", "column 'rtt_a' names no unit"),
        (b"time_s,path,rtt_min_ms,rtt_max_ms", "'rtt_min_ms', 'rtt_max_ms': no samples of a path"),
        (b"time_s,path,a_rtt_ms", "'path' in a table with a column for each path"),
        (b"time_s,a_rtt_ms,a-rtt-us", "two columns of one path"),
        (b"time_s,path,bytes", "no column of RTTs"),
        (b"seq,rtt_ms", "no column of times"),
        (b"when,path,rtt_ms", "no column of times"),
    ],
)
def test_a_table_of_other_columns_is_unreadable(tmp_path: Path, header: bytes, why: str) -> None:
    with pytest.raises(UnreadableInputError, match=why):
        read(tmp_path, header + b"\n")


def test_a_table_without_a_header_is_unreadable(tmp_path: Path) -> None:
    for rows in (b"1700000000.5,wlan0,24.5\n1700000000.6,wwan0,30\n", b"2024-01-31T12:00:00Z;24,5\n"):
        with pytest.raises(UnreadableInputError, match="no line names its columns; wanted: time_s"):
            read(tmp_path, rows)


def samples(trace: Trace) -> dict[str | None, list[tuple[int, int]]]:
    """Times and RTTs by path."""
    return {
        subflow.name: list(zip(subflow.acks.time_ns, subflow.acks.rtt_us, strict=True))
        for connection in trace.connections
        for subflow in connection.ordered()
    }


SECOND = 1_700_000_000_000_000_000
TENTH = SECOND + 100_000_000
NOON = 1_706_702_400_000_000_000
#: Tables, and what they hold; the first seven are of issues that were filed.
TABLES: dict[str, tuple[bytes, dict[str | None, list[tuple[int, int]]]]] = {
    "blank": (b"\ntime_s,path,rtt_ms\n1700000000.1,wlan0,24.5\n", {"wlan0": [(TENTH, 24_500)]}),
    "comment": (b"# my log\ntime_s,path,rtt_ms\n1700000000.1,wlan0,24.5\n", {"wlan0": [(TENTH, 24_500)]}),
    "semicolon": (b"time_s;path;rtt_ms\n1700000000,1;wlan0;24,5\n", {"wlan0": [(TENTH, 24_500)]}),
    "pandas": (
        b"time_s,path,rtt_ms\n0.0,wlan0,24.5\n5e-05,wwan0,24.5\n0.1,wlan0,24.6\n",
        {"wlan0": [(0, 24_500), (100_000_000, 24_600)], "wwan0": [(50_000, 24_500)]},
    ),
    "time of seconds": (b"time,path,rtt_ms\n1700000000.1,wlan0,24.5\n", {"wlan0": [(TENTH, 24_500)]}),
    "tab": (b"time_s\tpath\trtt_ms\n1700000000.1\twlan0\t24.5\n", {"wlan0": [(TENTH, 24_500)]}),
    "case": (b"TIME_S,Path,RTT_MS\n1700000000.1,wlan0,24.5\n", {"wlan0": [(TENTH, 24_500)]}),
    "time_ms": (b"time_ms,path,rtt_s\n1700000000100,a,0.0245\n", {"a": [(TENTH, 24_500)]}),
    "time_us": (b"time_us,path,rtt_ns\n1700000000100000,a,24500999\n", {"a": [(TENTH, 24_500)]}),
    "timestamp of ms": (b"timestamp,path,rtt_us\n1700000000100,a,24500\n", {"a": [(TENTH, 24_500)]}),
    "timestamp of us": (b"timestamp,path,rtt_us\n1700000000100000,a,24500\n", {"a": [(TENTH, 24_500)]}),
    "timestamp of ns": (b"ts,path,rtt_us\n1700000000100000000,a,24500\n", {"a": [(TENTH, 24_500)]}),
    "words": (b"Timestamp [ms],Interface,RTT (msec)\n1700000000100,a,24.5\n", {"a": [(TENTH, 24_500)]}),
    "ISO, zones": (
        b"time,path,rtt_ms\n2024-01-31T12:00:00Z,a,1\n2024-01-31 13:00:00.5+01:00,a,2\n",
        {"a": [(NOON, 1000), (NOON + 500_000_000, 2000)]},
    ),
    "ISO, no zone": (b"datetime;path;rtt_ms\n2024-01-31 12:00:00,5;a;1,5\n", {"a": [(NOON + 500_000_000, 1500)]}),
    "quotes": (b'"time_s","path","rtt_ms"\n"1700000000,1","a,b","24,5"\n', {"a,b": [(TENTH, 24_500)]}),
    "bars": (b"time_s | path | rtt_ms\n1700000000.1 | a | 24.5\n", {"a": [(TENTH, 24_500)]}),
    "white space": (b"time_s  path  rtt_ms\n1700000000.1  a     24.5\n", {"a": [(TENTH, 24_500)]}),
    "numpy": (b"# time_s path rtt_ms\n1.7000000001e+09 0.0 2.45e+01\n", {"0.0": [(TENTH, 24_500)]}),
    "index of pandas": (b",time_s,path,rtt_ms\n0,1700000000.1,a,24.5\n", {"a": [(TENTH, 24_500)]}),
    "one path": (b"time_s,rtt_ms\n1700000000.1,24.5\n", {None: [(TENTH, 24_500)]}),
    "wide": (
        b"time_s,wlan0_rtt_ms,wwan0_rtt_ms\n1700000000,24,\n1700000000.1,25,NaN\n1700000001,,30\n",
        {"wlan0": [(SECOND, 24_000), (TENTH, 25_000)], "wwan0": [(SECOND + 10**9, 30_000)]},
    ),
    "wide, other names": (
        b"time_s,rtt_ms_192.0.2.1,RTT LTE [us]\n1700000000,24,30\n",
        {"192.0.2.1": [(SECOND, 24_000)], "LTE": [(SECOND, 30)]},
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_in_other_words(tmp_path: Path, name: str) -> None:
    content, expected = TABLES[name]
    trace = read(tmp_path, content)
    assert (trace.refused(), samples(trace)) == ({}, expected)


def test_a_header_that_is_said_again_is_no_row(tmp_path: Path) -> None:
    row = b"1700000000.1,wlan0,24.5\n"
    trace = read(tmp_path, b"# a\ntime_s,path,rtt_ms\r\n" + row + b"\n# b\ntime_s,path,rtt_ms\r\n" + row)
    assert (trace.records_in, trace.records_out, trace.other_lines) == (2, 2, 4)


def test_a_unit_that_the_user_says(tmp_path: Path) -> None:
    for header in (b"time_s,path,rtt", b"time_s,path,rtt_ms"):
        assert samples(read(tmp_path, header + b"\n1,a,24.5\n", unit="ms")) == {"a": [(10**9, 24_500)]}
    wide = b"time_s,wlan0,wwan0_ms\n1,24.5,30\n"
    assert samples(read(tmp_path, wide, unit="ms")) == {"wlan0": [(10**9, 24_500)], "wwan0_ms": [(10**9, 30_000)]}
    with pytest.raises(UnreadableInputError, match="'wwan0_ms' is of another unit than --unit us"):
        read(tmp_path, wide, unit="us")
    with pytest.raises(UnreadableInputError, match="if each further column has the RTTs of a path, say --unit ms"):
        read(tmp_path, wide)


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        (b"12.5", "its unit is in no name: name the column time_s"),
        (b"01/31/2024 12:00", "ISO 8601"),
        (b"12:00:00", "ISO 8601"),
    ],
)
def test_a_time_that_is_not_clear_makes_the_table_unreadable(tmp_path: Path, cell: bytes, why: str) -> None:
    with pytest.raises(UnreadableInputError, match=f"column 'time' has no time that is clear, the first is.*{why}"):
        read(tmp_path, b"time,path,rtt_ms\n" + cell + b",a,1\n")


@pytest.mark.parametrize(
    "rows",
    [
        b"1,5;a;1,5\n2,5;a;1.5\n",
        b"2024-01-31T12:00:00Z;a;1\n2024-01-31T12:00:01;a;1\n",
        b"2024-01-31T12:00:00Z;a;1\n1700000000;a;1\n",
        b"1;a;1\n2024-01-31T12:00:01;a;1\n",
        b"1;a;1\n1.234,5;a;1\n",
        b"1;a;1\n1e400;a;1\n",
    ],
)
def test_a_row_of_another_form_than_those_before_is_refused(tmp_path: Path, rows: bytes) -> None:
    trace = read(tmp_path, b"time_s;path;rtt_ms\n" + rows)
    assert (trace.records_out, trace.refused()) == (1, {rtt_table.MALFORMED: 1})


def test_each_value_of_a_wide_table_is_a_record(tmp_path: Path) -> None:
    content = b"time_s,a_rtt_ms,b_rtt_ms,c_rtt_ms\n5,1,2,\n4,x,y,3\n6,,,\n3,1,2,4\n"
    trace = read(tmp_path, content)
    assert (trace.records_in, trace.records_out) == (9, 3)
    assert trace.refused() == {rtt_table.MALFORMED: 2, rtt_table.NO_VALUE: 1, assembly.BACKWARDS: 3}
    places = [refusal.offset for refusal in trace.refusals]
    assert len(set(places)) == len(places)
    assert content[places[1] :].startswith(b"y,3")
    assert len(read(tmp_path, content, Bounds(subflows=1)).connections[0].subflows) == 1


def test_notebook_8_writes_a_table_that_is_read(tmp_path: Path) -> None:
    notebook = json.loads((ROOT / "notebooks/08_your_own_data.ipynb").read_text())
    source = "".join(line for cell in notebook["cells"] for line in cell["source"])
    columns, *_ = re.findall(r"table = pd\.DataFrame\(\s*(\{.*?\n    \})", source, re.DOTALL)
    header = ",".join(re.findall(r'^\s+"(\w+)": ', columns, re.MULTILINE))
    assert header == "time_s,path,rtt_ms"
    trace = read(tmp_path, f"{header}\n0.5,wifi,24.5\n5e-05,lte,8e-02\n".encode())
    assert samples(trace) == {"wifi": [(500_000_000, 24_500)], "lte": [(50_000, 80)]}


def arrow_file(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def arrow_stream(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


@pytest.mark.parametrize("write", [arrow_file, arrow_stream, parquet, lambda table: gzip.compress(parquet(table))])
def test_columns_of_files_with_types(tmp_path: Path, write: Callable[[pa.Table], bytes]) -> None:
    at = datetime.datetime(2024, 1, 31, 12, tzinfo=datetime.UTC)
    table = pa.table(
        {
            "time": pa.array([at, at + datetime.timedelta(milliseconds=125), at], pa.timestamp("us", "UTC")),
            "path": pa.array(["wlan0", "wlan0", "wwan0"]).dictionary_encode(),
            "rtt": pa.array([24_511, None, 80_250], pa.duration("us")),
            "bytes": [1400, 2800, None],
        }
    )
    trace = read_any(tmp_path, write(table))
    assert trace.refused() == {}
    assert samples(trace) == {
        "wlan0": [(NOON, 24_511), (NOON + 125_000_000, NOT_OBSERVED)],
        "wwan0": [(NOON, 80_250)],
    }


def test_a_wide_file_with_an_index_of_dates(tmp_path: Path) -> None:
    at = datetime.datetime(2024, 1, 31, 12)
    table = pa.table({"wlan0_rtt_ms": [24.5, float("nan")], "wwan0_rtt_ms": [0.5, 1], "__index_level_0__": [at, at]})
    assert samples(read_any(tmp_path, parquet(table))) == {
        "wlan0": [(NOON, 24_500)],
        "wwan0": [(NOON, 500), (NOON, 1000)],
    }


def test_files_that_expand_too_far_or_are_broken_are_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = parquet(pa.table({"time_s": [1.0] * 100_000, "rtt_us": [5] * 100_000}))
    with pytest.raises(UnreadableInputError, match="cannot be read"):
        read_any(tmp_path, content[:-9] + b"\xff" + content[-8:])
    monkeypatch.setattr(stored, "EXPANDED_BYTES", 1000)
    monkeypatch.setattr(stored, "EXPANDED_TIMES", 2)
    with pytest.raises(UnreadableInputError, match="expands more than 2 times"):
        read_any(tmp_path, content)
