"""What takes all data, on the client: the connection's, and the rivals' at ports of their own.

A rival whose data go back is answered with data. Run as a program, with its settings as JSON. When it is ended by
SIGTERM, it prints how many bytes came.
"""

from __future__ import annotations

import json
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from smartsbd.testbed.sender import TCP_CONGESTION, begin, send_at_rate, send_bulk

#: Port of the connection.
PORT = 5201
#: Port of the first background flow; the others follow.
FIRST_RIVAL_PORT = 10_000
_ROOM = 1 << 18
#: Room of a rival's sink, whatever the connection's is; the option of Linux that goes beyond net.core.rmem_max.
_RIVAL_ROOM = 1 << 23
_SO_RCVBUFFORCE = 33
#: A rival whose data go back says how many bytes it wants; 0: without end.
ASKED_BYTES = 8


class _Count:
    """Bytes that came, over all connections to a port."""

    def __init__(self) -> None:
        self.bytes = 0
        self._lock = threading.Lock()

    def add(self, more: int) -> None:
        with self._lock:
            self.bytes += more


def _take(connection: socket.socket, count: _Count) -> None:
    room = bytearray(_ROOM)
    # Senders end as the run ends.
    with connection, suppress(ConnectionError):
        while came := connection.recv_into(room):
            count.add(came)


def _give(connection: socket.socket, flow: dict[str, Any]) -> None:
    """Send as many bytes as are asked for."""
    controller = "cubic" if flow["kind"] == "web" else flow["kind"]
    with connection, suppress(OSError):
        connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, controller.encode())
        wanted = int.from_bytes(connection.recv(ASKED_BYTES, socket.MSG_WAITALL), "big")
        if wanted:
            connection.sendall(bytes(wanted))
        elif flow["rate_mbit_s"] is None:
            send_bulk(connection)
        else:
            send_at_rate(connection, flow["rate_mbit_s"], flow["mss_bytes"])


def _listen(listening: socket.socket, handle: Callable[[socket.socket], None]) -> None:
    """Handle each connection to a socket in a thread of its own."""
    listening.listen(64)

    def accept() -> None:
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=handle, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def _counted(listening: socket.socket) -> _Count:
    count = _Count()
    _listen(listening, lambda connection: _take(connection, count))
    return count


def _bound(address: str, port: int, kind: socket.SocketKind, protocol: int = 0) -> socket.socket:
    bound = socket.socket(socket.AF_INET, kind, protocol)
    bound.bind((address, port))
    return bound


def _main(settings: dict[str, Any]) -> None:
    # Before there are other threads, which would be ended by it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    address = settings["address"]
    connection = _counted(_bound(address, PORT, socket.SOCK_STREAM, socket.IPPROTO_MPTCP))
    datagrams = []
    rivals: list[_Count | None] = []
    for port, flow in enumerate(settings["flows"], FIRST_RIVAL_PORT):
        if flow["kind"] == "cbr":
            # Nobody reads it; without it every packet would be answered.
            datagrams.append(_bound(address, port, socket.SOCK_DGRAM))
            rivals.append(None)
            continue
        listening = _bound(address, port, socket.SOCK_STREAM)
        if flow["back"]:
            _listen(listening, partial(_give, flow=flow))
            rivals.append(None)
            continue
        if settings["rivals_have_room"]:
            listening.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RIVAL_ROOM)
        rivals.append(_counted(listening))
    begin()
    signal.sigwait({signal.SIGTERM})
    received = [None if count is None else count.bytes for count in rivals]
    print(json.dumps({"connection": connection.bytes, "background": received}), flush=True)


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
