"""docs/sample-ss.sh: what it prints of two transfers over loopback is an input of two paths."""

from __future__ import annotations

import os
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


def _with_tools(folder: Path, **tools: str) -> dict[str, str]:
    """Return an environment in which shell scripts stand for tools."""
    for name, script in tools.items():
        tool = folder / name
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


#: As iproute2 6.7 does.
INFO_WITH_PROGRAMS_ONLY = """
echo "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process"
case $1 in
*p*) echo 'ESTAB 0 0 10.0.0.1:1 10.0.0.2:2 users:(("a",pid=1,fd=3)) cubic rtt:1.5/1 cwnd:10 bytes_acked:5' ;;
*) echo 'ESTAB 0 0 10.0.0.1:1 10.0.0.2:2' ;;
esac
"""


def test_an_ss_that_prints_nothing_without_p_is_asked_with_it(tmp_path: Path) -> None:
    log = tmp_path / "ss.log"
    with log.open("wb") as out:
        command = ["sh", str(SCRIPT), "-i", "0.1", "-d", "1"]
        environment = _with_tools(tmp_path, ss=INFO_WITH_PROGRAMS_ONLY)
        subprocess.run(command, stdout=out, check=True, timeout=PATIENCE_S, env=environment)
    trace = recording.read(log, Dialect()).trace
    assert trace.records_out == trace.records_in == log.read_bytes().count(b"users:") > 0


def test_a_date_without_fractions_is_replaced_by_the_system_s_time(tmp_path: Path) -> None:
    log = tmp_path / "ss.log"
    with log.open("wb") as out:
        command = ["sh", str(SCRIPT), "-i", "0.1", "-d", "1"]
        date = 'case $1 in *N*) echo "${1#+}" ;; *) exec /bin/date "$@" ;; esac'
        environment = _with_tools(tmp_path, ss=INFO_WITH_PROGRAMS_ONLY, date=date)
        subprocess.run(command, stdout=out, check=True, timeout=PATIENCE_S, env=environment)
    (subflow,) = recording.read(log, Dialect()).trace.connections[0].ordered()
    assert subflow.resolution_ns == 10_000_000
    assert 0 <= subflow.start_ns / 1e9 <= time.clock_gettime(time.CLOCK_BOOTTIME)


@pytest.mark.parametrize("arguments", [["-d", "soon"], ["-x"]])
def test_a_wrong_command_line_says_how_it_is_used(arguments: list[str]) -> None:
    command = ["sh", str(SCRIPT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage: sh sample-ss.sh" in done.stderr
