"""Each program ends with one line and a status when a machine has no more room or memory; none has letters missing."""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running import parallel, stage
from smartsbd.pipelines.running.stage import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_OK
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.stored import blocks

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
LOG = ROOT / "data/samples/kernel/inputs/101.state.csv.zst"
#: Nobody writes to it, and no terminal has letters that are not in its name.
NAME = "übertragung.csv.zst"
TERMINALS = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "latin": {"PYTHONIOENCODING": "latin-1"},
}


def sbd(*arguments: object, out: str | None = None, **more: str) -> tuple[int, bytes, str]:
    """Run a command outside of a project; return its status, and what it said on both streams."""
    with open(out or os.devnull, "wb") as stream:  # noqa: PTH123 - a device
        done = subprocess.run(
            [sys.executable, "-m", "pipelines", *map(str, arguments)],
            env=os.environ | {"PYTHONPATH": str(ROOT)} | more,
            stdout=stream if out else subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
            timeout=120,
        )
    error = done.stderr.decode("ascii", "replace")
    assert "Traceback" not in error
    assert "Exception ignored" not in error
    return done.returncode, done.stdout or b"", error


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(LOG, tmp_path / NAME)
    return tmp_path / NAME


@pytest.mark.parametrize("terminal", list(TERMINALS))
@pytest.mark.parametrize("command", ["detect", "inspect"])
def test_a_terminal_that_has_not_every_letter(log: Path, command: str, terminal: str) -> None:
    code, out, error = sbd(command, log, log.with_name("größe"), **TERMINALS[terminal])
    assert code == EXIT_BAD_INPUT
    shown = {
        "ascii": rb"\xfcbertragung.csv.zst: ",
        "C": rb"\udcc3\udcbcbertragung.csv.zst: ",
        "latin": b"\xfcbertragung",
    }
    assert shown[terminal] in out
    assert error.startswith("ERROR ")


@pytest.mark.parametrize("terminal", list(TERMINALS))
def test_help_on_a_terminal_that_has_not_every_letter(log: Path, terminal: str) -> None:
    for arguments in (["--help"], ["detect", "--help"], ["inspect", "--help"]):
        assert sbd(*arguments, **TERMINALS[terminal])[0] == EXIT_OK


@pytest.mark.parametrize("arguments", [["detect", NAME], ["inspect", NAME], ["--help"], ["detect", "--help"]])
def test_what_is_printed_finds_no_room(log: Path, arguments: list[str]) -> None:
    code, _, error = sbd(*arguments, out="/dev/full")
    assert code == EXIT_FAILED
    assert error.endswith(": No space left on device\n")
    assert error.count("\n") == 1


def test_a_table_finds_no_room(log: Path) -> None:
    limits = (4096, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
    program = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, {limits});"
        "from smartsbd.pipelines.__main__ import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "parse", NAME, "--out", "tables"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == EXIT_FAILED
    assert done.stderr.startswith("ERROR parse: tables/")
    assert done.stderr.endswith(".parquet: File too large\n")
    assert done.stderr.count("\n") == 1
    assert [path.name for path in log.parent.iterdir()] == [log.name]


def test_an_input_is_not_refused_for_want_of_files(log: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
    try:
        with pytest.raises(OSError, match="Too many open files") as raised:
            list(blocks(log))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert not isinstance(raised.value, UnreadableInputError)


class Stage:
    """A stage whose workers do what they are given."""

    def __init__(self, work: Callable[[int], object]) -> None:
        self._work = work

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        pass

    def run(self, _arguments: argparse.Namespace, _params: Params) -> int:
        list(parallel.forked(self._work, range(2), 2))
        return EXIT_OK


def too_much(_: int) -> object:
    return np.ones(1 << 60, dtype=np.int8)


def killed(number: int) -> object:
    if number:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize(
    ("work", "said"), [(too_much, "out of memory: "), (killed, "a process of this one ended of itself: ")]
)
def test_a_worker_has_no_memory(
    work: Callable[[int], object], said: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DVC_STAGE", raising=False)
    assert stage.main("made", Stage(work), ["--params", str(ROOT / "params.yaml")]) == EXIT_FAILED
    error = capfd.readouterr().err
    assert error.startswith(f"ERROR made: {said}")
    assert error.count("\n") == 1


_FAULTY = r"""
import sys
from smartsbd.pipelines.running import stage
stage.begin()
stage.send_messages(10, "%(levelname)s %(message)s")
raise ValueError("a\x1b[31m\nb")
"""


def test_an_error_of_the_program_shows_what_steers_a_terminal() -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", _FAULTY], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == EXIT_FAILED
    assert "Traceback" in done.stderr
    assert r"ValueError: a\x1b[31m" in done.stderr
    assert "\x1b" not in done.stderr
