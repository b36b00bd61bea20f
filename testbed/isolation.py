"""A run in namespaces of its own, which end with it and with the process that started it, however these end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.lifetime import ending_with_this
from scenarios.scenario import Scenario
from scenarios.simulator import written
from testbed.emulation import CAPTURE, LOG, RESULT, SCENARIO, SETTINGS
from testbed.running_program import EmulationError

_ROOT = Path(__file__).parents[1]
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
        As :func:`testbed.emulation.emulate` returns it.
    """

    scenario: Scenario
    controller: str
    capture: Path
    log: Path | None
    result: dict[str, Any]


def run(scenario: Scenario, controller: str, folder: Path, *, recorder: bool) -> FinishedRun:
    """Run a scenario, in real time.

    Parameters
    ----------
    scenario : Scenario
    controller : str
        Congestion controller of the connection.
    folder : Path
        Where to put what comes out; it is there and empty.
    recorder : bool
        Whether logs are wanted beside the capture.

    Raises
    ------
    EmulationError
        If it failed.
    """
    (folder / SETTINGS).write_text(json.dumps({"controller": controller, "recorder": recorder}))
    (folder / SCENARIO).write_text(written(scenario))
    command = ending_with_this([*_UNSHARE, sys.executable, "-m", "testbed.emulation", str(folder.absolute())])
    known = os.environ.get("PYTHONPATH")
    environment = os.environ | {"PYTHONPATH": f"{_ROOT}{os.pathsep}{known}" if known else str(_ROOT)}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=environment
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise EmulationError(lines[-1] if lines else f"exit {done.returncode}")
    return FinishedRun(
        scenario=scenario,
        controller=controller,
        capture=folder / CAPTURE,
        log=folder / LOG if recorder else None,
        result=json.loads((folder / RESULT).read_text()),
    )
