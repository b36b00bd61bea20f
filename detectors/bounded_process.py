"""A compiler or a compiled program as a process that ends: it has limits, and ends with all that it has started.

Its output goes to files meanwhile: a pipe would stay open as long as any process that it has left behind.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from smartsbd.contracts.fault import Fault
from smartsbd.contracts.lifetime import ending_with_this

# The shell sets the limits: code that runs in a fork of a program with threads may wait for ever. A limit that is
# lower already stays. The soft limit is below the hard one, so that the signal shows which limit it was.
_LIMITED = """
ulimit -c 0 2>/dev/null
ulimit -S -t "$1" 2>/dev/null
ulimit -H -t "$(($1 + 5))" 2>/dev/null
ulimit -f "$2" 2>/dev/null
[ "$3" -eq 0 ] || ulimit -v "$3" 2>/dev/null
shift 3
exec "$@"
"""
_BLOCK_BYTES = 512
_KB = 1024
#: Most that is kept of what it writes on standard error.
_ERROR_BYTES = 1 << 20


class OverLimitError(Fault):
    """A process that took too long, or wrote too much, and was ended."""


@dataclass(frozen=True)
class ProcessLimits:
    """What a process may take.

    Attributes
    ----------
    time_s : float
        By the clock, and of CPU time (there in whole seconds). Each process that it starts may take as much CPU time.
    file_bytes : int
        Size of a file that it writes, its output among them.
    memory_bytes : int
        Addresses that it may map; 0 for no limit.
    """

    time_s: float
    file_bytes: int
    memory_bytes: int = 0


@dataclass(frozen=True)
class Ended:
    """How a process ended, and what it wrote."""

    exit_code: int
    output: bytes
    errors: bytes


def _wait(process: subprocess.Popen[bytes], time_s: float) -> bool:
    """Wait until a process ends; return whether it did in time. Until then its number is nobody else's."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:
        # A kernel, or a container, without that call.
        with suppress(subprocess.TimeoutExpired):
            process.wait(time_s)
        return process.returncode is not None
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(time_s * 1000))
    finally:
        os.close(descriptor)


def run(command: Sequence[str], limits: ProcessLimits, events: IO[bytes] | None = None) -> Ended:
    """Run a program to its end, or to its limits; nothing of its process group is left behind.

    A process that has made a session of its own is not followed; its CPU time is limited too.

    Parameters
    ----------
    command : sequence of str
    limits : ProcessLimits
    events : file, optional
        Its standard input, from the file's position on; empty without it.

    Returns
    -------
    Ended
        Exit status, as :class:`subprocess.Popen` has it, and what the program wrote, bytes.

    Raises
    ------
    OverLimitError
        If it reached a limit of time, or of a file's size.
    """
    name = Path(command[0]).name
    numbers = (max(1, int(limits.time_s)), limits.file_bytes // _BLOCK_BYTES, limits.memory_bytes // _KB)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            ending_with_this(["/bin/sh", "-c", _LIMITED, "sh", *map(str, numbers), *command]),
            stdin=subprocess.DEVNULL if events is None else events,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        try:
            in_time = _wait(process, limits.time_s)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if not in_time or process.returncode == -signal.SIGXCPU:
            raise OverLimitError(f"{name} did not end within {limits.time_s:g} s, and was killed")
        if process.returncode == -signal.SIGXFSZ:
            raise OverLimitError(f"{name} wrote more than {limits.file_bytes} bytes, and was killed")
        output.seek(0)
        errors.seek(0)
        return Ended(process.returncode, output.read(), errors.read(_ERROR_BYTES))
