"""The controllers in this machine's kernel: loaded for a while, and asked what they do."""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[2]
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
_COUNTS = Path("/proc/sys/kernel/bpf_stats_enabled")
#: Number of the system call bpf.
_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
#: Its commands, and what is read of struct bpf_prog_info.
_NEXT_PROGRAM, _PROGRAM_OF_ID, _INFO = 11, 13, 15
_INFO_BYTES, _NAME = 128, slice(64, 80)
_PROGRAMS = {"lia_init", "smart_init", "any_release", "lia_pkts_acked", "any_cong_avoid"}
#: Instructions that the verifier may go through for one program: an eighth of its own limit. The common lag takes most,
#: on 6.12 more than on 6.18.
MOST_INSTRUCTIONS = 125_000
NAMES = {"sbd_lia", "sbd_smart"}
_LOCK = Path(tempfile.gettempdir()) / "smartsbd-controllers.lock"
#: The lock, while this process has it.
_HELD: list[IO[str]] = []


@dataclass(frozen=True)
class Controllers:
    """Both, from loading to unloading."""

    program: Path

    def asked(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Run ``sbd-kernel``."""
        return subprocess.run([self.program, *words], capture_output=True, text=True, check=False)

    def status(self) -> dict[str, Any]:
        """What they tell."""
        told = self.asked("status", "--json")
        assert told.returncode == 0, told.stderr
        # Behind it may come controllers of a test before, while its last sockets end.
        first: dict[str, Any] = json.loads(told.stdout.splitlines()[0])
        return first

    def await_status(self, wanted: Callable[[dict[str, Any]], bool], seconds: float) -> dict[str, Any]:
        """What they tell once it is as wanted; an error if it never is."""
        until = time.monotonic() + seconds
        while not wanted(told := self.status()):
            assert time.monotonic() < until, told
            time.sleep(0.1)
        return told


@contextmanager
def alone() -> Iterator[None]:
    """Wait until no other test has the controllers: a kernel has them once, and tests run side by side."""
    if _HELD:
        yield
        return
    with _LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _HELD.append(lock)
        try:
            yield
        finally:
            _HELD.clear()


@contextmanager
def loaded(program: Path, *options: str | Path) -> Iterator[Controllers]:
    """Load them; take them away in the end. Tests that run beside this one wait for it."""
    own = Controllers(program)
    with alone():
        done = own.asked("load", *options)
        assert done.returncode == 0, done.stderr
        try:
            yield own
        finally:
            own.asked("unload")


def available() -> set[str]:
    """Controllers that the kernel has."""
    return set(AVAILABLE.read_text().split())


def loaded_programs() -> set[int]:
    """Ids of the controllers' BPF programs in the kernel, by their names."""
    call = ctypes.CDLL(None, use_errno=True).syscall

    def asked(command: int, *words: int) -> tuple[int, ...]:
        attributes = (ctypes.c_uint32 * 4)(*words)
        found = call(_BPF, command, ctypes.byref(attributes), ctypes.sizeof(attributes))
        return found, *attributes

    found, last = set(), 0
    while (answer := asked(_NEXT_PROGRAM, last))[0] == 0:
        last = answer[2]
        descriptor = asked(_PROGRAM_OF_ID, last)[0]
        if descriptor < 0:
            # It went meanwhile.
            continue
        info = ctypes.create_string_buffer(_INFO_BYTES)
        address = ctypes.addressof(info)
        asked(_INFO, descriptor, _INFO_BYTES, address & 0xFFFFFFFF, address >> 32)
        os.close(descriptor)
        if info.raw[_NAME].split(b"\0")[0].decode() in _PROGRAMS:
            found.add(last)
    return found


@contextmanager
def counting() -> Iterator[None]:
    """Let the kernel count what BPF programs take; set it back in the end."""
    before = _COUNTS.read_text()
    _COUNTS.write_text("1")
    try:
        yield
    finally:
        _COUNTS.write_text(before)


@contextmanager
def emulated(folder: Path, *scenarios: Path) -> Iterator[None]:
    """Run scenarios of the testbed, side by side, under sbd_smart; end them in the end."""
    words = [sys.executable, "-m", "pipelines", "testbed", *map(str, scenarios), "--jobs", str(len(scenarios))]
    words += ["--congestion-control", "sbd_smart", "--captures-only", "--out", str(folder / "made")]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, env=environment, cwd=ROOT) as own:
        try:
            yield
        finally:
            own.terminate()
