"""The relay, built as `make testbed` builds it, and whether this machine lets a testbed be made."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from smartsbd.testbed import machine

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def relay() -> Path:
    """The relay's program."""
    for tool in ("make", "g++"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing")
    made = subprocess.run(["make", "-C", str(ROOT / "testbed/relay")], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return machine.RELAY


@pytest.fixture(scope="session")
def allowed(relay: Path) -> Path:
    """The same, where namespaces and devices can be made."""
    try:
        machine.check(recorder=False)
    except machine.MachineError as error:
        pytest.skip(str(error))
    words = ["unshare", "--mount", "--net", "--pid", "--fork", "ip", "tuntap", "add", "path", "mode", "tun"]
    tried = subprocess.run(words, capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(tried.stderr.strip())
    return relay


@pytest.fixture(scope="session")
def without_logs(allowed: Path) -> str | None:
    """Why there can be no logs here; None if there can."""
    del allowed
    if not machine.RECORDER.is_file():
        return f"{machine.RECORDER} is not there"
    tried = subprocess.run([machine.RECORDER, "--seconds", "0.1"], capture_output=True, text=True, check=False)
    return tried.stderr.strip() if tried.returncode else None
