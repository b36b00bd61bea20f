"""Answers to echoes become RTT samples; those that did not come are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import format_of, ping_log
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

#: The first lines of ping's output as other systems and languages print it.
CASES = Path(__file__).parents[1] / "samples/public/pings"

#: As iputils prints it; the names are of documentation.
PRINTED = b"""\
PING server.example (192.0.2.1) from 198.51.100.7 wlan0: 56(84) bytes of data.
[1700000000.123456] 64 bytes from server.example (192.0.2.1): icmp_seq=1 ttl=57 time=12.3 ms
[1700000000.223456] no answer yet for icmp_seq=2
[1700000000.323456] 64 bytes from 192.0.2.1: icmp_seq=3 ttl=57 time=0.045 ms
[1700000000.330000] 64 bytes from 192.0.2.1: icmp_seq=3 ttl=57 time=7.1 ms (DUP!)
[1700000000.423456] From 198.51.100.1 icmp_seq=4 Destination Host Unreachable
[1700000000.523456] 64 bytes from 192.0.2.1: icmp_seq=5 ttl=57 time=1234 ms
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


def why_unreadable(tmp_path: Path, content: bytes) -> str:
    with pytest.raises(UnreadableInputError) as raised:
        read(tmp_path, content)
    return raised.value.why


def rtts_us(trace: Trace) -> dict[str | None, list[int]]:
    return {subflow.name: list(subflow.acks.rtt_us) for subflow in trace.connections[0].ordered()}


def test_lines_without_a_time_are_refused_with_what_to_do(tmp_path: Path) -> None:
    plain = b"".join(
        line.partition(b"] ")[2] + b"\n" if line[:1] == b"[" else line for line in PRINTED.splitlines(True)
    )
    assert "iputils without times that are read (3 answers): run ping -D;" in why_unreadable(tmp_path, plain)
    assert read(tmp_path, plain + answer(9, 9)).refused() == {"no time: run ping with -D": 3}


@pytest.mark.parametrize(
    ("name", "path_name", "first", "count"),
    [
        ("de.0", "wlan0", (1795231448_953986000, 155_000), 39),
        ("fr.1", "wlan1", (1795231449_269768000, 200_000), 39),
        ("busybox_ts.0", None, (1795231448_953986000, 154_773), 39),
        ("ts_brackets_unixtime.0", "wlan0", (1795231448_953986000, 155_000), 39),
    ],
)
def test_given_cases(name: str, path_name: str | None, first: tuple[int, int], count: int) -> None:
    trace = ping_log.read(CASES / f"{name}.txt", Dialect())
    (subflow,) = trace.connections[0].ordered()
    assert subflow.name == path_name
    assert (subflow.acks.time_ns[0], subflow.acks.rtt_us[0]) == first
    assert (trace.records_out, trace.refused(), trace.other_lines, trace.signals) == (count, {}, 1, {})


def test_the_given_cases_of_one_ping_are_equal_but_for_what_the_tool_prints() -> None:
    """German, French, iputils with ts: the same echoes; busybox and macOS print more digits of them."""
    traces = {name: ping_log.read(CASES / f"{name}.0.txt", Dialect()) for name in ("de", "fr", "ts_brackets_unixtime")}
    (german, *others) = [rtts_us(trace)["wlan0"] for trace in traces.values()]
    assert all(other == german for other in others)
    (busybox,) = rtts_us(ping_log.read(CASES / "busybox_ts.0.txt", Dialect())).values()
    (macos,) = rtts_us(ping_log.read(CASES / "macos_apple_time.0.txt", Dialect())).values()
    assert busybox == macos
    assert all(abs(fine - coarse) <= 500 for fine, coarse in zip(busybox, german, strict=True))


def test_a_time_of_day_has_the_intervals_of_the_day() -> None:
    of_day, epoch = (
        list(ping_log.read(CASES / f"{name}.0.txt", Dialect()).connections[0].ordered()[0].acks.time_ns)
        for name in ("macos_apple_time", "busybox_ts")
    )
    assert [time - of_day[0] for time in of_day] == [time - epoch[0] for time in epoch]


@pytest.mark.parametrize(
    ("name", "system", "remedy"),
    [
        ("busybox", "busybox", "/proc/uptime"),
        ("macos", "macOS or BSD", "ping --apple-time on macOS"),
    ],
)
def test_a_given_case_without_times_says_what_to_run_there(name: str, system: str, remedy: str) -> None:
    with pytest.raises(UnreadableInputError) as raised:
        ping_log.read(CASES / f"{name}.0.txt", Dialect())
    assert f"ping's output of {system} without times" in raised.value.why
    assert remedy in raised.value.why
    assert "-D" not in raised.value.why


def test_two_pings_in_one_file_are_two_paths() -> None:
    both = ping_log.read(CASES / "both.txt", Dialect())
    assert {name: len(rtts) for name, rtts in rtts_us(both).items()} == {"wlan0": 55, "192.0.2.2": 4}
    assert rtts_us(both)["192.0.2.2"] == [200_000, 252_000, 240_000, 244_000]
    concatenated = ping_log.read(CASES / "concat.txt", Dialect())
    assert {name: len(rtts) for name, rtts in rtts_us(concatenated).items()} == {"wlan0": 29, "wlan1": 29}
    assert concatenated.refused() == {}


def lines(form: str, count: int = 4) -> str:
    """Return answers of 20.125 ms and more, or whole milliseconds, a tenth of a second apart."""
    return "".join(
        form.format(at=f"{1700000000 + place / 10:.6f}", n=place + 1, ms=f"{20.125 + place:.3f}", whole=f"{20 + place}")
        for place in range(count)
    )


LANGUAGES = {
    "Japanese": "[{at}] 64 バイト応答 送信元 192.0.2.1: icmp_seq={n} ttl=57 時間={ms}ミリ秒\n",
    "Russian": "[{at}] 64 байт от 192.0.2.1: icmp_seq={n} ttl=57 время={ms} мс\n",
    "Chinese": "[{at}] 64 字节 来自 192.0.2.1: icmp_seq={n} ttl=57 时间={ms} 毫秒\n",
    "Turkish": "[{at}] 64 bayt, 192.0.2.1'den: icmp_seq={n} ttl=57 süre={ms} ms\n",
    "French with a blank": "[{at}] 64 octets de 192.0.2.1 : icmp_seq={n} ttl=57 temps={ms} ms\n",
    "icmp_req": "[{at}] 64 bytes from 192.0.2.1: icmp_req={n} ttl=57 time={ms} ms\n",
    "a name": "[{at}] 64 bytes from a.example (192.0.2.1): icmp_seq={n} ttl=57 time={ms} ms\n",
    "IPv6": "[{at}] 64 bytes from 2001:db8::1: icmp_seq={n} ttl=57 time={ms} ms\n",
    "ping6 of macOS": "{at} 16 bytes from 2001:db8::1, icmp_seq={n} hlim=57 time={ms} ms\n",
    "Solaris": "[{at}] 64 bytes from a (192.0.2.1): icmp_seq={n}. time={ms} ms\n",
    "uptime": "55690.2{n} 64 bytes from 192.0.2.1: seq={n} ttl=57 time={ms} ms\n",
    "uptime and idle time": "55690.2{n} 9.1 64 bytes from 192.0.2.1: seq={n} ttl=57 time={ms} ms\n",
    "while read": "Mon Nov 30 03:45:1{n} UTC 2026: 64 bytes from 192.0.2.1: icmp_seq={n} ttl=57 time={ms} ms\n",
    "ts": "Nov 30 03:45:1{n} 64 bytes from 192.0.2.1: icmp_seq={n} ttl=57 time={ms} ms\n",
    "a line end of Windows": "[{at}] 64 bytes from 192.0.2.1: icmp_seq={n} ttl=57 time={ms} ms\r\n",
}


@pytest.mark.parametrize("form", LANGUAGES.values(), ids=LANGUAGES)
def test_answers_are_read_whatever_the_words(tmp_path: Path, form: str) -> None:
    trace = read(tmp_path, lines(form).encode())
    assert list(rtts_us(trace).values()) == [[20125, 21125, 22125, 23125]]
    assert format_of(tmp_path / "a.txt").source == ping_log.SOURCE


def test_a_decimal_comma_is_a_point(tmp_path: Path) -> None:
    content = lines("[{at}] 64 bytes from 192.0.2.1: icmp_seq={n} ttl=57 time={ms} ms\n").replace("125 ms", "125")
    trace = read(tmp_path, content.replace("20.125", "20,125 ms").encode())
    assert rtts_us(trace) == {None: [20125]}
    assert trace.refused() == {ping_log.MALFORMED: 3}


WINDOWS = {
    "English": ("{at} Reply from 192.0.2.1: bytes=32 time={whole}ms TTL=57\r\n", "utf-8"),
    "German": ("{at} Antwort von 192.0.2.1: Bytes=32 Zeit={whole}ms TTL=57\r\n", "cp850"),
    "French": ("{at} Réponse de 192.0.2.1 : octets=32 temps={whole} ms TTL=57\r\n", "cp850"),
    "Russian": ("{at} Ответ от 192.0.2.1: число байт=32 время={whole}мс TTL=57\r\n", "cp866"),
    "Japanese": ("{at} 192.0.2.1 からの応答: バイト数 =32 時間 ={whole}ms TTL=57\r\n", "cp932"),
    "IPv6": ("{at} Reply from 2001:db8::1: time={whole}ms\r\n", "utf-8"),
    "UTF-16": ("{at} Reply from 192.0.2.1: bytes=32 time={whole}ms TTL=57\r\n", "utf-16"),
    "UTF-16 without a mark": ("{at} Reply from 192.0.2.1: bytes=32 time={whole}ms TTL=57\r\n", "utf-16-le"),
}


@pytest.mark.parametrize(("form", "codec"), WINDOWS.values(), ids=WINDOWS)
def test_answers_of_windows_are_read(tmp_path: Path, form: str, codec: str) -> None:
    trace = read(tmp_path, lines(form).encode(codec))
    assert list(rtts_us(trace).values()) == [[20000, 21000, 22000, 23000]]


def test_what_windows_prints_around_answers_is_no_record(tmp_path: Path) -> None:
    printed = (
        "\r\nPinging example.com [192.0.2.1] with 32 bytes of data:\r\n"
        + lines("{at} Reply from 192.0.2.1: bytes=32 time={whole}ms TTL=57\r\n")
        + "1700000009.5 Reply from 192.0.2.1: bytes=32 time<1ms TTL=57\r\nRequest timed out.\r\n\r\n"
        "Ping statistics for 192.0.2.1:\r\n    Packets: Sent = 6, Received = 5, Lost = 1 (16% loss),\r\n"
        "Approximate round trip times in milli-seconds:\r\n    Minimum = 0ms, Maximum = 23ms, Average = 17ms\r\n"
    )
    trace = read(tmp_path, printed.encode())
    assert (trace.records_in, trace.records_out, trace.unused) == (5, 4, {ping_log.TOO_SHORT: 1})
    assert trace.other_lines == 8


def test_windows_without_times_says_what_to_run_in_powershell(tmp_path: Path) -> None:
    plain = lines("Reply from 192.0.2.1: bytes=32 time={whole}ms TTL=57\r\n")
    for codec in ("utf-8", "utf-16"):
        assert "output of Windows without times that are read (4 answers): in PowerShell run" in why_unreadable(
            tmp_path, plain.encode(codec)
        )


def test_what_is_not_answered_is_counted_in_any_language(tmp_path: Path) -> None:
    printed = (
        lines(LANGUAGES["Japanese"])
        + "[1700000001.1] 64 バイト応答 送信元 192.0.2.1: icmp_seq=2 ttl=57 時間=155 ミリ秒 (重複!)\n"
        "[1700000001.2] icmp_seq=7 が未応答です\n"
        "[1700000001.3] 送信元 192.0.2.9: icmp_seq=8 目的のホストへ届きません。\n"
        "Request timeout for icmp_seq 9\n"
    )
    trace = read(tmp_path, printed.encode())
    assert trace.unused == {ping_log.DUPLICATE: 1, ping_log.NO_ANSWER_YET: 2, ping_log.ERROR: 1}
    assert trace.records_out == 4


HEADER = "PING 192.0.2.1 (192.0.2.1) from {} {}: 56(84) bytes of data.\n"
ANSWERS = "[{at}] 64 bytes from 192.0.2.1: icmp_seq={n} ttl=57 time={ms} ms\n"


def test_two_pings_to_one_address_one_after_the_other_are_two_paths(tmp_path: Path) -> None:
    printed = HEADER.format("10.0.0.1", "wlan0") + lines(ANSWERS) + HEADER.format("10.0.1.1", "wwan0") + lines(ANSWERS)
    assert list(rtts_us(read(tmp_path, printed.encode()))) == ["wlan0", "wwan0"]
    without_interface = "PING 192.0.2.1 (192.0.2.1): 56 data bytes\n" + lines(ANSWERS)
    assert len(read(tmp_path, (without_interface * 2).encode()).connections[0].subflows) == 2


def test_a_ping_begun_again_goes_on_its_path(tmp_path: Path) -> None:
    header = HEADER.format("10.0.0.1", "wlan0")
    later = lines(ANSWERS).replace("[1700000000", "[1700000060")
    trace = read(tmp_path, (header + lines(ANSWERS) + header + later).encode())
    assert {name: len(rtts) for name, rtts in rtts_us(trace).items()} == {"wlan0": 8}
    assert trace.signals == {}


@pytest.mark.parametrize(
    "printed",
    [
        HEADER.format("10.0.0.1", "wlan0") + HEADER.format("10.0.1.1", "wwan0") + lines(ANSWERS + ANSWERS),
        lines(ANSWERS) * 2,
        lines(ANSWERS + ANSWERS),
        lines(ANSWERS + ANSWERS.replace("icmp_seq=", "icmp_seq=50")),
    ],
    ids=["both headers first", "one after the other without headers", "side by side without headers", "far apart"],
)
def test_pings_to_one_address_that_nothing_tells_apart_are_refused(tmp_path: Path, printed: str) -> None:
    why = why_unreadable(tmp_path, printed.encode())
    assert "two pings to one address are mixed in this file" in why
    assert "a file of its own" in why


def test_a_line_that_is_there_twice_is_refused_alone(tmp_path: Path) -> None:
    trace = read(tmp_path, answer(1, 0) + answer(2, 1) * 2 + answer(3, 2))
    assert (trace.records_out, trace.refused()) == (3, {"a number that was answered before": 1})


def test_a_date_alone_is_that_of_the_next_answer(tmp_path: Path) -> None:
    once = (
        "1700000000.25\nPING 192.0.2.1 (192.0.2.1): 56 data bytes\n64 bytes from 192.0.2.1: seq=0 ttl=57 time=20.5 ms\n"
    )
    trace = read(tmp_path, (once + once.replace("00.25", "01.25")).encode())
    (subflow,) = trace.connections[0].ordered()
    assert list(subflow.acks.time_ns) == [1700000000_270500000, 1700000001_270500000]


def test_whole_seconds_are_known_to_be_coarse(tmp_path: Path) -> None:
    (subflow,) = read(tmp_path, lines(LANGUAGES["ts"]).encode()).connections[0].ordered()
    assert subflow.resolution_ns == 1_000_000_000
    (subflow,) = read(tmp_path, lines(ANSWERS).encode()).connections[0].ordered()
    assert subflow.resolution_ns == 1_000


@pytest.mark.parametrize(
    ("printed", "why"),
    [
        ("PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n", ping_log.NOTHING_ANSWERED),
        ("[1.5] no answer yet for icmp_seq=1\n", ping_log.NOTHING_ANSWERED),
        (lines("[{at}] 16 bytes from 192.0.2.1: icmp_seq={n} ttl=57\n"), "4 an answer without an RTT: ping with 16"),
        (lines("[{at}] 64 bytes from 192.0.2.1: icmp_seq={n} time={whole} us\n"), "4 an RTT that is not in ms"),
    ],
)
def test_output_without_an_answer_says_why(tmp_path: Path, printed: str, why: str) -> None:
    assert why in why_unreadable(tmp_path, printed.encode())


def test_text_of_other_tools_is_not_ping_s() -> None:
    for text in (
        b"12:00:00.5 IP 10.0.0.1 > 192.0.2.1: ICMP echo request, id 1, seq 5, length 64\n",
        b'"1","0.1","10.0.0.1","192.0.2.1","ICMP","98","Echo (ping) request  id=0x0001, seq=1/256, ttl=64"\n',
        b"[  9.5] a driver: seq=5 took=3 ms\n",
    ):
        assert not ping_log.recognises(text)


def test_what_is_no_line_of_ping_is_refused(tmp_path: Path) -> None:
    broken = b"[1.5] 64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=x ms\n[1.5] 64 bytes from a: icmp_seq=1 ttl=5\n"
    trace = read(tmp_path, answer(1, 0) + broken + b"icmp_seq=" * 500 + b"\n" + answer(2, 1).replace(b"9 ms", b"0 ms"))
    assert trace.refused() == {ping_log.MALFORMED: 3, "value out of range": 1}
    assert trace.records_in == 5
