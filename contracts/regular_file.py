"""Files that can be read to an end, and a second time: no pipes, sockets, devices or folders."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path

from smartsbd.contracts.fault import InputFault

#: Why something else is not read.
NO_REGULAR_FILE = "is no regular file"


class NoRegularFileError(InputFault):
    """Something that might never end, or could not be read again."""


def opened(path: Path) -> io.BufferedReader:
    """Open a regular file, or a link to one, for reading.

    Anything else is refused without being opened: opening alone can wait for a writer, or wind a tape back. After
    that check the path may name something else. So it is opened without waiting, and checked again.

    Returns
    -------
    io.BufferedReader
        The caller closes it.

    Raises
    ------
    NoRegularFileError
        If it is anything else.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise NoRegularFileError(f"{path}: {NO_REGULAR_FILE}")
    stream = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY), "rb")
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise NoRegularFileError(f"{path}: {NO_REGULAR_FILE}")
    return stream


def size_bytes(path: Path) -> int | None:
    """Return a regular file's size; None if there is none of that name."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
