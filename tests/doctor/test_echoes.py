"""Echoes of busybox' ping, which prints no times, get those at which its lines came."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from smartsbd.doctor import echoes
from smartsbd.doctor.network_path import NetworkPath
from smartsbd.doctor.running_tool import ToolError
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import ping_log

#: Stands for busybox: a shell script that says what it is in its help, and whose echoes take 20 ms.
BUSYBOX = """\
#!/bin/sh
[ "$1" = --help ] && { echo "BusyBox v1.35.0 multi-call binary." >&2; exit 1; }
echo "PING 192.0.2.1 (192.0.2.1): 56 data bytes"
[ "$*" = "-i 0.05 -w 1 -I 192.0.2.7 192.0.2.1" ] || { echo "ping: invalid option" >&2; exit 2; }
for number in 0 1 2; do sleep 0.05; echo "64 bytes from 192.0.2.1: seq=$number ttl=57 time=20.123 ms"; done
"""


@pytest.fixture
def path() -> NetworkPath:
    return NetworkPath.model_construct(source="192.0.2.7", echo="192.0.2.1")


@pytest.fixture
def busybox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "programs/ping"
    program.parent.mkdir()
    program.write_text(BUSYBOX)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{Path(shutil.which('sh') or '').parent}")
    return program


def test_lines_of_busybox_get_times(busybox: Path, path: NetworkPath, tmp_path: Path) -> None:
    begin_s = time.time()
    ping = echoes.pinging(path, 50, 1.0, tmp_path / "out")
    echoes.ended(ping)
    ping.kill()
    assert busybox.exists()
    (subflow,) = ping_log.read(tmp_path / "out", Dialect()).connections[0].ordered()
    assert list(subflow.acks.rtt_us) == [20123] * 3
    times_s = [time_ns / 1e9 for time_ns in subflow.acks.time_ns]
    assert begin_s < times_s[0] < times_s[1] < times_s[2] <= time.time()
    assert times_s[2] - times_s[0] > 0.08


def test_what_busybox_fails_with_is_said(busybox: Path, path: NetworkPath, tmp_path: Path) -> None:
    assert busybox.exists()
    ping = echoes.pinging(path, 60, 1.0, tmp_path / "out")
    with pytest.raises(ToolError, match="ping: invalid option"):
        echoes.ended(ping)
    ping.kill()
