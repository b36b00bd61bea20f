"""Echoes over a path, by iputils' ping; what it prints is kept as it is."""

from __future__ import annotations

from pathlib import Path

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
    command = [
        found("ping", "iputils-ping"),
        # Without names; with times; with a line for what has not been answered.
        *("-n", "-D", "-O"),
        *("-i", f"{interval_ms / _MS_PER_S:g}", "-w", f"{max(1, round(seconds))}"),
        *("-I", path.source, path.echo.strip("[]")),
    ]
    return RunningTool(command, out)


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
