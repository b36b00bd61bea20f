"""One run of the pipeline in a clone at a time: a second ends at once, and says which process is the first."""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from smartsbd.contracts.fault import Fault
from smartsbd.pipelines.running.ancestry import ancestors

log = logging.getLogger(__name__)

#: Locked while a run lasts, and holds its process's number; the lock goes with the process.
LOCK = Path(".dvc/tmp/run.lock")
#: Of DVC: locked while it is at work itself, and the processes whose stages run.
_DVC_LOCK, _DVC_STAGES = Path(".dvc/tmp/lock"), Path(".dvc/tmp/rwlock")
#: A file system that has no locks.
NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)


class BusyError(Fault):
    """Another process runs the pipeline in this clone."""

    def __init__(self, clone: Path, holder: str) -> None:
        super().__init__(f"{clone.absolute()}: process {holder} runs the pipeline here: wait until it has ended")


def _locked(file: TextIO) -> bool:
    """Lock a file; return False if another process has locked it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        log.warning("the file system has no locks: a second run in this clone would not be noticed")
    return True


@contextmanager
def held(clone: Path) -> Iterator[None]:
    """Hold a clone for this run, or for the stage of a run that holds it.

    Parameters
    ----------
    clone : Path

    Raises
    ------
    BusyError
        If a process holds it that this one does not descend from.
    """
    path = clone / LOCK
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        if _locked(file):
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
        else:
            file.seek(0)
            holder = file.read().strip()
            if holder not in map(str, ancestors()):
                raise BusyError(clone, holder or "another")
        yield


def check_no_dvc(clone: Path) -> None:
    """Make sure that nobody has started DVC by itself in a clone, with a stage that runs or between two.

    Parameters
    ----------
    clone : Path

    Raises
    ------
    BusyError
        If DVC is at work there.
    """
    try:
        stages = json.loads((clone / _DVC_STAGES).read_text())
    except (FileNotFoundError, ValueError):
        stages = {}
    readers = [reader for several in stages.get("read", {}).values() for reader in several]
    for process in [*stages.get("write", {}).values(), *readers]:
        command = Path(f"/proc/{process['pid']}/cmdline")
        # The entry of a killed process stays until DVC runs again, and its number may be another's by then.
        if command.exists() and b"dvc" in command.read_bytes():
            raise BusyError(clone, f"{process['pid']} (dvc)")
    if (clone / _DVC_LOCK).exists():
        with (clone / _DVC_LOCK).open() as file:
            if not _locked(file):
                raise BusyError(clone, f"{file.read().strip() or 'another'} (dvc)")
