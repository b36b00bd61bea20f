"""Another program that runs beside the test, such as ping: it ends with this process, and its output is kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from smartsbd.contracts.fault import Fault, printable
from smartsbd.contracts.lifetime import ending_with_this

_END_S = 10.0
#: Of its error output no more than this is read, from the end.
_MOST_ERROR_BYTES = 4096


class ToolError(Fault):
    """A program that is missing or has failed."""


def found(name: str, package: str) -> str:
    """Return where a program is.

    Parameters
    ----------
    name, package : str
        Names of the program, and of Debian's package that has it.

    Returns
    -------
    str
        A path.

    Raises
    ------
    ToolError
        If it is not installed.
    """
    place = shutil.which(name)
    if place is None:
        raise ToolError(f"{name} is missing; on Debian: apt-get install {package}")
    return place


class RunningTool:
    """A program that runs from its making on.

    Parameters
    ----------
    command : sequence of str
    out : Path
        Where its output is kept.
    """

    def __init__(self, command: Sequence[str], out: Path) -> None:
        self._command = command
        # In a file: a pipe that nobody reads fills, and then the program waits.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the program has ended
        with out.open("wb") as stdout:
            self._process = subprocess.Popen(
                ending_with_this(command),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=self._errors,
                # Output and errors are read by programs, and shown beside ours: in one language.
                env=os.environ | {"LC_ALL": "C"},
            )

    def ended(self, *good: int) -> None:
        """Wait until it has ended.

        Parameters
        ----------
        *good : int
            Exit codes of a run that did what it should.

        Raises
        ------
        ToolError
            If it failed or does not end.
        """
        try:
            self._process.wait(timeout=_END_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ToolError(f"{self._command[0]} does not end") from None
        if self._process.returncode not in good:
            lines = self._error_tail().decode(errors="replace").strip().splitlines()
            why = lines[-1] if lines else f"exit {self._process.returncode}"
            raise ToolError(printable(f"{' '.join(self._command)}: {why}"))

    def running(self) -> bool:
        """Tell whether it has not ended yet."""
        return self._process.poll() is None

    def has_failed(self, *good: int) -> bool:
        """Tell whether it has ended with another exit code than these."""
        return self._process.poll() not in (None, *good)

    def ask_to_end(self) -> None:
        """Send it SIGTERM."""
        self._process.terminate()

    def kill(self) -> None:
        """End it now, if it has not ended."""
        self._process.kill()
        self._process.wait()
        self._errors.close()

    def _error_tail(self) -> bytes:
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _MOST_ERROR_BYTES))
        return self._errors.read()
