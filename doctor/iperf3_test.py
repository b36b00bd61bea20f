"""A load by iperf3: the server of iperf3 sends, as much as goes."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

from contracts.fault import UsageFault, printable
from doctor.load import LoadError
from doctor.network_path import NetworkPath, is_address
from doctor.received import Received
from doctor.running_tool import RunningTool, ToolError, found

#: Where a server of iperf3 listens if nothing else is said.
PORT = 5201
_INTERVAL_S = 0.1
_SERVER = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._][A-Za-z0-9._-]{0,252})(?::(?P<port>[0-9]{1,5}))?")
_MOST_PORT = 0xFFFF
#: A test of an hour with ten intervals a second and a stream has 20 MB.
_MOST_BYTES = 256 << 20


class ServerError(UsageFault):
    """What is to be loaded by iperf3 is not a host and a port."""


def parsed(server: str) -> tuple[str, int]:
    """Return host and port of a server of iperf3.

    Parameters
    ----------
    server : str

    Raises
    ------
    ServerError
        If it is no host, or the port is not from 1 to 65535.

    Examples
    --------
    >>> parsed("192.0.2.1"), parsed("[2001:db8::1]:5300")
    (('192.0.2.1', 5201), ('2001:db8::1', 5300))
    """
    match = _SERVER.fullmatch(server)
    port = int(match["port"] or PORT) if match else 0
    if match is None or not 0 < port <= _MOST_PORT:
        raise ServerError(f"{server} is not HOST or HOST:PORT of a server of iperf3")
    return match["host"].strip("[]"), port


def _command(path: NetworkPath, streams: int, seconds: float) -> list[str]:
    host, port = parsed(path.load)
    bound = ["--bind", path.source] if is_address(path.source) else ["--bind-dev", path.source]
    return [
        found("iperf3", "iperf3"),
        *("--client", host, "--port", str(port), "--reverse", "--json"),
        *("--time", f"{seconds:.0f}", "--interval", str(_INTERVAL_S), "--parallel", str(streams), *bound),
    ]


def received(report: dict[str, Any], started_s: float) -> Received:
    """Return what iperf3 says has come, from its JSON.

    Parameters
    ----------
    report : dict
    started_s : float
        When it was started, seconds since 1970: its own time of the beginning is in whole seconds.

    Raises
    ------
    LoadError
        If it says that it failed, or does not have the times and bytes.
    """
    if "error" in report:
        raise LoadError(printable(f"iperf3: {report['error']}"))
    try:
        begin_s = max(float(report["start"]["timestamp"]["timesecs"]), started_s)
        table = Received([begin_s], [0])
        for one in report["intervals"]:
            table.times_s.append(begin_s + float(one["sum"]["end"]))
            table.octets.append(table.octets[-1] + int(one["sum"]["bytes"]))
    except (KeyError, TypeError, ValueError) as error:
        raise LoadError(f"the output of iperf3 is not as expected: {error!r}") from error
    return table


class Iperf3Test:
    """A test by iperf3 over a path, from now on.

    Parameters
    ----------
    path : NetworkPath
        Its load is host and port of a server.
    streams : int
        Connections at once.
    seconds : float
        How long it lasts.
    out : Path
        Where its output is kept.
    """

    def __init__(self, path: NetworkPath, streams: int, seconds: float, out: Path) -> None:
        self._out = out
        self._started_s = time.time()
        self._tool = RunningTool(_command(path, streams, seconds), out)

    def look(self) -> int:
        """Return 0: what has come is known at the end.

        Raises
        ------
        LoadError
            If it has failed.
        """
        if not self._tool.running():
            self.end()
        return 0

    def end(self) -> Received:
        """Wait until it has ended; return what came.

        Raises
        ------
        LoadError
            If it has failed.
        """
        try:
            # With --json the reason is in the output, and the exit code is 1.
            self._tool.ended(0, 1)
        except ToolError as error:
            raise LoadError(str(error)) from error
        if self._out.stat().st_size > _MOST_BYTES:
            raise LoadError(f"{self._out} has more than {_MOST_BYTES} bytes")
        try:
            report = json.loads(self._out.read_bytes())
        except ValueError as error:
            raise LoadError(f"the output of iperf3 is no JSON: {error}") from error
        return received(report, self._started_s)

    def kill(self) -> None:
        """End it now."""
        self._tool.kill()
