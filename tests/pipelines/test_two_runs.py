"""One run in a clone at a time, and none goes on when what runs it has ended: with DVC itself, and real stages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from smartsbd.pipelines.running import profile
from smartsbd.pipelines.running.clone_lock import LOCK
from smartsbd.pipelines.running.stage import EXIT_FAILED, EXIT_OK
from tests.processes import waited_for, within

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SIMULATOR = "smartsbd-sim"
#: Takes some seconds, in processes of its own.
LONG = "simulate@sites"
#: What it writes when nothing has ended it before.
LAST = "data/raw/sites/truth.csv"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone whose parameters are those of the profile `quick`."""
    profile.prepare(ROOT, "quick", tmp_path / "clone")
    return (tmp_path / "clone").resolve()


def environment(shell: str = "/bin/sh") -> dict[str, str]:
    path = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return own | {"PATH": path, "SHELL": shell, "DVC_NO_ANALYTICS": "1"}


def sbd(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pipelines", *arguments]


@contextmanager
def started(command: list[str], clone: Path, shell: str = "/bin/sh") -> Iterator[subprocess.Popen[str]]:
    """Run a command, from when a simulator runs for it; an interrupt ends it even where these tests ignore it."""
    with subprocess.Popen(
        ["env", "--default-signal=INT", *command],
        cwd=clone,
        env=environment(shell),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as run:
        try:
            assert waited_for(lambda: SIMULATOR in within(clone).values())
            yield run
        finally:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)


@contextmanager
def stopped(run: subprocess.Popen[str]) -> Iterator[None]:
    """Let a run and all it has started wait."""
    os.killpg(run.pid, signal.SIGSTOP)
    yield
    os.killpg(run.pid, signal.SIGCONT)


def ran(command: list[str], clone: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=clone, env=environment(), capture_output=True, text=True, check=False, timeout=300
    )


def test_a_second_run_ends_at_once_and_the_first_is_not_harmed(clone: Path) -> None:
    with started(sbd("repro", "default", LONG), clone) as first:
        with stopped(first):
            second = ran(sbd("repro"), clone)
            beside = ran(["dvc", "repro", "collect@kernel"], clone)
        said = first.communicate()[0]
    holder = f"process {first.pid} runs the pipeline here: wait until it has ended\n"
    assert (second.returncode, second.stdout) == (EXIT_FAILED, "")
    assert second.stderr == f"ERROR repro: {clone}: {holder}"
    assert beside.returncode != EXIT_OK
    assert f"ERROR collect: {clone}: {holder}" in beside.stderr
    assert not (clone / "data/raw/kernel").exists()
    assert first.returncode == EXIT_OK, said
    assert ran(["dvc", "status", LONG], clone).stdout == "Data and pipelines are up to date.\n"


def test_a_run_beside_one_by_dvc_ends_at_once(clone: Path) -> None:
    with started(["dvc", "repro", LONG], clone) as first:
        with stopped(first):
            second = ran(sbd("repro"), clone)
            other = ran(["dvc", "repro", "collect@kernel"], clone)
        said = first.communicate()[0]
    assert (second.returncode, second.stdout) == (EXIT_FAILED, "")
    assert second.stderr.count("\n") == 1
    assert "runs the pipeline here" in second.stderr
    assert other.returncode != EXIT_OK
    assert "runs the pipeline here" in other.stderr
    assert first.returncode == EXIT_OK, said


def test_dvc_between_two_stages_is_at_work_too(clone: Path) -> None:
    (clone / LOCK).parent.mkdir(parents=True, exist_ok=True)
    program = "from dvc.repo import Repo\nwith Repo('.').lock:\n    print('locked', flush=True)\n    input()"
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=clone, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as dvc:
        assert dvc.stdout is not None
        assert dvc.stdout.readline() == "locked\n"
        second = ran(sbd("repro", "default", "collect@kernel"), clone)
        dvc.communicate("\n")
    assert second.returncode == EXIT_FAILED
    assert second.stderr.count("\n") == 1
    assert f"process {dvc.pid} (dvc) runs the pipeline here" in second.stderr


def keeper(folder: Path) -> str:
    """Make a shell that stays between DVC and what it runs."""
    shell = folder / "keeper"
    shell.write_text('#!/bin/sh\n/bin/sh "$@"\nexit $?\n')
    shell.chmod(0o755)
    return str(shell)


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash", "one that stays"])
def test_a_stage_ends_with_dvc(clone: Path, tmp_path: Path, shell: str) -> None:
    own = keeper(tmp_path) if shell == "one that stays" else shell
    number = signal.SIGTERM if shell == "/bin/bash" else signal.SIGKILL
    with started(["dvc", "repro", LONG], clone, own) as dvc:
        dvc.send_signal(number)
        assert waited_for(lambda: not within(clone)), within(clone)
    assert not (clone / LAST).exists()


def test_all_ends_with_a_run_that_is_killed_and_the_next_goes_on(clone: Path) -> None:
    with started(sbd("repro", "default", LONG), clone) as first:
        first.kill()
        assert waited_for(lambda: not within(clone)), within(clone)
    assert not (clone / LAST).exists()
    again = ran(sbd("repro", "default", "collect@kernel"), clone)
    assert again.returncode == EXIT_OK, again.stderr


def test_what_a_terminal_interrupts_ends_without_a_traceback(clone: Path) -> None:
    with started(sbd("repro", "default", LONG), clone) as run:
        os.killpg(run.pid, signal.SIGINT)
        said = run.communicate()[0]
    assert run.returncode == -signal.SIGINT
    assert waited_for(lambda: not within(clone)), within(clone)
    assert "ERROR simulate: interrupted\n" in said
    assert "ERROR repro: interrupted\n" in said
    assert "Traceback" not in said
