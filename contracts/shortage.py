"""What a machine lacks, in one line: room, memory, files, the right to write."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from pathlib import Path

_NUMBERS = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EROFS,
        errno.EIO,
        errno.EFBIG,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
        errno.EAGAIN,
    }
)
#: What the loader of shared libraries says where memory ends.
_NOT_MAPPED = "failed to map segment"
#: The primary result codes of SQLite are the low bits of its error codes.
_PRIMARY_CODE_BITS = 0xFF


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those that it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _database_shortage(error: BaseException) -> str | None:
    import sqlite3

    missing = {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_NOMEM,
    }
    number = getattr(error, "sqlite_errorcode", 0)
    return f"SQLite: {error}" if number & _PRIMARY_CODE_BITS in missing else None


def _shortage(error: BaseException) -> str | None:
    if isinstance(error, MemoryError):
        return "out of memory: fewer processes take less (`workers` in params.yaml)"
    if isinstance(error, ImportError) and _NOT_MAPPED in str(error):
        return f"out of memory: a library does not fit: {error.name or error}"
    if isinstance(error, BrokenExecutor):
        return (
            "a process of this one ended of itself: it crashed, or was killed, for lack of memory perhaps;"
            " fewer take less (`workers` in params.yaml)"
        )
    if type(error).__module__ == "sqlite3":
        return _database_shortage(error)
    if isinstance(error, OSError) and error.errno in _NUMBERS:
        reason = os.strerror(error.errno)
        # A copy has two names; the second is the file that is written.
        place = error.filename2 or error.filename
        return reason if place is None else f"{os.fsdecode(place)}: {reason}"
    return None


def check_memory(least_bytes: int) -> None:
    """Make sure that a limit of this process's addresses leaves room: numeric libraries may wait for it for ever.

    Parameters
    ----------
    least_bytes : int
        What is still to be mapped.

    Raises
    ------
    MemoryError
        If less is left.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = Path("/proc/self/statm")
    if soft != resource.RLIM_INFINITY and pages.exists():
        mapped_bytes = int(pages.read_text().split()[0]) * resource.getpagesize()
        if soft - mapped_bytes < least_bytes:
            raise MemoryError(f"{(soft - mapped_bytes) >> 20} MiB of addresses are left")


def said_of(error: BaseException) -> str | None:
    """Return what is missing, in a line; None if an error, and what it came from, is of another kind.

    Parameters
    ----------
    error : exception

    Returns
    -------
    str or None

    Examples
    --------
    >>> said_of(OSError(28, "written in part", "reports/rank.json"))
    'reports/rank.json: No space left on device'
    >>> said_of(ValueError("28")) is None
    True
    """
    return next((line for cause in _with_causes(error) if (line := _shortage(cause)) is not None), None)
