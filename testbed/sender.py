"""The connection's sender, on the server: bulk, on and off, or at a rate.

Run as a program, with its settings as JSON. It imports nothing of this project: it starts at once.
"""

from __future__ import annotations

import json
import random
import socket
import sys
import time
from collections.abc import Iterator
from typing import Any

TCP_CONGESTION = 13
_BLOCK = bytes(1 << 16)
_NS_PER_S = 10**9


def begin() -> int:
    """Say that this program is ready; return when the time is 0, in ns of the monotonic clock."""
    print("ready", flush=True)
    return int(sys.stdin.readline())


def sleep_until(time_ns: int) -> None:
    """Sleep until a time of the monotonic clock."""
    left_ns = time_ns - time.monotonic_ns()
    if left_ns > 0:
        time.sleep(left_ns / _NS_PER_S)


def periods_s(on_s: float, off_s: float, seed: int) -> Iterator[tuple[float, float]]:
    """Yield the lengths of a period with data and of the one without that follows, both exponential.

    Parameters
    ----------
    on_s, off_s : float, seconds
        Their means.
    seed : int

    Yields
    ------
    (float, float)
        Seconds with data, and seconds without.
    """
    draw = random.Random(seed)  # noqa: S311 - no secret
    while True:
        yield draw.expovariate(1 / on_s), draw.expovariate(1 / off_s)


def send_for(connection: socket.socket, until_ns: int) -> None:
    """Send as much as possible until a time."""
    while (left_ns := until_ns - time.monotonic_ns()) > 0:
        connection.settimeout(left_ns / _NS_PER_S)
        try:
            connection.send(_BLOCK)
        except TimeoutError:
            return


def send_bulk(connection: socket.socket) -> None:
    """Send for ever."""
    while True:
        connection.sendall(_BLOCK)


def send_at_rate(
    connection: socket.socket, rate_mbit_s: float, segment_bytes: int, piece_bytes: int | None = None
) -> None:
    """Send pieces at a constant rate, for ever; what is behind because there was no room follows at once.

    Parameters
    ----------
    connection : socket.socket
    rate_mbit_s : float, Mbit/s
        Of the payload.
    segment_bytes : int
    piece_bytes : int, optional
        What is there at once, one segment unless said otherwise. Each segment is written by itself: MPTCP's scheduler
        chooses a subflow for what is written at once.
    """
    piece_bytes = piece_bytes or segment_bytes
    segments = [bytes(min(segment_bytes, piece_bytes - at)) for at in range(0, piece_bytes, segment_bytes)]
    step_ns = round(piece_bytes * 8_000 / rate_mbit_s)
    due_ns = time.monotonic_ns()
    while True:
        for segment in segments:
            connection.sendall(segment)
        due_ns += step_ns
        sleep_until(due_ns)


def _main(settings: dict[str, Any]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, settings["congestion_control"].encode())
        connection.bind((settings["address"], 0))
        sleep_until(begin() + settings["start_ns"])
        connection.connect((settings["to"], settings["port"]))
        application = settings["application"]
        if application is None:
            send_bulk(connection)
        elif application["kind"] == "rate":
            send_at_rate(connection, application["rate_mbit_s"], settings["mss_bytes"], application.get("piece_bytes"))
        else:
            now_ns = time.monotonic_ns()
            for on_s, off_s in periods_s(application["on_s"], application["off_s"], settings["seed"]):
                send_for(connection, now_ns + round(on_s * _NS_PER_S))
                now_ns += round((on_s + off_s) * _NS_PER_S)
                sleep_until(now_ns)


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
