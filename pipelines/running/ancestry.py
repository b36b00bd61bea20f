"""The processes that this one descends from, and its end with the one of them that runs it."""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

from smartsbd.contracts.lifetime import end_with

#: What DVC calls the stage it runs, in that stage's environment.
DVC_STAGE = "DVC_STAGE"
_PARENT = 1  # of the fields of /proc/*/stat behind the command's name


def ancestors() -> Iterator[int]:
    """Yield the numbers of the processes that this one descends from, its parent first."""
    number = os.getppid()
    while number:
        yield number
        try:
            number = int(Path(f"/proc/{number}/stat").read_text(errors="replace").rpartition(")")[2].split()[_PARENT])
        except OSError:
            return  # it has ended since


def _runs_for(number: int) -> bool:
    """Return whether a process was started for a stage, as the shell between DVC and a stage is."""
    try:
        return f"\0{DVC_STAGE}=".encode() in b"\0" + Path(f"/proc/{number}/environ").read_bytes()
    except OSError:
        return False


def _end_after(number: int) -> None:
    """Kill this process when another, that need not be its parent, has ended."""
    try:
        descriptor = os.pidfd_open(number)
    except ProcessLookupError:
        os.kill(os.getpid(), signal.SIGKILL)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    poll.poll()
    os.kill(os.getpid(), signal.SIGKILL)


def end_with_dvc() -> None:
    """Have a stage that DVC runs killed when DVC has ended, also where a shell stays between the two."""
    if DVC_STAGE not in os.environ:
        return
    parent = os.getppid()
    end_with(parent)
    dvc = next((number for number in ancestors() if not _runs_for(number)), parent)
    if dvc != parent:
        threading.Thread(target=_end_after, args=(dvc,), daemon=True).start()
