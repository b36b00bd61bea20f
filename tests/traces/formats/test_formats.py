"""What an input is, its content says, not its name."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from smartsbd.traces import bounds, trace
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import FORMATS, format_of, read, stem_of
from smartsbd.traces.quarantine import UnreadableInputError

SOCKET = b"ESTAB 0 0 10.0.1.1:42225 10.0.2.2:44180"
CONTENTS = {
    "bare log": ("event_log", b"2000 C=7f3a91c2 SF=0 V=RTT 24511\n"),
    "kernel log": ("event_log", b"[    1.000000] boot\n[    2.000000] smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 24511\n"),
    "journal": ("event_log", b'{ "MESSAGE" : "smartsbd: 2000 C=7f3a91c2 SF=0 V=RTT 24511" }\n'),
    "state log": ("state_log", b"t,sf,var,value\n1.5,0,rtt_us,24511\n"),
    "module of 11 fields": (
        "tcp_probe",
        b"2.088625684 10.0.1.1:48068 10.0.2.2:5100 32 0xdbd7ccfc 0xdbd4eee3 45 45 204032 257 26884\n",
    ),
    "module of 10 fields": (
        "tcp_probe",
        b"2.088625684 10.0.1.1:48068 10.0.2.2:5100 32 0xdbd7ccfc 0xdbd4eee3 45 45 204032 257\n",
    ),
    "module, its first line cut": (
        "tcp_probe",
        b"48068 10.0.2.2:5100 32 0xdbd7ccfc 0xdbd4eee3 45 45 204032 257\n"
        b"2.088625684 10.0.1.1:48068 10.0.2.2:5100 32 0xdbd7ccfc 0xdbd4eee3 45 45 204032 257\n",
    ),
    "tracepoint": (
        "tcp_probe",
        b"# tracer: nop\n  <idle>-0  [004] ..s7 49.823798: tcp_probe: src=10.0.1.1:54326 dest=10.0.2.2:80 mark=0x0"
        b" length=32 snd_nxt=0xe3ae2ff5 snd_una=0xe3ae2ecd snd_cwnd=10 ssthresh=2147483647 snd_wnd=28960 srtt=19604"
        b" rcv_wnd=29312\n",
    ),
    "ss, one line": ("socket_stats", b"1700000000.5\n" + SOCKET + b" cubic rtt:0.034/0.017 bytes_acked:1\n"),
    "ss, two lines": ("socket_stats", b"1700000000.5\nState Recv-Q\n" + SOCKET + b"\n\t cubic rtt:0.034/0.017\n"),
    "ping": ("ping", b"[1700000000.123456] 64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=12.3 ms\n"),
    "ping of busybox": ("ping", b"1700000000.123456 64 bytes from 192.0.2.1: seq=1 ttl=57 time=12.3 ms\n"),
    "fping": ("fping", b"[1700000000.12345] 192.0.2.1 : [0], 64 bytes, 12.3 ms (12.3 avg, 0% loss)\n"),
    "irtt": (
        "irtt",
        b'{"version": {"irtt": "0.9.0"}, "round_trips": [{"seqno": 0, "lost": "false", "timestamps": {"client":'
        b' {"receive": {"wall": 1700000000123456789}}}, "delay": {"rtt": 24511000}}]}',
    ),
    "iperf3": (
        "iperf3",
        b'{"start": {"version": "iperf 3.9", "timestamp": {"timesecs": 1700000000}}, "intervals": [{"streams":'
        b' [{"socket": 5, "start": 0, "end": 1.5, "rtt": 24511, "sender": true}]}]}',
    ),
    "table": ("rtt_table", b"time_s,path,rtt_ms,bytes\n1.5,wifi,24.511,1400\n"),
    "table of packets": (
        "packet_table",
        b"frame.time_epoch,ip.src,ip.dst,tcp.srcport,tcp.dstport,tcp.ack,tcp.len,tcp.analysis.ack_rtt\n"
        b"1.5,192.0.2.1,192.0.2.2,80,1000,1,9,\n1.5,192.0.2.2,192.0.2.1,1000,80,9,0,\n",
    ),
    "qlog": (
        "qlog",
        b'{"qlog_version": "draft-00", "traces": [{"event_fields": ["relative_time", "event", "data"], "events": [\n'
        b'[5, "metrics_updated", {"latest_rtt": 24}]]}]}\n',
    ),
    "qlog, lines": (
        "qlog",
        b'\x1e{"qlog_version": "0.3", "qlog_format": "JSON-SEQ"}\n'
        b'\x1e{"time": 5.5, "name": "recovery:metrics_updated", "data": {"latest_rtt": 24.5}}\n',
    ),
    "ss, all kinds": ("socket_stats", b"1700000000.5\ntcp   " + SOCKET + b" cubic rtt:0.034/0.017\n"),
}


def written(tmp_path: Path, content: bytes, name: str = "x") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", ["a.log", "a.csv", "a.pcap", "no suffix", "a.state.csv.zst"])
@pytest.mark.parametrize(("source", "content"), CONTENTS.values(), ids=CONTENTS)
def test_the_content_decides(tmp_path: Path, source: str, content: bytes, name: str) -> None:
    path = written(tmp_path, content, name)
    one = format_of(path)
    assert one.source == source
    assert one.read(path, Dialect(), bounds.DEFAULT).records_out == 1


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstandard.ZstdCompressor().compress])
@pytest.mark.parametrize(("source", "content"), CONTENTS.values(), ids=CONTENTS)
def test_compression_does_not_matter(
    tmp_path: Path, source: str, content: bytes, compress: Callable[[bytes], bytes]
) -> None:
    path, packed = written(tmp_path, content), written(tmp_path, compress(content), "packed")
    one = format_of(packed)
    assert one.source == source
    assert one.read(packed, Dialect(), bounds.DEFAULT) == one.read(path, Dialect(), bounds.DEFAULT)


REFUSED = {
    "bare log": b"damaged\n",
    "kernel log": b"smartsbd: damaged\n",
    "journal": b"{ smartsbd: damaged\n",
    "state log": b"damaged\n",
    "module of 11 fields": b"damaged\n",
    "tracepoint": b"tcp_probe: damaged\n",
    "ping": b"damaged icmp_seq=\n",
    "fping": b"damaged : [1], \n",
    "table": b"damaged\n",
    "table of packets": b"damaged\n",
    "qlog, lines": b"\x1edamaged\n",
    "ss, one line": b"ESTAB 0 0 10.0.1.1:1 damaged rtt:1/1\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_log_of_more_refused_records_than_are_kept_is_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(trace, "MOST_REFUSED", 1000)
    source, content = CONTENTS[name]
    most = content + REFUSED[name] * 1000
    path, more = written(tmp_path, most), written(tmp_path, most + REFUSED[name], "more")
    assert len(format_of(path).read(path, Dialect(), bounds.DEFAULT).refusals) == 1000
    (one,) = read([more], Dialect())
    assert isinstance(one.outcome, UnreadableInputError)
    assert (one.source, one.outcome.path, one.outcome.offset) == (source, more, len(most))
    assert one.outcome.why == "more than 1,000 records refused"


@pytest.mark.parametrize(
    "content",
    [
        b"SQLite format 3\x00" + bytes(40),
        b"\x7fELF\x02\x01\x01\x00",
        "2000 C=7f3a91c2 SF=0 V=RTT 24511\n".encode("utf-16"),
    ],
)
def test_a_binary_is_of_no_kind(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UnreadableInputError, match="no parser knows this content"):
        format_of(written(tmp_path, content))


@pytest.mark.parametrize("magic", ["a1b2c3d4", "d4c3b2a1", "a1b23c4d", "4d3cb2a1", "0a0d0d0a"])
def test_a_capture_is_known_by_its_magic(tmp_path: Path, magic: str) -> None:
    content = bytes.fromhex(magic) + bytes(40)
    assert format_of(written(tmp_path, content, "a.log")).source == "pcap"
    assert format_of(written(tmp_path, gzip.compress(content), "a.log.gz")).source == "pcap"


@pytest.mark.parametrize("content", [b"", gzip.compress(b"", mtime=0), zstandard.ZstdCompressor().compress(b"")])
def test_an_empty_input_is_of_no_kind(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UnreadableInputError, match="is empty"):
        format_of(written(tmp_path, content))


@pytest.mark.parametrize("content", [b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd\x00", b"\xfd7zXZ\x00\x00"])
def test_a_broken_compression_names_the_file(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UnreadableInputError, match="cut"):
        format_of(written(tmp_path, content, "cut"))


def test_sources_are_known_and_distinct() -> None:
    assert sorted(one.source for one in FORMATS) == [
        *("event_log", "fping", "iperf3", "irtt", "packet_table", "pcap", "ping", "qlog", "rtt_table", "socket_stats"),
        *("state_log", "tcp_probe"),
    ]


@pytest.mark.parametrize(
    ("name", "stem"),
    [("a.log", "a"), ("a.log.gz", "a"), ("a.b.log.xz", "a.b"), ("101.state.csv.zst", "101.state"), ("plain", "plain")],
)
def test_a_stem_has_no_suffixes_of_kind_and_compression(name: str, stem: str) -> None:
    assert stem_of(name) == stem
