"""A record is the same whatever log it is kept in; what a log lost or cut is counted."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from smartsbd.traces import assembly, bounds, formats
from smartsbd.traces.connection import NOT_OBSERVED
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import event_log, kernel_log
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

RECORDS = (
    b"1000 C=7f3a91c2 SF=0 V=CA 0",
    b"2000 C=7f3a91c2 SF=0 V=ACK 1400",
    b"2000 C=7f3a91c2 SF=0 V=RTT 24511",
    b"2500 C=7f3a91c2 SF=1 V=UNA 4294967290",
    b"3000 C=7f3a91c2 SF=0 V=CA 3",
    b"3000 C=7f3a91c2 SF=0 V=LOSS 2",
    b"3500 C=7f3a91c2 SF=1 V=UNA 10",
)
OTHER = (
    b"mptcp_alloc_mpcb: created mpcb with token 0x351dd42d",
    b"mptcp_add_sock: token 0x351dd42d pi 1, src_addr:192.168.0.102:34238 dst_addr:198.51.100.18:8521, cnt_subflows"
    b" now 1",
    b"ath10k_pci 0000:3a:00.0: enabling device",
)
RFC5424 = b"2024-04-10T10:15:57.163826-07:00 T01 kernel - - - "
RECORD = b"smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 24511\n"

Frame = Callable[[bytes], bytes]


def prefixed(prefix: bytes, end: bytes = b"\n") -> Frame:
    return lambda message: prefix + message + end


def journal(*names: str, separators: tuple[str, str] = (",", ":"), indent: int | None = None) -> Frame:
    fields = {
        "__CURSOR": "s=2c2f7f3d64d844aa;i=1f345",
        "__MONOTONIC_TIMESTAMP": "108101422325",
        "_SOURCE_MONOTONIC_TIMESTAMP": "108101136410",
        "SYSLOG_IDENTIFIER": "kernel",
    }

    def frame(message: bytes) -> bytes:
        entry = {**fields, "MESSAGE": message.decode()}
        ordered = {name: entry[name] for name in names}
        return json.dumps(ordered, separators=separators, indent=indent).encode() + b"\n"

    return frame


def journal_bytes(message: bytes) -> bytes:
    return json.dumps({"MESSAGE": list(message), "PRIORITY": "3"}).encode() + b"\n"


FRAMES = {
    "nothing": prefixed(b""),
    "dmesg padded": prefixed(b"[   91.328292] "),
    "dmesg wide": prefixed(b"[226089.803954] "),
    "dmesg with caller": prefixed(b"[   91.328292][ T1234] "),
    "dmesg -T": prefixed(b"[Mon Mar 12 20:15:54 2018] "),
    "console": prefixed(b"<3>"),
    "console with time": prefixed(b"<6>[  123.456789] "),
    "console, carriage return": prefixed(b"<6>[  123.456789] ", b"\r\n"),
    "file name of the code": prefixed(b"[   91.328292] net/mptcp/mptcp_ctrl.c: "),
    "RFC 3164": prefixed(b"Apr 15 15:19:04 ecu kernel: [  399.521675] "),
    "RFC 3164 of journald": prefixed(b"Sep 25 02:28:53 localhost kernel: "),
    "RFC 3164, localised": prefixed(b"jan 13 14:17:13 localhost kernel: "),
    "RFC 3164, accented": prefixed("fév 13 14:17:13 localhost kernel: ".encode()),
    "OpenWrt": prefixed(b"Sun Oct  4 07:00:21 2020 kern.err kernel: [  750.437765] "),
    "RFC 5424": prefixed(b"<4>1 " + RFC5424 + b"[25523.801864] "),
    "RFC 5424, blank": prefixed(b"<6> 1 " + RFC5424 + b"[65818.378287] "),
    "short-monotonic": prefixed(b"[    9.235159] abreu kernel: "),
    "json": journal("__CURSOR", "_SOURCE_MONOTONIC_TIMESTAMP", "SYSLOG_IDENTIFIER", "MESSAGE"),
    "json, message first": journal("MESSAGE", "__MONOTONIC_TIMESTAMP", "_SOURCE_MONOTONIC_TIMESTAMP"),
    "json, blanks": journal("__CURSOR", "MESSAGE", "SYSLOG_IDENTIFIER", separators=(", ", " : ")),
    "json, bytes": journal_bytes,
    "json-pretty": journal("__CURSOR", "MESSAGE", "_SOURCE_MONOTONIC_TIMESTAMP", separators=(",", " : "), indent=8),
    "kmsg": prefixed(b"6,1234,91328292,-;"),
    "kmsg, continued": prefixed(b"6,1234,91328292,-;", b"\n SUBSYSTEM=net\n DEVICE=+net:eth0\n"),
    "kmsg, caller": prefixed(b"3,1234,91328292,-,caller=T17;"),
    "user text in front": prefixed(b"  % Total    % Received % Xferd  Average Spee"),
}


def read(tmp_path: Path, content: bytes) -> Trace:
    path = tmp_path / "a.log"
    path.write_bytes(content)
    assert formats.format_of(path).source == event_log.SOURCE
    return event_log.read(path, Dialect())


def acked(trace: Trace, subflow_id: int = 0) -> list[int]:
    (connection,) = trace.connections
    return list(connection.subflows[subflow_id].acks.acked_bytes)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_a_record_is_read_from_every_log(tmp_path: Path, frame: Frame) -> None:
    trace = read(tmp_path, b"".join(frame(b"smartsbd: " + record) for record in RECORDS))
    assert (trace.records_in, trace.records_out, trace.refusals) == (7, 7, [])
    assert (trace.gaps, trace.messages_lost) == (0, 0)
    (connection,) = trace.connections
    assert connection.token == 0x7F3A91C2
    first, second = connection.ordered()
    assert (list(first.acks.time_ns), list(first.acks.acked_bytes)) == ([2000], [1400])
    assert list(first.acks.rtt_us) == [24511]
    assert (list(first.state_time_ns), list(first.state_ca_state)) == ([1000, 3000], [0, 3])
    assert (first.loss_kind, list(first.loss_packets)) == (["fast"], [2])
    assert (list(second.acks.time_ns), list(second.acks.acked_bytes)) == ([2500, 3500], [0, 16])
    assert trace.connections == read(tmp_path, b"\n".join(RECORDS)).connections


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_other_lines_are_counted_and_not_refused(tmp_path: Path, frame: Frame) -> None:
    ours = frame(b"smartsbd: " + RECORDS[0])
    others = b"".join(frame(message) for message in OTHER)
    trace = read(tmp_path, ours + others + ours)
    assert (trace.records_in, trace.records_out, trace.refusals) == (2, 2, [])
    assert trace.other_lines == (ours + others + ours).count(b"\n") - 2


def test_lines_of_a_cut_off_or_foreign_brace_are_other_lines(tmp_path: Path) -> None:
    trace = read(tmp_path, b'{ "MESSAGE" : "EXT4-fs er\n{}\n{"MESSAGE":null}\n{"MESSAGE":7}\n' + RECORD)
    assert (trace.records_in, trace.records_out, trace.other_lines) == (1, 1, 4)


@pytest.mark.parametrize(
    "line",
    [
        b'{ "MESSAGE" : "smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 24511", "PRIO',
        b'{ "MESSAGE" : "smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 245',
        b'{ "MESSAGE" : 7, "OTHER" : "smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 24511" }',
        b'{ "OTHER" : "smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 24511" }',
        b'{ "MESSAGE" : ["smartsbd: ", 300], "PRIORITY" : "2" }',
        b'{ "MESSAGE" : "smartsbd: \xff" }',
        b'{"a":' * 3000 + b"smartsbd: ",
        b'{"a":' + b"[" * 16000 + b"smartsbd: ",
        b'{"a":' + b"9" * 5000 + b',"b":"smartsbd: "}',
    ],
)
def test_a_broken_journal_entry_is_refused(tmp_path: Path, line: bytes) -> None:
    trace = read(tmp_path, RECORD + line + b"\n" + RECORD)
    assert (trace.records_in, trace.records_out) == (3, 2)
    (refusal,) = trace.refusals
    assert (refusal.offset, refusal.reason, refusal.raw) == (len(RECORD), event_log.BROKEN_JSON, line[:64])


@pytest.mark.parametrize(
    ("line", "places", "taken"),
    [
        (b"smartsbd: 2000 C=7f3a91c2 SF=0 V=R<6>[   91.328292] smartsbd: 2100 C=7f3a91c2 SF=0 V=RTT 7", [0], [7]),
        (b"smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 245[   91.328292] smartsbd: 2100 C=7f3a91c2 SF=0 V=RTT 7", [0], [7]),
        (b"smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 245smartsbd: 2100 C=7f3a91c2 SF=0 V=RTT 7", [0], [7]),
        (b"[   91.328292] smartsbd: smartsbd: 2100 C=7f3a91c2 SF=0 V=RTT 7", [15], [7]),
        (b"rtsbd: 2000 C=7f3a91c2 SF=0 V=RTT 245\tsmartsbd: 2100 C=7f3a91c2 SF=0 V=RTT 7", [0], [7]),
        (b"2000 C=7f3a91c2 SF=0 V=RTT 24511", [0], []),
        (b"[   91.328292] artsbd: 2000 C=7f3a91c2 SF=0 V=RTT 24511", [0], []),
        (b"smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT", [0], []),
        (b"smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 24\xff", [0], []),
        (b"6,1,2,-;smartsbd: x smartsbd: 2 C=7f3a91c2 SF=0 V= smartsbd: y", [8, 20, 51], []),
        (b"smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 5 smartsbd: 2100 C=7f3a91c2 SF=0 V=RTT 7 and more", [], [5, 7]),
    ],
)
def test_records_in_one_line_are_told_apart(tmp_path: Path, line: bytes, places: list[int], taken: list[int]) -> None:
    first = b"smartsbd: 1000 C=7f3a91c2 SF=0 V=CA 0\n"
    trace = read(tmp_path, first + line + b"\nsmartsbd: 3000 C=7f3a91c2 SF=0 V=CA 0\n")
    assert [(refusal.offset - len(first), refusal.reason) for refusal in trace.refusals] == [
        (place, event_log.MALFORMED) for place in places
    ]
    assert (trace.records_in, trace.records_out) == (2 + len(places) + len(taken), 2 + len(taken))
    (connection,) = trace.connections
    assert list(connection.subflows[0].acks.rtt_us) == taken


def test_refused_records_of_one_journal_entry_have_places_of_their_own(tmp_path: Path) -> None:
    entry = b'{"MESSAGE":"smartsbd: x smartsbd: y"}\n'
    trace = read(tmp_path, RECORD + entry)
    first, second = (refusal.offset - len(RECORD) for refusal in trace.refusals)
    assert 0 <= first < second < len(entry)


@pytest.mark.parametrize(
    ("line", "lost"),
    [
        (b"[   95.100000] printk: 12 messages suppressed.", 12),
        (b"[   95.100000] __ratelimit: 7 callbacks suppressed", 7),
        (b"<4>[   95.100000] net_ratelimit: 31 callbacks suppressed", 31),
        (b"** 7 printk messages dropped ** ", 7),
        (b"** 1034 printk messages dropped **", 1034),
        (b"Sep 25 02:28:53 localhost systemd-journald[201]: Missed 15 kernel messages", 15),
        (b"Sep 25 02:28:53 localhost systemd-journald[201]: Suppressed 99 messages from /system.slice/a.service", 99),
        (b"Sep 25 02:28:53 localhost rsyslogd: imklog: 40 messages lost due to rate-limiting", 40),
        (b"6,7,8,-;printk: 12 messages suppressed.", 12),
        (b'{"MESSAGE":"Missed 3 kernel messages"}', 3),
    ],
)
def test_what_a_log_says_it_lost_is_counted(tmp_path: Path, line: bytes, lost: int) -> None:
    trace = read(tmp_path, RECORD + line + b"\n" + RECORD)
    assert (trace.records_in, trace.records_out, trace.other_lines) == (2, 2, 1)
    assert (trace.gaps, trace.messages_lost) == (1, lost)


def test_a_loss_printed_in_front_of_a_record_is_counted(tmp_path: Path) -> None:
    trace = read(tmp_path, RECORD + b"** 7 printk messages dropped ** [   91.328292] " + RECORD)
    assert (trace.records_out, trace.other_lines, trace.gaps, trace.messages_lost) == (2, 0, 1, 7)


@pytest.mark.parametrize(
    ("sequences", "gaps", "lost"),
    [
        ([10, 11, 12], 0, 0),
        ([10, 12], 1, 1),
        ([10, 15, 16, 20], 2, 7),
        ([10, 10], 0, 0),
        ([900, 3, 4], 0, 0),
        ([900, 3, 5], 1, 1),
        ([0], 0, 0),
    ],
)
def test_a_jump_of_sequence_numbers_is_a_gap(tmp_path: Path, sequences: list[int], gaps: int, lost: int) -> None:
    content = b"".join(b"6,%d,91328292,-;%s SUBSYSTEM=net\n" % (number, RECORD) for number in sequences)
    trace = read(tmp_path, content)
    assert (trace.gaps, trace.messages_lost) == (gaps, lost)
    assert (trace.records_out, trace.other_lines) == (len(sequences), len(sequences))


def test_connections_of_one_log_are_told_apart(tmp_path: Path) -> None:
    content = (
        b"[    1.000000] smartsbd: 5000 C=a7ec24b SF=0 V=RTT 11\n"
        b"[    1.000001] smartsbd: 1000 C=7f3a91c2 SF=0 V=RTT 22\n"
        b"[    1.000002] smartsbd: 6000 C=a7ec24b SF=3 V=RTT 33\n"
        b"[    1.000003] smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 44\n"
        b"[    1.000004] smartsbd: 1500 C=7f3a91c2 SF=0 V=RTT 55\n"
    )
    trace = read(tmp_path, content)
    assert [connection.token for connection in trace.connections] == [0xA7EC24B, 0x7F3A91C2]
    first, second = trace.connections
    assert {number: list(subflow.acks.rtt_us) for number, subflow in first.subflows.items()} == {0: [11], 3: [33]}
    assert {number: list(subflow.acks.rtt_us) for number, subflow in second.subflows.items()} == {0: [22, 44]}
    assert [refusal.reason for refusal in trace.refusals] == [assembly.BACKWARDS]


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (b"ACK", [100, 4294967000, 50], [100, 4294967000, 4294967346]),
        (b"ACK", [4294967000, 50, 4294967290, 60], [4294967000, 4294967346, 4294967346, 4294967356]),
        (
            b"ACK",
            [2000000000, 4000000000, 1000000000, 3000000000, 10],
            [2000000000, 4000000000, 5294967296, 7294967296, 8589934602],
        ),
        (b"ACK", [5000000000, 10000000000, 9000000000], [5000000000, 10000000000, 10000000000]),
        (b"ACK", [700, 300, 800], [700, 700, 800]),
        (b"UNA", [4294967290, 10, 4294967295, 20], [0, 16, 16, 26]),
        (
            b"UNA",
            [3000000000, 500000000, 2500000000, 200000000],
            [0, 1794967296, 3794967296, 5789934592],
        ),
        (b"UNA", [1000, 900, 1100], [0, 0, 100]),
    ],
)
def test_counts_of_32_bits_are_unwrapped(tmp_path: Path, kind: bytes, values: list[int], expected: list[int]) -> None:
    lines = (b"smartsbd: %d C=1 SF=0 V=%s %d\n" % (at, kind, value) for at, value in enumerate(values))
    assert acked(read(tmp_path, b"".join(lines))) == expected


def test_kinds_of_other_senders_fill_their_columns(tmp_path: Path) -> None:
    records = (b"1 C=1 SF=0 V=SRTT 500", b"1 C=1 SF=0 V=UNA 90", b"2 C=1 SF=0 V=RTX 2", b"3 C=1 SF=0 V=RTX 1")
    trace = read(tmp_path, b"".join(b"smartsbd: " + record + b"\n" for record in records))
    subflow = trace.connections[0].subflows[0]
    assert (list(subflow.acks.srtt_us), list(subflow.acks.rtt_us)) == ([500], [NOT_OBSERVED])
    assert list(subflow.acks.is_dup) == [NOT_OBSERVED]
    assert (subflow.retransmissions, subflow.end_ns) == (3, 3)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstandard.ZstdCompressor().compress])
def test_a_compressed_log_is_the_same_log(tmp_path: Path, compress: object) -> None:
    assert callable(compress)
    content = b"boot\n" * 20_000 + RECORD + b"y" * 40_000 + RECORD + b"smartsbd: cut\n"
    trace = read(tmp_path, content)
    assert (trace.records_in, trace.records_out, trace.other_lines) == (3, 1, 20_000)
    assert read(tmp_path, compress(content)) == trace


def test_a_record_may_come_after_a_long_boot(tmp_path: Path) -> None:
    boot = b"".join(b"[%5d.%06d] ath10k_pci 0000:3a:00.0: enabling device\n" % divmod(n, 7) for n in range(3000))
    assert len(boot) > 2 * 65536
    trace = read(tmp_path, boot + RECORD + b"smartsbd: bad\n")
    assert (trace.records_in, trace.records_out, trace.other_lines) == (2, 1, 3000)
    assert trace.refusals[0].offset == len(boot) + len(RECORD)


def test_a_record_at_the_cut_of_an_overlong_line_is_refused(tmp_path: Path) -> None:
    cut = b"smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 24"
    filler = b"z" * (event_log.MAX_LINE_BYTES + 1 - len(cut))
    trace = read(tmp_path, filler + cut + b"511\n" + RECORD)
    assert (trace.records_in, trace.records_out) == (2, 1)
    assert [refusal.offset for refusal in trace.refusals] == [len(filler)]


def test_a_log_without_a_record_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="no event line among 3 lines"):
        read(tmp_path, b"\n".join(OTHER))


def test_an_empty_file_has_no_format(tmp_path: Path) -> None:
    path = tmp_path / "empty.log"
    path.write_bytes(b"")
    with pytest.raises(UnreadableInputError, match="is empty"):
        formats.format_of(path)


@pytest.mark.parametrize(
    ("line", "time_ns"),
    [
        (b"[   91.328292] x", 91_328_292_000),
        (b"[226089.803954] x", 226_089_803_954_000),
        (b"[   91.328292][ T1234] x", 91_328_292_000),
        (b"<6>[  123.456789] x", 123_456_789_000),
        (b"<6>x", None),
        (b"[Mon Mar 12 20:15:54 2018] x", None),
        (b"Apr 15 15:19:04 ecu kernel: [  399.521675] x", 399_521_675_000),
        (b"jan 13 14:17:13 localhost kernel: x", None),
        (b"Sun Oct  4 07:00:21 2020 kern.err kernel: [  750.437765] x", 750_437_765_000),
        (b"<4>1 " + RFC5424 + b"[25523.801864] x", 25_523_801_864_000),
        (b"<6> 1 " + RFC5424 + b"[65818.378287] x", 65_818_378_287_000),
        (b"[    9.235159] abreu kernel: x", 9_235_159_000),
        (b"6,1234,91328292,-;x", 91_328_292_000),
        (
            b'{ "_SOURCE_MONOTONIC_TIMESTAMP" : "108101136410", "__MONOTONIC_TIMESTAMP" : "108101422325",'
            b' "MESSAGE" : "x" }',
            108_101_136_410_000,
        ),
        (b'{ "__MONOTONIC_TIMESTAMP" : "108101422325", "MESSAGE" : "x" }', None),
        (b'{ "_SOURCE_MONOTONIC_TIMESTAMP" : 108101136410, "MESSAGE" : "x" }', None),
    ],
)
def test_the_time_a_line_was_printed(line: bytes, time_ns: int | None) -> None:
    message = kernel_log.message_of(line)
    assert message is not None
    assert message.time_ns == time_ns
    assert message.text.endswith(b"x")


def test_an_overlong_line_without_a_record_is_refused(tmp_path: Path) -> None:
    for line in (b"z" * 20_000, b'{"MESSAGE":"' + b"z" * 20_000 + b'"}'):
        trace = read(tmp_path, RECORD + line + b"\n" + RECORD)
        assert (trace.records_in, trace.records_out, trace.other_lines) == (3, 2, 0)
        assert [refusal.offset for refusal in trace.refusals] == [len(RECORD)]


def test_the_log_of_the_module_in_docs() -> None:
    path = Path(__file__).parents[1] / "samples/module-6.12.dmesg.gz"
    trace = formats.format_of(path).read(path, Dialect(), bounds.DEFAULT)
    assert (trace.records_in, trace.records_out, trace.other_lines) == (2698, 2698, 2)
    tokens = [connection.token for connection in trace.connections]
    assert tokens == [0x1723C90, 0x86E49EDD, 0x3C96225E, 0xEA22DAE0]
    first = trace.connections[0].subflows[1]
    rtts_us = [value for value in first.acks.rtt_us if value != NOT_OBSERVED]
    assert (len(rtts_us), sum(rtts_us), min(rtts_us)) == (532, 73_561_948, 24_419)
    assert first.acks.acked_bytes[-1] == 3_738_338
    assert (len(first.state_ca_state), sum(first.state_ca_state)) == (10, 13)
    assert first.loss_kind == ["fast"] * 4 and sum(first.loss_packets) == 20
