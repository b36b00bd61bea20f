"""A load by iperf3: the server of iperf3 sends, as much as goes."""

from __future__ import annotations

import math
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from smartsbd.contracts.fault import UsageFault, printable
from smartsbd.doctor.byte_limit import ByteLimit
from smartsbd.doctor.forwarder import ADDRESS, Forwarder
from smartsbd.doctor.iperf3_report import Iperf3Report
from smartsbd.doctor.load import LoadError
from smartsbd.doctor.network_path import NetworkPath
from smartsbd.doctor.received import Received
from smartsbd.doctor.running_tool import RunningTool, ToolError, found

#: Where a server of iperf3 listens if no port is given.
PORT = 5201
_SERVER = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._][A-Za-z0-9._-]{0,252})(?::(?P<port>[0-9]{1,5}))?")
_MOST_PORT = 0xFFFF
#: Its JSON has a row of some 250 bytes for each stream, and one for all, in each interval. Beyond so many rows
#: intervals are longer, up to a second: that makes 234,000 rows with 64 streams in an hour.
_MOST_ROWS = 100_000
_LEAST_INTERVAL_S, _MOST_INTERVAL_S = 0.1, 1.0


class ServerError(UsageFault):
    """What is to be loaded by iperf3 is not a host and a port."""


@dataclass(frozen=True)
class Iperf3Server:
    """A server of iperf3.

    Attributes
    ----------
    host : str
        Its name or address, without brackets.
    port : int
    """

    host: str
    port: int = PORT

    @classmethod
    def parsed(cls, text: str) -> Iperf3Server:
        """Return the server that is named.

        Parameters
        ----------
        text : str
            HOST or HOST:PORT.

        Returns
        -------
        Iperf3Server

        Raises
        ------
        ServerError
            If it is no host, or the port is not from 1 to 65535.

        Examples
        --------
        >>> Iperf3Server.parsed("192.0.2.1"), Iperf3Server.parsed("[2001:db8::1]:5300")
        (Iperf3Server(host='192.0.2.1', port=5201), Iperf3Server(host='2001:db8::1', port=5300))
        """
        match = _SERVER.fullmatch(text)
        port = int(match["port"] or PORT) if match else 0
        if match is None or not 0 < port <= _MOST_PORT:
            raise ServerError(f"{text} is not HOST or HOST:PORT of a server of iperf3")
        return cls(match["host"].strip("[]"), port)

    def following(self) -> Iperf3Server:
        """Return the server of the same host at the next port.

        Returns
        -------
        Iperf3Server

        Raises
        ------
        ServerError
            If there is no next port.

        Examples
        --------
        >>> print(Iperf3Server("2001:db8::1").following())
        [2001:db8::1]:5202
        """
        if self.port == _MOST_PORT:
            raise ServerError(f"{self} has no next port: name a server for each path")
        return Iperf3Server(self.host, self.port + 1)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def interval_s(streams: int, seconds: float) -> float:
    """Return how often iperf3 reports what has come, so that its output stays within a limit.

    Parameters
    ----------
    streams : int
    seconds : float
        How long it lasts.

    Returns
    -------
    float in [0.1, 1], seconds

    Examples
    --------
    >>> interval_s(4, 40), interval_s(4, 3600), interval_s(64, 3600)
    (0.1, 0.2, 1.0)
    """
    wanted_s = math.ceil((streams + 1) * seconds / _MOST_ROWS * 10) / 10
    return min(_MOST_INTERVAL_S, max(_LEAST_INTERVAL_S, wanted_s))


def _command(port: int, streams: int, seconds: float, most_bytes: int) -> list[str]:
    return [
        found("iperf3", "iperf3"),
        *("--client", ADDRESS, "--port", f"{port}"),
        # It ends at a number of bytes or of whole seconds, not both. It gets the bytes; the phase keeps the time.
        *("--reverse", "--json", "--bytes", f"{most_bytes}", "--interval", f"{interval_s(streams, seconds):g}"),
        *("--parallel", f"{streams}"),
    ]


class Iperf3Test:
    """A test by iperf3 over a path, from its making on.

    Its connections are forwarded, since iperf3 itself reads beyond the limit in bytes that it receives, for as long as
    the server sends.

    Parameters
    ----------
    path : NetworkPath
        Its load is host and port of a server.
    streams : int
        Connections at once.
    seconds : float
        How long it lasts, at most: whoever has begun it ends it.
    limit : ByteLimit
        When it is reached, nothing more comes.
    out : Path
        Where its output is kept.
    """

    def __init__(self, path: NetworkPath, streams: int, seconds: float, limit: ByteLimit, out: Path) -> None:
        self._out, self._limit = out, limit
        self._started_s = time.time()
        self._outcome: Received | LoadError | None = None
        server = Iperf3Server.parsed(path.load)
        # A control connection, and one for each stream.
        self._forwarder = Forwarder(path.source, server.host, server.port, streams + 1, limit)
        try:
            command = _command(self._forwarder.port, streams, seconds, max(1, limit.left_bytes))
            self._tool = RunningTool(command, out)
        except BaseException:
            self._forwarder.end()
            raise

    def look(self) -> int:
        """Return 0: how much has come is known only at the end.

        Returns
        -------
        int, bytes

        Raises
        ------
        LoadError
            If it has failed.
        """
        if not self._tool.running() or self._forwarder.failure is not None:
            self.end()
        return 0

    def end(self) -> Received:
        """End it; return what came. Where it fell silent, that is what came until then.

        Returns
        -------
        Received

        Raises
        ------
        LoadError
            If it could not be begun, or broke off.
        """
        if self._outcome is None:
            try:
                self._outcome = self._ended()
            except LoadError as error:
                self._outcome = error
            self._forwarder.end()
        if isinstance(self._outcome, LoadError):
            raise self._outcome
        return self._outcome

    def kill(self) -> None:
        """End it now."""
        self._tool.kill()
        self._forwarder.end()

    def _ended(self) -> Received:
        asked = self._tool.running()
        if asked:
            # Then it writes what has come.
            self._tool.ask_to_end()
        try:
            # With --json the reason is in the output, and the exit code is 1. The signal ends it before it has begun.
            self._tool.ended(0, 1, *([-signal.SIGTERM] if asked else []))
        except ToolError as error:
            raise LoadError(str(error)) from error
        if self._forwarder.failure is not None:
            raise LoadError(printable(f"iperf3: {self._forwarder.failure}"))
        report = Iperf3Report.read(self._out)
        if asked and not report.intervals:
            # The server is silent.
            return Received([self._started_s, time.time()], [0, 0])
        table = report.received(self._started_s)
        if not asked and not self._limit.is_reached():
            raise LoadError(report.why(), table)
        return table
