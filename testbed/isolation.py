"""A run in namespaces of its own, which end with it and with the process that started it, however these end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smartsbd.contracts.lifetime import ending_with_this
from smartsbd.scenarios.scenario import Scenario
from smartsbd.scenarios.simulator import written
from smartsbd.testbed.emulation import CAPTURE, LOG, RESULT, SCENARIO, SETTINGS
from smartsbd.testbed.running_program import EmulationError

_ROOT = Path(__file__).resolve().parents[1]
#: When process 1 of a PID namespace dies, the kernel kills the others; then nothing holds the other namespaces.
_UNSHARE = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")


@dataclass(frozen=True)
class FinishedRun:
    """What one run left.

    Attributes
    ----------
    scenario : Scenario
    controller : str
        Of the connection.
    capture : Path
        Packets at the server.
    log : Path or None
        Event lines.
    result : dict
        As :func:`smartsbd.testbed.emulation.emulate` returns it.
    """

    scenario: Scenario
    controller: str
    capture: Path
    log: Path | None
    result: dict[str, Any]


class IsolatedRun:
    """A scenario that runs in real time, from now on.

    Parameters
    ----------
    scenario : Scenario
    controller : str
        Congestion controller of the connection.
    folder : Path
        Where to put what comes out; it is there and empty.
    recorder : bool
        Whether logs are wanted beside the capture.
    """

    def __init__(self, scenario: Scenario, controller: str, folder: Path, *, recorder: bool) -> None:
        self.folder = folder
        self._scenario, self._controller, self._recorder = scenario, controller, recorder
        (folder / SETTINGS).write_text(json.dumps({"controller": controller, "recorder": recorder}))
        (folder / SCENARIO).write_text(written(scenario))
        command = ending_with_this(
            [*_UNSHARE, sys.executable, "-m", "smartsbd.testbed.emulation", str(folder.absolute())]
        )
        known = os.environ.get("PYTHONPATH")
        environment = os.environ | {"PYTHONPATH": f"{_ROOT}{os.pathsep}{known}" if known else str(_ROOT)}
        self._stderr_path = folder / "emulation.stderr"
        with self._stderr_path.open("wb") as stderr:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr, env=environment
            )

    def finished(self) -> FinishedRun:
        """Wait until it has ended; return what it left.

        Returns
        -------
        FinishedRun
            Its files, and what was counted.

        Raises
        ------
        EmulationError
            If it failed.
        """
        if self._process.wait() != 0:
            lines = self._stderr_path.read_text(errors="replace").strip().splitlines()
            raise EmulationError(lines[-1] if lines else f"exit {self._process.returncode}")
        return FinishedRun(
            scenario=self._scenario,
            controller=self._controller,
            capture=self.folder / CAPTURE,
            log=self.folder / LOG if self._recorder else None,
            result=json.loads((self.folder / RESULT).read_text()),
        )

    def kill(self) -> None:
        """End it now, if it has not ended."""
        self._process.kill()
        self._process.wait()
