"""A sender at a rate: how much it has sent by when, and how much at once."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress

import pytest

from smartsbd.testbed.sender import send_at_rate


@pytest.mark.parametrize(("piece_bytes", "sizes"), [(None, [1000]), (2500, [1000, 1000, 500]), (600, [600])])
def test_a_piece_is_written_segment_by_segment(piece_bytes: int | None, sizes: list[int]) -> None:
    """Over a socket that keeps writes apart."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    whole = sum(sizes)
    # A piece every 50 ms.
    arguments = (ours, whole * 8e-6 / 0.05, 1000, piece_bytes)

    def send() -> None:
        with suppress(BrokenPipeError):
            send_at_rate(*arguments)

    sending = threading.Thread(target=send, daemon=True)
    sending.start()
    first_ns = None
    for number in range(4):
        assert [len(theirs.recv(4096)) for _ in sizes] == sizes
        now_ns = time.monotonic_ns()
        first_ns = first_ns or now_ns
        # None is early; a machine may be late.
        assert now_ns - first_ns > (50 * number - 45) * 1_000_000
    theirs.setblocking(False)
    with pytest.raises(BlockingIOError):
        theirs.recv(4096)
    # It ends with its socket.
    theirs.close()
    sending.join(10)
    assert not sending.is_alive()
