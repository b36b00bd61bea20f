"""The connections of another program, forwarded over a path, so that what they may read has a limit."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from smartsbd.doctor.byte_limit import ByteLimit, LimitReachedError
from smartsbd.doctor.network_path import connected

#: Where the program connects to.
ADDRESS = "127.0.0.1"
#: Large, so that whoever forwards seldom holds up whoever watches the clock.
_PIECE_BYTES = 1 << 18
_TIMEOUT_S = 10.0


class Forwarder:
    """Forwards connections to a host, from its making on, until the limit is reached.

    Parameters
    ----------
    source : str
        An interface or an address of this host.
    host : str
    port : int
    most_connections : int
        As many as the program makes; further ones are not accepted.
    limit : ByteLimit
        Of what is read off the connections to the host.
    """

    def __init__(self, source: str, host: str, port: int, most_connections: int, limit: ByteLimit) -> None:
        self._source, self._host, self._port = source, host, port
        self._most_connections, self._limit = most_connections, limit
        self._listener = socket.create_server((ADDRESS, 0), backlog=most_connections)
        self._ended = threading.Event()
        self._failure: str | None = None
        self._connections: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._begin(self._listen)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._listener.getsockname()[1])

    @property
    def failure(self) -> str | None:
        """Why the host could not be reached; None if it could."""
        return self._failure

    def end(self) -> None:
        """End all connections."""
        self._ended.set()
        for connection in (self._listener, *self._connections):
            # Wakes the thread that waits for it.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        deadline_s = time.monotonic() + _TIMEOUT_S
        for thread in list(self._threads):
            thread.join(max(0.0, deadline_s - time.monotonic()))
        for connection in (self._listener, *self._connections):
            connection.close()

    def _begin(self, work: Callable[..., None], *arguments: object) -> None:
        self._threads.append(threading.Thread(target=work, args=arguments, daemon=True))
        self._threads[-1].start()

    def _listen(self) -> None:
        for _ in range(self._most_connections):
            try:
                near, _ = self._listener.accept()
            except OSError:
                # It has been ended.
                return
            self._connect(near)

    def _connect(self, near: socket.socket) -> None:
        """Connect to the host for a connection of the program."""
        self._connections.append(near)
        try:
            far = connected(self._source, self._host, self._port, _TIMEOUT_S)
        except (OSError, UnicodeError) as error:
            self._failure = str(error) or type(error).__name__
            with suppress(OSError):
                near.shutdown(socket.SHUT_RDWR)
            return
        self._connections.append(far)
        for connection in (near, far):
            connection.settimeout(None)
            # The sender has held small pieces back already, if it wanted to: they are not held back twice.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._ended.is_set():
            far.close()
            return
        self._begin(self._pass_on, far, near, lambda: self._limit.receive(far, _PIECE_BYTES))
        self._begin(self._pass_on, near, far, lambda: near.recv(_PIECE_BYTES))

    def _pass_on(self, source: socket.socket, target: socket.socket, receive: Callable[[], bytes]) -> None:
        """Pass on what comes, and that it has ended."""
        try:
            while piece := receive():
                target.sendall(piece)
        except LimitReachedError:
            # The host stops sending. The program does not notice: whoever has started it ends it at the limit.
            source.close()
            return
        except OSError:
            # It is passed on as an end.
            pass
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)
