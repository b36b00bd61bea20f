"""The processes of a search: all of one session, and ended together.

``python -m smartsbd.models.automl.process FOLDER``, as the leader of a session, ends all others of it and takes the
folder away.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

_SESSION = 3  # of the fields of /proc/*/stat behind the command's name
_STATE = 0
_PAUSE_S = 0.01


def members(session: int) -> list[int]:
    """Return the processes of a session that have not ended.

    Returns
    -------
    list of int
        Process ids; zombies are left out.

    References
    ----------
    proc(5): the name of the command is in brackets and may hold any character.
    """
    processes = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended since
        if int(fields[_SESSION]) == session and fields[_STATE] not in "ZX":
            processes.append(int(path.parent.name))
    return processes


def kill_session(session: int, spare: int | None = None) -> None:
    """Kill the processes of a session until none is left, except the one to spare."""
    while True:
        alive = [process for process in members(session) if process != spare]
        if not alive:
            return
        for process in alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(_PAUSE_S)


@contextlib.contextmanager
def ended_on_request() -> Iterator[None]:
    """Let SIGTERM end this process by an exception, so that it can end its searches first."""

    def end(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


if __name__ == "__main__":
    kill_session(os.getpid(), spare=os.getpid())
    shutil.rmtree(sys.argv[1], ignore_errors=True)
