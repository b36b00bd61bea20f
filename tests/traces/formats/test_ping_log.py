"""Answers to echoes become RTT samples; those that did not come are counted."""

from __future__ import annotations

from pathlib import Path

from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import ping_log
from smartsbd.traces.trace import Trace

#: As iputils prints it; the names are of documentation.
PRINTED = b"""\
PING server.example (192.0.2.1) from 198.51.100.7 wlan0: 56(84) bytes of data.
[1700000000.123456] 64 bytes from server.example (192.0.2.1): icmp_seq=1 ttl=57 time=12.3 ms
[1700000000.223456] no answer yet for icmp_seq=2
[1700000000.323456] 64 bytes from 192.0.2.1: icmp_seq=3 ttl=57 time=0.045 ms
[1700000000.330000] 64 bytes from 192.0.2.1: icmp_seq=3 ttl=57 time=7.1 ms (DUP!)
[1700000000.423456] From 198.51.100.1 icmp_seq=4 Destination Host Unreachable
[1700000000.523456] 64 bytes from 2001:db8::1: icmp_seq=5 ttl=57 time=1234 ms
^C
--- server.example ping statistics ---
5 packets transmitted, 3 received, +1 duplicates, +1 errors, 40% packet loss, time 405ms
rtt min/avg/max/mdev = 0.045/415.781/1234.000/578.1 ms, pipe 2
"""


def read(tmp_path: Path, content: bytes) -> Trace:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    assert ping_log.recognises(content)
    return ping_log.read(path, Dialect())


def answer(number: int, at: int) -> bytes:
    return b"[%d.000000] 64 bytes from 192.0.2.1: icmp_seq=%d ttl=57 time=9 ms\n" % (1700000000 + at, number)


def test_answers_are_samples_and_the_rest_is_counted(tmp_path: Path) -> None:
    trace = read(tmp_path, PRINTED)
    (subflow,) = trace.connections[0].ordered()
    assert list(subflow.acks.time_ns) == [1700000000_123456000, 1700000000_323456000, 1700000000_523456000]
    assert list(subflow.acks.rtt_us) == [12300, 45, 1234000]
    assert subflow.name == "wlan0"
    assert trace.unused == {ping_log.NO_ANSWER_YET: 1, ping_log.DUPLICATE: 1, ping_log.ERROR: 1}
    assert (trace.records_in, trace.records_out, trace.refusals, trace.other_lines) == (6, 3, [], 5)
    assert trace.signals == {ping_log.NO_ANSWER: 2}


def test_an_answer_that_is_late_is_not_missing(tmp_path: Path) -> None:
    trace = read(tmp_path, b"".join(map(answer, (1, 3, 2, 6, 4), range(5))))
    assert (trace.records_out, trace.signals) == (5, {ping_log.NO_ANSWER: 1})


def test_numbers_that_begin_anew_go_on(tmp_path: Path) -> None:
    trace = read(tmp_path, b"".join(map(answer, (65534, 65535, 1, 2), range(4))))
    assert (trace.records_out, trace.signals) == (4, {ping_log.NO_ANSWER: 1})


def test_lines_without_a_time_are_refused_with_what_to_do(tmp_path: Path) -> None:
    plain = b"".join(
        line.partition(b"] ")[2] + b"\n" if line[:1] == b"[" else line for line in PRINTED.splitlines(True)
    )
    trace = read(tmp_path, plain)
    assert trace.refused() == {"no time: run ping with -D": 3}
    assert len(trace.connections) == 0


def test_what_is_no_line_of_ping_is_refused(tmp_path: Path) -> None:
    broken = b"[1.5] 64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=x ms\n[1.5] 64 bytes from a: icmp_seq=1 ttl=5\n"
    trace = read(tmp_path, answer(1, 0) + broken + b"icmp_seq=" * 500 + b"\n" + answer(2, 1).replace(b"9 ms", b"0 ms"))
    assert trace.refused() == {ping_log.MALFORMED: 3, "value out of range": 1}
    assert trace.records_in == 5
