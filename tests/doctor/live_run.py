"""`sbd doctor`, live: on a host in namespaces of its own, with two paths through the testbed's relay.

Run as a program with a folder that has :data:`WANTED`; run in a PID namespace, as process 1 of it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from smartsbd.scenarios.scenario import Scenario
from smartsbd.testbed import hosts, machine
from smartsbd.testbed.receiver import FIRST_RIVAL_PORT
from smartsbd.testbed.relay_network import (
    CLIENT,
    CLIENT_ADDRESS,
    HOSTS,
    RIVALS,
    SERVER,
    plan_lines,
    rival_address,
    server_address,
)
from smartsbd.testbed.running_program import RunningProgram, python
from tests.doctor import sending_server

WANTED, TEST, SAID = "wanted.json", "test", "doctor.log"
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Wanted:
    """What is run.

    Attributes
    ----------
    scenario : str
        As JSON.
    ways : list of str
        How the server sends over each path.
    stalls_seed : int or None
        The host stops and goes on, drawn with this seed; None: it does not.
    seconds : float
        With load on both.
    """

    scenario: str
    ways: list[str]
    stalls_seed: int | None = None
    seconds: float = 40.0


def _rivals(scenario: Scenario) -> str:
    return json.dumps(
        [
            {
                "kind": flow.kind,
                "address": rival_address(number),
                "to": CLIENT_ADDRESS,
                "port": FIRST_RIVAL_PORT + number,
                "rate_mbit_s": flow.rate_mbit_s,
                "start_ns": 0,
                "mss_bytes": scenario.connection.mss_bytes,
                "seed": number,
            }
            for number, flow in enumerate(scenario.background)
        ]
    )


def _stalled(process: subprocess.Popen[bytes], seed: int) -> None:
    """Stop a process and its children from time to time, until it ends."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    while process.poll() is None:
        time.sleep(draw.uniform(0.5, 2.0))
        for sign, seconds in ((signal.SIGSTOP, draw.uniform(0.15, 0.8)), (signal.SIGCONT, 0.0)):
            if process.poll() is None:
                os.killpg(process.pid, sign)
                time.sleep(seconds)


def run(folder: Path) -> int:
    """Run the command in a network; return its exit code."""
    wanted = Wanted(**json.loads((folder / WANTED).read_text()))
    scenario = Scenario.model_validate_json(wanted.scenario)
    hosts.make(scenario)
    namespaces = [str(hosts.file_of(host)) for host in range(len(HOSTS))]
    (folder / "plan.txt").write_text("\n".join(plan_lines(scenario, namespaces, "server.pcap")) + "\n")
    addresses = [server_address(number) for number in range(len(scenario.subflows))]
    with ExitStack() as stack:

        def started(name: str, command: list[str]) -> RunningProgram:
            program = RunningProgram(name, command, folder)
            stack.callback(program.kill)
            program.wait_ready()
            return program

        os.chdir(folder)
        relay = started("sbd-relay", [str(machine.RELAY), "plan.txt"])
        hosts.connect(scenario)
        kinds = json.dumps({"address": CLIENT_ADDRESS, "kinds": [flow.kind for flow in scenario.background]})
        receiver = started("receiver", hosts.on(CLIENT, *python("smartsbd.testbed.receiver", kinds)))
        ways = json.dumps(dict(zip(addresses, wanted.ways, strict=True)))
        started("server", hosts.on(SERVER, *python("tests.doctor.sending_server", ways)))
        rivals = started("rivals", hosts.on(RIVALS, *python("smartsbd.testbed.rival", _rivals(scenario))))
        origin_ns = time.monotonic_ns() + 100_000_000
        for program in (relay, receiver, rivals):
            program.begin(origin_ns)
        words = [sys.executable, "-m", "pipelines", "doctor", "--out", TEST, "--seconds", str(wanted.seconds)]
        for address in addresses:
            words += ["--path", CLIENT_ADDRESS, "--download", f"http://{address}:{sending_server.PORT}/"]
        with (folder / SAID).open("wb") as said:
            process = subprocess.Popen(
                hosts.on(CLIENT, *words), stdout=said, stderr=said, start_new_session=True, cwd=folder
            )
        stack.callback(process.kill)
        if wanted.stalls_seed is not None:
            _stalled(process, wanted.stalls_seed)
        return process.wait()


def live(folder: Path, wanted: Wanted) -> subprocess.Popen[bytes]:
    """Start a run, whose folder is there and empty."""
    (folder / WANTED).write_text(json.dumps(asdict(wanted)))
    unshare = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    with (folder / "live.log").open("wb") as log:
        return subprocess.Popen(
            [*unshare, sys.executable, "-m", "tests.doctor.live_run", str(folder.absolute())],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=log,
            stderr=log,
        )


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1])))
