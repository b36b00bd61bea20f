"""A load by HTTP: so many downloads of one file at once, each begun again when it has ended."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from contextlib import suppress
from typing import Any, cast
from urllib.parse import SplitResult, urlsplit

from smartsbd.contracts.fault import UsageFault, printable
from smartsbd.doctor.byte_limit import ByteLimit, LimitReachedError
from smartsbd.doctor.byte_stream import ByteStream, PlainStream, TlsStream
from smartsbd.doctor.http_socket import HttpSocket
from smartsbd.doctor.load import LoadError
from smartsbd.doctor.network_path import NetworkPath, connected
from smartsbd.doctor.received import Received, ReceivedCounter

SCHEMES = ("http", "https")
_TIMEOUT_S = 10.0
_PIECE_BYTES = 1 << 16
#: Letters of a server's answer that a message repeats.
_MOST_REPEATED = 200
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

    Returns
    -------
    urllib.parse.SplitResult

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
    """Downloads over a path, from its making on.

    Parameters
    ----------
    path : NetworkPath
        Its load is an address of HTTP.
    streams : int
        Downloads at once.
    limit : ByteLimit
        When it is reached, they end by themselves.
    """

    def __init__(self, path: NetworkPath, streams: int, limit: ByteLimit) -> None:
        self._path, self._parts, self._limit = path, parsed(path.load), limit
        self._context = ssl.create_default_context() if self._parts.scheme == "https" else None
        self._counter = ReceivedCounter()
        self._ended = threading.Event()
        self._failure: str | None = None
        self._open: set[socket.socket] = set()
        self._threads = [threading.Thread(target=self._download, daemon=True) for _ in range(streams)]
        for thread in self._threads:
            thread.start()

    def look(self) -> int:
        """Return how many bytes of the file have come so far.

        Returns
        -------
        int, bytes
            Of all downloads together.

        Raises
        ------
        LoadError
            If a download could not be begun. One that breaks off is begun again.
        """
        octets = self._counter.look()
        if self._failure is not None:
            why = printable(f"{self._path.load} over {self._path.source}: {self._failure}")
            raise LoadError(why, self._counter.table())
        return octets

    def end(self) -> Received:
        """End all downloads; return what came.

        Returns
        -------
        Received
            A row for each look.

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
        for connection in list(self._open):
            # Wakes the thread that reads it.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _connected(self) -> socket.socket:
        host, port = self._parts.hostname or "", self._parts.port or _PORTS[self._parts.scheme]
        connection = connected(self._path.source, host, port, _TIMEOUT_S)
        # From here on silence is a measurement, not a failure.
        connection.settimeout(None)
        return connection

    def _stream(self, connection: socket.socket) -> ByteStream:
        if self._context is None:
            return PlainStream(connection, self._limit)
        return TlsStream(connection, self._limit, self._context, self._parts.hostname or "", _TIMEOUT_S)

    def _answer(self, connection: HttpSocket) -> http.client.HTTPResponse:
        """Ask for the file; return the answer. Redirections are not followed."""
        asking = http.client.HTTPConnection(self._parts.hostname or "", self._parts.port)
        # It uses only those methods of a socket that this one has.
        asking.sock = cast(Any, connection)
        target = (self._parts.path or "/") + (f"?{self._parts.query}" if self._parts.query else "")
        asking.request("GET", target, headers=_HEADERS)
        answer = asking.getresponse()
        if answer.status != http.client.OK:
            to = answer.headers.get("Location")
            leads = f", which leads to {_beginning(to)}: name that" if to else ""
            raise LoadError(f"answers {answer.status}{leads}")
        return answer

    def _once(self) -> int:
        """Download the file once, as far as it goes; return how many bytes came."""
        octets = 0
        connection = self._connected()
        self._open.add(connection)
        try:
            if self._ended.is_set():
                return 0
            http_socket = HttpSocket(self._stream(connection))
            answer = self._answer(http_socket)
            while not self._ended.is_set() and (piece := answer.read1(_PIECE_BYTES)):
                http_socket.take_body()
                self._counter.add(len(piece))
                octets += len(piece)
        except (OSError, http.client.IncompleteRead):
            if not octets:
                raise
        finally:
            self._open.discard(connection)
            connection.close()
        return octets

    def _download(self) -> None:
        while not self._ended.is_set():
            try:
                if not self._once() and not self._ended.is_set():
                    raise LoadError("answers with nothing")
            except LimitReachedError:
                return
            except (OSError, ValueError, http.client.HTTPException, LoadError) as error:
                # What has been ended breaks off.
                if not self._ended.is_set():
                    self._failure = _reason(error)
                return
            time.sleep(_PAUSE_S)


def _reason(error: Exception) -> str:
    text = str(error) or type(error).__name__
    if isinstance(error, http.client.HTTPException) and not isinstance(error, OSError):
        # Most of them repeat the line that is wrong.
        return f"answers not as HTTP says: {_beginning(text)}"
    return _beginning(text)


def _beginning(text: str) -> str:
    return text if len(text) <= _MOST_REPEATED else f"{text[:_MOST_REPEATED]}..."
