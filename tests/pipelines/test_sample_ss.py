"""docs/sample-ss.sh: what it prints of two transfers over loopback is an input of two paths."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from smartsbd.features.judged_rtts import SMOOTHED, judged
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from tests.processes import PATIENCE_S

SCRIPT = Path(__file__).parents[2] / "docs/sample-ss.sh"
pytestmark = pytest.mark.skipif(shutil.which("ss") is None, reason="there is no ss")


def _drain(server: socket.socket) -> None:
    """Take what comes on two connections until they end."""
    with ExitStack() as stack:
        peers = [stack.enter_context(server.accept()[0]) for _ in range(2)]
        threads = [
            threading.Thread(target=lambda peer=peer: list(iter(lambda: peer.recv(1 << 16), b""))) for peer in peers
        ]
        for one in threads:
            one.start()
        for one in threads:
            one.join()


@pytest.fixture
def port() -> Iterator[int]:
    """Two transfers to a port of loopback that go on while this lasts."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        number: int = server.getsockname()[1]
        threads = [threading.Thread(target=_drain, args=(server,))]
        senders = [socket.create_connection(("127.0.0.1", number)) for _ in range(2)]

        def send() -> None:
            while not over.wait(0.002):
                for one in senders:
                    one.sendall(bytes(2000))
            for one in senders:
                one.close()

        threads.append(threading.Thread(target=send))
        for one in threads:
            one.start()
        yield number
        over.set()
        for one in threads:
            one.join()


def sampled(port: int, log: Path, seconds: int) -> bool:
    """Sample for some seconds; tell whether that made a few samples, which take longer on a busy machine."""
    with log.open("wb") as out:
        command = ["sh", str(SCRIPT), "-i", "0.05", "-d", str(seconds), f"dport = :{port}"]
        subprocess.run(command, stdout=out, check=True, timeout=seconds + PATIENCE_S)
    return log.read_bytes().count(b"State") >= 20


def test_two_sockets_become_two_paths_with_smoothed_rtts(port: int, tmp_path: Path) -> None:
    log = tmp_path / "ss.log"
    assert any(sampled(port, log, seconds) for seconds in (2, 8, 32))
    (whole,) = recording.as_one([recording.read(log, Dialect())])
    assert whole.source == "socket_stats"
    assert (whole.trace.refused(), whole.trace.unused) == ({}, {})
    ((_, connection),) = whole.connections()
    found = judged(connection)
    assert [own.kind for own in found.values()] == [SMOOTHED, SMOOTHED]
    for own in found.values():
        assert own.signals.rtt_us.size >= 5
        interval_ns = np.diff(own.signals.rtt_time_ns)
        assert (interval_ns > 0.05e9).all()
    assert all(subflow.acks.acked_bytes[-1] > subflow.acks.acked_bytes[0] for subflow in connection.ordered())


def test_an_interrupt_ends_it_well(port: int) -> None:
    # Unbuffered: `communicate` passes over what a buffered `readline` has taken beyond its line.
    with subprocess.Popen(["sh", str(SCRIPT), f"dport = :{port}"], stdout=subprocess.PIPE, bufsize=0) as sampling:
        assert sampling.stdout is not None
        sampling.stdout.readline()
        time.sleep(0.2)
        sampling.send_signal(signal.SIGTERM)
        assert sampling.communicate(timeout=PATIENCE_S)[0].startswith(b"State")
    assert sampling.returncode == 0


@pytest.mark.parametrize("arguments", [["-d", "soon"], ["-x"]])
def test_a_wrong_command_line_says_how_it_is_used(arguments: list[str]) -> None:
    command = ["sh", str(SCRIPT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage: sh sample-ss.sh" in done.stderr
