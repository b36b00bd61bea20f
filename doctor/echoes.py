"""Echoes over a path, by ping of iputils or busybox; what it prints is kept, with a time before each line."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

from smartsbd.doctor import dated_lines
from smartsbd.doctor.network_path import NetworkPath
from smartsbd.doctor.running_tool import RunningTool, found

_MS_PER_S = 1000


def pinging(path: NetworkPath, interval_ms: int, seconds: float, out: Path) -> RunningTool:
    """Return ping, which runs over a path from now on.

    Parameters
    ----------
    path : NetworkPath
    interval_ms : int
        From one echo to the next.
    seconds : float
        How long it runs.
    out : Path

    Returns
    -------
    RunningTool

    Raises
    ------
    ToolError
        If ping is not installed.
    """
    ping = found("ping", "iputils-ping")
    arguments = [
        *("-i", f"{interval_ms / _MS_PER_S:g}", "-w", f"{max(1, round(seconds))}"),
        *("-I", path.source, path.echo.strip("[]")),
    ]
    if _is_busybox(ping):
        # It prints no times.
        return RunningTool([sys.executable, "-m", dated_lines.__name__, ping, *arguments], out)
    # Without names; with times; with a line for what has not been answered.
    return RunningTool([ping, "-n", "-D", "-O", *arguments], out)


@functools.cache
def _is_busybox(ping: str) -> bool:
    """Tell whether a ping is busybox's, which says so in its help."""
    said = subprocess.run([ping, "--help"], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return b"BusyBox" in said.stdout + said.stderr


#: With answers, and without any.
_DONE = (0, 1)


def look(ping: RunningTool) -> None:
    """Make sure that a ping runs, or has done what it should.

    Raises
    ------
    ToolError
        If it has failed.
    """
    if ping.has_failed(*_DONE):
        ended(ping)


def ended(ping: RunningTool) -> None:
    """Wait until a ping has ended; one without any answer has done what it should.

    Raises
    ------
    ToolError
        If it failed.
    """
    ping.ended(*_DONE)
