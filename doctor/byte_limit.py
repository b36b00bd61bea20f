"""How many bytes a test may read: one limit for all connections, over both paths and in all phases."""

from __future__ import annotations

import select
import socket
import threading

from smartsbd.contracts.fault import Fault

_MS_PER_S = 1000


class LimitReachedError(Fault):
    """As many bytes have been read as may be."""


class ByteLimit:
    """Reads sockets, and from all of them together no more than so many bytes.

    Each byte that is read off a socket counts: headers, framing, TLS and the content. What waits in the kernel's
    buffers does not count: nobody has read it.

    Parameters
    ----------
    limit_bytes : int

    Examples
    --------
    >>> here, there = socket.socketpair()
    >>> there.sendall(b"twelve bytes")
    >>> limit = ByteLimit(6)
    >>> limit.receive(here, 100), limit.left_bytes, limit.is_reached()
    (b'twelve', 0, True)
    >>> here.close(), there.close()
    (None, None)
    """

    def __init__(self, limit_bytes: int) -> None:
        self._lock = threading.Lock()
        self._left_bytes = limit_bytes

    @property
    def left_bytes(self) -> int:
        """How many bytes may still be read."""
        return self._left_bytes

    def is_reached(self) -> bool:
        """Tell whether as many bytes have been read as may be."""
        return self._left_bytes <= 0

    def receive(self, source: socket.socket, most_bytes: int, timeout_s: float | None = None) -> bytes:
        """Wait until something comes; return it, or nothing if the other end has ended.

        Parameters
        ----------
        source : socket.socket
            It has no timeout of its own.
        most_bytes : int
        timeout_s : float, seconds, optional
            Wait no longer; without it, as long as it takes.

        Returns
        -------
        bytes
            At most `most_bytes` of them.

        Raises
        ------
        LimitReachedError
            If nothing more may be read.
        TimeoutError
            If nothing has come in time.
        OSError
            If the connection fails.
        """
        coming = select.poll()
        coming.register(source, select.POLLIN)
        while True:
            if not coming.poll(None if timeout_s is None else max(0.0, timeout_s) * _MS_PER_S):
                raise TimeoutError("timed out")
            # Nobody waits with the lock in hand, so what is left is never promised twice.
            with self._lock:
                if self.is_reached():
                    raise LimitReachedError("as many bytes have been read as may be")
                try:
                    piece = source.recv(min(most_bytes, self._left_bytes), socket.MSG_DONTWAIT)
                except BlockingIOError:
                    continue
                self._left_bytes -= len(piece)
                return piece
