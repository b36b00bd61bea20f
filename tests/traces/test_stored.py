"""Stored inputs: what is read of a packed file, and what is refused of one."""

from __future__ import annotations

import bz2
import collections
import gzip
import hashlib
import io
import lzma
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from blake3 import blake3

from smartsbd.traces import stored
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import event_log
from smartsbd.traces.quarantine import UnreadableInputError


def zipped(*entries: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive of files, of which two may have one name."""
    packed = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return packed.getvalue()


#: Streams: a file may hold several, one behind another.
PACKS: dict[str, Callable[[bytes], bytes]] = {
    "bzip2": bz2.compress,
    "gzip": lambda content: gzip.compress(content, mtime=0),
    "xz": lambda content: lzma.compress(content, preset=0),
    "zstd": zstandard.ZstdCompressor().compress,
}
LINE = b"smartsbd: 1000 C=7f3a91c2 SF=0 V=ACK 1400\n"
FILLING = b"x" * 8191 + b"\n"
FILLINGS = 128
#: Pieces that are twice as long as what is always read.
PIECES = 2 * stored.EXPANDED_BYTES // (len(FILLING) * FILLINGS)


def log_that_expands(pack: Callable[[bytes], bytes], times: int) -> tuple[bytes, int]:
    """Return a packed log that expands a little less than so many times, and its bytes unpacked."""
    filling = FILLING * FILLINGS
    for noise_bytes in range(0, len(filling) // times, 32):
        content = LINE + hashlib.shake_128().hexdigest(noise_bytes).encode() + b"\n" + filling
        found = pack(content)
        if len(content) < times * len(found):
            break
    assert 0.95 * times < len(content) / len(found) < times
    return found * PIECES, len(content) * PIECES


#: In these, what expands as little as is allowed can be made; bzip2 packs it in blocks of 900 kB.
FINE_PACKS = [name for name in PACKS if name != "bzip2"]


@pytest.mark.parametrize("pack", FINE_PACKS)
def test_a_log_packed_well_is_read(tmp_path: Path, pack: str) -> None:
    path = tmp_path / "a"
    content, size = log_that_expands(PACKS[pack], stored.EXPANDED_TIMES)
    path.write_bytes(content)
    assert sum(map(len, stored.blocks(path))) == size > stored.EXPANDED_BYTES
    trace = event_log.read(path, Dialect())
    assert (trace.records_out, trace.other_lines) == (PIECES, PIECES * (FILLINGS + 1))


@pytest.mark.parametrize("pack", FINE_PACKS)
def test_a_log_that_expands_beyond_what_is_allowed_is_refused(tmp_path: Path, pack: str) -> None:
    path = tmp_path / "a"
    content, size = log_that_expands(PACKS[pack], 2 * stored.EXPANDED_TIMES)
    path.write_bytes(content)
    assert len(stored.head(path)) == stored.HEAD_BYTES
    with pytest.raises(UnreadableInputError, match=r"cannot be read: expands \d+ times, more than 256:") as raised:
        list(stored.blocks(path))
    assert 0.9 * stored.EXPANDED_BYTES < raised.value.offset <= stored.EXPANDED_BYTES < size
    with pytest.raises(UnreadableInputError, match="cannot be read: expands"):
        list(stored.lines(path, 300))
    with pytest.raises(UnreadableInputError, match="cannot be read: expands"):
        event_log.read(path, Dialect())


@pytest.mark.parametrize("pack", PACKS)
def test_what_expands_to_little_is_read_however_often(tmp_path: Path, pack: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(PACKS[pack](bytes(stored.EXPANDED_BYTES)))
    assert path.stat().st_size * stored.EXPANDED_TIMES < stored.EXPANDED_BYTES
    assert sum(map(len, stored.blocks(path))) == stored.EXPANDED_BYTES


def test_a_file_that_is_not_packed_may_be_of_any_size(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with path.open("wb") as stream:
        stream.truncate(3 * stored.EXPANDED_BYTES)
    assert sum(map(len, stored.blocks(path))) == 3 * stored.EXPANDED_BYTES


def skipped(number: int, content: bytes) -> bytes:
    """Return a zstd frame that is to be skipped, of the given kind."""
    return struct.pack("<II", 0x184D2A50 + number, len(content)) + content


@pytest.mark.parametrize("number", range(16))
def test_a_zstd_frame_to_be_skipped_may_be_anywhere(tmp_path: Path, number: int) -> None:
    path, pack = tmp_path / "a", PACKS["zstd"]
    between = skipped(number, bytes(1000))
    path.write_bytes(skipped(number, b"") + between + pack(b"one ") + between + between + pack(b"two") + between)
    assert b"".join(stored.blocks(path)) == stored.head(path) == b"one two"


@pytest.mark.parametrize("begin", [b"", PACKS["zstd"](b"one ")], ids=["first", "second"])
def test_a_zstd_frame_to_be_skipped_that_is_cut_is_refused(tmp_path: Path, begin: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(begin + struct.pack("<II", 0x184D2A50, 2**32 - 1) + PACKS["zstd"](b"two") * 100)
    with pytest.raises(UnreadableInputError, match="the zstd stream ends early"):
        list(stored.blocks(path))


@pytest.mark.parametrize("magic", [0x184D2A4F, 0x184D2A60])
def test_other_frames_are_no_zstd(tmp_path: Path, magic: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(content := struct.pack("<II", magic, 4) + b"abcd")
    assert b"".join(stored.blocks(path)) == content


@pytest.mark.parametrize("pack", ["bzip2", "zip"])
def test_zeros_beyond_what_is_allowed_are_refused(tmp_path: Path, pack: str) -> None:
    path = tmp_path / "a"
    zeros = bytes(3 * stored.EXPANDED_BYTES)
    path.write_bytes(zipped(("a", zeros)) if pack == "zip" else PACKS[pack](zeros))
    with pytest.raises(UnreadableInputError, match=r"cannot be read: expands [\d,]+ times, more than 256:") as raised:
        collections.deque(stored.blocks(path), maxlen=0)
    assert raised.value.offset <= stored.EXPANDED_BYTES


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("content", [LINE, LINE * 100_000])
def test_a_zip_archive_of_one_file_is_read_as_the_file(tmp_path: Path, content: bytes, method: int) -> None:
    path = tmp_path / "a.log.zip"
    beside = [("logs/", b""), ("__MACOSX/logs/._a.log", b"\x00\x05\x16\x07"), ("logs/.DS_Store", b"\x00Bud1")]
    path.write_bytes(zipped(*beside[:2], ("logs/a.log", content), *beside[2:], method=method))
    digest = stored.FileDigest()
    assert b"".join(stored.blocks(path, digest)) == b"".join(stored.blocks(path)) == content
    assert (digest.size_bytes, digest.capture_id()) == (path.stat().st_size, stored.capture_id(path))
    assert stored.head(path) == content[: stored.HEAD_BYTES]
    assert event_log.read(path, Dialect()).records_out == content.count(b"\n")


NESTED = zipped(("a.pcap", b"x"))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (zipped(), "a zip archive without a file"),
        (zipped(("a/", b"")), "a zip archive without a file"),
        (zipped(("a.pcap", b"x"), ("b.pcap", b"y")), r"a zip archive of 2 files \(a.pcap, b.pcap\): unpack it"),
        (zipped(("a", b"x"), ("a", b"y")), r"a zip archive of 2 files \(a, a\): unpack it"),
        (
            zipped(*((f"{n}\x1b[2J", b"") for n in range(5))),
            r"of 5 files \(0\\x1b\[2J, 1\\x1b\[2J, 2\\x1b\[2J, \.\.\.\)",
        ),
        (zipped(("[Content_Types].xml", b"x"), ("xl/a.xml", b"y")), "an Office document: save its sheet as CSV"),
        (zipped(("a", LINE), method=zipfile.ZIP_BZIP2), "packed by method 12: unpack it"),
        (zipped(("a", LINE), method=zipfile.ZIP_LZMA), "packed by method 14: unpack it"),
        (
            zipped(*((f"{'x' * 200}{n}", b"") for n in range(1000))),
            "a zip archive with a long list of files: unpack it",
        ),
        (zipped(("a", LINE))[:-1], "a zip archive that is cut or broken: unpack it"),
        (b"PK\x03\x04\x14\x00\x00\x00\x08\x00", "a zip archive that is cut or broken: unpack it"),
        # The bytes of a stored file are changed: its checksum differs.
        (zipped(("a", LINE), method=zipfile.ZIP_STORED).replace(b"1400\n", b"1401\n"), "cannot be read: Bad CRC-32"),
        (NESTED.replace(b"\x14\x00\x00\x00", b"\x14\x00\x01\x00"), "a zip archive with a password: unpack it"),
    ],
)
def test_another_zip_archive_is_refused_in_a_line(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(UnreadableInputError, match=why) as raised:
        list(stored.blocks(path))
    assert raised.value.why.isprintable()


@pytest.mark.parametrize("content", [b"PK\n", b"BZh9 is no magic of bzip2\n", b"PK\x03\n"])
def test_text_that_begins_like_a_packed_file_is_text(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    assert b"".join(stored.blocks(path)) == content


@pytest.mark.parametrize("end", [b"text", bytes(100)])
def test_what_follows_bzip2_and_is_none_is_refused(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(bz2.compress(LINE) + end)
    with pytest.raises(UnreadableInputError, match="cannot be read"):
        list(stored.blocks(path))


@pytest.mark.parametrize("content", [b"", LINE, LINE * 100_000])
@pytest.mark.parametrize("pack", [None, *PACKS])
def test_a_digest_is_told_the_bytes_of_the_file(tmp_path: Path, pack: str | None, content: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(content if pack is None else PACKS[pack](content))
    digest = stored.FileDigest()
    assert b"".join(stored.blocks(path, digest)) == content
    assert digest.size_bytes == path.stat().st_size
    assert digest.capture_id() == stored.capture_id(path) == blake3(path.read_bytes()).hexdigest()[:16]


def test_a_digest_that_is_asked_before_the_end_is_none_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(LINE * 100_000)
    digest = stored.FileDigest()
    next(stored.blocks(path, digest))
    assert 0 < digest.size_bytes < path.stat().st_size
    assert digest.capture_id() != stored.capture_id(path)


def test_a_name_stands_for_a_file_that_cannot_be_read() -> None:
    assert stored.capture_id_by_name(Path("elsewhere/abc")) == "6437b3ac38465133"
