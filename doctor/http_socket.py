"""What http.client takes for a socket; it does not let a server send headers, trailers or the like for ever."""

from __future__ import annotations

import io

from smartsbd.doctor.byte_stream import ByteStream
from smartsbd.doctor.load import LoadError

#: Of a header, answers before the answer, the lines before and between chunks, a trailer.
MOST_BESIDES_BYTES = 1 << 16


class _AnswerFile(io.RawIOBase):
    """Reads a stream; counts what comes besides the body."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self.besides_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        most_bytes = min(len(buffer), MOST_BESIDES_BYTES - self.besides_bytes)
        if most_bytes <= 0:
            raise LoadError(f"sends more than {MOST_BESIDES_BYTES} bytes without any of the file")
        piece = self._stream.receive(most_bytes)
        buffer[: len(piece)] = piece
        self.besides_bytes += len(piece)
        return len(piece)


class HttpSocket:
    r"""A connection as http.client uses it.

    Parameters
    ----------
    stream : ByteStream

    Examples
    --------
    >>> import http.client, socket
    >>> from smartsbd.doctor.byte_limit import ByteLimit
    >>> from smartsbd.doctor.byte_stream import PlainStream
    >>> here, there = socket.socketpair()
    >>> there.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    >>> connection = http.client.HTTPConnection("192.0.2.1")
    >>> connection.sock = HttpSocket(PlainStream(here, ByteLimit(1000)))
    >>> connection.request("GET", "/")
    >>> connection.getresponse().read()
    b'ok'
    >>> here.close(), there.close()
    (None, None)
    """

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._file = _AnswerFile(stream)

    def sendall(self, octets: bytes) -> None:
        """Send a request."""
        self._stream.send(octets)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return what the answer is read from."""
        return io.BufferedReader(self._file)

    def take_body(self) -> None:
        """Note that a piece of the body has come: the limit of what comes besides it counts from 0 again."""
        self._file.besides_bytes = 0

    def close(self) -> None:
        """Do nothing: whoever made the connection closes it."""
