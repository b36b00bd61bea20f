"""Loads by iperf3 over loopback."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from doctor.iperf3_test import Iperf3Test, ServerError, parsed, received
from doctor.load import LoadError
from doctor.network_path import NetworkPath


@pytest.fixture
def port() -> Iterator[int]:
    """Port of a server that takes one test."""
    if shutil.which("iperf3") is None:
        pytest.skip("iperf3 is missing")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
    words = ["iperf3", "--server", "--one-off", "--bind", "127.0.0.1", "--port", str(number), "--forceflush"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    while "listening" not in process.stdout.readline():
        assert process.poll() is None
    yield number
    process.kill()
    process.communicate()


def path_to(port: int) -> NetworkPath:
    return NetworkPath(source="127.0.0.1", load=f"127.0.0.1:{port}", echo="127.0.0.1")


def test_what_the_server_sends_is_counted(port: int, tmp_path: Path) -> None:
    begin_s = time.time()
    load = Iperf3Test(path_to(port), 2, 2, tmp_path / "said.json")
    assert load.look() == 0
    table = load.end()
    assert table.octets[-1] > 10**6
    assert len(table.times_s) >= 15
    assert begin_s <= table.times_s[0] <= table.times_s[-1] <= time.time() + 1


def test_a_server_that_is_not_there_is_said(tmp_path: Path) -> None:
    if shutil.which("iperf3") is None:
        pytest.skip("iperf3 is missing")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        load = Iperf3Test(path_to(free.getsockname()[1]), 1, 1, tmp_path / "said.json")
        with pytest.raises(LoadError, match=r"iperf3: .*(refused|unable to connect)"):
            load.end()


@pytest.mark.parametrize(
    ("report", "why"),
    [
        ({}, "not as expected"),
        (
            {"start": {"timestamp": {"timesecs": 1}}, "intervals": [{"sum": {"end": "soon", "bytes": 1}}]},
            "not as expected",
        ),
        ({"error": "it is busy\n"}, r"iperf3: it is busy\\n"),
    ],
)
def test_other_output_is_said(report: dict[str, Any], why: str) -> None:
    with pytest.raises(LoadError, match=why):
        received(report, 0.0)


@pytest.mark.parametrize("server", ["", "a b", "a:0", "a:65536", "a:b", "[::1", "-c", "a:1:2"])
def test_what_is_no_server_is_refused(server: str) -> None:
    with pytest.raises(ServerError, match=re.escape(f"{server} is not HOST")):
        parsed(server)
