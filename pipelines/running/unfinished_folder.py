"""The folder of runs that go on, beside its place: put there whole, or removed."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contracts.fault import UsageFault

#: A file or link of the name, or a name that is too long.
_IN_THE_WAY = (errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)


class OutputError(UsageFault):
    """The folder to write cannot be used."""


def _lock(folder: Path) -> int | None:
    """Lock a folder; return a descriptor that holds it, or None if another process does."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        return None
    return held


@contextmanager
def unfinished(out: Path) -> Iterator[Path]:
    """Give a folder to write to, which is removed at the end if it has not been renamed.

    What a process that was killed left there is removed first.

    Parameters
    ----------
    out : Path
        Where the folder is to be put when it is whole.

    Raises
    ------
    OutputError
        If something is there already, or another process is about to put something there, or the folder beside it
        cannot be made: its name has six letters more.
    """
    if os.path.lexists(out):
        raise OutputError(f"{out} is there already")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise OutputError(f"{out}: {error.strerror}") from error
    part = out.with_name(f".{out.name}.part")
    busy = OutputError(f"{out}: another run is writing it")
    try:
        left = _lock(part)
        if left is None:
            raise busy
        shutil.rmtree(part)
        os.close(left)
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno not in _IN_THE_WAY:
            raise
        raise OutputError(f"{part}, where {out.name} is written at first: {error.strerror}") from error
    try:
        part.mkdir()
    except FileExistsError:
        raise busy from None
    held = _lock(part)
    if held is None:
        raise busy
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)
        os.close(held)
