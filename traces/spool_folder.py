"""A folder for the spools of captures, beside the tables that are made of them."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_PREFIX = ".spool-"


def _locked(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how)
    except OSError:
        # Another holds it, or the file system has no locks.
        return False
    return True


@contextmanager
def spool_folder(beside: Path) -> Iterator[Path]:
    """Make a folder for spools in the folder of the tables: they take as much room as what is written of them.

    Folders that killed runs left there are removed, unless another run is alive: each run shares a lock of the tables'
    folder.

    Yields
    ------
    Path
        The folder, until the block ends.
    """
    descriptor = os.open(beside, os.O_RDONLY)
    try:
        if _locked(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB):
            for left in beside.glob(f"{_PREFIX}*"):
                shutil.rmtree(left, ignore_errors=True)
        _locked(descriptor, fcntl.LOCK_SH)
        with TemporaryDirectory(prefix=_PREFIX, dir=beside) as name:
            yield Path(name)
    finally:
        os.close(descriptor)
