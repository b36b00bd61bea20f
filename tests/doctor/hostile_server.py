"""A server on loopback that sends what a client should not read for ever; it has an end itself, in bytes and time."""

from __future__ import annotations

import itertools
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

ADDRESS = "127.0.0.1"
#: Of all connections.
MOST_BYTES = 20_000_000
_MOST_S = 10.0
#: So that what the server counts as sent is nearly what has been read: the kernel keeps little for either.
BUFFER_BYTES, _SEGMENT_BYTES = 4096, 1024
_PIECE_BYTES = 1 << 14


class HostileServer:
    """Answers each request with what it is given, over and over, until the client ends or its own end has come.

    Parameters
    ----------
    answer : callable
        Returns the pieces of an answer.
    context : ssl.SSLContext, optional
        With it, it speaks TLS.
    """

    def __init__(self, answer: Callable[[], Iterable[bytes]], context: ssl.SSLContext | None = None) -> None:
        self._answer, self._context = answer, context
        self._end_s = time.monotonic() + _MOST_S
        self._lock = threading.Lock()
        self._sent_bytes, self._connections = 0, 0
        self._open: set[socket.socket] = set()
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        self._listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, _SEGMENT_BYTES)
        self._listener.bind((ADDRESS, 0))
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._listener.getsockname()[1])

    @property
    def sent_bytes(self) -> int:
        """How many bytes it has sent, of TLS its plain ones."""
        return self._sent_bytes

    @property
    def connections(self) -> int:
        """How many there have been."""
        return self._connections

    def end(self) -> None:
        """End all."""
        self._end_s = 0.0
        for one in (self._listener, *self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(_MOST_S)
                self._connections += 1
                self._open.add(connection)
                threading.Thread(target=self._send, args=(connection,), daemon=True).start()

    def _send(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            whole = self._context.wrap_socket(connection, server_side=True) if self._context else connection
            with whole:
                request = b""
                while b"\r\n\r\n" not in request:
                    request += whole.recv(_PIECE_BYTES)
                for piece in self._answer():
                    if self._sent_bytes >= MOST_BYTES or time.monotonic() > self._end_s:
                        return
                    rest = memoryview(piece)
                    while rest:
                        sent_bytes = whole.send(rest)
                        rest = rest[sent_bytes:]
                        with self._lock:
                            self._sent_bytes += sent_bytes


@contextmanager
def hostile(
    answer: Callable[[], Iterable[bytes]], context: ssl.SSLContext | None = None
) -> Iterator[tuple[str, HostileServer]]:
    """Give a server and its address of HTTP."""
    server = HostileServer(answer, context)
    try:
        yield f"{'https' if context else 'http'}://{ADDRESS}:{server.port}/large", server
    finally:
        server.end()


_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
_ENDLESS = b"x" * _PIECE_BYTES


def flood() -> Iterator[bytes]:
    """A body without an end."""
    return itertools.chain([b"HTTP/1.1 200 OK\r\n\r\n"], itertools.repeat(_ENDLESS))


def dribble() -> Iterator[bytes]:
    """A body without an end that is sent byte by byte."""
    return itertools.chain([b"HTTP/1.1 200 OK\r\n\r\n"], itertools.repeat(b"x"))


def endless_trailer() -> Iterator[bytes]:
    """After a body, fields of a trailer."""
    return itertools.chain([_CHUNKED, b"1\r\nx\r\n0\r\n"], itertools.repeat(b"a: b\r\n" * 2000))


def endless_trailer_line() -> Iterator[bytes]:
    """After a body, a line of a trailer."""
    return itertools.chain([_CHUNKED, b"1\r\nx\r\n0\r\na: "], itertools.repeat(_ENDLESS))


def endless_extension() -> Iterator[bytes]:
    """An extension of a chunk."""
    return itertools.chain([_CHUNKED, b"1\r\nx\r\n1;a="], itertools.repeat(_ENDLESS))


def many_extensions() -> Iterator[bytes]:
    """Chunks of a byte, each with a long extension."""
    return itertools.chain([_CHUNKED], itertools.repeat(b"1;a=" + b"x" * 16_000 + b"\r\nx\r\n"))


def many_trailers() -> Iterator[bytes]:
    """A body of a byte and a long trailer."""
    return iter([_CHUNKED, b"1\r\nx\r\n0\r\n", b"a: b\r\n" * 8000, b"\r\n"])


def interim_answers() -> Iterator[bytes]:
    """Answers before the answer."""
    return itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def large_interim_answers() -> Iterator[bytes]:
    """Answers before the answer, each with a long header."""
    return itertools.repeat(b"HTTP/1.1 102 Processing\r\n" + b"a: b\r\n" * 8000 + b"\r\n")


def endless_header() -> Iterator[bytes]:
    """Fields of a header."""
    return itertools.chain([b"HTTP/1.1 200 OK\r\n"], itertools.repeat(b"a: b\r\n" * 2000))


def endless_header_line() -> Iterator[bytes]:
    """A line of a header."""
    return itertools.chain([b"HTTP/1.1 200 OK\r\na: "], itertools.repeat(_ENDLESS))


def long_status() -> Iterator[bytes]:
    """A status of 60,000 digits."""
    return iter([b"HTTP/1.1 " + b"2" * 60_000 + b" OK\r\n\r\n"])


def redirect_to_itself() -> Iterator[bytes]:
    """Leads to where it comes from."""
    return itertools.chain([b"HTTP/1.1 302 Found\r\nLocation: /large\r\n\r\n"], itertools.repeat(_ENDLESS))
