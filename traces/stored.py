"""Stored inputs: plain or compressed files, and zip archives of one file, read as a stream."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import zstandard
from blake3 import blake3

from smartsbd.contracts import regular_file
from smartsbd.traces import zip_archive
from smartsbd.traces.quarantine import UnreadableInputError

_BLOCK_BYTES = 1 << 20
# Of a file that is digested: what is compressed is read in small bites.
_DIGESTED_BYTES = 1 << 16
_ID_DIGITS = 16
# A magic may be cut, and have what follows it in a file of its kind: text may begin with BZh or PK.
_MAGIC_BYTES = 10
_ZIP_MAGIC = re.compile(rb"PK(?:\x03\x04|\x05\x06)")
#: How much of an input decides what it is.
HEAD_BYTES = 1 << 16
# A zstd block of four bytes may stand for 128 KiB: small bites bound what one step can inflate to.
_ZSTD_BITE_BYTES = 1 << 8
# Of an xz file. What follows the end of a stream is copied: a file may consist of empty streams.
_XZ_BITE_BYTES = 1 << 13
# Of a bzip2 file, of which 40 bytes may stand for 900 kB.
_BZIP2_BITE_BYTES = 1 << 13
# What an xz stream may ask for, as much as a zstd frame: `xz -9` needs half of it, and a broken file may ask for 4 GiB.
_XZ_MEMORY_BYTES = 1 << 27
#: An input may expand to so many bytes whatever its size, and beyond them to so many times of what was read of it. Logs
#: and headers expand 5 to 10 times, whole packets of one byte repeated up to 140 times; a gzip file can 1,032 times.
EXPANDED_BYTES, EXPANDED_TIMES = 1 << 24, 256
#: What is raised where the bytes of a packed file are wrong.
_BROKEN = (zlib.error, lzma.LZMAError, zstandard.ZstdError, zipfile.BadZipFile, zip_archive.ZipArchiveError)
_MACHINE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


def _raise_if_machine_error(error: Exception) -> None:
    """Raise an error again that is not the input's: the machine has no more files or memory."""
    if isinstance(error, OSError) and error.errno in _MACHINE:
        raise error


class FileDigest:
    """What names an input: the BLAKE3 of its file's bytes, which it receives in order.

    Attributes
    ----------
    size_bytes : int
        How many it has received.

    Examples
    --------
    >>> digest = FileDigest()
    >>> digest.update(b"abc")
    >>> digest.capture_id(), digest.size_bytes
    ('6437b3ac38465133', 3)
    """

    def __init__(self) -> None:
        self._digest = blake3()
        self.size_bytes = 0

    def update(self, block: bytes | memoryview) -> None:
        """Take the next bytes."""
        self._digest.update(block)
        self.size_bytes += len(block)

    def capture_id(self) -> str:
        """Return the digest's first 16 hex digits."""
        return self._digest.hexdigest()[:_ID_DIGITS]


class _DigestedFile(io.RawIOBase):
    """A file whose digest receives all that is read."""

    def __init__(self, file: io.BufferedReader, digest: FileDigest) -> None:
        self._file = file
        self._digest = digest

    def readable(self) -> bool:
        return True

    def readinto(self, block: Any, /) -> int:
        size = self._file.readinto(block)
        self._digest.update(memoryview(block)[:size])
        return size

    def tell(self) -> int:
        return self._file.tell()


def _unreadable(path: Path, offset: int, error: Exception) -> UnreadableInputError:
    """Return why a file cannot be read; the text of an error of the system would name it again."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else error
    return UnreadableInputError(path, offset, f"cannot be read: {why}")


def digest_of(path: Path) -> FileDigest:
    """Return the digest of a file, which is read for it.

    Returns
    -------
    FileDigest
        Of all its bytes, as they are stored.

    Raises
    ------
    UnreadableInputError
        If it cannot be read, or became shorter meanwhile.
    """
    digest = FileDigest()
    try:
        with regular_file.opened(path) as stream:
            size_bytes = _size_bytes(stream)
            for block in _read_all(stream):
                digest.update(block)
            _check_whole(stream, size_bytes)
    except regular_file.NoRegularFileError as error:
        raise UnreadableInputError(path, 0, regular_file.NO_REGULAR_FILE) from error
    except (OSError, EOFError) as error:
        _raise_if_machine_error(error)
        raise _unreadable(path, 0, error) from error
    return digest


def capture_id(path: Path) -> str:
    """Return the first 16 hex digits of the file's BLAKE3.

    Returns
    -------
    str
        What names the input in tables.

    Raises
    ------
    UnreadableInputError
        As :func:`digest_of` does.
    """
    return digest_of(path).capture_id()


def capture_id_by_name(path: Path) -> str:
    """Return what stands for the digest of an input without content: the same of its name."""
    return blake3(os.fsencode(path.name)).hexdigest()[:_ID_DIGITS]


def _size_bytes(raw: IO[bytes]) -> int:
    return os.fstat(raw.fileno()).st_size


def _check_whole(raw: IO[bytes], size_bytes: int) -> None:
    """Raise EOFError if a file, read to its end, ended earlier than when it was opened."""
    if raw.tell() < size_bytes:
        raise EOFError("it became shorter while it was read")


def _read_all(stream: IO[bytes] | gzip.GzipFile, block_bytes: int = _BLOCK_BYTES) -> Iterator[bytes]:
    while block := stream.read(block_bytes):
        yield block


def _inflate_zstd(stream: IO[bytes]) -> Iterator[bytes]:
    frame = zstandard.ZstdDecompressor().decompressobj()
    while bite := stream.read(_ZSTD_BITE_BYTES):
        while bite:
            if frame.eof:
                frame = zstandard.ZstdDecompressor().decompressobj()
            block = frame.decompress(bite)
            for start in range(0, len(block), _BLOCK_BYTES):
                yield block[start : start + _BLOCK_BYTES]
            bite = frame.unused_data if frame.eof else b""
    if not frame.eof:
        raise EOFError("the zstd stream ends early")


def _inflate_xz(stream: IO[bytes]) -> Iterator[bytes]:
    bite = stream.read(_XZ_BITE_BYTES)
    while bite:
        unpacked = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)
        yield unpacked.decompress(bite, _BLOCK_BYTES)
        while not unpacked.eof:
            bite = stream.read(_XZ_BITE_BYTES) if unpacked.needs_input else b""
            if unpacked.needs_input and not bite:
                raise EOFError("the xz stream ends early")
            yield unpacked.decompress(bite, _BLOCK_BYTES)
        # A stream may be padded with zeros, and another follow. Not LZMAFile, which takes a broken one for the end.
        bite = unpacked.unused_data.lstrip(b"\x00")
        while not bite and (more := stream.read(_XZ_BITE_BYTES)):
            bite = more.lstrip(b"\x00")


def _inflate_bzip2(stream: IO[bytes]) -> Iterator[bytes]:
    bite = stream.read(_BZIP2_BITE_BYTES)
    while bite:
        unpacked = bz2.BZ2Decompressor()
        yield unpacked.decompress(bite, _BLOCK_BYTES)
        while not unpacked.eof:
            bite = stream.read(_BZIP2_BITE_BYTES) if unpacked.needs_input else b""
            if unpacked.needs_input and not bite:
                raise EOFError("the bzip2 stream ends early")
            yield unpacked.decompress(bite, _BLOCK_BYTES)
        bite = unpacked.unused_data or stream.read(_BZIP2_BITE_BYTES)


def _inflate_gzip(stream: IO[bytes]) -> Iterator[bytes]:
    return _read_all(gzip.GzipFile(fileobj=stream))


#: How files begin that are packed as a stream, and what unpacks them. Of zstd also frames to be skipped, with which
#: pzstd begins.
_STREAMS: tuple[tuple[re.Pattern[bytes], Callable[[IO[bytes]], Iterator[bytes]]], ...] = (
    (re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), _inflate_zstd),
    (re.compile(rb"\x1f\x8b"), _inflate_gzip),
    (re.compile(rb"\xfd7zXZ\x00"), _inflate_xz),
    (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), _inflate_bzip2),
)


def _unpacked(magic: bytes, raw: IO[bytes]) -> Iterator[bytes]:
    inflate = next((inflate for pattern, inflate in _STREAMS if pattern.match(magic)), _read_all)
    return inflate(raw)


def _to_the_end(file: IO[bytes], digest: FileDigest | None) -> None:
    """Go to the end of an archive, which is not read in order: a digest receives all of it."""
    if digest is None:
        file.seek(0, io.SEEK_END)
        return
    file.seek(0)
    for block in _read_all(file):
        digest.update(block)


def _content(path: Path, digest: FileDigest | None) -> Iterator[bytes]:
    with regular_file.opened(path) as file:
        size_bytes = _size_bytes(file)
        magic = file.read(_MAGIC_BYTES)
        file.seek(0)
        is_archive = _ZIP_MAGIC.match(magic) is not None
        raw: io.BufferedReader = file
        if is_archive:
            content = _read_all(zip_archive.only_file(file), zip_archive.BITE_BYTES)
        else:
            raw = file if digest is None else io.BufferedReader(_DigestedFile(file, digest), _DIGESTED_BYTES)
            content = _unpacked(magic, raw)
        expanded, allowed = 0, EXPANDED_BYTES
        for block in content:
            expanded += len(block)
            if expanded > allowed:
                # Asked for only here: it is a system call.
                read = raw.tell()
                allowed = EXPANDED_TIMES * read
                if expanded > allowed:
                    times = f"{expanded // read:,} times, more than {EXPANDED_TIMES}"
                    raise OverflowError(f"expands {times}: if it is meant to, unpack it first")
            yield block
        if is_archive:
            _to_the_end(file, digest)
        _check_whole(raw, size_bytes)


def blocks(path: Path, digest: FileDigest | None = None) -> Iterator[bytes]:
    """Yield the decompressed content of `path` in blocks of bounded size.

    Parameters
    ----------
    path : Path
    digest : FileDigest, optional
        It receives the file's bytes, as they are stored: all of them once the last block was taken.

    Yields
    ------
    bytes
        At most 1 MiB of content.

    Raises
    ------
    UnreadableInputError
        If it is no regular file or cannot be opened, its compression is broken, it ends early, becomes shorter
        meanwhile or expands beyond what is allowed; offsets count decompressed bytes.
    """
    offset = 0
    try:
        for block in _content(path, digest):
            yield block
            offset += len(block)
    except regular_file.NoRegularFileError as error:
        raise UnreadableInputError(path, 0, regular_file.NO_REGULAR_FILE) from error
    except (OSError, EOFError, OverflowError, *_BROKEN) as error:
        _raise_if_machine_error(error)
        raise _unreadable(path, offset, error) from error


def lines(path: Path, longest_bytes: int) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, line) of `path` without line ends; of a longer line only its first `longest_bytes` + 1 bytes.

    Yields
    ------
    (int, bytes)
        Offset in decompressed bytes, and the line.

    Raises
    ------
    UnreadableInputError
        As :func:`blocks` does.
    """
    offset = 0
    rest = b""
    skipped = 0
    for block in blocks(path):
        pieces = (rest + block).split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            yield offset, piece[: longest_bytes + 1]
            offset += len(piece) + skipped + 1
            skipped = 0
        if len(rest) > longest_bytes:
            skipped += len(rest) - longest_bytes - 1
            rest = rest[: longest_bytes + 1]
    if rest:
        yield offset, rest


def head(path: Path) -> bytes:
    """Return the first :data:`HEAD_BYTES` decompressed bytes of `path`, fewer if it holds fewer.

    Returns
    -------
    bytes
        Decompressed content.

    Raises
    ------
    UnreadableInputError
        As :func:`blocks` does.
    """
    content = bytearray()
    for block in blocks(path):
        content += block
        if len(content) >= HEAD_BYTES:
            break
    return bytes(content[:HEAD_BYTES])
