"""The sender of a run, with a send buffer of its own. A program, with its settings as JSON; it ends by SIGTERM."""

from __future__ import annotations

import json
import socket
import sys
from typing import Any

from smartsbd.testbed.sender import TCP_CONGESTION, begin, send_at_rate, send_bulk, sleep_until


def _main(settings: dict[str, Any]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, settings["controller"].encode())
        if settings["send_buffer_bytes"] is not None:
            # The kernel doubles what is asked for.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, settings["send_buffer_bytes"] // 2)
        connection.bind((settings["address"], 0))
        sleep_until(begin() + settings["start_ns"])
        connection.connect((settings["to"], settings["port"]))
        application = settings["application"]
        if application is None:
            send_bulk(connection)
        else:
            send_at_rate(connection, application["rate_mbit_s"], settings["mss_bytes"], application["piece_bytes"])


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
