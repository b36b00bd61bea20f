"""Many connections at once between two network namespaces, each with a subflow on either path.

``python many_connections.py receive`` or ``send COUNT ROUNDS``. In each round a half of the connections is replaced.
The sender says ``ready`` after each, and goes on when it reads a line.
"""

from __future__ import annotations

import resource
import selectors
import socket
import sys

_TCP_CONGESTION = 13
_PORTS = range(5400, 5408)
_LINGER_NOT = b"\1\0\0\0\0\0\0\0"
_KIND = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP)


def _receive() -> None:
    selector = selectors.DefaultSelector()
    for port in _PORTS:
        listening = socket.socket(*_KIND)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("10.77.1.2", port))
        listening.listen(4096)
        selector.register(listening, selectors.EVENT_READ, True)
    print("ready", flush=True)
    while True:
        for key, _ in selector.select():
            if key.data:
                accepted, _ = key.fileobj.accept()  # type: ignore[union-attr]
                selector.register(accepted, selectors.EVENT_READ, False)
                continue
            try:
                more = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
            except ConnectionResetError:
                more = b""
            if not more:
                selector.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]


def _opened(place: int) -> socket.socket:
    own = socket.socket(*_KIND)
    own.setsockopt(socket.IPPROTO_TCP, _TCP_CONGESTION, b"sbd_smart")
    own.connect(("10.77.1.2", _PORTS[place % len(_PORTS)]))
    own.sendall(bytes(1024))
    return own


def _send(count: int, rounds: int) -> None:
    connections = [_opened(place) for place in range(count)]
    for number in range(rounds + 1):
        print("ready", flush=True)
        sys.stdin.readline()
        if number == rounds:
            break
        for place in range(number % 2, count, 2):
            connections[place].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
            connections[place].close()
            connections[place] = _opened(place)
    for own in connections:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        own.close()


if __name__ == "__main__":
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if sys.argv[1] == "receive":
        _receive()
    else:
        _send(int(sys.argv[2]), int(sys.argv[3]))
