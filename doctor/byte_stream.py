"""The bytes of a connection, plain or by TLS, read as far as a limit goes."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeVar

from smartsbd.doctor.byte_limit import ByteLimit

_PIECE_BYTES = 1 << 16

Result = TypeVar("Result")


class ByteStream(Protocol):
    """Sends and receives."""

    def send(self, octets: bytes) -> None:
        """Send some bytes."""

    def receive(self, most_bytes: int) -> bytes:
        """Return what has come, at most so many bytes, or nothing if the other end has ended."""


class PlainStream:
    """A connection as it is.

    Parameters
    ----------
    connection : socket.socket
        It has no timeout of its own.
    limit : ByteLimit
    """

    def __init__(self, connection: socket.socket, limit: ByteLimit) -> None:
        self._connection, self._limit = connection, limit

    def send(self, octets: bytes) -> None:
        """Send some bytes."""
        self._connection.sendall(octets)

    def receive(self, most_bytes: int) -> bytes:
        """Return what has come, at most so many bytes, or nothing if the other end has ended."""
        return self._limit.receive(self._connection, most_bytes)


class TlsStream:
    """A connection by TLS, whose handshake is done when it is made.

    The socket is read here and not by TLS, so that all of its records count.

    Parameters
    ----------
    connection : socket.socket
        It has no timeout of its own.
    limit : ByteLimit
    context : ssl.SSLContext
    host : str
        Whose certificate it must be.
    timeout_s : float, seconds
        For the handshake.

    Raises
    ------
    OSError
        If the handshake fails or takes longer.
    """

    def __init__(
        self, connection: socket.socket, limit: ByteLimit, context: ssl.SSLContext, host: str, timeout_s: float
    ) -> None:
        self._connection, self._limit = connection, limit
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)
        self._exchange(self._tls.do_handshake, time.monotonic() + timeout_s)

    def send(self, octets: bytes) -> None:
        """Send some bytes."""
        self._exchange(lambda: self._tls.write(octets))

    def receive(self, most_bytes: int) -> bytes:
        """Return what has come, at most so many bytes, or nothing if the other end has ended."""
        try:
            return self._exchange(lambda: self._tls.read(most_bytes))
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            return b""

    def _exchange(self, step: Callable[[], Result], deadline_s: float | None = None) -> Result:
        """Do a step of TLS, with what must be sent and received for it; return what comes of it."""
        while True:
            try:
                result = step()
            except ssl.SSLWantReadError:
                self._flush()
                left_s = None if deadline_s is None else deadline_s - time.monotonic()
                piece = self._limit.receive(self._connection, _PIECE_BYTES, left_s)
                if piece:
                    self._incoming.write(piece)
                else:
                    self._incoming.write_eof()
            except ssl.SSLError:
                # TLS sends the other end an alert that says why.
                with suppress(OSError):
                    self._flush()
                raise
            else:
                self._flush()
                return result

    def _flush(self) -> None:
        if octets := self._outgoing.read():
            self._connection.sendall(octets)
