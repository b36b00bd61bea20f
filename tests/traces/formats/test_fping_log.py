"""Targets of fping are paths, and its answers are RTT samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import format_of, fping_log
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

CASES = Path(__file__).parents[1] / "samples/public/pings"
#: As fping 5.1 prints it for two targets; its counts at the end go to standard error.
PRINTED = b"""\
[1796010620.29884] 192.0.2.1   : [0], 64 bytes, 12.3 ms (12.3 avg, 0% loss)
[1796010620.30896] server.example : [0], 64 bytes, 0.034 ms (0.034 avg, 0% loss)
[1796010620.39888] 192.0.2.1   : [1], timed out (12.3 avg, 50% loss)
[1796010620.40898] server.example : [1], 64 bytes, 155 ms (0.034 avg, 0% loss)
[1796010620.40998] server.example : duplicate for [1], 64 bytes, 156 ms
[1796010620.49888] 192.0.2.1   : [2], 64 bytes, 12.4 ms (12.3 avg, 33% loss)
ICMP Host Unreachable from 192.0.2.9 for ICMP Echo sent to 192.0.2.3

192.0.2.1 : xmt/rcv/%loss = 3/2/33%, min/avg/max = 12.3/12.3/12.4
"""
#: As its source has the lines of -J.
OBJECTS = b"""\
{"resp": {"timestamp": "1796010620.29884", "host": "192.0.2.1", "seq": 0, "size": 64, "rtt": 0.032}}
{"timeout": {"timestamp": "1796010620.39884", "host": "192.0.2.1", "seq": 1}}
{"resp": {"timestamp": "2026-11-30 03:50:22", "host": "192.0.2.1", "seq": 2, "size": 64, "rtt": 155}}
{"summary": {"host": "192.0.2.1", "xmt": 3, "rcv": 2, "loss": 33}}
"""


def read(tmp_path: Path, content: bytes) -> Trace:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    assert format_of(path).source == fping_log.SOURCE
    return fping_log.read(path, Dialect())


def rtts_us(trace: Trace) -> dict[str | None, list[int]]:
    return {subflow.name: list(subflow.acks.rtt_us) for subflow in trace.connections[0].ordered()}


def test_answers_are_samples_and_the_rest_is_counted(tmp_path: Path) -> None:
    trace = read(tmp_path, PRINTED)
    assert rtts_us(trace) == {"192.0.2.1": [12300, 12400], "server.example": [34, 155_000]}
    assert list(trace.connections[0].ordered()[0].acks.time_ns) == [1796010620_298840000, 1796010620_498880000]
    assert trace.unused == {fping_log.TIMED_OUT: 1, fping_log.DUPLICATE: 1}
    assert (trace.records_in, trace.records_out, trace.other_lines) == (6, 4, 3)
    assert trace.signals == {"echo without an answer": 1}


def test_objects_say_the_same(tmp_path: Path) -> None:
    trace = read(tmp_path, OBJECTS)
    assert rtts_us(trace) == {"192.0.2.1": [32, 155_000]}
    assert (trace.records_in, trace.unused, trace.other_lines) == (3, {fping_log.TIMED_OUT: 1}, 1)


def test_given_cases() -> None:
    both = fping_log.read(CASES / "fping-both.txt", Dialect())
    assert {name: len(rtts) for name, rtts in rtts_us(both).items()} == {"192.0.2.1": 38, "192.0.2.2": 2}
    (first,) = fping_log.read(CASES / "fping.0.txt", Dialect()).connections[0].ordered()
    assert (first.acks.time_ns[0], first.acks.rtt_us[0], len(first.acks)) == (1795231448_953990000, 155_000, 40)


@pytest.mark.parametrize(
    "date",
    ["Mon Nov 30 03:50:2{} 2026", "2026-11-30T03:50:2{}+0100", "2026-11-30 03:50:2{}", "1796010620.0000{}"],
)
def test_every_form_of_its_dates_is_read(tmp_path: Path, date: str) -> None:
    printed = "".join(
        f"[{date.format(place)}] a : [{place}], 64 bytes, 1.5 ms (1.5 avg, 0% loss)\n" for place in range(3)
    )
    assert list(rtts_us(read(tmp_path, printed.encode())).values()) == [[1500] * 3]


@pytest.mark.parametrize(
    ("printed", "why"),
    [
        (b"a : [0], 64 bytes, 1.5 ms (1.5 avg, 0% loss)\n", fping_log.NO_TIMES),
        (b"192.0.2.1 : 155 116 - 121\n", fping_log.NO_LINES),
        (b"192.0.2.1 is alive (1.5 ms)\n192.0.2.2 is unreachable\n", fping_log.NO_LINES),
        (b"[1796010620.5] a : [0], timed out (NaN avg, 100% loss)\n", fping_log.NOTHING_ANSWERED),
    ],
)
def test_what_cannot_be_used_says_why(tmp_path: Path, printed: bytes, why: str) -> None:
    with pytest.raises(UnreadableInputError) as raised:
        read(tmp_path, printed)
    assert why in raised.value.why


def test_two_runs_to_one_target_that_nothing_tells_apart_are_refused(tmp_path: Path) -> None:
    line = b"[1796010620.5%d] a : [%d], 64 bytes, 1.5 ms (1.5 avg, 0%% loss)\n"
    with pytest.raises(UnreadableInputError, match="echoes over a have numbers that come twice"):
        read(tmp_path, b"".join(line % (place, place // 2) for place in range(9)))


def test_broken_lines_are_refused(tmp_path: Path) -> None:
    broken = (
        b"[1796010620.6] a : [9], 64 bytes, x ms\n"
        b'{"resp": {"host": 5, "seq": 0, "rtt": 1}}\n'
        b'{"resp": {"host": "a", "seq": -1, "rtt": 1}}\n'
        b'{"resp": {"host": "a", "seq": 1, "rtt": 1e400}}\n'
        b'{"resp": {"host": "a"\n'
    )
    assert read(tmp_path, PRINTED + broken).refused() == {fping_log.MALFORMED: 5}
