"""All processes of a session end, whatever they do against it; others go on."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from smartsbd.models.automl.process import kill_session, members
from tests.processes import PATIENCE_S, waited_for

ROOT = Path(__file__).parents[3]
#: Says its children's numbers, one line for each.
LEADER = """
import os, signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
children = [subprocess.Popen(["sleep", "600"]), subprocess.Popen(["sleep", "600"], process_group=0)]
shell = ["sh", "-c", "trap '' TERM INT HUP; sleep 600 & echo $!; wait"]
children.append(subprocess.Popen(shell, process_group=0, stdout=subprocess.PIPE))
# In one go: lines of two writers may come apart.
os.write(1, b"".join(b"%d\\n" % child.pid for child in children) + children[-1].stdout.readline())
if sys.argv[1] == "stays":
    signal.pause()
"""
#: Starts another child as soon as the last one ends; what it was given as its input ends with the caller.
STARTS_OTHERS = """
import subprocess, sys, threading
from pathlib import Path
from smartsbd.models.automl import program
threading.Thread(target=program._end_with_the_caller, args=(Path(sys.argv[1]),), daemon=True).start()
while True:
    subprocess.run(["sleep", "600"])
"""
Started = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def started() -> Iterator[Started]:
    """Start programs, each in a session of its own; none is left at the end."""
    every = []

    def start(*command: str, **options: object) -> subprocess.Popen[str]:
        process: subprocess.Popen[str] = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,  # type: ignore[call-overload]
        )
        every.append(process)
        return process

    yield start
    for process in every:
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.getsid(int(path.name)) == process.pid:
                    os.kill(int(path.name), signal.SIGKILL)
        process.__exit__(None, None, None)


def lives(process: int) -> bool:
    """Whether a process has neither ended nor is a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def kill(session: int, spare: int | None = None) -> None:
    """Kill a session; fail if that takes long, and would go on for ever."""
    killing = threading.Thread(target=kill_session, args=(session, spare), daemon=True)
    killing.start()
    killing.join(PATIENCE_S)
    assert not killing.is_alive()


def tree(started: Started, leader: str = "stays") -> tuple[subprocess.Popen[str], list[int]]:
    process = started(sys.executable, "-c", LEADER, leader)
    assert process.stdout is not None
    children = sorted(int(process.stdout.readline()) for _ in range(4))
    assert all(lives(child) for child in children)
    return process, children


@pytest.mark.parametrize("leader", ["stays", "goes"])
def test_every_process_of_a_session_is_killed(started: Started, leader: str) -> None:
    process, children = tree(started, leader)
    if leader == "goes":
        process.wait()
    assert len({os.getpgid(child) for child in children}) > 2
    assert sorted(members(process.pid)) == sorted([*children, process.pid] if leader == "stays" else children)
    kill(process.pid)
    assert not any(lives(child) for child in [*children, process.pid])
    assert members(process.pid) == []


def test_the_one_to_spare_lives(started: Started) -> None:
    process, children = tree(started)
    kill(process.pid, spare=process.pid)
    assert lives(process.pid)
    assert not any(lives(child) for child in children)


def test_other_sessions_go_on(started: Started) -> None:
    (one, _), (other, others) = tree(started), tree(started)
    kill(one.pid)
    assert not lives(one.pid)
    assert all(lives(process) for process in [other.pid, *others])


def test_where_there_is_none_nothing_is_waited_for(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    process = started("true")
    # Nobody has waited for it: it is a zombie.
    assert waited_for(lambda: ") Z " in Path(f"/proc/{process.pid}/stat").read_text())
    assert members(process.pid) == []
    slept_s: list[float] = []
    here, sleep = threading.get_ident(), time.sleep
    # A thread that another test has left may sleep.
    monkeypatch.setattr(time, "sleep", lambda s: slept_s.append(s) if threading.get_ident() == here else sleep(s))
    kill(process.pid)
    process.wait()
    kill(process.pid)
    assert slept_s == []


@pytest.mark.parametrize("name", ["a b", "a) Z 1 1 1 (b", ") S 1 1 1", "((", "))"])
def test_a_program_may_have_any_name(started: Started, tmp_path: Path, name: str) -> None:
    sleep = shutil.which("sleep")
    assert sleep is not None
    (tmp_path / name).symlink_to(sleep)
    process = started("sleep", "600", executable=str(tmp_path / name))
    assert waited_for(lambda: Path(f"/proc/{process.pid}/comm").read_text() == f"{name}\n")
    assert members(process.pid) == [process.pid]
    kill(process.pid)
    assert process.wait() == -signal.SIGKILL


def test_what_goes_on_starting_others_ends_with_its_caller(started: Started, tmp_path: Path) -> None:
    folder = tmp_path / "search"
    (folder / "deep").mkdir(parents=True)
    process = started(sys.executable, "-c", STARTS_OTHERS, str(folder), cwd=ROOT)
    assert process.stdin is not None
    assert waited_for(lambda: len(members(process.pid)) == 2)
    process.stdin.close()
    assert waited_for(lambda: process.poll() is not None)
    assert members(process.pid) == []
    assert not folder.exists()
    assert tmp_path.exists()
