"""Traffic beside the connection: bulk TCP, TCP and UDP at a rate, web transfers. One thread for each flow.

The data of some go the other way: the rival asks for them.

Run as a program, with its settings as JSON.
"""

from __future__ import annotations

import json
import random
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from smartsbd.testbed.receiver import ASKED_BYTES
from smartsbd.testbed.sender import TCP_CONGESTION, begin, send_at_rate, send_bulk, sleep_until

#: Sizes of web transfers: Pareto, bounded, as the simulator draws them.
_SHAPE, _LEAST_BYTES, _MOST_BYTES = 1.2, 8_000, 1_000_000
_BYTE_MBIT = 8e-6
_ROOM = 1 << 18


def web_bytes(uniform: float) -> int:
    """Return the size of a web transfer that a number in [0, 1) stands for: the quantile of the bounded Pareto.

    Returns
    -------
    int, bytes

    Examples
    --------
    >>> web_bytes(0), web_bytes(0.5), web_bytes(0.999999999)
    (8000, 14218, 999999)
    """
    part = (_LEAST_BYTES / _MOST_BYTES) ** _SHAPE
    return int(_LEAST_BYTES * (1 - uniform * (1 - part)) ** (-1 / _SHAPE))


def mean_web_bytes() -> float:
    """Return the mean size of a web transfer.

    Returns
    -------
    float, bytes

    Examples
    --------
    >>> round(mean_web_bytes())
    29816
    """
    part = _LEAST_BYTES / _MOST_BYTES
    return float(_SHAPE / (_SHAPE - 1) * _LEAST_BYTES * (1 - part ** (_SHAPE - 1)) / (1 - part**_SHAPE))


def _connected(flow: dict[str, Any], controller: str) -> socket.socket:
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, controller.encode())
    connection.bind((flow["address"], 0))
    connection.connect((flow["to"], flow["port"]))
    return connection


def _transfer(flow: dict[str, Any], size_bytes: int) -> None:
    with suppress(OSError), _connected(flow, "cubic") as connection:
        if flow["back"]:
            _receive(connection, size_bytes)
        else:
            connection.sendall(bytes(size_bytes))


def _receive(connection: socket.socket, size_bytes: int) -> None:
    """Ask the other end for so many bytes, 0 for no end, and take them."""
    connection.sendall(size_bytes.to_bytes(ASKED_BYTES, "big"))
    room = bytearray(_ROOM)
    while connection.recv_into(room):
        pass


def _web(flow: dict[str, Any]) -> None:
    draw = random.Random(flow["seed"])  # noqa: S311 - no secret
    per_s = flow["rate_mbit_s"] / _BYTE_MBIT / mean_web_bytes()
    due_ns = time.monotonic_ns()
    while True:
        due_ns += round(draw.expovariate(per_s) * 1e9)
        sleep_until(due_ns)
        threading.Thread(target=_transfer, args=(flow, web_bytes(draw.random())), daemon=True).start()


def _run(flow: dict[str, Any], origin_ns: int) -> None:
    sleep_until(origin_ns + flow["start_ns"])
    if flow["kind"] == "web":
        _web(flow)
    elif flow["kind"] == "cbr":
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
            datagrams.bind((flow["address"], 0))
            datagrams.connect((flow["to"], flow["port"]))
            send_at_rate(datagrams, flow["rate_mbit_s"], flow["mss_bytes"])
    else:
        with _connected(flow, flow["kind"]) as connection:
            if flow["back"]:
                _receive(connection, 0)
            elif flow["rate_mbit_s"] is None:
                send_bulk(connection)
            else:
                send_at_rate(connection, flow["rate_mbit_s"], flow["mss_bytes"])


def _main(flows: list[dict[str, Any]]) -> None:
    origin_ns = begin()
    for flow in flows:
        threading.Thread(target=_run, args=(flow, origin_ns), daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
