"""One run in namespaces of its own. Run as a program with the run's folder, as process 1 of a PID namespace."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from smartsbd.contracts.fault import Fault
from smartsbd.contracts.lifetime import ending_with_this
from smartsbd.scenarios.path import RECEIVE_BUFFER_BYTES
from smartsbd.scenarios.scenario import Scenario
from smartsbd.scenarios.simulator import written
from smartsbd.testbed import hosts, machine
from smartsbd.testbed.receiver import PORT
from smartsbd.testbed.relay_network import (
    CLIENT,
    CLIENT_ADDRESS,
    DEVICE,
    HOSTS,
    SERVER,
    plan_lines,
    server_address,
    to_ns,
)
from smartsbd.testbed.running_program import EmulationError, RunningProgram, python
from smartsbd.testbed.sender import sleep_until
from studies.why.limited_runs import LimitedRun, settings_of

_ROOT = Path(__file__).resolve().parents[2]
CAPTURE = "server.pcap"
_SETTINGS, _SCENARIO, _PLAN, _STDERR = "settings.json", "scenario.json", "plan.txt", "emulation.stderr"
_UNSHARE = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
_AHEAD_NS = 200_000_000
_SECOND = server_address(1)
#: Number of the second endpoint.
_ENDPOINT = "2"
# What a shaper may send at once: two packets.
_BURST_BYTES = "3000"


def _on(host: int, *words: str) -> str:
    done = subprocess.run(hosts.on(host, *words), capture_output=True, text=True, check=False)
    if done.returncode:
        raise EmulationError(f"{' '.join(words)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def _shape(rates_mbit_s: list[float]) -> None:
    """Limit what the sending host sends from each address; what waits there is not captured yet."""
    if not rates_mbit_s:
        return
    _on(SERVER, "tc", "qdisc", "add", "dev", DEVICE, "root", "handle", "1:", "htb")
    for number, rate in enumerate(rates_mbit_s):
        flow, speed = f"1:{number + 1}", f"{round(rate * 1000)}kbit"
        burst = ("burst", _BURST_BYTES, "cburst", _BURST_BYTES)
        _on(
            SERVER, *f"tc class add dev {DEVICE} parent 1: classid {flow} htb rate {speed} ceil {speed}".split(), *burst
        )
        match = f"tc filter add dev {DEVICE} parent 1: protocol ip u32 match ip src {server_address(number)}/32 flowid"
        _on(SERVER, *match.split(), flow)


def _open_second(second: str, end_ns: int) -> None:
    """Add the second endpoint as the run has it."""
    if second == "none":
        return
    if second == "dropped":
        _on(CLIENT, "ip", "route", "add", "blackhole", f"{_SECOND}/32")
    if second == "refused":
        _on(CLIENT, *["ip", "mptcp", "limits", "set", "subflow", "0", "add_addr_accepted", "0"])
    if second == "backup":
        _on(SERVER, *f"ip mptcp endpoint add {_SECOND} dev {DEVICE} id {_ENDPOINT} subflow backup".split())
        return
    if second == "refused":
        _on(SERVER, *f"ip mptcp endpoint add {_SECOND} dev {DEVICE} id {_ENDPOINT} subflow".split())
        return
    if not hosts.join(1, end_ns):
        raise EmulationError("subflow 1 was not opened: the connection was not established, or is plain TCP")


def _change_second(second: str) -> None:
    """Do what becomes of the second subflow later."""
    if second == "backup later":
        _on(SERVER, *f"ip mptcp endpoint change id {_ENDPOINT} backup".split())
    if second == "killed":
        _on(CLIENT, "ss", "-K", "src", CLIENT_ADDRESS, "dst", _SECOND)


def _sender(scenario: Scenario, settings: dict[str, Any]) -> str:
    application = scenario.connection.application
    return json.dumps(
        {
            "controller": scenario.connection.controller,
            "address": server_address(0),
            "to": CLIENT_ADDRESS,
            "port": PORT,
            "start_ns": to_ns(scenario.subflows[0].start_s),
            "application": None if application is None else application.model_dump(),
            "mss_bytes": scenario.connection.mss_bytes,
            "send_buffer_bytes": settings["send_buffer_bytes"],
        }
    )


def _receiver(scenario: Scenario) -> str:
    limited = scenario.connection.receive_buffer_bytes < RECEIVE_BUFFER_BYTES
    return json.dumps({"address": CLIENT_ADDRESS, "flows": [], "rivals_have_room": limited})


def _emulate(folder: Path) -> None:
    settings = json.loads((folder / _SETTINGS).read_text())
    scenario = Scenario.model_validate_json((folder / _SCENARIO).read_text())
    hosts.make(scenario)
    namespaces = [str(hosts.file_of(host)) for host in range(len(HOSTS))]
    (folder / _PLAN).write_text("\n".join(plan_lines(scenario, namespaces, CAPTURE)) + "\n")
    os.chdir(folder)
    with ExitStack() as stack:

        def started(name: str, command: list[str]) -> RunningProgram:
            program = RunningProgram(name, command, folder)
            stack.callback(program.kill)
            program.wait_ready()
            return program

        relay = started("sbd-relay", [str(machine.RELAY), _PLAN])
        hosts.connect(scenario)
        _shape(settings["shaper_mbit_s"])
        receiver = started("receiver", hosts.on(CLIENT, *python("smartsbd.testbed.receiver", _receiver(scenario))))
        command = python("studies.why.limited_sender", _sender(scenario, settings))
        sender = started("sender", hosts.on(SERVER, *command))
        origin_ns = time.monotonic_ns() + _AHEAD_NS
        for program in (relay, receiver, sender):
            program.begin(origin_ns)
        start_ns, join_ns = (origin_ns + to_ns(path.start_s) for path in scenario.subflows)
        end_ns = origin_ns + to_ns(scenario.duration_s)
        sleep_until(join_ns)
        _open_second(settings["second"], end_ns)
        sleep_until(start_ns + to_ns(settings["second_s"]))
        _change_second(settings["second"])
        sleep_until(end_ns)
        sender.check()
        receiver.end(signal.SIGTERM)
        relay.end(signal.SIGTERM)


def emulated(run: LimitedRun, folder: Path) -> Path:
    """Make a run; return its capture at the sender.

    Parameters
    ----------
    run : LimitedRun
    folder : Path
        Where to put what comes out; it is there and empty.

    Returns
    -------
    Path

    Raises
    ------
    EmulationError
        If it failed.
    """
    (folder / _SETTINGS).write_text(json.dumps(settings_of(run)))
    (folder / _SCENARIO).write_text(written(run.scenario))
    command = [*_UNSHARE, sys.executable, "-m", "studies.why.limited_emulation", str(folder.absolute())]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))}
    with (folder / _STDERR).open("wb") as stderr:
        code = subprocess.run(
            ending_with_this(command), stdin=subprocess.DEVNULL, stderr=stderr, env=environment, check=False
        ).returncode
    if code:
        lines = (folder / _STDERR).read_text(errors="replace").strip().splitlines()
        raise EmulationError(lines[-1] if lines else f"exit {code}")
    return folder / CAPTURE


if __name__ == "__main__":
    try:
        _emulate(Path(sys.argv[1]))
    except (Fault, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(1)
