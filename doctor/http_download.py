"""A load by HTTP: so many downloads of one file at once, each begun again when it has ended."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

from contracts.fault import UsageFault, printable
from doctor.load import LoadError
from doctor.network_path import NetworkPath, connected
from doctor.received import Received, ReceivedCounter

SCHEMES = ("http", "https")
_TIMEOUT_S = 10.0
_PIECE_BYTES = 1 << 16
#: A server that answers at once, and with little, is not asked more often.
_PAUSE_S = 0.05
_PORTS = {"http": 80, "https": 443}
_HEADERS = {"User-Agent": "sbd-doctor", "Accept-Encoding": "identity", "Cache-Control": "no-store"}


class AddressError(UsageFault):
    """What is to be downloaded is not an address of HTTP."""


def parsed(address: str) -> SplitResult:
    """Return the parts of an address of HTTP.

    Parameters
    ----------
    address : str

    Raises
    ------
    AddressError
        If it is none, or has a user's name or password in it, which would be stored.

    Examples
    --------
    >>> parsed("http://192.0.2.1:8000/large").hostname
    '192.0.2.1'
    """
    try:
        parts = urlsplit(address)
        known = parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise AddressError(f"{address} is not an address of HTTP, such as http://192.0.2.1:8000/large")
    if parts.username is not None or parts.password is not None:
        raise AddressError("an address with a user's name or password is not taken: it would be stored")
    return parts


class HttpDownload:
    """Downloads over a path, from now on.

    Parameters
    ----------
    path : NetworkPath
        Its load is an address of HTTP.
    streams : int
        Downloads at once.
    """

    def __init__(self, path: NetworkPath, streams: int) -> None:
        self._path, self._parts = path, parsed(path.load)
        self._counter = ReceivedCounter()
        self._ended = threading.Event()
        self._failure: str | None = None
        self._open: set[socket.socket] = set()
        self._threads = [threading.Thread(target=self._download, daemon=True) for _ in range(streams)]
        for thread in self._threads:
            thread.start()

    def look(self) -> int:
        """Return how many bytes have come so far.

        Raises
        ------
        LoadError
            If a download could not be begun. One that breaks off is begun again.
        """
        octets = self._counter.look()
        if self._failure is not None:
            said = printable(f"{self._path.load} over {self._path.source}: {self._failure}")
            raise LoadError(said, self._counter.table())
        return octets

    def spent(self) -> bool:
        """Return False: what has come is known while it runs, and whoever looks ends it."""
        return False

    def end(self) -> Received:
        """End all downloads; return what came.

        Raises
        ------
        LoadError
            If a download could not be begun.
        """
        self.kill()
        deadline_s = time.monotonic() + _TIMEOUT_S
        for thread in self._threads:
            thread.join(max(0.0, deadline_s - time.monotonic()))
        self.look()
        return self._counter.table()

    def kill(self) -> None:
        """End all downloads now."""
        self._ended.set()
        for own in list(self._open):
            # Wakes who reads it.
            with suppress(OSError):
                own.shutdown(socket.SHUT_RDWR)

    def _connected(self) -> socket.socket:
        host = self._parts.hostname or ""
        own = connected(self._path.source, host, self._parts.port or _PORTS[self._parts.scheme], _TIMEOUT_S)
        if self._parts.scheme == "https":
            own = ssl.create_default_context().wrap_socket(own, server_hostname=host)
        # From here on silence is what is measured, not a failure.
        own.settimeout(None)
        return own

    def _once(self) -> int:
        """Download the file once, as far as it goes; return how many bytes came."""
        octets = 0
        connection = http.client.HTTPConnection(self._parts.hostname or "", self._parts.port)
        connection.sock = own = self._connected()
        self._open.add(own)
        target = (self._parts.path or "/") + (f"?{self._parts.query}" if self._parts.query else "")
        try:
            if self._ended.is_set():
                return 0
            connection.request("GET", target, headers=_HEADERS)
            answer = connection.getresponse()
            if answer.status != http.client.OK:
                to = answer.headers.get("Location")
                raise LoadError(f"answers {answer.status}" + (f", which leads to {to}: name that" if to else ""))
            while not self._ended.is_set() and (piece := answer.read1(_PIECE_BYTES)):
                self._counter.add(len(piece))
                octets += len(piece)
        except (OSError, http.client.HTTPException):
            if not octets:
                raise
        finally:
            self._open.discard(own)
            connection.close()
        return octets

    def _download(self) -> None:
        while not self._ended.is_set():
            try:
                if not self._once() and not self._ended.is_set():
                    raise LoadError("answers with nothing")
            except (OSError, ValueError, http.client.HTTPException, LoadError) as error:
                if not self._ended.is_set():
                    self._failure = str(error) or type(error).__name__
                return
            time.sleep(_PAUSE_S)
