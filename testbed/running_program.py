"""Programs that an emulation runs: each says when it is ready, receives the moment of time 0, and ends with it."""

from __future__ import annotations

import selectors
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, cast

from smartsbd.contracts.fault import Fault

#: What a program says on its standard output when it can begin.
READY = "ready"
_READY_S = 20.0
_END_S = 10.0


class EmulationError(Fault):
    """A run that failed; the message is that of what failed."""


def python(module: str, settings: str) -> list[str]:
    """Return the command line of one of this package's programs.

    Parameters
    ----------
    module : str
    settings : str
        JSON, as its ``main`` takes it.

    Returns
    -------
    list of str
        For the interpreter that runs this.
    """
    return [sys.executable, "-m", module, settings]


class RunningProgram:
    """A program of an emulation.

    Parameters
    ----------
    name : str
        In messages.
    command : sequence of str
    folder : Path
        Where its standard error is kept.
    """

    def __init__(self, name: str, command: Sequence[str], folder: Path) -> None:
        self.name = name
        self._stderr_path = folder / f"{name}.stderr"
        with self._stderr_path.open("wb") as stderr:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True)
        self._process = process
        self._stdin, self._stdout = cast(IO[str], process.stdin), cast(IO[str], process.stdout)

    def failure(self) -> EmulationError:
        """Return the error with this program's last line."""
        lines = self._stderr_path.read_text(errors="replace").strip().splitlines()
        message = lines[-1] if lines else f"exit {self._process.poll()}"
        return EmulationError(message if message.startswith(("sbd", self.name)) else f"{self.name}: {message}")

    def check(self) -> None:
        """Make sure that it runs.

        Raises
        ------
        EmulationError
            If it has ended.
        """
        if self._process.poll() is not None:
            raise self.failure()

    def wait_ready(self) -> None:
        """Wait until it can begin.

        Raises
        ------
        EmulationError
            If it says something else, ends, or takes too long.
        """
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdout, selectors.EVENT_READ)
            if not selector.select(_READY_S):
                raise EmulationError(f"{self.name}: not ready after {_READY_S:.0f} s")
        if self._stdout.readline().strip() != READY:
            self._process.wait(_END_S)
            raise self.failure()

    def wait_file(self, path: Path) -> None:
        """Wait until it has made a file.

        Raises
        ------
        EmulationError
            If it ends before, or takes too long.
        """
        until = time.monotonic() + _READY_S
        while not (path.exists() and path.stat().st_size):
            self.check()
            if time.monotonic() > until:
                raise EmulationError(f"{self.name}: not ready after {_READY_S:.0f} s")
            time.sleep(0.02)

    def begin(self, origin_ns: int) -> None:
        """Tell it when the time is 0, by the monotonic clock."""
        self._stdin.write(f"{origin_ns}\n")
        self._stdin.flush()

    def end(self, signal: int) -> str:
        """End it by a signal; return the rest of its standard output.

        Returns
        -------
        str
            What was not read before.

        Raises
        ------
        EmulationError
            If it does not end well.
        """
        self._process.send_signal(signal)
        try:
            rest, _ = self._process.communicate(timeout=_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise EmulationError(f"{self.name}: does not end") from None
        if self._process.returncode != 0:
            raise self.failure()
        return rest

    def kill(self) -> None:
        """End it now."""
        self._process.kill()
        self._process.wait()
