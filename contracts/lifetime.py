"""Processes that end with the one that started them, however that ends: none goes on writing for nobody."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence

#: Of Linux' prctl(2): the signal that a process gets when the thread that started it has ended.
_PR_SET_PDEATHSIG = 1
#: Sets it for a program: code of ours that runs between fork and exec could wait for another thread for ever.
_SETPRIV = ("setpriv", "--pdeathsig", "KILL")


def end_with(parent: int) -> None:
    """Have this process killed when the one that started it ends, or now if that has ended.

    Parameters
    ----------
    parent : int
        Process number of the one that started it.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        # The parent ended before the kernel was asked to send the signal.
        os.kill(os.getpid(), signal.SIGKILL)


@functools.cache
def _can_set() -> bool:
    if shutil.which(_SETPRIV[0]) is None:
        return False
    return subprocess.run([*_SETPRIV, "true"], capture_output=True, check=False).returncode == 0


def ending_with_this(command: Sequence[str]) -> list[str]:
    """Return the command line that runs a program so that it is killed when the thread that starts it ends.

    setpriv of util-linux does it; where that is missing, the command stays as it is.

    Parameters
    ----------
    command : sequence of str

    Returns
    -------
    list of str
    """
    return [*_SETPRIV, *command] if _can_set() else list(command)
