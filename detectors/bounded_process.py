"""A compiler or a compiled program as a process that ends: it has limits, and ends with all that it has started.

Its output goes to files meanwhile: a pipe would stay open as long as any process that it has left behind.
"""

from __future__ import annotations

import functools
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
"""
#: In a namespace of its own the shell is the first process, which no signal that a limit sends would end.
#: A shell says itself that a program was killed: what it says is not kept.
_IN_NAMESPACE = f'{_LIMITED}exec 3>&2 2>/dev/null\n(exec "$@" 2>&3 3>&-)\nexit $?\n'
_ALONE = f'{_LIMITED}exec "$@"\n'
#: What a shell adds to the number of the signal that ended a program.
_SIGNALLED = 128
#: With the first process of a namespace of process numbers all others in it end: with a user's own namespace where only
#: that is allowed (unshare of util-linux).
_UNSHARES = (("--pid",), ("--user", "--map-current-user", "--pid"))
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


@functools.cache
def namespace() -> tuple[str, ...]:
    """Return the words before a command that give it process numbers of its own.

    Returns
    -------
    tuple of str
        Empty where the system does not allow it.
    """
    for ways in _UNSHARES:
        words = ("unshare", *ways, "--fork", "--kill-child=KILL")
        with suppress(OSError, subprocess.TimeoutExpired):
            if subprocess.run([*words, "true"], capture_output=True, check=False, timeout=10).returncode == 0:
                return words
    return ()


def _command(command: Sequence[str], limits: ProcessLimits) -> list[str]:
    numbers = (max(1, int(limits.time_s)), limits.file_bytes // _BLOCK_BYTES, limits.memory_bytes // _KB)
    words = namespace()
    script = _IN_NAMESPACE if words else _ALONE
    return ending_with_this([*words, "/bin/sh", "-c", script, "sh", *map(str, numbers), *command])


def _exit_code(status: int) -> int:
    """Return the exit status as :class:`subprocess.Popen` has it, of a shell's."""
    signalled = _SIGNALLED < status < _SIGNALLED + signal.NSIG
    return _SIGNALLED - status if signalled and namespace() else status


def run(command: Sequence[str], limits: ProcessLimits, events: IO[bytes] | None = None) -> Ended:
    """Run a program to its end, or to its limits; nothing that it has started is left behind.

    Where the system allows no namespace of process numbers, one that has made a session of its own is not followed. Its
    CPU time is limited too.

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
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            _command(command, limits),
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
        exit_code = _exit_code(process.returncode)
        if not in_time or exit_code == -signal.SIGXCPU:
            raise OverLimitError(f"{name} did not end within {limits.time_s:g} s, and was killed")
        if exit_code == -signal.SIGXFSZ:
            raise OverLimitError(f"{name} wrote more than {limits.file_bytes} bytes, and was killed")
        output.seek(0)
        errors.seek(0)
        return Ended(exit_code, output.read(), errors.read(_ERROR_BYTES))
