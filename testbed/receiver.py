"""What takes all data, on the client: the connection's, and the rivals' at ports of their own.

Run as a program, with its settings as JSON.
"""

from __future__ import annotations

import json
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


def _take(connection: socket.socket) -> None:
    room = bytearray(_ROOM)
    # Senders end as the run ends.
    with connection, suppress(ConnectionError):
        while connection.recv_into(room):
            pass


def _listen(address: str, port: int, protocol: int) -> None:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    listening.bind((address, port))
    listening.listen(64)

    def accept() -> None:
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=_take, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def _main(settings: dict[str, Any]) -> None:
    _listen(settings["address"], PORT, socket.IPPROTO_MPTCP)
    datagrams = []
    for number, kind in enumerate(settings["kinds"]):
        if kind == "cbr":
            # Nobody reads it; without it every packet would be answered.
            one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            one.bind((settings["address"], FIRST_RIVAL_PORT + number))
            datagrams.append(one)
        else:
            _listen(settings["address"], FIRST_RIVAL_PORT + number, socket.IPPROTO_TCP)
    begin()
    threading.Event().wait()


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
