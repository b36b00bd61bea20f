"""A folder is put to its place whole, once, by one process."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from smartsbd.pipelines.running.unfinished_folder import OutputError, unfinished
from tests.killed_moments import ROOT, check_whole_or_none, ended_at_each


def fail(out: Path, error: BaseException) -> None:
    with unfinished(out) as part:
        (part / "file").write_text("half")
        raise error


def test_what_is_whole_stays_and_what_is_not_goes(tmp_path: Path) -> None:
    with unfinished(tmp_path / "new/out") as part:
        (part / "file").write_text("whole")
        assert not (tmp_path / "new/out").exists()
    assert (tmp_path / "new/out/file").read_text() == "whole"
    with pytest.raises(KeyboardInterrupt):
        fail(tmp_path / "new/other", KeyboardInterrupt())
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["out"]


def test_an_error_names_the_place_that_a_file_was_to_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match="No space") as raised:
        fail(Path("out"), OSError(errno.ENOSPC, "No space", ".out.part/out/inputs/file"))
    assert raised.value.filename == "out/inputs/file"
    with pytest.raises(OSError, match="No space") as raised:
        fail(Path("out"), OSError(errno.ENOSPC, "No space", "elsewhere"))
    assert raised.value.filename == "elsewhere"


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="out is there already"), unfinished(tmp_path / "out"):
        pass


class WithoutRename:
    """A C library that has no renameat2."""

    def __init__(self, *_: object, **__: object) -> None:
        pass


@pytest.mark.parametrize("library", [ctypes.CDLL, WithoutRename])
@pytest.mark.parametrize("kind", ["nothing", "empty folder", "file", "link to nothing"])
def test_what_has_come_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, library: type
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", library)
    out = tmp_path / "out"

    def write() -> None:
        with unfinished(out) as part:
            (part / "file").touch()
            if kind == "empty folder":
                out.mkdir()
            elif kind == "file":
                out.touch()
            elif kind == "link to nothing":
                out.symlink_to("elsewhere")

    if kind == "nothing":
        write()
        assert [path.name for path in out.iterdir()] == ["file"]
    else:
        with pytest.raises(OutputError, match="out is there already"):
            write()
        assert not (out / "file").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_all_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, synced = tmp_path / "out", []

    def sync(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        synced.append((str(path.relative_to(tmp_path)), out.exists()))

    monkeypatch.setattr(os, "fsync", sync)
    with unfinished(out) as part:
        (part / "inputs").mkdir()
        for name in ("inputs/a.log", "truth.csv"):
            (part / name).touch()
        (part / "link").symlink_to("nowhere")
    part = Path(".out.part/out")
    before = [part / "inputs/a.log", part / "inputs", part / "truth.csv", part]
    assert synced == [*((str(path), False) for path in before), (".", True)]


def test_a_file_system_that_cannot_sync_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(_: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", cannot)
    with unfinished(tmp_path / "out"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_disk_that_fails_at_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space") as raised, unfinished(tmp_path / "out"):
        pass
    assert raised.value.filename == str(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", without)
    with unfinished(tmp_path / "out") as part:
        (part / "file").touch()
        with pytest.raises(OutputError, match="remove it if there is no such run"), unfinished(tmp_path / "out"):
            pass
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["file"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".out.part").mkdir()
    (tmp_path / ".out.part/old").touch()
    (tmp_path / ".out.part/out/inputs").mkdir(parents=True)
    (tmp_path / ".out.part/link").symlink_to(tmp_path)
    with unfinished(tmp_path / "out") as part:
        assert list(part.iterdir()) == []
        assert list(part.parent.iterdir()) == [part]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("kind", ["link to a folder", "link to nothing", "file"])
def test_what_is_no_folder_is_not_removed(tmp_path: Path, kind: str) -> None:
    part, elsewhere = tmp_path / ".out.part", tmp_path / "elsewhere"
    if kind == "file":
        part.touch()
    else:
        part.symlink_to(elsewhere)
    if kind == "link to a folder":
        elsewhere.mkdir()
        (elsewhere / "file").touch()
    with (
        pytest.raises(OutputError, match=r"\.out\.part, where out is written at first: "),
        unfinished(tmp_path / "out"),
    ):
        pass
    assert os.path.lexists(part)
    assert kind != "link to a folder" or (elsewhere / "file").exists()


@pytest.mark.parametrize("letters", [250, 255])
def test_a_name_that_is_too_long_for_the_folder_beside_is_refused(tmp_path: Path, letters: int) -> None:
    with pytest.raises(OutputError, match="File name too long"), unfinished(tmp_path / ("a" * letters)):
        pass
    assert list(tmp_path.iterdir()) == []


def _first(out: Path, pipe: Connection) -> None:
    with unfinished(out) as part:
        (part / "first").touch()
        pipe.send("writes")
        pipe.recv()


def test_the_second_of_two_ends_and_the_first_goes_on(tmp_path: Path) -> None:
    here, there = multiprocessing.Pipe()
    first = multiprocessing.get_context("spawn").Process(target=_first, args=(tmp_path / "out", there))
    first.start()
    assert here.recv() == "writes"
    with pytest.raises(OutputError, match="another run is writing it"), unfinished(tmp_path / "out"):
        pass
    here.send("end")
    first.join(20)
    assert first.exitcode == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["first"]


@pytest.mark.parametrize("left", [False, True])
def test_of_several_at_once_one_writes(tmp_path: Path, left: bool) -> None:
    at_once = 6
    for number in range(20):
        out = tmp_path / str(number)
        if left:
            (tmp_path / f".{number}.part/{number}").mkdir(parents=True)
        start, end = threading.Barrier(at_once), threading.Barrier(at_once)

        def write(name: int, out: Path = out, start: threading.Barrier = start, end: threading.Barrier = end) -> str:
            start.wait()
            try:
                with unfinished(out) as part:
                    (part / str(name)).touch()
                    end.wait()
            except OutputError as error:
                end.wait()
                return str(error)
            return ""

        with ThreadPoolExecutor(at_once) as pool:
            told = list(pool.map(write, range(at_once)))
        assert sorted(told) == ["", *[f"{out}: another run is writing it"] * (at_once - 1)]
        assert [path.name for path in out.iterdir()] == [str(told.index(""))]
    assert len(list(tmp_path.iterdir())) == 20


def test_of_several_that_end_quickly_none_is_written_over(tmp_path: Path) -> None:
    """Each begins when another may be at any of its steps."""
    at_once = 8
    for number in range(40):
        out, start = tmp_path / str(number), threading.Barrier(at_once)

        def write(name: int, out: Path = out, start: threading.Barrier = start) -> bool:
            start.wait()
            try:
                with unfinished(out) as part:
                    (part / str(name)).touch()
            except OutputError:
                return False
            return True

        with ThreadPoolExecutor(at_once) as pool:
            wrote = list(pool.map(write, range(at_once)))
        assert wrote.count(True) == 1
        assert [path.name for path in out.iterdir()] == [str(wrote.index(True))]
    assert len(list(tmp_path.iterdir())) == 40


FILES = ("inputs/a", "inputs/b", "truth")
WORK = """
from smartsbd.pipelines.running.unfinished_folder import unfinished

def work():
    with unfinished(folder / "out") as part:
        (part / "inputs").mkdir()
        for name in ("inputs/a", "inputs/b", "truth"):
            (part / name).write_text(name)
    return 0
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_ended_at_any_moment_it_leaves_a_whole_folder_or_none(tmp_path: Path, number: signal.Signals) -> None:
    left = ended_at_each(WORK, tmp_path, number)
    assert len(left) > 10
    check_whole_or_none(left, number)
    assert left[-1].paths == {"out": None, "out/inputs": None, **{f"out/{one}": one for one in FILES}}


FAILED = """
import os, shutil, signal, sys
from pathlib import Path
from smartsbd.pipelines.running.unfinished_folder import unfinished

remove = shutil.rmtree

def asked_twice(*arguments, **options):
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGTERM)
    remove(*arguments, **options)

shutil.rmtree = asked_twice
with unfinished(Path(sys.argv[1])) as part:
    (part / "file").touch()
    if len(sys.argv) > 2:
        raise ValueError("failed")
print("not reached")
"""


@pytest.mark.parametrize(("more", "code"), [([], 128 + signal.SIGTERM), (["fail"], 1)])
def test_a_request_to_end_does_not_break_off_what_is_being_removed(tmp_path: Path, more: list[str], code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FAILED, str(tmp_path / "out"), *more],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, "")
    assert [path.name for path in tmp_path.iterdir()] == [*["out"][: not more]]


def test_who_handles_or_ignores_a_request_to_end_goes_on_doing_so(tmp_path: Path) -> None:
    asked = []
    before = [
        (signal.SIGTERM, signal.signal(signal.SIGTERM, lambda *_: asked.append(1))),
        (signal.SIGHUP, signal.signal(signal.SIGHUP, signal.SIG_DFL)),
    ]
    try:
        with unfinished(tmp_path / "out"):
            signal.raise_signal(signal.SIGTERM)
        assert asked == [1]
        with unfinished(tmp_path / "other"):
            assert signal.getsignal(signal.SIGHUP) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def test_what_was_forked_meanwhile_ends_at_once_and_removes_nothing(tmp_path: Path) -> None:
    with unfinished(tmp_path / "out") as part:
        (part / "file").touch()
        child = os.fork()
        if not child:
            try:
                signal.raise_signal(signal.SIGTERM)
                signal.pause()
            finally:
                os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM
    assert (tmp_path / "out/file").exists()
