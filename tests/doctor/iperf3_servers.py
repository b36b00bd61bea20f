"""Servers of iperf3 on loopback, as processes that end with their test."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

ADDRESS = "127.0.0.1"


def free_ports(count: int) -> int:
    """Return the first of so many ports that follow each other and are free."""
    while True:
        with ExitStack() as stack, socket.socket() as first:
            first.bind((ADDRESS, 0))
            port: int = first.getsockname()[1]
            try:
                for following in range(port + 1, port + count):
                    stack.enter_context(socket.socket()).bind((ADDRESS, following))
            except (OSError, OverflowError):
                continue
            return port


def wait_for_data(process: subprocess.Popen[str]) -> None:
    """Wait until a server's next test has a connection for its data."""
    assert process.stdout is not None
    while " connected to " not in process.stdout.readline():
        assert process.poll() is None


@contextmanager
def serving(port: int) -> Iterator[subprocess.Popen[str]]:
    """Give a server that listens."""
    if shutil.which("iperf3") is None:
        pytest.skip("iperf3 is missing")
    words = ["iperf3", "--server", "--bind", ADDRESS, "--port", str(port), "--forceflush"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        while "listening" not in process.stdout.readline():
            assert process.poll() is None
        yield process
    finally:
        process.kill()
        process.communicate()
