"""Loads by iperf3 over loopback."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from smartsbd.doctor import observed, phases
from smartsbd.doctor.answer import answer
from smartsbd.doctor.byte_limit import ByteLimit
from smartsbd.doctor.guided_test import BOTH, Settings, received_file
from smartsbd.doctor.iperf3_test import Iperf3Server, Iperf3Test, ServerError, interval_s
from smartsbd.doctor.load import LoadError
from smartsbd.doctor.network_path import NetworkPath
from smartsbd.doctor.phases import LoadLimitError
from smartsbd.doctor.received import Received
from tests.doctor.iperf3_servers import free_ports, serving, wait_for_data
from tests.doctor.ping import needs_ping
from tests.processes import PATIENCE_S, waited_for

_FOREVER_BYTES = 10**15
#: Of a phase that ends before its time.
_LONG_S = 600


@pytest.fixture
def server() -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Port of a server, and its process."""
    port = free_ports(1)
    with serving(port) as process:
        yield port, process


def path_to(port: int, source: str = "127.0.0.1") -> NetworkPath:
    return NetworkPath(source=source, load=f"127.0.0.1:{port}", echo="127.0.0.1")


def until_failed(load: Iperf3Test) -> None:
    waited_for(load.look)


def test_what_the_server_sends_is_counted(server: tuple[int, Any], tmp_path: Path) -> None:
    begin_s = time.time()
    load = Iperf3Test(path_to(server[0]), 2, 2, ByteLimit(_FOREVER_BYTES), tmp_path / "said.json")
    time.sleep(2)
    assert load.look() == 0
    table = load.end()
    assert load.end() == table
    assert table.octets[-1] > 10**6
    assert len(table.times_s) >= 15
    assert begin_s <= table.times_s[0] <= table.times_s[-1] <= time.time() + 1


def test_no_more_comes_than_may(server: tuple[int, Any], tmp_path: Path) -> None:
    limit = ByteLimit(20_000_000)
    load = Iperf3Test(path_to(server[0]), 2, 60, limit, tmp_path / "said.json")
    assert waited_for(limit.is_reached)
    assert load.look() == 0
    assert limit.left_bytes == 0
    # What came in the last moment, iperf3 may not have read.
    assert load.end().octets[-1] < 20_000_000


def test_a_server_that_falls_silent_is_measured(server: tuple[int, Any], tmp_path: Path) -> None:
    port, process = server
    load = Iperf3Test(path_to(port), 1, 3, ByteLimit(_FOREVER_BYTES), tmp_path / "said.json")
    wait_for_data(process)
    time.sleep(1)
    process.send_signal(signal.SIGSTOP)
    time.sleep(2)
    # It fails if iperf3 does not end soon.
    table = load.end()
    assert table.octets[-1] > 10**6
    assert table.mbit_s(table.times_s[-1] - 1, table.times_s[-1]) == 0


def test_a_server_that_never_answers_is_measured(server: tuple[int, Any], tmp_path: Path) -> None:
    port, process = server
    process.send_signal(signal.SIGSTOP)
    load = Iperf3Test(path_to(port), 1, 3, ByteLimit(_FOREVER_BYTES), tmp_path / "said.json")
    time.sleep(1)
    assert load.look() == 0
    assert load.end().octets[-1] == 0


def test_what_had_come_of_a_load_that_breaks_off_is_kept(server: tuple[int, Any], tmp_path: Path) -> None:
    port, process = server
    load = Iperf3Test(path_to(port), 1, 60, ByteLimit(_FOREVER_BYTES), tmp_path / "said.json")
    wait_for_data(process)
    time.sleep(1)
    process.kill()
    with pytest.raises(LoadError, match="iperf3: ") as found:
        until_failed(load)
    report = json.loads((tmp_path / "said.json").read_text())
    assert found.value.came.octets[-1] > 10**6
    assert len({one["sum"]["end"] for one in report["intervals"]}) == len(found.value.came.octets) - 1
    with pytest.raises(LoadError, match="iperf3: "):
        load.end()


def test_a_server_that_is_not_there_is_said(tmp_path: Path) -> None:
    if shutil.which("iperf3") is None:
        pytest.skip("iperf3 is missing")
    load = Iperf3Test(path_to(free_ports(1)), 1, 60, ByteLimit(_FOREVER_BYTES), tmp_path / "said.json")
    with pytest.raises(LoadError, match=r"iperf3: .*(refused|unable to connect)"):
        until_failed(load)


def settings(ports: tuple[int, int], **changes: Any) -> Settings:
    one, other = (path_to(port, source) for port, source in zip(ports, ("127.0.0.1", "127.0.0.2"), strict=True))
    asked: dict[str, Any] = {"idle_s": 1, "alone_s": 1, "both_s": 4, "streams": 1, "most_mb": 10**6}
    return Settings(paths=(one, other), load="iperf3", echo_interval_ms=200, **{**asked, **changes})


@needs_ping
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP])
def test_a_test_whose_server_ends_or_falls_silent_is_kept_and_unknown(tmp_path: Path, sign: signal.Signals) -> None:
    port = free_ports(2)
    with serving(port), serving(port + 1) as second:

        def disturb() -> None:
            # With the second path alone, and with both.
            wait_for_data(second)
            wait_for_data(second)
            time.sleep(0.7)
            second.send_signal(sign)

        threading.Thread(target=disturb, daemon=True).start()
        both_s = _LONG_S if sign == signal.SIGKILL else 4
        done = list(phases.run(settings((port, port + 1), both_s=both_s), tmp_path))
    seen = observed.of_test(tmp_path)
    said = answer(seen)
    assert [one.name for one in done] == list(seen.phases) == ["idle", "first", "second", "both"]
    assert seen.phases[BOTH].received[1].octets[-1] > 10**6
    assert said.shared is None and said.why is not None
    if sign == signal.SIGKILL:
        assert said.why.startswith("the load broke off with both loaded: iperf3: ")
        assert seen.phases[BOTH].end_s - seen.phases[BOTH].begin_s < PATIENCE_S
    else:
        assert said.why == "0 Mbit/s came over 127.0.0.2, while both were loaded"


@needs_ping
def test_a_test_whose_server_ends_with_a_path_alone_is_kept_as_far_as_it_went(tmp_path: Path) -> None:
    port = free_ports(2)
    with serving(port), serving(port + 1) as second:

        def disturb() -> None:
            wait_for_data(second)
            time.sleep(0.7)
            second.kill()

        threading.Thread(target=disturb, daemon=True).start()
        done = list(phases.run(settings((port, port + 1), alone_s=4), tmp_path))
    assert [one.name for one in done] == ["idle", "first", "second"]
    said = answer(observed.of_test(tmp_path))
    assert [one.grounds for one in said.witnesses] == ["the test ended before both were loaded"] * 3
    assert said.why is not None and said.why.startswith("the load broke off with 127.0.0.2 loaded: iperf3: ")


@needs_ping
def test_as_much_as_may_come_ends_a_phase(server: tuple[int, Any], tmp_path: Path) -> None:
    begin_s = time.monotonic()
    with pytest.raises(LoadLimitError, match="20 MB came before phase second"):
        list(phases.run(settings((server[0], server[0]), alone_s=_LONG_S, most_mb=20), tmp_path))
    assert time.monotonic() - begin_s < PATIENCE_S
    assert Received.read(tmp_path / received_file("first", 0)).octets[-1] < 20_000_000


def test_a_long_test_with_many_streams_is_asked_less_often() -> None:
    for streams, seconds in ((1, 1.0), (4, 40.0), (64, 3600.0), (64, 400.0), (8, 3600.0)):
        rows = (streams + 1) * seconds / interval_s(streams, seconds)
        assert rows <= max(100_000, (streams + 1) * seconds)


@pytest.mark.parametrize("server", ["", "a b", "a:0", "a:65536", "a:b", "[::1", "-c", "a:1:2"])
def test_what_is_no_server_is_refused(server: str) -> None:
    with pytest.raises(ServerError, match=re.escape(f"{server} is not HOST")):
        Iperf3Server.parsed(server)


@pytest.mark.parametrize(
    ("server", "following"), [("a", "a:5202"), ("192.0.2.1:7", "192.0.2.1:8"), ("[::1]:7", "[::1]:8")]
)
def test_the_next_server_has_the_next_port(server: str, following: str) -> None:
    assert str(Iperf3Server.parsed(server).following()) == following


def test_the_last_port_has_no_next() -> None:
    with pytest.raises(ServerError, match="a:65535 has no next port: name a server for each path"):
        Iperf3Server.parsed("a:65535").following()
