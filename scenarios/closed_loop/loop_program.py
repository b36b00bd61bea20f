"""Running ``smartsbd-loop``: the simulator with every source of verdicts, exported models among them."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smartsbd.contracts.whole_file import write_whole
from smartsbd.scenarios import learnt_agent, simulator
from smartsbd.scenarios.scenario import Scenario
from smartsbd.scenarios.simulator import SimulatorError

_FOLDER = simulator.SOURCES.parent
_PROGRAM = _FOLDER.parent / "build" / "simulator" / "smartsbd-loop"
#: Interval of the series of a run: the paper's figures have means of a second.
SERIES_S = 1.0


@dataclass(frozen=True)
class Looped:
    """What one run has left.

    Attributes
    ----------
    events : bytes
        The event log.
    truth : dict
        What the simulator measured, with its series.
    verdicts : dict, optional
        Groups and verdicts over time; none where there is no source of verdicts.
    """

    events: bytes
    truth: dict[str, Any]
    verdicts: dict[str, Any] | None


def build() -> Path:
    """Build the program with the headers in export/generated; return it. What is up to date is left as it is.

    It lies in the project's own build folder: another project of this environment may have other headers.

    Returns
    -------
    Path
        Path of the program.

    Raises
    ------
    SimulatorError
        If that fails.
    """
    with Path(_FOLDER / "Makefile").open() as held:
        # One at a time: they would write the same files.
        fcntl.flock(held, fcntl.LOCK_EX)
        target = Path("..", *_PROGRAM.relative_to(_FOLDER.parent).parts)
        # Relative paths: make cannot handle a space in one.
        prefix = os.path.relpath(sys.prefix, _FOLDER)
        command = ["make", "--silent", "--jobs=2", "-C", str(_FOLDER), f"PREFIX={prefix}", f"LOOP={target}", "loop"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SimulatorError(f"`make loop` failed: {done.stderr.strip()[-500:] or 'no message'}")
    return _PROGRAM


def version(program: Path) -> str:
    """Return what the program says of itself: digests of the simulator's sources, and of the loop's with all headers.

    Parameters
    ----------
    program : Path
        What :func:`build` returned.

    Returns
    -------
    str
        One line.
    """
    return subprocess.run([str(program), "--version"], capture_output=True, text=True, check=True).stdout.strip()


def run(program: Path, scenario: Scenario, scenario_path: Path, agents: Path | None = None) -> Looped:
    """Run one scenario, with a series of its own interval, or of one second.

    Parameters
    ----------
    program : Path
        What :func:`build` returned.
    scenario : Scenario
    scenario_path : Path
        Where to keep the scenario, for whoever wants to run it again.
    agents : Path, optional
        Folder with weights of learnt agents, for controllers that ask for them.

    Returns
    -------
    Looped
        Event log, truth and verdicts.

    Raises
    ------
    SimulatorError
        If the run failed; the message names the scenario's file and seed.
    AgentMissingError
        If the controller asks for weights that are not there; the scenario is kept.
    OSError
        If there is no room for what it writes.
    """
    whole = scenario.model_copy(update={"series_s": scenario.series_s or SERIES_S})
    write_whole((simulator.written(whole) + "\n").encode(), scenario_path)
    weights = learnt_agent.options(scenario.connection, agents)
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder) / name for name in ("events", "truth", "verdicts")}
        if scenario.connection.verdicts is None:
            del files["verdicts"]
        options = [f"--{name}={path}" for name, path in files.items()]
        simulator.end([str(program), f"--scenario={scenario_path}", *options, *weights], scenario_path, scenario.seed)
        verdicts_over_time = json.loads(files["verdicts"].read_text()) if "verdicts" in files else None
        return Looped(files["events"].read_bytes(), json.loads(files["truth"].read_text()), verdicts_over_time)
