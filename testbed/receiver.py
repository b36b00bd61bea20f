"""What takes all data, on the client: the connection's, and the rivals' at ports of their own.

Run as a program, with its settings as JSON. When it is ended by SIGTERM, it prints how many bytes came.
"""

from __future__ import annotations

import json
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import Any

from testbed.sender import begin

#: Port of the connection.
PORT = 5201
#: Port of the first background flow; the others follow.
FIRST_RIVAL_PORT = 10_000
_ROOM = 1 << 18


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


def _listen(address: str, port: int, protocol: int) -> _Count:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    listening.bind((address, port))
    listening.listen(64)
    count = _Count()

    def accept() -> None:
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=_take, args=(connection, count), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return count


def _main(settings: dict[str, Any]) -> None:
    # Before there are other threads, which would be ended by it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    connection = _listen(settings["address"], PORT, socket.IPPROTO_MPTCP)
    datagrams = []
    rivals: list[_Count | None] = []
    for number, kind in enumerate(settings["kinds"]):
        if kind == "cbr":
            # Nobody reads it; without it every packet would be answered.
            one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            one.bind((settings["address"], FIRST_RIVAL_PORT + number))
            datagrams.append(one)
            rivals.append(None)
        else:
            rivals.append(_listen(settings["address"], FIRST_RIVAL_PORT + number, socket.IPPROTO_TCP))
    begin()
    signal.sigwait({signal.SIGTERM})
    received = [None if one is None else one.bytes for one in rivals]
    print(json.dumps({"connection": connection.bytes, "background": received}), flush=True)


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
