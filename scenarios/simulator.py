"""Running ``smartsbd-sim``, one process for each connection; ``smartsbd-radio`` where a link is 802.11n."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard

from smartsbd.contracts.fault import Fault
from smartsbd.contracts.lifetime import ending_with_this
from smartsbd.contracts.whole_file import write_whole
from smartsbd.scenarios.scenario import Background, RadioAccess, Run, Scenario

SOURCES = Path(__file__).resolve().parents[1] / "simulator" / "src"
_RADIO_SOURCES = SOURCES.parent / "radio"
_NAME, _RADIO_NAME = "smartsbd-sim", "smartsbd-radio"
_COMPRESSION_LEVEL = 6
#: Name of an event log while the simulator writes it.
_EVENTS = "events.log"


class SimulatorError(Fault):
    """The simulator is missing or stale, or a run of it failed; the message names the scenario and its seed."""


@dataclass(frozen=True)
class Finished:
    """One run's event log (compressed), and the truth the simulator measured."""

    event_log: bytes
    truth: dict[str, Any]


def program(name: str = _NAME) -> Path:
    """Return the simulator of this environment.

    Parameters
    ----------
    name : str
        Which of its programs.

    Returns
    -------
    Path
        The file need not be there.
    """
    return Path(sys.prefix) / "bin" / name


def source_digest(sources: Path = SOURCES) -> str:
    """Return the digest of sources that a program's ``--version`` shows."""
    digest = hashlib.sha256()
    files = (path for path in sources.rglob("*") if path.is_file())
    for path in sorted(files, key=lambda path: path.relative_to(sources).as_posix().encode()):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def check_program() -> None:
    """Make sure the simulator's programs are there and were built from these sources.

    Raises
    ------
    SimulatorError
        With the remedy.
    """
    _check(program(), f"sources={source_digest()}")
    _check(program(_RADIO_NAME), f"sources={source_digest()}", f"radio={source_digest(_RADIO_SOURCES)}")


def _check(built: Path, *digests: str) -> None:
    if not built.exists():
        raise SimulatorError(f"{built} is missing: run `make setup`")
    shown = subprocess.run([str(built), "--version"], capture_output=True, text=True, check=False)
    if not set(digests) <= set(shown.stdout.split()):
        raise SimulatorError(
            f"{built} was not built from these sources ({shown.stdout.strip() or shown.stderr.strip()}):"
            " run `make setup`"
        )


def written(scenario: Scenario) -> str:
    """Return a scenario as the simulator reads it."""
    return scenario.model_dump_json(indent=1)


def end(command: Sequence[str], scenario_path: Path, seed: int) -> None:
    """Run the simulator to its end.

    Parameters
    ----------
    command : sequence of str
    scenario_path : Path
        The scenario it reads.
    seed : int
        The scenario's.

    Raises
    ------
    SimulatorError
        If the run failed; the message names the scenario's file and seed.
    OSError
        If there is no room for what it writes.
    """
    done = subprocess.run(ending_with_this([*command]), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        message = done.stderr.strip() or "no message"
        if message.endswith(os.strerror(errno.ENOSPC)):
            # Other runs would fail too.
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(scenario_path.parent))
        raise SimulatorError(f"{scenario_path} (seed {seed}): exit {done.returncode}: {message}")


def simulate(run: Run, scenario_path: Path, captures: Path | None = None) -> Finished:
    """Run one scenario.

    Parameters
    ----------
    run : Run
    scenario_path : Path
        Where to keep the scenario, for whoever wants to run it again.
    captures : Path, optional
        Folder for captures of each subflow at both ends: ``sender.<n>.pcap`` and ``receiver.<n>.pcap``.

    Returns
    -------
    Finished
        Event log (compressed) and truth.

    Raises
    ------
    SimulatorError
        If the run failed; the message names the scenario's file and seed.
    OSError
        If there is no room for what it writes.
    """
    with tempfile.TemporaryDirectory() as folder:
        truth = _simulated(run, scenario_path, Path(folder), captures)
        events = (Path(folder) / _EVENTS).read_bytes()
        return Finished(zstandard.ZstdCompressor(level=_COMPRESSION_LEVEL).compress(events), truth)


def measure(run: Run, scenario_path: Path) -> dict[str, Any]:
    """Run one scenario for its truth alone; its event log is not kept.

    Parameters
    ----------
    run : Run
    scenario_path : Path
        As :func:`simulate` takes it.

    Returns
    -------
    dict
        What the simulator measured.

    Raises
    ------
    SimulatorError, OSError
        As :func:`simulate` raises them.
    """
    with tempfile.TemporaryDirectory() as folder:
        return _simulated(run, scenario_path, Path(folder), None)


def _name(scenario: Scenario) -> str:
    """Return the name of the program that has all that a scenario asks for, verdicts of models left out."""
    accesses = [subflow.access for subflow in scenario.subflows]
    accesses += [subflow.access for connection in scenario.further_connections or () for subflow in connection.subflows]
    return _RADIO_NAME if any(isinstance(access, RadioAccess) for access in accesses) else _NAME


def _simulated(run: Run, scenario_path: Path, folder: Path, captures: Path | None) -> dict[str, Any]:
    """Run one scenario, with its event log in a folder; return the truth."""
    write_whole((written(run.scenario) + "\n").encode(), scenario_path)
    truth_path = folder / "truth.json"
    arguments = [f"--scenario={scenario_path}", f"--events={folder / _EVENTS}", f"--truth={truth_path}"]
    if captures is not None:
        arguments.append(f"--pcap={captures}")
    end([str(program(_name(run.scenario))), *arguments], scenario_path, run.scenario.seed)
    truth: dict[str, Any] = json.loads(truth_path.read_text())
    return truth


def truth_rows(run: Run, name: str, truth: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of ``truth.csv`` for one run: configured values and what was measured.

    Parameters
    ----------
    run : Run
    name : str
        Name of the input.
    truth : dict
        The simulator's truth.

    Returns
    -------
    list of dict
        One for each pair of subflows and change of its label.
    """
    scenario = run.scenario
    rows = []
    for pair in truth["pairs"]:
        row: dict[str, Any] = {
            "input": name,
            "token": scenario.connection.token,
            "subflow_a": pair["subflow_a"],
            "subflow_b": pair["subflow_b"],
            "from_ns": pair["from_ns"],
            "shared": pair["shared"],
            "site": run.site,
            "scenario": run.setting,
            "congestion_control": scenario.connection.controller,
        }
        for side in ("a", "b"):
            row |= _side(run, truth, pair[f"subflow_{side}"], pair["from_ns"], side)
        rows.append(row)
    return rows


def _crosses(run: Run, flow: Background, link: int) -> bool:
    """Tell whether a background flow's data cross a shaped link, in the direction of the connection's."""
    if flow.direction is not None:
        return False
    on_its_way = link in run.scenario.subflows[flow.subflow].links
    return on_its_way and (flow.enters == "server" or run.scenario.links[link].place == flow.enters)


def _side(run: Run, truth: dict[str, Any], subflow: int, from_ns: int, side: str) -> dict[str, Any]:
    """Return one subflow's columns, measured in the phase that starts at `from_ns`."""
    path = run.scenario.subflows[subflow]
    number = path.bottleneck_at(from_ns / 1e9)
    link = run.scenario.links[number]
    (measured,) = (
        candidate for candidate in truth["links"] if (candidate["link"], candidate["from_ns"]) == (number, from_ns)
    )
    (phase,) = (candidate for candidate in truth["subflows"][subflow]["phases"] if candidate["from_ns"] == from_ns)
    at_bottleneck = phase["drops_at_bottleneck"] + phase["marks_at_bottleneck"]
    signals = at_bottleneck + phase["drops_elsewhere"]
    rates = [flow.rate_mbit_s for flow in run.scenario.background if _crosses(run, flow, number)]
    return {
        f"path_{side}": path.path,
        f"bottleneck_{side}_mbit_s": link.rate_at_mbit_s(from_ns / 1e9),
        f"queue_{side}_bytes": link.queue_bytes,
        f"base_rtt_{side}_us": round(path.rtt_ms * 1000),
        f"loss_{side}_ratio": path.access.loss,
        f"jitter_{side}_us": round(path.access.jitter_ms * 1000),
        f"background_{side}_mbit_s": None if None in rates else sum(rate for rate in rates if rate is not None),
        f"utilisation_{side}": measured["utilisation"],
        f"drop_share_{side}": at_bottleneck / signals if signals else None,
    }
