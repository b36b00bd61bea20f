"""Zip archives of one file, which are read as that file."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import IO, Any

from smartsbd.contracts.fault import printable

#: Of what is read of an archive at once. Its list of files is read whole, so it may not be longer.
_MOST_AT_ONCE_BYTES = 1 << 17
#: In such pieces its content is to be read.
BITE_BYTES = 1 << 16
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 1
# What systems put beside the file that was packed.
_BESIDE = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
_OFFICE = "[Content_Types].xml"
_NAMED = 3
_NAME_LETTERS = 60


class ZipArchiveError(Exception):
    """An archive that is not read."""


class _ShortReads(io.RawIOBase):
    """A file of which no more than so much is read at once, whatever an archive says of its parts."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int = -1, /) -> bytes:
        if 0 <= size <= _MOST_AT_ONCE_BYTES:
            return self._file.read(size)
        block = self._file.read(_MOST_AT_ONCE_BYTES + 1)
        if len(block) > _MOST_AT_ONCE_BYTES:
            raise ZipArchiveError("a zip archive with a long list of files: unpack it, and give the files")
        return block


def _only_entry(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    entries = [
        entry
        for entry in archive.infolist()
        if not entry.is_dir() and not entry.filename.startswith(_BESIDE) and not entry.filename.endswith(_BESIDE)
    ]
    if not entries:
        raise ZipArchiveError("a zip archive without a file")
    if any(entry.filename == _OFFICE for entry in entries):
        raise ZipArchiveError("an Office document: save its sheet as CSV, and give that")
    if len(entries) > 1:
        names = ", ".join(printable(entry.filename[:_NAME_LETTERS]) for entry in entries[:_NAMED])
        more = ", ..." if len(entries) > _NAMED else ""
        raise ZipArchiveError(f"a zip archive of {len(entries)} files ({names}{more}): unpack it, and give the files")
    (entry,) = entries
    if entry.flag_bits & _ENCRYPTED:
        raise ZipArchiveError("a zip archive with a password: unpack it, and give the file")
    if entry.compress_type not in _METHODS:
        raise ZipArchiveError(f"a zip archive packed by method {entry.compress_type}: unpack it, and give the file")
    return entry


def only_file(file: IO[bytes]) -> IO[bytes]:
    """Open the only file of an archive; folders, and what systems put beside a file, do not count.

    Parameters
    ----------
    file : IO of bytes
        The archive, which can be read from any place.

    Returns
    -------
    IO of bytes
        Its content, unpacked as it is read, in pieces of :data:`BITE_BYTES`. A broken one raises
        ``zipfile.BadZipFile``, ``EOFError`` or ``zlib.error``.

    Raises
    ------
    ZipArchiveError
        If it holds no file or several, is packed otherwise than by deflate, or is broken or cut.
    """
    bounded: Any = _ShortReads(file)
    try:
        archive = zipfile.ZipFile(bounded)
        return archive.open(_only_entry(archive))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, LookupError, struct.error) as error:
        raise ZipArchiveError("a zip archive that is cut or broken: unpack it, and give the file") from error
