"""Event lines become rows or quarantine; nothing else, and nothing is lost."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smartsbd.traces import assembly
from smartsbd.traces.connection import NOT_OBSERVED
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import event_log
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

GOOD = b"""\
1000 C=7f3a91c2 SF=0 V=CA 0
2000 C=7f3a91c2 SF=0 V=ACK 1400
2000 C=7f3a91c2 SF=0 V=RTT 24511
2000 C=7f3a91c2 SF=0 V=OWD 12000
2000 C=7f3a91c2 SF=0 V=DACK 1400
2100 C=7f3a91c2 SF=1 V=CA 0
3000 C=7f3a91c2 SF=0 V=DUP 1400
3000 C=7f3a91c2 SF=0 V=ECE 1
3000 C=7f3a91c2 SF=0 V=CA 3
3000 C=7f3a91c2 SF=0 V=LOSS 2
3500 C=7f3a91c2 SF=0 V=RTT 25000
4000 C=7f3a91c2 SF=0 V=CA 4
4000 C=7f3a91c2 SF=0 V=LOSS 9
4500 C=7f3a91c2 SF=0 V=CA 0
4500 C=7f3a91c2 SF=0 V=LOSS 1
"""


def read(tmp_path: Path, content: bytes, name: str = "a.log") -> Trace:
    path = tmp_path / name
    path.write_bytes(content)
    return event_log.read(path, Dialect())


def test_rows_of_a_known_log(tmp_path: Path) -> None:
    log = read(tmp_path, GOOD)
    assert (log.records_in, log.records_out, log.refusals) == (15, 15, [])
    (connection,) = log.connections
    assert connection.token == 0x7F3A91C2
    assert connection.span_ns() == (1000, 4500)
    first, second = connection.ordered()
    assert list(first.acks.time_ns) == [2000, 3000, 3500]
    assert list(first.acks.acked_bytes) == [1400, 1400, 1400]
    assert list(first.acks.rtt_us) == [24511, NOT_OBSERVED, 25000]
    assert list(first.acks.owd_us) == [12000, NOT_OBSERVED, NOT_OBSERVED]
    assert list(first.acks.is_dup) == [0, 1, NOT_OBSERVED]
    assert list(first.acks.newly_sacked_bytes) == [NOT_OBSERVED, 1400, NOT_OBSERVED]
    assert list(first.acks.ece) == [NOT_OBSERVED, 1, NOT_OBSERVED]
    assert list(first.acks.data_ack) == [1400, NOT_OBSERVED, NOT_OBSERVED]
    assert list(first.state_ca_state) == [0, 3, 4, 0]
    assert first.loss_kind == ["fast", "rto", "tlp"]
    assert list(first.loss_packets) == [2, 9, 1]
    assert first.min_rtt_us() == 24511
    assert second.min_rtt_us() is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"hello", event_log.MALFORMED),
        (b"", event_log.MALFORMED),
        (b"2000 C=7f3a91c2 SF=0 V=RTT -5", event_log.MALFORMED),
        (b"2000 C=7f3a91c2 SF=0 V=RTT 5 6", event_log.MALFORMED),
        (b"2000 C=7f3a91c2 SF=0 V=CWND 10", assembly.UNKNOWN_KIND),
        (b"2000 C=7f3a91c2 SF=0 V=CA 5", assembly.OUT_OF_RANGE),
        (b"2000 C=7f3a91c2 SF=0 V=RTT 0", assembly.OUT_OF_RANGE),
        (b"10 C=7f3a91c2 SF=0 V=RTT 5", assembly.BACKWARDS),
        (b"x" * 100_000, event_log.MALFORMED),
        (b"\xff\x00" * 40, event_log.MALFORMED),
    ],
)
def test_a_bad_line_is_refused_with_its_place(tmp_path: Path, line: bytes, reason: str) -> None:
    head = b"1000 C=7f3a91c2 SF=0 V=CA 0\n"
    log = read(tmp_path, head + line + b"\n3000 C=7f3a91c2 SF=0 V=RTT 7\n")
    assert (log.records_in, log.records_out) == (3, 2)
    (refusal,) = log.refusals
    assert (refusal.offset, refusal.reason) == (len(head), reason)
    assert refusal.raw == line[:64]


def test_offsets_after_an_overlong_line_are_right(tmp_path: Path) -> None:
    long = b"y" * 3_000_000
    log = read(tmp_path, GOOD + long + b"\nbad\n" + GOOD.replace(b"7f3a91c2", b"7f3a91c3"))
    assert [refusal.offset for refusal in log.refusals] == [len(GOOD), len(GOOD) + len(long) + 1]
    assert log.records_out == 30


def test_connections_are_told_apart_by_token(tmp_path: Path) -> None:
    log = read(tmp_path, GOOD + GOOD.replace(b"7f3a91c2", b"a7ec24b"))
    assert [connection.token for connection in log.connections] == [0x7F3A91C2, 0xA7EC24B]
    assert log.records_out == 30


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstandard.ZstdCompressor().compress])
def test_compressed_logs_are_the_same_log(tmp_path: Path, compress: object) -> None:
    assert callable(compress)
    assert read(tmp_path, compress(GOOD), "a.bin") == read(tmp_path, GOOD)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstandard.ZstdCompressor().compress])
def test_broken_compression_names_the_file(tmp_path: Path, compress: object) -> None:
    assert callable(compress)
    with pytest.raises(UnreadableInputError, match=r"a\.bin"):
        read(tmp_path, compress(GOOD * 100)[:-20], "a.bin")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="nothing"):
        event_log.read(tmp_path / "nothing.log", Dialect())


@given(st.binary(max_size=400), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_bytes_give_rows_or_quarantine(tmp_path: Path, noise: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(GOOD)))
    content = GOOD[:at] + noise + GOOD[at:]
    if content[:4] in (b"\x28\xb5\x2f\xfd",) or content[:2] == b"\x1f\x8b" or content[:6] == b"\xfd7zXZ\x00":
        return
    log = read(tmp_path, content)
    lines = content.split(b"\n")
    counted = log.records_in + log.other_lines - (len(lines) - (lines[-1] == b""))
    # With the marker it is a kernel log, in whose lines a record may stand after the remains of another.
    assert 0 <= counted <= content.count(b"smartsbd: ")
    assert log.records_in == log.records_out + len(log.refusals)
    for refusal in log.refusals:
        assert content[refusal.offset :].startswith(refusal.raw)
